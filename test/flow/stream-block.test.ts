import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { APIError } from "openai";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { answers, callsTools, type Reply, refuses, says, thinks } from "#test/support/fake-provider";
import { numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { ChatWorld, type Event, MODEL, type Streamed } from "./chat-world";

const RULES = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
const KEY = SECRETS.awsAccessKey;
const [HALF, REST] = [KEY.slice(0, 10), KEY.slice(10)];

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open({ env: { GUARDHOUSE_GUARD__RULES: JSON.stringify(RULES) } });
});
afterAll(() => world[Symbol.asyncDispose]());

const streamed = (reply: Reply): Promise<Streamed> => {
  world.provider.always(reply);
  return world.stream();
};

const closing = (index: number, delta: object = {}): Event => ({
  id: "chatcmpl-fake0001",
  object: "chat.completion.chunk",
  created: 1_750_000_000,
  model: MODEL,
  choices: [{ index, delta: { ...delta }, finish_reason: "content_filter" }],
});

const errorOf = (param: string) => ({
  error: {
    message: expect.stringContaining("secret.aws_access_key"),
    type: "invalid_request_error",
    param,
    code: "content_filter",
    event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    guard: {
      stage: "output",
      action: "block",
      flags: [{ type: "secret.aws_access_key", score: 1 }],
      policy_revision: 1,
      dispute_url: "/v1/guard/disputes",
      reports_remaining: 5,
    },
  },
});

/** The stream ends with these events, then `[DONE]`, then nothing. */
const expectEnd = (stream: Streamed, ...events: unknown[]): void => {
  const { data } = stream;
  expect(stream.text).toEndWith("data: [DONE]\n\n");
  expect(data.slice(-events.length - 1)).toHaveLength(events.length + 1);
  expect(data.slice(-events.length - 1, -1).map((text): unknown => JSON.parse(text))).toEqual(events);
  expect(data.indexOf("[DONE]")).toBe(data.length - 1);
  expect(stream.text).not.toContain(KEY.slice(0, 8));
};

describe("a block in the middle of a stream", () => {
  test("a content_filter chunk, the block as an error event, [DONE], and no byte of the match", async () => {
    verifies("stream.block");
    const stream = await streamed(says(["All fine so far. ", HALF, REST, " and on it goes. "]));
    expect(stream.status).toBe(200);
    expect(stream.content()).toBe("All fine so far. ");
    expectEnd(stream, closing(0), errorOf("choices[0].message.content"));
  });

  test("at every cut of the match, in every chunking of the wire", async () => {
    verifies("stream.block", "stream.hold-back");
    for (const cut of ["event", "byte", "one", 100] as const) {
      for (let at = 1; at < KEY.length; at += 1) {
        if (cut === "byte" && at % 5 !== 0) continue;
        const stream = await streamed(
          says(["All fine so far. ", KEY.slice(0, at), KEY.slice(at), " after. "], { cut }),
        );
        expect(stream.content()).toBe("All fine so far. ");
        expectEnd(stream, closing(0), errorOf("choices[0].message.content"));
      }
    }
  });

  test("at the very end of the answer, where only the finish decides", async () => {
    verifies("stream.block");
    for (const style of [{}, { cut: "one" }, { done: false }, { finish: false }] as const) {
      const stream = await streamed(says(["It is ", HALF, REST], style));
      expectEnd(stream, closing(0), errorOf("choices[0].message.content"));
      expect(stream.finishReasons).toEqual(["content_filter"]);
    }
  });

  test("every open choice is closed, and only those", async () => {
    verifies("stream.block");
    const choices = [
      { content: "Short. " },
      { content: ["One. ", "Two. ", "Three. ", HALF, REST, " on"] },
      { content: "a b c d e f g h" },
    ];
    const stream = await streamed(answers({ choices }));
    expect(stream.content(0)).toBe("Short. ");
    expect(stream.content(1)).toBe("One. Two. Three. ");
    expectEnd(stream, closing(1), closing(2), errorOf("choices[1].message.content"));
    expect(stream.finishReasons).toEqual(["stop", "content_filter", "content_filter"]);
  });

  test("a choice nothing has left of is given its role, as helpers need it", async () => {
    verifies("stream.block");
    const chunk = { ...closing(0), choices: [{ index: 0, delta: { role: "assistant", content: `${KEY} is it` } }] };
    const reply: Reply = () => ({
      delayMs: 0,
      gapMs: 0,
      end: "complete",
      head: { status: 200, headers: { "content-type": "text/event-stream" } },
      writes: [Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)],
    });
    const stream = await streamed(reply);
    expectEnd(stream, closing(0, { role: "assistant" }), errorOf("choices[0].message.content"));
    expect(stream.data).toHaveLength(3);
  });

  test("the provider is not left talking", async () => {
    verifies("stream.block");
    const stream = await streamed(
      says(["So: ", KEY, " and more. ", "And more. "], { stop: { after: 5, how: "hang" } }),
    );
    expectEnd(stream, closing(0), errorOf("choices[0].message.content"));
    expect(await world.provider.lastCall.ended).toMatchObject({ how: "client_gone" });
  });

  test("the record: blocked_output, the same event id, what was looked at", async () => {
    verifies("stream.block");
    const stream = await streamed(says(["All fine so far. ", KEY, " after. "]));
    const { request, final } = await world.recordsOf(stream);
    expect(request?.outcome).toBe("open");
    expect(final).toMatchObject({
      outcome: "blocked_output",
      call: { status: 400, code: "content_filter", action: "block", stream: true, provider: "fake", attempts: 1 },
    });
    expect(final.call.event_id).toBe(stream.events.at(-1)?.error?.event_id ?? "");
    expect(final.call.flags).toMatchObject([
      { type: "secret.aws_access_key", action: "block", start: 17, end: 37, param: "choices[0].message.content" },
    ]);
    expect(final.call.coverage.output).toMatchObject({
      texts: 1,
      chars: "All fine so far. ".length + KEY.length + " after. ".length,
    });
  });

  test("stream: redactions before a block stay", async () => {
    const stream = await streamed(says([`Ask ${PERSONAL.email} first. `, "Then. ", KEY, "."]));
    expect(numbered(stream.content())).toBe("Ask [pii.email:1] first. Then. ");
    expectEnd(stream, closing(0), errorOf("choices[0].message.content"));
  });
});

