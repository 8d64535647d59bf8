import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const ECHO = "guardhouse/echo";
const TOOL = { name: "edit", description: "Edits a file" };
const SCHEMA = { type: "object", properties: {} };
const user = (content: string) => [{ role: "user", content }];

/** One question with a tool, asked in each API that has tools. */
const BODIES: readonly (readonly [path: string, body: (text: string) => object])[] = [
  [
    "/v1/chat/completions",
    (text) => ({ messages: user(text), tools: [{ type: "function", function: { ...TOOL, parameters: SCHEMA } }] }),
  ],
  ["/v1/messages", (text) => ({ messages: user(text), max_tokens: 64, tools: [{ ...TOOL, input_schema: SCHEMA }] })],
  [
    "/v1/responses",
    (text) => ({ input: text, tools: [{ type: "function", ...TOOL, parameters: SCHEMA, strict: false }] }),
  ],
];

test.each(BODIES)(
  "%s: the built-in model calls a tool that is named, not one whose name is part of a word",
  async (path, body) => {
    verifies("messages.echo", "responses.echo");
    const answerTo = async (text: string) => {
      const response = await world.hub.fetch(path, { token: world.token, json: { model: ECHO, ...body(text) } });
      expect(response.status).toBe(200);
      return response.text();
    };
    expect(await answerTo("Pay by credit card.")).toContain("Echo: Pay by credit card.");
    const called = await answerTo('Please edit: {"path":"a.txt"}');
    expect(called).toContain('"name":"edit"');
    expect(called).toContain("a.txt");
    expect(called).not.toContain("Echo:");
  },
);
