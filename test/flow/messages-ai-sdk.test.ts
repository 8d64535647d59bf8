import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { APICallError, generateText, jsonSchema, streamText, tool } from "ai";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { numbered } from "#test/support/labels";
import { answersMessage } from "#test/support/message-script";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { MessagesWorld } from "./messages-world";

const RULES = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
const KEY = SECRETS.awsAccessKey;

let world: MessagesWorld;
beforeAll(async () => {
  world = await MessagesWorld.open({ env: { GUARDHOUSE_GUARD__RULES: JSON.stringify(RULES) } });
});
afterAll(() => world[Symbol.asyncDispose]());

const model = (name = MODEL) => createAnthropic({ baseURL: `${world.hub.url}/v1`, apiKey: world.token })(name);

describe("Vercel's AI SDK with its Anthropic provider", () => {
  test("whole and streamed, with thinking", async () => {
    verifies("messages.ai-sdk");
    const whole = await generateText({ model: model("guardhouse/echo"), prompt: "Hello there" });
    expect(whole.text).toBe("Echo: Hello there");
    world.provider.next(
      answersMessage([
        { thinking: ["Let me ", "think."], signature: "c2lnbmF0dXJl" },
        { text: ["Write to ", PERSONAL.email.slice(0, 3), PERSONAL.email.slice(3), " today."] },
      ]),
    );
    const streamed = streamText({ model: model(), prompt: "Hello there" });
    expect(numbered(await streamed.text)).toBe("Write to [pii.email:1] today.");
    expect(await streamed.reasoningText).toBe("Let me think.");
    expect(await streamed.finishReason).toBe("stop");
  });

  test("tools are called, and their results go on", async () => {
    verifies("messages.ai-sdk");
    const weather = tool({
      description: "Weather of a city",
      inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
      execute: async ({ city }) => `It rains in ${city}.`,
    });
    world.provider.next(answersMessage([{ tool: "weather", input: { city: "Paris" } }]));
    const { toolResults } = await generateText({ model: model(), prompt: "Weather?", tools: { weather } });
    expect(toolResults.map(({ output }) => output)).toEqual(["It rains in Paris."]);
  });

  test("a block in the middle of a stream ends it without an error; a tool call that is blocked is not run", async () => {
    verifies("messages.ai-sdk", "messages.stream-block");
    let runs = 0;
    const save = tool({
      inputSchema: jsonSchema<{ key: string }>({ type: "object", properties: { key: { type: "string" } } }),
      execute: async () => {
        runs += 1;
        return "saved";
      },
    });
    world.provider.next(answersMessage([{ text: "I save it." }, { tool: "save", input: { key: KEY } }]));
    const calls = world.provider.calls.length;
    const streamed = streamText({ model: model(), prompt: "Save the key", tools: { save } });
    expect(await streamed.text).toBe("I save it.");
    expect([await streamed.finishReason, runs]).toEqual(["content-filter", 0]);
    expect(world.provider.calls.length).toBe(calls + 1);
  });

  test("a blocked question fails once, with the reason", async () => {
    verifies("messages.ai-sdk");
    const calls = world.provider.calls.length;
    const failed = await generateText({ model: model(), prompt: `My key is ${KEY}` }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(APICallError.isInstance(failed) && failed.statusCode).toBe(400);
    expect(String(failed)).toContain("secret.aws_access_key");
    expect(world.provider.calls.length).toBe(calls);
  });
});
