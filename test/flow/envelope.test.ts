import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SECRETS } from "#test/scan/samples";
import { sends } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

const KEY = SECRETS.github;
const CARD = 4539578763621486;
const MINE = {
  GUARDHOUSE_GUARD__CUSTOM: JSON.stringify([{ id: "card", pattern: `${CARD}`, keywords: ["4539"], action: "redact" }]),
};

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open({ env: MINE });
}, 120_000);
afterAll(() => world?.[Symbol.asyncDispose]());

type Made = { readonly top?: object; readonly choice?: object; readonly message?: object };
const PLACES: readonly [where: string, made: Made][] = [
  ["id", { top: { id: KEY } }],
  ["object", { top: { object: KEY } }],
  ["created", { top: { created: KEY } }],
  ["model", { top: { model: KEY } }],
  ["usage", { top: { usage: { prompt_tokens: 1, note: KEY } } }],
  ["usage as text", { top: { usage: KEY } }],
  ["system_fingerprint", { top: { system_fingerprint: KEY } }],
  ["service_tier", { top: { service_tier: { name: KEY } } }],
  ["an entry of choices that is a text", { top: { choices: [KEY] } }],
  ["choices that are an object", { top: { choices: { note: KEY } } }],
  ["choices that are a text", { top: { choices: KEY } }],
  ["logprobs", { choice: { logprobs: { content: [{ token: KEY, logprob: -0.1 }] } } }],
  ["logprobs in tokens", { choice: { logprobs: { content: [{ token: KEY.slice(0, 9) }, { token: KEY.slice(9) }] } } }],
  ["a name", { message: { [KEY]: 1 } }],
  ["a number", { message: { number: CARD } }],
  ["role", { message: { role: KEY } }],
  ["type", { message: { part: { type: KEY } } }],
  ["tool_call_id", { message: { tool_call_id: KEY } }],
  ["id of a tool call", { message: { tool_calls: [{ index: 0, id: KEY, function: { name: "f", arguments: "{}" } }] } }],
  ["id of an annotation", { message: { annotations: [{ id: KEY }] } }],
  ["finish_reason", { choice: { finish_reason: KEY } }],
];

const leaked = (text: string): boolean => text.includes(KEY) || text.includes(KEY.slice(9)) || text.includes(`${CARD}`);

describe("envelope scan finds a secret in every field of an answer", () => {
  test.each(PLACES)("%s, whole", async (_, { top, choice, message }) => {
    verifies("scan.envelope");
    const choices = [
      { index: 0, finish_reason: "stop", ...choice, message: { role: "assistant", content: "Hi", ...message } },
    ];
    const body = JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_763_800_000,
      choices,
      ...top,
    });
    world.provider.next(sends([body], { contentType: "application/json" }));
    const response = await world.ask("Hello");
    expect(leaked(await response.text())).toBe(false);
    expect(["redact", "block"]).toContain(response.headers.get("x-guard-action") ?? "");
  });

  test.each(PLACES)("%s, streamed", async (_, { top, choice, message }) => {
    verifies("scan.envelope");
    const chunk = (delta: object, more: object, over: object = {}) =>
      `data: ${JSON.stringify({ id: "chatcmpl-1", created: 1_763_800_000, choices: [{ index: 0, delta, ...more }], ...over })}\n\n`;
    world.provider.next(
      sends([
        chunk({ role: "assistant", content: "Hi" }, {}),
        chunk({ ...message }, { finish_reason: null, ...choice }, top),
        ...(choice && "finish_reason" in choice ? [] : [chunk({}, { finish_reason: "stop" })]),
        "data: [DONE]\n\n",
      ]),
    );
    const stream = await world.stream();
    expect(leaked(stream.text)).toBe(false);
  });

  test("a name given twice, whole and streamed", async () => {
    verifies("scan.envelope", "json.repeated-names");
    const twice = `{"content":"${KEY}","content":"Hi"}`;
    world.provider.next(
      sends([`{"choices":[{"index":0,"message":${twice},"finish_reason":"stop"}]}`], {
        contentType: "application/json",
      }),
      sends([
        `data: {"choices":[{"index":0,"delta":${twice}}]}\n\n`,
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      ]),
    );
    for (const text of [await (await world.ask("Hello")).text(), (await world.stream()).text]) {
      expect(leaked(text)).toBe(false);
      expect(text).toContain('"content":"Hi"');
    }
  });

  test("an ordinary stream leaves byte for byte", async () => {
    verifies("scan.envelope");
    const chunk = (delta: string, more = "null") =>
      `data: {"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk","created":1741570283,"model":"fake-model","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${more}}]}\n\n`;
    const events = [
      chunk('{"role":"assistant","content":""}'),
      chunk('{"content":"Hi"}'),
      chunk('{"content":" there."}'),
    ];
    const sent = [...events, chunk("{}", '"stop"'), "data: [DONE]\n\n"];
    world.provider.next(sends(sent));
    const stream = await world.stream();
    expect(stream.text).toBe(sent.join(""));
  });
});
