import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { ChatStream } from "#guard/apis/chat-stream";
import { StreamGuard } from "#guard/stream/guard";
import type { CompiledPolicy } from "#scan/policy";
import { inField, redactText, scanText } from "#scan/scan";
import { REDACTING } from "#test/scan/policies";
import { DEFAULT, PERSONAL, policyOf, SECRETS, uniform } from "#test/scan/samples";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { failingPolicy } from "./broken-detector";
import { callUnder, MemoryAudit } from "./call-fixture";

const FRAGMENTS = [
  ...Object.values(SECRETS),
  ...Object.values(PERSONAL),
  ...Object.values(SECRETS).map((secret) => secret.slice(0, 9)),
  "sk-",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "@",
  "+1 ",
  "4539 1488 ",
  'api_key: "',
  "Ignore all previous instructions. ",
  " ",
  " ",
  "\n",
  ". ",
  '"',
  "\\",
  "Hello, world",
  "é",
  "日本",
  "🌍",
  "\ud83c",
  "\u200b",
];

type Piece = {
  readonly choice: number;
  readonly channel: "content" | "refusal" | "reasoning" | "tool";
  readonly text: string;
  readonly padding?: string;
};
type Wire = {
  readonly lineEnd: "\n" | "\r\n";
  readonly comments: boolean;
  readonly multiLine: boolean;
  readonly done: boolean;
};

const pieces = fc.array(
  fc.record({
    choice: fc.integer({ min: 0, max: 2 }),
    channel: fc.constantFrom(
      "content" as const,
      "content" as const,
      "refusal" as const,
      "reasoning" as const,
      "tool" as const,
    ),
    text: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 3 }).map((parts) => parts.join("")),
  }),
  { maxLength: 14 },
);
const wires = fc.record({
  lineEnd: fc.constantFrom("\n" as const, "\r\n" as const),
  comments: fc.boolean(),
  multiLine: fc.boolean(),
  done: fc.boolean(),
});
const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 });

const deltaOf = ({ channel, text }: Piece): object => {
  if (channel === "tool") return { tool_calls: [{ index: 0, function: { arguments: text } }] };
  return { [channel === "reasoning" ? "reasoning_content" : channel]: text };
};

const streamOf = (list: readonly Piece[], wire: Wire): string => {
  const nl = wire.lineEnd;
  const choices = [...new Set(list.map(({ choice }) => choice))];
  const chunks = [
    ...list.map((piece) => ({
      id: "c",
      choices: [{ index: piece.choice, delta: deltaOf(piece) }],
      ...(piece.padding !== undefined && { obfuscation: piece.padding }),
    })),
    ...choices.map((index) => ({ id: "c", choices: [{ index, delta: {}, finish_reason: "stop" }] })),
  ];
  const data = chunks.map((chunk) => JSON.stringify(chunk, undefined, wire.multiLine ? 1 : undefined));
  return [...data, ...(wire.done ? ["[DONE]"] : [])]
    .map((text) => `${wire.comments ? `: busy${nl}${nl}` : ""}data: ${text.replaceAll("\n", `${nl}data: `)}${nl}${nl}`)
    .join("");
};

/** Cuts at bytes, wherever they fall, as a network does. */
const cut = (text: string, lengths: readonly number[]): Uint8Array[] => {
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = lengths[i % lengths.length] ?? 1;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
};

/** The chunks that end what is blocked, without the error behind them, which names an event of its own. */
const lastChunks = (guard: StreamGuard, error: GuardError): string =>
  guard
    .cutOff({ error, isBlock: true, isQuiet: false })
    .split(/(?<=\n\n)/)
    .filter((event) => event.includes('"choices"'))
    .join("");

/** Everything that leaves, and what the record says of it. */
const guarded = (policy: CompiledPolicy, parts: readonly Uint8Array[]) => {
  const call = callUnder(policy);
  const guard = new StreamGuard(call, new ChatStream({ wantsUsage: true }), 100);
  const decoder = new TextDecoder();
  let out = "";
  let error: GuardError | null = null;
  try {
    for (const part of parts) out += guard.push(decoder.decode(part, { stream: true }));
    out += guard.end();
  } catch (thrown) {
    if (!(thrown instanceof GuardError)) throw thrown;
    error = thrown;
    out += guard.handOut() + (thrown.code === "content_filter" ? lastChunks(guard, thrown) : "");
  }
  return { out, error, action: call.record.action, reasons: call.context.finishReasons };
};

