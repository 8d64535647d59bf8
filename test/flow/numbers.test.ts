import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sends } from "#test/support/fake-provider";
import { numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";
import { EVE } from "./tools-world";

/** With the check digit that cards have (ISO/IEC 7812-1, annex B). */
const carded = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};
/** A card of 19 digits: more than a double holds. */
const CARD = carded("621234567890123456");
const LONG = "1326712345678901237";
const ODD = [
  "1326712345678901237",
  "-0",
  "1.0",
  "1E400",
  "0.1000000000000000055511151231257827",
  "12345678901234567890123",
  "6.02e+23",
  "0.30",
];

/** A tool server that is spoken to on the wire: it notes each call as it came, and answers the text it is given. */
const scripted = () => {
  const heard: string[] = [];
  let result = '{"content":[]}';
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const text = await request.text();
      const { id, method } = JSON.parse(text);
      if (id === undefined) return new Response(null, { status: 202 });
      const answer = (json: string) =>
        new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`, {
          headers: { "content-type": "application/json" },
        });
      if (method === "initialize") {
        return answer(
          '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1"}}',
        );
      }
      if (method === "tools/list") {
        return answer(
          '{"tools":[{"name":"echo","description":"Says it.","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}}}}]}',
        );
      }
      if (method !== "tools/call") return new Response(null, { status: 404 });
      heard.push(text);
      return answer(result);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    heard,
    answers: (json: string) => {
      result = json;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
};

let world: ChatWorld;
let tools: ReturnType<typeof scripted>;
beforeAll(async () => {
  tools = scripted();
  // By a rule of its own, so that it is found for its digits alone, whatever the baseline makes of bare numbers.
  const rule = { id: "card", pattern: CARD, keywords: [CARD.slice(0, 6)], action: "redact" };
  world = await ChatWorld.open({
    env: { GUARDHOUSE_GUARD__CUSTOM: JSON.stringify([rule]), GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact" },
    before: (hub) => hub.addToolServer("t", { owner: EVE, url: tools.url }),
  });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await tools?.[Symbol.asyncDispose]();
});
const post = (path: string, body: string, token = world.token): Promise<Response> =>
  world.hub.fetch(path, {
    method: "POST",
    body,
    token,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  });
const chat = (fields: string) => post("/v1/chat/completions", `{"model":"${MODEL}",${fields}}`);
const hello = '"messages":[{"role":"user","content":"Hello"}]';
const whole = (message: string) =>
  `{"choices":[{"index":0,"message":{"role":"assistant",${message}},"finish_reason":"stop"}]}`;
const calling = (args: string) =>
  `"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]`;
const event = (json: string) => `data: ${json}\n\n`;
const streamed = (delta: string) => [
  event(`{"choices":[{"index":0,"delta":{"role":"assistant",${delta}},"finish_reason":null}]}`),
  event('{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}'),
  event("[DONE]"),
];
const callingInStream = (args: string) =>
  `"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]`;

/** Any JSON value as text, its strings short words: what is found in strings is tested elsewhere. */
const document = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("null", "true", '"word"', '"caf\\u00e9"', ...ODD),
    fc
      .tuple(fc.constantFrom("", "-"), fc.stringMatching(/^[1-9]\d{0,7}$/), fc.stringMatching(/^(?:\.\d{1,30})?$/))
      .map((parts) => parts.join("")),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .array(tie("value"), { maxLength: 4 })
      .map((items) => `{${items.map((item, at) => `"n${at}x":${item}`).join(",")}}`),
  ),
})).value;
/** Spelled alike. */
const plain = (json: string): string => json.replaceAll("\\u00e9", "é");
const REDACTED = "Write to mia.holt@example.com";

