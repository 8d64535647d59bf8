import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { answers, callsTools, type Reply, refuses, type Style, says, sends, thinks } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const TEXT = "Grüße aus Köln – 東京 und 🌍, bis bald. Nothing here is secret at all.";
const DONE = "data: [DONE]\n\n";

/** What the provider puts on the wire for a streamed call, which always asks for usage. */
const sentBy = (reply: Reply): string => {
  const { writes } = reply({ model: MODEL, stream: true, includeUsage: true });
  return Buffer.concat(writes).toString("utf8");
};

const eventsOf = (stream: string): string[] => stream.match(/[\s\S]+?(?:\r\n\r\n|\n\n|$)/g) ?? [];

/** The provider's stream as its caller is to see it: untouched, but for the usage chunk and the end we write. */
const expected = (reply: Reply, wantsUsage: boolean): string => {
  const isOurs = (event: string) => event.trim() === "data: [DONE]";
  const isUsage = (event: string) =>
    /"choices":\s*(?:data: )?\[\]/.test(event) && event.includes('"completion_tokens"');
  return eventsOf(sentBy(reply))
    .filter((event) => !isOurs(event) && (wantsUsage || !isUsage(event)))
    .concat(DONE)
    .join("");
};

const styles: Record<string, Style> = {
  "as providers send it": {},
  "one byte at a time": { cut: "byte" },
  "cut inside characters": { cut: "utf8" },
  "seven bytes at a time": { cut: 7 },
  "in one piece": { cut: "one" },
  "with CRLF": { lineEnd: "\r\n" },
  "with CRLF, one byte at a time": { lineEnd: "\r\n", cut: "byte" },
  "with data over several lines": { multiLine: true },
  "with data over several CRLF lines, in pieces": { multiLine: true, lineEnd: "\r\n", cut: 5 },
  "after Azure's first chunk": { azure: true },
  "without [DONE]": { done: false },
  "without a finish reason": { finish: false },
  "under another content type": { contentType: "text/plain" },
  "without a content type's parameter": { contentType: "text/event-stream" },
  slowly: { gapMs: 2, delayMs: 5 },
};

describe("a stream nothing is found in passes byte for byte", () => {
  for (const [name, style] of Object.entries(styles)) {
    test(name, async () => {
      verifies("stream.byte-fidelity");
      const reply = says(TEXT, style);
      world.provider.always(reply);
      const stream = await world.stream();
      expect(stream.status).toBe(200);
      expect(stream.text).toBe(expected(reply, false));
      const withUsage = await world.stream({
        messages: [{ role: "user", content: "Hello" }],
        stream_options: { include_usage: true },
      });
      expect(withUsage.text).toBe(expected(reply, true));
    });
  }

  test("with comments, which wait for nothing", async () => {
    const reply = says(TEXT, { comments: true });
    world.provider.always(reply);
    const { text } = await world.stream();
    const isComment = (event: string) => event.startsWith(":");
    const [sent, seen] = [eventsOf(sentBy(reply)), eventsOf(text)];
    expect(seen.filter((event) => !isComment(event)).join("")).toBe(expected(says(TEXT), false));
    expect(seen.filter(isComment)).toEqual(sent.filter(isComment));
  });

  test("with several choices, each in its order: held text of one delays no other", async () => {
    verifies("stream.choice-order");
    const reply = answers({ choices: [{ content: TEXT }, { content: "Another one. " }, { refusal: "Not me." }] });
    world.provider.always(reply);
    const { text } = await world.stream();
    for (const choice of [0, 1, 2]) {
      const ofChoice = (stream: string) => eventsOf(stream).filter((event) => event.includes(`"index":${choice},`));
      expect(ofChoice(text)).toEqual(ofChoice(sentBy(reply)));
    }
    expect(text).toEndWith(DONE);
  });

  const answersOf: Record<string, Reply> = {
    "unknown fields at every level": answers({
      choices: [{ content: TEXT }],
      extra: { tier: "gold", x: { deep: ["er", null, 1.0] } },
    }),
    "log probabilities": answers({ choices: [{ content: TEXT, logprobs: true }] }),
    refusals: refuses("I am sorry, I cannot help with that."),
    reasoning: thinks("First this, then that. ", "So it is."),
    "tool calls": callsTools([
      { name: "get_weather", arguments: ['{"ci', 'ty" : "K\\u00f6ln", "n": 1.', "50}"] },
      { name: "clock", arguments: "{}" },
    ]),
    "characters cut in two by the model": says(["Look: \ud83c", "\udf0d! ", "Done. "]),
    "fields out of order and odd spacing": sends([
      'data: { "choices" : [ {"delta":{"content":"Hi","role":"assistant"}, "index":0 } ] }\n\n',
      'data:{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"new_field":{"a":1e2}}\n\n',
      DONE,
    ]),
    "events with ids and names": sends([
      'id: 1\nevent: chunk\ndata: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n',
      'id: 2\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
      DONE,
    ]),
    "usage in every chunk": sends([
      'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n',
      DONE,
    ]),
  };
  for (const [name, reply] of Object.entries(answersOf)) {
    test(name, async () => {
      verifies("stream.byte-fidelity");
      world.provider.always(reply);
      expect((await world.stream()).text).toBe(expected(reply, false));
    });
  }

  test("headers say what it is, and keep proxies from gathering it", async () => {
    const { headers } = await world.stream();
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("cache-control")).toContain("no-cache");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("content-encoding")).toBeNull();
    expect(headers.get("x-guard-action")).toBe("allow");
    expect(Number(headers.get("x-guard-overhead-ms"))).toBeGreaterThan(0);
    expect(headers.get("x-guard-event-id")).toBeNull();
  });
});