/** The text of every channel in what left. */
const textsIn = (out: string): Map<string, string> => {
  const texts = new Map<string, string>();
  const add = (key: string, text: unknown) => {
    if (typeof text === "string") texts.set(key, (texts.get(key) ?? "") + text);
  };
  for (const event of out.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data: "))
      .map((line) => line.slice(6))
      .join("\n");
    if (data === "") continue;
    for (const { index, delta } of JSON.parse(data).choices) {
      for (const channel of ["content", "refusal", "reasoning_content"]) add(`${index}/${channel}`, delta[channel]);
      for (const tool of delta.tool_calls ?? []) add(`${index}/tool`, tool.function.arguments);
    }
  }
  return texts;
};

const MIXED = policyOf({
  rules: [
    { type: "secret", thresholds: { redact: 0.5 } },
    { type: "secret.aws_access_key", thresholds: { block: 0.5 } },
    { type: "pii", thresholds: { redact: 0.5 } },
  ],
});
const POLICIES: readonly (readonly [string, CompiledPolicy, number])[] = [
  ["the default policy", DEFAULT, 400],
  ["a policy that redacts personal data", REDACTING, 400],
  ["a policy that redacts everything", uniform("redact"), 300],
  ["a policy that blocks some things", MIXED, 300],
  ["a policy that blocks everything", uniform("block"), 200],
  ["a monitoring policy", uniform("block", "monitor"), 100],
];

describe("however the bytes are cut, the same leaves", () => {
  test.each(POLICIES)("under %s", (_, policy, numRuns) => {
    verifies("stream.chunking");
    fc.assert(
      fc.property(pieces, wires, sizes, (list, wire, lengths) => {
        const stream = streamOf(list, wire);
        const whole = guarded(policy, [Buffer.from(stream)]);
        const parts = guarded(policy, cut(stream, lengths));
        expect(parts.out).toBe(whole.out);
        expect(parts.error?.code).toBe(whole.error?.code as never);
        expect(parts.error?.param).toBe(whole.error?.param as never);
        expect(parts.action).toBe(whole.action);
        expect(parts.reasons).toEqual(whole.reasons);
      }),
      { numRuns },
    );
  });

  test.each(POLICIES)("in tokens of one answer, under %s", (_, policy, numRuns) => {
    verifies("stream.chunking");
    const text = fc.array(fc.constantFrom(...FRAGMENTS, "Hello, world ", "plain words "), { maxLength: 10 });
    const tokens = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
    const channel = fc.constantFrom("content" as const, "reasoning" as const, "tool" as const);
    const padding = fc.constantFrom("Ze4kTq0aWb9RmXy2", "x", "", 'a"b', SECRETS.github, PERSONAL.email, "harmless");
    const paddings = fc.option(fc.array(padding, { minLength: 1, maxLength: 12 }), { nil: [] });
    const part = fc.tuple(channel, text, tokens, paddings);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), wires, sizes, (parts, wire, lengths) => {
        const list = parts.flatMap(([channel, words, tokenLengths, padded]) => {
          const whole = words.join("");
          const pieces: Piece[] = [];
          for (let at = 0, i = 0; at < whole.length; i += 1) {
            const length = tokenLengths[i % tokenLengths.length] ?? 1;
            const pad = padded[i % padded.length];
            const text = whole.slice(at, at + length);
            pieces.push({ choice: 0, channel, text, ...(pad !== undefined && { padding: pad }) });
            at += length;
          }
          return pieces;
        });
        const stream = streamOf(list, { ...wire, multiLine: false });
        const whole = guarded(policy, [Buffer.from(stream)]);
        const byEvents = guarded(
          policy,
          stream.split(/(?<=\n\r?\n)/).map((event) => Buffer.from(event)),
        );
        const anywhere = guarded(policy, cut(stream, lengths));
        if (policy === REDACTING) expect(whole.out).not.toContain(`"obfuscation":"${PERSONAL.email}"`);
        for (const { out, error, action, reasons } of [byEvents, anywhere]) {
          expect(out).toBe(whole.out);
          expect([error?.code, error?.param, action, reasons]).toEqual([
            whole.error?.code,
            whole.error?.param,
            whole.action,
            whole.reasons,
          ]);
        }
      }),
      { numRuns: numRuns / 2 },
    );
  });

  test("and where nothing is found, it is what came", () => {
    verifies("stream.byte-fidelity");
    const harmless = fc.array(
      fc.record({
        choice: fc.integer({ min: 0, max: 2 }),
        channel: fc.constantFrom("content" as const, "refusal" as const, "tool" as const),
        text: fc
          .array(fc.constantFrom("Hello ", "world, ", "é", "日本", "🌍", "a", '"', "\\", "{}", "\n"), { maxLength: 4 })
          .map((p) => p.join("")),
      }),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(harmless, wires, sizes, (list, wire, lengths) => {
        const stream = streamOf(list, { ...wire, done: false, comments: false });
        const { out } = guarded(REDACTING, cut(stream, lengths));
        const eventsOf = (text: string) => text.split(/(?<=\n\r?\n)/);
        // Choices do not wait for each other, so only within one is the order kept.
        for (const index of [0, 1, 2]) {
          const ofChoice = (text: string) =>
            eventsOf(text).filter((event) => event.replaceAll(/\s|data: /g, "").includes(`"index":${index},"delta"`));
          expect(ofChoice(out)).toEqual(ofChoice(stream));
        }
        expect(eventsOf(out).toSorted()).toEqual(eventsOf(stream).toSorted());
      }),
      { numRuns: 300 },
    );
  });
});