describe("value out equals value in", () => {
  test("a chat request, whatever is redacted beside it", async () => {
    verifies("json.exact");
    await fc.assert(
      fc.asyncProperty(document, fc.boolean(), async (json, isRedacted) => {
        world.provider.next(sends([whole('"content":"Hello"')], { contentType: "application/json" }));
        const text = isRedacted ? REDACTED : "Hello";
        const response = await chat(
          `"seed":${LONG},"temperature":1.0,"n":1.0,"x":${json},"messages":[{"role":"user","content":"${text}"}]`,
        );
        expect([json, response.status]).toEqual([json, 200]);
        const sent = world.provider.lastCall.text;
        expect(sent).toContain(`"seed":${LONG},"temperature":1.0,"n":1.0,"x":${plain(json)},"messages"`);
        expect(sent.includes("mia.holt")).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  test("an answer, whole and streamed, its fields and the arguments of its tool calls", async () => {
    verifies("json.exact");
    await fc.assert(
      fc.asyncProperty(document, fc.boolean(), fc.boolean(), async (json, isRedacted, isSpaced) => {
        const beside = isRedacted ? `,"note":${JSON.stringify(REDACTED)}` : "";
        const space = isSpaced ? " " : "";
        const args = `{"v":${space}${json}${beside}}`;
        world.provider.next(
          sends([whole(`${calling(args)},"x":${space}${json}${beside}`)], { contentType: "application/json" }),
        );
        const answer = await (await chat(hello)).text();
        expect(plain(answer)).toContain(plain(`"x":${isRedacted ? "" : space}${json}`));
        const left = JSON.parse(answer).choices[0].message.tool_calls[0].function.arguments;
        expect(plain(left)).toStartWith(plain(`{"v":${isRedacted ? "" : space}${json}`));
        expect(answer).not.toContain("mia.holt");

        world.provider.next(sends(streamed(`${callingInStream(args)},"x":${json}`)));
        const stream = await (await chat(`${hello},"stream":true`)).text();
        expect(plain(stream)).toContain(plain(`"x":${json}`));
        const chunk = JSON.parse(/^data: (.*)$/m.exec(stream)?.[1] ?? "");
        const inStream = chunk.choices[0].delta.tool_calls[0].function.arguments;
        expect(plain(inStream)).toStartWith(plain(`{"v":${isRedacted ? "" : space}${json}`));
      }),
      { numRuns: 40 },
    );
  });

  test("a tool call in both dialects, its structured result, and the definition", async () => {
    verifies("json.exact");
    const listed = await (await post("/mcp/gateway", '{"method":"tools/list"}')).text();
    expect(listed).toContain('"maximum":9223372036854775807');
    await fc.assert(
      fc.asyncProperty(document, fc.boolean(), fc.boolean(), async (json, isRpc, isRedacted) => {
        const beside = isRedacted ? `,"note":${JSON.stringify(REDACTED)}` : "";
        tools.answers(`{"content":[{"type":"text","text":"done"}],"structuredContent":{"v":${json}${beside}}}`);
        const params = `{"name":"t__echo","arguments":{"v":${json}${beside}}}`;
        const response = await post(
          "/mcp/gateway",
          isRpc
            ? `{"jsonrpc":"2.0","id":${LONG},"method":"tools/call","params":${params}}`
            : `{"method":"tools/call","params":${params}}`,
        );
        const text = await response.text();
        expect([json, response.status]).toEqual([json, 200]);
        expect(tools.heard.at(-1)).toContain(`"arguments":{"v":${plain(json)}${isRedacted ? ',"note":"' : "}"}`);
        expect(text).toContain(`"structuredContent":{"v":${plain(json)}${isRedacted ? ',"note":"' : "}"}`);
        if (isRpc) expect(text).toContain(`"id":${LONG}`);
        expect(text).not.toContain("mia.holt");
      }),
      { numRuns: 40 },
    );
  });
});

describe("a card written as a number is found as it would be in a string", () => {
  const forms = [CARD, `${CARD}.0`, `${CARD[0]}.${CARD.slice(1)}E18`];

  test.each(forms)("%s in a request, its history and the arguments in it", async (number) => {
    verifies("json.exact");
    world.provider.next(sends([whole('"content":"Hello"')], { contentType: "application/json" }));
    const history = `{"role":"assistant",${calling(`{"n":${number}}`)}}`;
    const response = await chat(`"x":{"n":${number}},"messages":[${history},{"role":"user","content":"Hello"}]`);
    expect(response.status).toBe(200);
    expect(world.provider.lastCall.text).not.toContain(CARD.slice(1, 12));
    expect(numbered(world.provider.lastCall.text)).toContain('"x":{"n":"[custom.card:1]"}');
    expect(numbered(world.provider.lastCall.text)).toContain('{\\"n\\":\\"[custom.card:1]\\"}');
  });

  test.each(forms)("%s in an answer, whole and streamed", async (number) => {
    verifies("json.exact");
    world.provider.next(sends([whole(calling(`{"n":${number}}`))], { contentType: "application/json" }));
    const answer = await (await chat(hello)).text();
    expect(numbered(JSON.parse(answer).choices[0].message.tool_calls[0].function.arguments)).toBe(
      '{"n":"[custom.card:1]"}',
    );
    world.provider.next(sends(streamed(callingInStream(`{"n":${number}}`))));
    const stream = await (await chat(`${hello},"stream":true`)).text();
    expect(numbered(stream)).toContain('{\\"n\\":\\"[custom.card:1]\\"}');
    expect(stream).not.toContain(CARD.slice(1, 12));
  });

  test.each(forms)("%s in a tool call and its result", async (number) => {
    verifies("json.exact");
    tools.answers(`{"content":[],"structuredContent":{"n":${number}}}`);
    const call = `{"method":"tools/call","params":{"name":"t__echo","arguments":{"n":${number}}}}`;
    const text = await (await post("/mcp/gateway", call)).text();
    expect(tools.heard.at(-1)).not.toContain(CARD.slice(1, 12));
    expect(text).not.toContain(CARD.slice(1, 12));
  });
});