test("a whole answer nothing is found in passes byte for byte", async () => {
  verifies("stream.byte-fidelity");
  const odd =
    '{ "choices" : [{"index":0,"message":{"role":"assistant","content":"K\\u00f6ln"},"finish_reason":"stop"}],\n "big":12345678901234567890, "f":1.0 }';
  world.provider.always(sends([odd], { contentType: "application/json" }));
  const response = await world.ask("Hello there");
  expect(await response.text()).toBe(odd);
});

describe("usage is always asked of the provider, and shown to those who asked", () => {
  const asked: [string, object, object][] = [
    ["nothing asked", {}, { include_usage: true }],
    ["asked for", { stream_options: { include_usage: true } }, { include_usage: true }],
    ["asked not to", { stream_options: { include_usage: false } }, { include_usage: true }],
    ["null", { stream_options: null }, { include_usage: true }],
    [
      "beside other options",
      { stream_options: { include_obfuscation: false } },
      { include_usage: true, include_obfuscation: false },
    ],
  ];
  test.each(asked)("%s", async (_, body, sent) => {
    verifies("stream.usage-chunk");
    world.provider.always(answers({ choices: [{ content: "Hi" }], usage: { prompt_tokens: 7, completion_tokens: 2 } }));
    const stream = await world.stream({ messages: [{ role: "user", content: "Hello" }], ...body });
    expect(world.provider.lastCall.body.stream_options).toEqual(sent);
    const wants = JSON.stringify(body).includes('"include_usage":true');
    expect(stream.events.some(({ usage }) => usage)).toBe(wants);
    const { final } = await world.recordsOf(stream);
    expect(final.call.usage).toEqual({ prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
  });

  test("a whole call is not touched: it has its usage anyway", async () => {
    await world.ask("Hello there");
    expect(world.provider.lastCall.body.stream_options).toBeUndefined();
  });
});

describe("a stream that ends in other ways", () => {
  test("at [DONE], though the provider keeps its connection open", async () => {
    verifies("stream.done");
    world.provider.always(says("Hi there.", { cut: "one", stop: { after: 1, how: "hang" } }));
    const stream = await world.stream();
    expect(stream.content()).toBe("Hi there.");
    expect(stream.data.at(-1)).toBe("[DONE]");
    expect(await world.provider.lastCall.ended).toMatchObject({ how: "client_gone" });
    expect((await world.recordsOf(stream)).final.outcome).toBe("answered");
  });

  test("without [DONE] after a finish reason: complete", async () => {
    verifies("stream.done");
    world.provider.always(says("Hi there.", { done: false }));
    expect((await world.recordsOf(await world.stream())).final).toMatchObject({
      outcome: "answered",
      call: { status: 200 },
    });
  });

  test("without the blank line after its last event", async () => {
    verifies("stream.done");
    const last = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}';
    for (const end of ["", "\n", "\r\n"]) {
      world.provider.always(sends([`${last}${end}`]));
      expect((await world.stream()).text).toBe(`${last}\n\n${DONE}`);
    }
  });

  test("a provider's connection is used again after a stream that ended well", async () => {
    for (let call = 0; call < 5; call += 1) {
      world.provider.always(says("Hi there."));
      await world.stream();
    }
    // Those of calls that ended otherwise go by themselves, a moment later; one that is kept stays.
    for (const end = performance.now() + 60_000; world.provider.connections > 2 && performance.now() < end; )
      await Bun.sleep(20);
    expect(world.provider.connections).toBeLessThanOrEqual(2);
  });

  test("without [DONE] and without a finish reason: the caller is told", async () => {
    verifies("stream.broken-off");
    world.provider.always(says("Hi there. ", { done: false, finish: false }));
    const stream = await world.stream();
    expect(stream.content()).toBe("Hi there. ");
    expect(stream.events.at(-1)?.error).toMatchObject({ type: "upstream_error", code: "upstream_error", param: null });
    expect(stream.data).not.toContain("[DONE]");
    const { final } = await world.recordsOf(stream);
    expect(final).toMatchObject({ outcome: "upstream_error", call: { status: 502, code: "upstream_error" } });
    expect(final.call.coverage.output).toMatchObject({ texts: 1, chars: "Hi there. ".length });
  });

  test.each(["reset", "close"] as const)("cut off by the provider (%s): the caller is told", async (how) => {
    verifies("stream.broken-off");
    world.provider.always(says("Hi there. So", { gapMs: 50, stop: { after: 3, how } }));
    const stream = await world.stream();
    // The cut may overtake what was sent before it, so how much of the answer is seen is up to the network.
    const last: unknown = stream.status === 200 ? stream.events.at(-1) : JSON.parse(stream.text);
    expect(last).toMatchObject({ error: { type: "upstream_error", code: "upstream_error" } });
    expect(stream.data).not.toContain("[DONE]");
    expect((await world.recordsOf(stream)).final.outcome).toBe("upstream_error");
  });

  const KEY = `AKIA${"Z7QX2M4LTR8WVB3N"}`;
  const nonsense: Record<string, string[]> = {
    "an error of the provider": [`data: {"error":{"message":"overloaded, key ${KEY}","code":"server_error"}}\n\n`],
    "data that is no JSON": ["data: Hello\n\n"],
    "a page of HTML": ["<html>\n\n<p>Please sign in</p>\n\n</html>"],
    "nothing at all": [],
    "text after a finish": [
      'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"A"},"finish_reason":"stop"}]}\n\n',
      'data: {"choices":[{"index":0,"delta":{"content":"and more"}}]}\n\n',
      DONE,
    ],
  };
  for (const [name, writes] of Object.entries(nonsense)) {
    test(`${name}: an error event, and nothing that was not scanned`, async () => {
      verifies("stream.broken-off");
      world.provider.always(sends(writes));
      const stream = await world.stream();
      expect(stream.events.at(-1)?.error).toMatchObject({ type: "upstream_error", code: "upstream_error" });
      expect(stream.text).not.toMatch(/AKIA|Hello|sign in|and more/);
      expect((await world.recordsOf(stream)).final.outcome).toBe("upstream_error");
    });
  }

  test("JSON instead of a stream is no stream", async () => {
    world.provider.always(sends(['{"choices":[]}'], { contentType: "application/json" }));
    const stream = await world.stream();
    expect(stream.status).toBe(502);
    expect(JSON.parse(stream.text)).toMatchObject({ error: { code: "upstream_error" } });
  });

  test("a stream instead of JSON is no answer", async () => {
    world.provider.always(sends(['data: {"choices":[]}\n\n'], { contentType: "text/event-stream" }));
    const response = await world.ask("Hello there");
    expect(response.status).toBe(502);
  });
});