/** Disguises, which a whole text is also looked through for, do not count: a stream has let their start go. */
const redacted = (policy: CompiledPolicy, text: string): string => {
  const { findings } = scanText(policy, text, "output");
  return redactText(text, policy.mode === "enforce" ? findings : [], LABELS);
};

describe("stream guard releases the same text as a scan of the whole", () => {
  test.each(POLICIES)("under %s", (_, policy, numRuns) => {
    verifies("stream.hold-back", "stream.redact");
    fc.assert(
      fc.property(pieces, wires, sizes, (list, wire, lengths) => {
        const { out, error } = guarded(policy, cut(streamOf(list, wire), lengths));
        const sent = textsIn(streamOf(list, { ...wire, done: false, comments: false }));
        const seen = textsIn(out);
        for (const [key, text] of sent) {
          const whole = redacted(policy, text);
          const left = seen.get(key) ?? "";
          if (key.endsWith("/tool")) continue;
          if (error === null) expect(left).toBe(whole);
          else expect(whole).toStartWith(left);
        }
      }),
      { numRuns },
    );
  });

  test("in an answer of one channel, with many values", () => {
    const texts = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 20 });
    fc.assert(
      fc.property(texts, sizes, (parts, lengths) => {
        const list = parts.map((text) => ({ choice: 0, channel: "content" as const, text }));
        const stream = streamOf(list, { lineEnd: "\n", comments: false, multiLine: false, done: true });
        const text = parts.join("");
        const { out, error } = guarded(REDACTING, cut(stream, lengths));
        expect(error).toBeNull();
        const whole = redactText(text, scanText(REDACTING, text, "output").findings, LABELS);
        expect(textsIn(out).get("0/content") ?? "").toBe(whole);
      }),
      { numRuns: 400 },
    );
  });

  test("arguments that were JSON are JSON, with every leaf as if it stood alone", () => {
    verifies("stream.tool-arguments");
    const leaf = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 3 }).map((parts) => parts.join(""));
    const values = fc.record({
      to: leaf,
      list: fc.array(leaf, { maxLength: 3 }),
      deep: fc.record({ id: leaf, n: fc.integer() }),
    });
    fc.assert(
      fc.property(values, sizes, (value, lengths) => {
        const text = JSON.stringify(value);
        const list = (text.match(/[\s\S]{1,23}/g) ?? []).map((part) => ({
          choice: 0,
          channel: "tool" as const,
          text: part,
        }));
        const stream = streamOf(list, { lineEnd: "\n", comments: false, multiLine: false, done: true });
        const { out, error } = guarded(REDACTING, cut(stream, lengths));
        expect(error).toBeNull();
        // The name of a leaf's field has a say in what a bare number is.
        const alone = (field: string) => (part: string) => {
          const { findings } = scanText(REDACTING, part, "output");
          return redactText(part, inField(REDACTING, findings, { field, text: part, origin: "output" }), LABELS);
        };
        const { to, list: parts, deep } = value;
        expect(JSON.parse(textsIn(out).get("0/tool") ?? "null")).toEqual({
          to: alone("to")(to),
          list: parts.map(alone("list")),
          deep: { id: alone("id")(deep.id), n: deep.n },
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe("the guard's bookkeeping", () => {
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`;

  test("it is complete at [DONE], or when every choice has its finish reason", () => {
    const guard = new StreamGuard(callUnder(REDACTING), new ChatStream({ wantsUsage: false }), 100);
    guard.push(chunk({ delta: { role: "assistant", content: "Hi" } }));
    expect([guard.isComplete, guard.isDone, guard.isIdle]).toEqual([false, false, false]);
    guard.push(chunk({ delta: {}, finish_reason: "stop" }));
    expect([guard.isComplete, guard.isDone, guard.isIdle]).toEqual([true, false, true]);
    guard.push("data: [DONE]\n\n");
    expect([guard.isComplete, guard.isDone]).toEqual([true, true]);
  });

  test("each finding of a stream is recorded once, though a later one may become certain before it", async () => {
    verifies("stream.chunking");
    const texts = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (text, lengths) => {
        const audit = new MemoryAudit();
        const call = callUnder(uniform("flag"), audit);
        const guard = new StreamGuard(call, new ChatStream({ wantsUsage: false }), 100);
        const ends = lengths.map((length) => 1 + (length % 9));
        for (let at = 0, i = 0; at < text.length; i += 1) {
          const length = ends[i % ends.length] ?? 1;
          guard.push(chunk({ delta: { content: text.slice(at, at + length) } }));
          at += length;
        }
        guard.end();
        await call.record.finish("answered", 200);
        const places = (found: readonly { readonly type: string; readonly start: number }[]) =>
          found.map(({ type, start }) => `${start} ${type}`).toSorted();
        const whole = scanText(uniform("flag"), text, "output").findings;
        expect(places(audit.records[0]?.call?.flags ?? [])).toEqual(places(whole));
      }),
      { numRuns: 500 },
    );
  });

  test("a long chunk gives up its decided beginning", () => {
    const guard = new StreamGuard(callUnder(REDACTING), new ChatStream({ wantsUsage: false }), 100);
    const text = `${"All of this is long decided. ".repeat(10)}jane.doe`;
    const first = guard.push(chunk({ delta: { role: "assistant", content: text } }));
    expect(textsIn(first).get("0/content")).toBe(text.slice(0, -"jane.doe".length));
    const rest = guard.push(chunk({ delta: { content: "@example.com, " } }));
    expect(numbered(textsIn(first + rest).get("0/content") ?? "")).toBe(
      `${text.slice(0, -"jane.doe".length)}[pii.email:1], `,
    );
  });

  test("text after a finish reason is refused: its scanners are told that all was said", () => {
    const guard = new StreamGuard(callUnder(REDACTING), new ChatStream({ wantsUsage: false }), 100);
    guard.push(chunk({ delta: { content: "A" }, finish_reason: "stop" }));
    expect(() => guard.push(chunk({ delta: { content: "KIA" } }))).toThrow(GuardError);
  });

  test("a scanner that fails is not the provider's fault, and lets nothing through", () => {
    verifies("guard.fail-closed");
    const guard = new StreamGuard(callUnder(failingPolicy()), new ChatStream({ wantsUsage: false }), 100);
    const push = () =>
      guard.push(`${chunk({ delta: { content: "Fine. " } })}${chunk({ delta: { content: "boom, and more of it" } })}`);
    expect(push).toThrow(expect.objectContaining({ code: "guard_unavailable" }));
    expect(textsIn(guard.handOut()).get("0/content")).toBe("Fine. ");
  });

  test("a scanner that fails lets out what was clean before, however much comes at once", () => {
    verifies("guard.fail-closed");
    const said = ["Fine. ", "Still ", "fine. ", "Very ", "fine. "];
    for (const others of [["and ", "boom", "more"], ["boom "], ["b", "oom, "]]) {
      const guard = new StreamGuard(callUnder(failingPolicy()), new ChatStream({ wantsUsage: false }), 100);
      const events = [...said, ...others].map((content) => chunk({ delta: { content } }));
      expect(() => guard.push(events.join(""))).toThrow(expect.objectContaining({ code: "guard_unavailable" }));
      const left = textsIn(guard.handOut()).get("0/content") ?? "";
      expect([left.startsWith(said.join("")), left.includes("oom")]).toEqual([true, false]);
    }
  });

  test("an endless event is refused", () => {
    const guard = new StreamGuard(callUnder(REDACTING), new ChatStream({ wantsUsage: false }), 100);
    const push = () => {
      for (let sent = 0; sent < 20; sent += 1) guard.push(`data: ${"x".repeat(1024 * 1024)}`);
    };
    expect(push).toThrow(expect.objectContaining({ code: "upstream_error" }));
  });

  test("stream guard records unscanned parts once, at any end", async () => {
    verifies("scan.unscanned");
    for (const [policy, reason] of [
      [policyOf({ mode: "off" }), "off"],
      [policyOf({ max_text: 20 }), "over_limit"],
    ] as const) {
      const audit = new MemoryAudit();
      const call = callUnder(policy, audit);
      const guard = new StreamGuard(call, new ChatStream({ wantsUsage: false }), 100);
      guard.push(chunk({ delta: { content: `Some text, ${SECRETS.awsAccessKey} and more of it` } }));
      guard.account();
      guard.account();
      await call.record.finish("client_closed", 499);
      expect(audit.records[0]?.call?.coverage.output).toMatchObject({
        texts: 1,
        unscanned: [{ param: "choices[0].message.content", reason }],
      });
    }
  });
});
