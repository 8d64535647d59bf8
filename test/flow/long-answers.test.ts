import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { callsTools, says, sends } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL, type Streamed } from "./chat-world";

const RULES = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
/** UTF-16 units of a call that are scanned at once; more go to the pool, and to slices. */
const AT_ONCE = 16_384;

let world: ChatWorld;
beforeAll(async () => {
  // Holding long answers against the document would keep this process from asking whether the hub is well.
  world = await ChatWorld.open({ documented: false, env: { GUARDHOUSE_GUARD__RULES: JSON.stringify(RULES) } });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Prose of about so many characters, with an address in every line. */
const proseOf = (length: number): string => {
  const lines: string[] = [];
  for (let n = 0, units = 0; units < length; n += 1) {
    const line = `On day ${n} the committee wrote to c${n % 97}@example.com about the budget of the year.`;
    lines.push(line);
    units += line.length + 1;
  }
  return lines.join("\n");
};

const ask = async (): Promise<Response> => world.ask("Hello there");

const isRead = async (response: Response): Promise<string> => {
  expect(response.status).toBe(200);
  return response.text();
};

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_750_000_000,
    model: MODEL,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

/** Streams the events as they are, in one write each. */
const streamed = (...events: readonly string[]): Promise<Streamed> => {
  world.provider.next(sends([...events, "data: [DONE]\n\n"]));
  return world.stream();
};

/** The content of a whole answer with this text, as it leaves. */
const asWhole = async (content: string): Promise<string> => {
  world.provider.next(says(content));
  const answer: { choices: { message: { content: string } }[] } = JSON.parse(await isRead(await ask()));
  return answer.choices[0]?.message.content ?? "";
};

describe("a provider's long answer", () => {
  test("health checks are answered while it is handled", async () => {
    verifies("fairness.long-answers");
    let isOver = false;
    let longest = 0;
    world.provider.next(says(proseOf(5_000_000)));
    const before = world.provider.calls.length;
    const begin = performance.now();
    const answered = ask().then(isRead);
    const over = answered.finally(() => {
      isOver = true;
    });
    while (world.provider.calls.length === before) await Bun.sleep(5);
    while (!isOver) {
      const asked = performance.now();
      expect((await world.hub.fetch("/healthz")).status).toBe(200);
      longest = Math.max(longest, performance.now() - asked);
      await Bun.sleep(5);
    }
    await over;
    // Where it is handled in one piece, one check waits for nearly all of it.
    expect(longest).toBeLessThan((performance.now() - begin) / 3);
    expect(await answered).not.toContain("@example.com");
  });

  test("leaves as a short one does: numbers digit for digit, of a repeated name the last, log probabilities dropped", async () => {
    verifies("fairness.long-answers");
    const bodyOf = (content: string) =>
      `{"id":"a","object":"chat.completion","created":1750000000,"model":"${MODEL}","seed":90071992547409931,"odd":1.0,` +
      `"twice":{"a":"first","a":"second"},"choices":[{"index":0,"message":{"role":"assistant","content":${JSON.stringify(content)}},` +
      `"logprobs":{"content":[{"token":"x","logprob":-0.10}]},"finish_reason":"stop"}]}`;
    const textOf = async (content: string): Promise<string> => {
      world.provider.next(sends([bodyOf(content)], { contentType: "application/json" }));
      return isRead(await ask());
    };
    const short = await textOf(`Write to ${PERSONAL.email}.`);
    const filler = "The quick brown fox jumps over the lazy dog. ".repeat(4_000);
    const long = await textOf(`Write to ${PERSONAL.email}. ${filler}`);
    expect(long.replace(` ${filler}`, "")).toBe(short);
    expect(short).toContain('"seed":90071992547409931,"odd":1.0,"twice":{"a":"second"}');
    expect(short).toContain('"logprobs":null');
  });
});

const words = (delta: Readonly<Record<string, unknown>>): string => chunk(delta);
const END = chunk({}, "stop");

describe("a stream with a long event", () => {
  test("leaves with the text of the whole answer, and what comes behind it stays behind it", async () => {
    verifies("fairness.long-events");
    const text = proseOf(1_000_000);
    const stream = await streamed(
      words({ content: "First. " }),
      words({ content: text }),
      words({ content: " Last." }),
      END,
    );
    expect(stream.content()).toBe(await asWhole(`First. ${text} Last.`));
    expect(stream.text).not.toContain("@example.com");
    expect(stream.finishReasons).toEqual(["stop"]);
  });

  test("whatever it holds, it leaves with the text that many small events leave with, and that a whole answer has", async () => {
    verifies("fairness.long-events");
    const pieces = [
      "The quick brown fox jumps over the lazy dog. ",
      `${PERSONAL.email} `,
      `call ${PERSONAL.phone}, `,
      `${PERSONAL.iban}\n`,
      `${PERSONAL.card}; `,
      "password=hunter2hunter2 ",
      "\ud83d\ude00 \u00e9\u0301 ",
      '{"a": [1, 2]} ',
    ];
    const long = fc
      .tuple(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }), fc.integer({ min: -400, max: 400 }))
      .map(([parts, beyond]) =>
        parts
          .join("")
          .repeat(AT_ONCE)
          .slice(0, AT_ONCE + beyond)
          .toWellFormed(),
      );
    await fc.assert(
      fc.asyncProperty(long, fc.integer({ min: 1, max: 4_000 }), async (text, cut) => {
        const [huge, small, whole] = [
          await streamed(words({ content: text }), words({ content: " Last." }), END),
          await streamed(
            ...cutAt(text, cut).map((part) => words({ content: part })),
            words({ content: " Last." }),
            END,
          ),
          await asWhole(`${text} Last.`),
        ];
        expect(huge.content()).toBe(whole);
        expect(small.content()).toBe(whole);
      }),
      { numRuns: 15 },
    );
  });

  test("arguments of a tool call of two megabytes leave complete, redacted, and as JSON", async () => {
    verifies("fairness.long-events");
    const rows = proseOf(2_000_000).split("\n");
    const given = JSON.stringify({ rows });
    const cuts = cutAt(given, 100_000);
    world.provider.next(callsTools([{ name: "save", arguments: cuts }]));
    const stream = await world.stream();
    world.provider.next(callsTools([{ name: "save", arguments: given }]));
    const whole: ToolAnswer = JSON.parse(await isRead(await ask()));
    const left = stream.events
      .flatMap(({ choices = [] }) => choices.flatMap(({ delta }) => argumentsIn(delta)))
      .join("");
    expect(left === whole.choices[0]?.message.tool_calls[0]?.function.arguments).toBe(true);
    expect(left).not.toContain("@example.com");
    const parsed: { rows: string[] } = JSON.parse(left);
    expect(parsed.rows).toHaveLength(rows.length);
  });

  test("that is a comment does not leave, and the record says so", async () => {
    verifies("fairness.long-comments");
    const stream = await streamed(words({ content: "First." }), `: ${"x".repeat(AT_ONCE)}\n\n`, END);
    expect(stream.content()).toBe("First.");
    expect(stream.text).not.toContain("xxx");
    const { final } = await world.recordsOf(stream);
    expect(final.call.coverage.output.unscanned).toEqual([{ param: "comment", reason: "dropped" }]);
  });

  test("with something blocked in it is cut off, and what stood before it has left", async () => {
    verifies("fairness.long-events");
    const text = `${proseOf(200_000)} ${SECRETS.awsAccessKey} ${proseOf(200_000)}`;
    const stream = await streamed(words({ content: "All fine so far. " }), words({ content: text }), END);
    expect(stream.content()).toStartWith("All fine so far. ");
    expect(stream.text).not.toContain(SECRETS.awsAccessKey.slice(0, 8));
    expect(stream.text).toEndWith("data: [DONE]\n\n");
    expect(stream.finishReasons).toEqual(["content_filter"]);
    expect(stream.events.at(-1)?.error?.code).toBe("content_filter");
    const { final } = await world.recordsOf(stream);
    expect(final.outcome).toBe("blocked_output");
  });

  test("is given up when the client leaves in it, and recorded as that", async () => {
    verifies("fairness.long-events", "fairness.cancelled");
    const { headers, records } = world.conversation();
    world.provider.next(sends([words({ content: "First. " }), words({ content: proseOf(7_000_000) }), END]));
    const controller = new AbortController();
    const body = { stream: true, messages: [{ role: "user", content: "Hello there" }] };
    const response = await world.ask(body, { headers, signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await reader?.read().catch(() => undefined);
    const { final } = await records();
    expect(final.outcome).toBe("client_closed");
    expect(await asWhole("Still here.")).toBe("Still here.");
  });
});

type ToolAnswer = { choices: { message: { tool_calls: { function: { arguments: string } }[] } }[] };

const argumentsIn = (delta: Readonly<Record<string, unknown>>): string[] => {
  const calls: unknown = delta["tool_calls"];
  if (!Array.isArray(calls)) return [];
  return calls.map((call: { function?: { arguments?: string } }) => call.function?.arguments ?? "");
};

const cutAt = (text: string, length: number): string[] => {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += length) parts.push(text.slice(at, at + length));
  return parts;
};