describe("in the other channels", () => {
  test("reasoning and refusals", async () => {
    verifies("stream.block", "stream.channels");
    const thought = await streamed(thinks(["Hm. ", HALF, REST, " "], "Fine."));
    expect(thought.joined("reasoning_content")).toBe("Hm. ");
    expect(thought.content()).toBe("");
    expectEnd(thought, closing(0), errorOf("choices[0].message.reasoning_content"));
    const refused = await streamed(refuses(["No. ", HALF, REST, " "]));
    expectEnd(refused, closing(0), errorOf("choices[0].message.refusal"));
  });

  test("stream block: no argument of a tool call is sent", async () => {
    verifies("stream.block", "stream.tool-arguments");
    const harmless = { name: "clock", arguments: '{"zone":"UTC"}' };
    const stream = await streamed(callsTools([harmless, { name: "save", arguments: ['{"k":"', HALF, `${REST}"}`] }]));
    expect(stream.text).not.toContain("zone");
    expectEnd(stream, closing(0), errorOf("choices[0].message.tool_calls[1].function.arguments.*"));
  });
});

describe("stream block as clients see it", () => {
  const ask = { model: MODEL, messages: [{ role: "user" as const, content: "Hello there" }] };

  test("OpenAI's client sees the finish reason, then an APIError, and does not retry", async () => {
    verifies("chat.no-retry");
    world.provider.always(says(["All fine so far. ", KEY, " after. "]));
    const before = world.provider.calls.length;
    const stream = await world.client({ maxRetries: 2 }).chat.completions.create({ ...ask, stream: true });
    const reasons: string[] = [];
    const read = async () => {
      for await (const { choices } of stream)
        reasons.push(...choices.flatMap(({ finish_reason }) => finish_reason ?? []));
    };
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({
      code: "content_filter",
      param: "choices[0].message.content",
      error: { event_id: expect.any(String) },
    });
    expect(reasons).toEqual(["content_filter"]);
    expect(world.provider.calls).toHaveLength(before + 1);
  });

  test("the helper fails with the block, not with a shape it cannot read", async () => {
    for (const cut of ["event", "one"] as const) {
      world.provider.always(says(["All fine so far. ", KEY, " after. "], { cut }));
      const answer = world.client().chat.completions.stream(ask).finalChatCompletion();
      const error: unknown = await answer.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "content_filter", message: expect.stringContaining("Blocked by the guard") });
    }
  });

  test("a whole answer that is blocked is a 400", async () => {
    verifies("chat.block-error");
    world.provider.always(says(`The key is ${KEY}.`));
    const response = await world.ask("Hello there");
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(JSON.parse(text)).toEqual(errorOf("choices[0].message.content"));
    expect(text).not.toContain(KEY.slice(0, 8));
    expect(response.headers.get("x-should-retry")).toBe("false");
    const { final } = await world.recordsOf(response);
    expect(final).toMatchObject({ outcome: "blocked_output", call: { status: 400, usage: { prompt_tokens: 11 } } });
    expect(final.call.event_id).toBe(response.headers.get("x-guard-event-id"));
  });
});
