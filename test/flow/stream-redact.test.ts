import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { answers, callsTools, type Reply, refuses, says, sends, thinks } from "#test/support/fake-provider";
import { numbered, numberedIn } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { ChatWorld, type Streamed } from "./chat-world";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const streamed = (reply: Reply): Promise<Streamed> => {
  world.provider.always(reply);
  return world.stream();
};

/** In two pieces at every place, then in pieces of one. */
const cuts = (text: string): string[][] => [
  ...Array.from({ length: text.length - 1 }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)]),
  Array.from(text),
];

/** Whatever stands between the pieces on the wire, no run of them may give the value again. */
const leaks = (text: string, value: string): boolean => {
  const joined = [...text.matchAll(/"(?:content|refusal|reasoning_content|arguments|token)":"((?:[^"\\]|\\.)*)"/g)];
  return (
    text.includes(value) ||
    joined
      .map(([, piece = ""]) => piece)
      .join("")
      .includes(value)
  );
};

const VALUES: [name: string, value: string, label: string][] = [
  ["a cloud key", SECRETS.awsAccessKey, "[secret.aws_access_key:1]"],
  ["a repository token", SECRETS.github, "[secret.github_token:1]"],
  ["a card with spaces", PERSONAL.card, "[pii.credit_card:1]"],
  ["a card without", PERSONAL.cardPlain, "[pii.credit_card:1]"],
  ["an email address", PERSONAL.email, "[pii.email:1]"],
  ["our own token", SECRETS.guardhouse, "[secret.guardhouse_token:1]"],
];

describe("stream: a redacted value is never sent, at any split", () => {
  test.each(VALUES)("%s", async (_, value, label) => {
    verifies("stream.hold-back", "stream.redact");
    for (const [begin = "", ...pieces] of cuts(value)) {
      const stream = await streamed(says([`Paid with ${begin}`, ...pieces, " indeed, yes. "]));
      expect(numbered(stream.content())).toBe(`Paid with ${label} indeed, yes. `);
      expect(leaks(stream.text, value)).toBe(false);
      expect(stream.text).not.toContain(value.slice(0, 9));
    }
  });

  test("nor at the very end of the answer, with and without a finish reason", async () => {
    for (const style of [{}, { finish: false }, { done: false }]) {
      const stream = await streamed(
        says(["My key: ", SECRETS.awsAccessKey.slice(0, 11), SECRETS.awsAccessKey.slice(11)], style),
      );
      expect(numbered(stream.content())).toBe("My key: [secret.aws_access_key:1]");
    }
  });

  test("nor when the provider breaks off inside it", async () => {
    const pieces = ["My key: ", SECRETS.awsAccessKey.slice(0, 12), SECRETS.awsAccessKey.slice(12)];
    for (const after of [2, 3, 4]) {
      const stream = await streamed(says(pieces, { stop: { after, how: "close" } }));
      expect(stream.text).not.toContain(SECRETS.awsAccessKey.slice(0, 9));
      expect(stream.events.at(-1)?.error?.code).toBe("upstream_error");
    }
  });

  test("one value has one label, two have two, in every chunk and choice", async () => {
    verifies("stream.redact");
    const [first, second] = [PERSONAL.email, "sam@example.com"];
    const texts = [`${first} and ${second} `, `or ${second}. `];
    const stream = await streamed(
      answers({ choices: [{ content: texts.map((t) => t) }, { content: `${second}, ok. ` }] }),
    );
    const labels = new Set(`${stream.content(0)} ${stream.content(1)}`.match(/\[pii\.email:\w+\]/g));
    expect(labels.size).toBe(2);
    const [one, two, again] = stream.content(0).match(/\[pii\.email:\w+\]/g) ?? [];
    expect(one).not.toBe(two ?? "");
    expect(again).toBe(two ?? "");
    expect(stream.content(1)).toBe(`${two}, ok. `);
  });

  test("the record names type, place and span; the answer's headers came before it was known", async () => {
    verifies("stream.redact");
    const stream = await streamed(says(["Write to ", PERSONAL.email, " soon. "]));
    const { request, final } = await world.recordsOf(stream);
    expect(request?.call.flags).toEqual([]);
    expect(final).toMatchObject({
      outcome: "answered",
      call: { status: 200, action: "redact", finish_reasons: ["stop"] },
    });
    expect(final.call.event_id).toMatch(/^[0-9a-f-]{36}$/);
    const start = "Write to ".length;
    expect(final.call.flags).toEqual([
      {
        type: "pii.email",
        score: 0.95,
        start,
        end: start + PERSONAL.email.length,
        detector: "pii.email",
        action: "redact",
        origin: "output",
        param: "choices[0].message.content",
      },
    ]);
    expect(final.call.coverage.output).toMatchObject({
      texts: 1,
      chars: start + PERSONAL.email.length + " soon. ".length,
      unscanned: [],
    });
  });
});

describe("every channel is guarded", () => {
  const value = SECRETS.awsAccessKey;
  const halves = [`key ${value.slice(0, 7)}`, `${value.slice(7)} is it. `];
  const label = "key [secret.aws_access_key:1] is it. ";

  test("refusals", async () => {
    verifies("stream.channels");
    const stream = await streamed(refuses(halves));
    expect(numbered(stream.joined("refusal"))).toBe(label);
    expect(leaks(stream.text, value)).toBe(false);
  });

  test("reasoning, apart from content", async () => {
    verifies("stream.channels");
    const stream = await streamed(thinks(halves, `It ${value.slice(0, 7)} and ${value.slice(7)} `));
    expect(numbered(stream.joined("reasoning_content"))).toBe(label);
    expect(stream.content()).toBe(`It ${value.slice(0, 7)} and ${value.slice(7)} `);
    expect(leaks(stream.text, value)).toBe(false);
  });

  test("the second choice, while the first goes on", async () => {
    verifies("stream.channels");
    const stream = await streamed(answers({ choices: [{ content: "All is well here. " }, { content: halves }] }));
    expect(stream.content(0)).toBe("All is well here. ");
    expect(numbered(stream.content(1))).toBe(label);
    const { final } = await world.recordsOf(stream);
    expect(final.call.flags.map(({ param }) => param)).toEqual(["choices[1].message.content"]);
  });

  test("unknown fields at any depth", async () => {
    verifies("stream.channels");
    const chunk = (delta: object, more: object = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
    const stream = await streamed(
      sends([
        chunk({ role: "assistant", thinking_blocks: [{ type: "text", text: halves[0] }] }),
        chunk({ thinking_blocks: [{ type: "text", text: halves[1] }] }, { note: `see ${value}` }),
        chunk({}, { finish_reason: "stop" }),
        `data: ${JSON.stringify({ choices: [], citations: [{ title: `about ${value}` }] })}\n\n`,
        "data: [DONE]\n\n",
      ]),
    );
    expect(leaks(stream.text, value)).toBe(false);
    expect(stream.text).not.toContain(value.slice(0, 7));
    expect(numbered(stream.text).match(/\[secret\.aws_access_key:1\]/g)).toHaveLength(3);
    expect(stream.data.at(-1)).toBe("[DONE]");
    const { final } = await world.recordsOf(stream);
    expect(final.call.flags.map(({ param }) => param)).toEqual([
      "choices[0].message.*[0].text",
      "choices[0].message.*",
      "citations[0].title",
    ]);
  });

  test("comments and field lines beside the data", async () => {
    verifies("stream.channels");
    const chunk = '{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}';
    const stream = await streamed(
      sends([`: ${value}\n\n`, ": still here\n\n", `event: ${value}\ndata: ${chunk}\n\n`, "data: [DONE]\n\n"]),
    );
    expect(stream.text).toBe(`: still here\n\ndata: ${chunk}\n\ndata: [DONE]\n\n`);
  });

  test("log probabilities go where their text was changed, padding too", async () => {
    verifies("stream.logprobs");
    const content = ["Clean words here. ", `It is ${value} `, "Clean again. "];
    const stream = await streamed(answers({ choices: [{ content, logprobs: true }], extra: { obfuscation: "x8Kq" } }));
    expect(numbered(stream.content())).toBe("Clean words here. It is [secret.aws_access_key:1] Clean again. ");
    expect(stream.text).not.toContain(value);
    expect(stream.text).not.toContain(JSON.stringify([...Buffer.from(value)]).slice(1, -1));
    const withText = stream.events.flatMap(({ choices = [], ...rest }) =>
      choices.filter(({ delta }) => delta["content"]).map(({ logprobs }) => [logprobs !== null, "obfuscation" in rest]),
    );
    expect(withText).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
  });

  test("whole answers: content, refusal, reasoning, arguments, every choice, log probabilities", async () => {
    verifies("stream.channels", "stream.logprobs");
    const choices = [
      { content: `A ${value} B`, logprobs: true },
      { reasoning: `R ${value}`, content: "fine" },
      { refusal: `No ${PERSONAL.email}` },
      { toolCalls: [{ name: "send", arguments: JSON.stringify({ to: PERSONAL.email, n: 1 }) }] },
    ];
    world.provider.always(answers({ choices, extra: { note: `card ${PERSONAL.cardPlain}` } }));
    const response = await world.ask("Hello there");
    expect(response.headers.get("x-guard-action")).toBe("redact");
    expect(response.headers.get("x-guard-event-id")).toMatch(/^[0-9a-f-]{36}$/);
    const answer: unknown = await response.json();
    expect(numberedIn(answer)).toMatchObject({
      choices: [
        { message: { content: "A [secret.aws_access_key:1] B" }, logprobs: null },
        { message: { reasoning_content: "R [secret.aws_access_key:1]", content: "fine" } },
        { message: { refusal: "No [pii.email:1]" } },
        { message: { tool_calls: [{ function: { arguments: '{"to":"[pii.email:1]","n":1}' } }] } },
      ],
      note: "card [pii.credit_card:1]",
    });
    for (const secret of [value, PERSONAL.email, PERSONAL.cardPlain])
      expect(JSON.stringify(answer)).not.toContain(secret);
    const { final } = await world.recordsOf(response);
    expect(final.call.event_id).toBe(response.headers.get("x-guard-event-id"));
  });
});

test("a name given twice in the arguments of a whole answer", async () => {
  verifies("scan.duplicate-keys");
  const source = `{"to":"${PERSONAL.email}","to":"nobody"}`;
  world.provider.always(callsTools([{ name: "send_mail", arguments: source }]));
  const text = await (await world.ask("Hello there")).text();
  expect(text).not.toContain(PERSONAL.email);
  expect(JSON.parse(text)).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { arguments: '{"to":"nobody"}' } }] } }],
  });
});

describe("tool calls are held until they are whole", () => {
  const email = PERSONAL.email;

  test("redacted arguments stay valid JSON and come in one piece", async () => {
    verifies("stream.tool-arguments");
    const source = JSON.stringify({ to: email, body: `Say "hi" to ${email}`, list: [1, { cc: email }], ok: true });
    for (const size of [1, 5, 1000]) {
      const pieces = source.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      const stream = await streamed(
        callsTools([
          { name: "send_mail", arguments: pieces },
          { name: "clock", arguments: "{}" },
        ]),
      );
      const calls = stream.events.flatMap(({ choices = [] }) =>
        choices.flatMap(({ delta }) => delta["tool_calls"] ?? []),
      );
      expect(calls).toContainEqual(expect.objectContaining({ index: 0, id: "call_fake0" }));
      const given = (index: number) =>
        calls.flatMap((call) => (isCall(call) && call.index === index ? call.function.arguments : [])).join("");
      expect(numberedIn(JSON.parse(given(0)))).toEqual({
        to: "[pii.email:1]",
        body: 'Say "hi" to [pii.email:1]',
        list: [1, { cc: "[pii.email:1]" }],
        ok: true,
      });
      expect(given(1)).toBe("{}");
      expect(stream.text).not.toContain(email.slice(0, 8));
      expect(stream.finishReasons).toEqual(["tool_calls"]);
    }
  });

  test("values behind JSON escapes, in names, under protocol keys and in repeated names", async () => {
    verifies("stream.tool-arguments", "scan.duplicate-keys");
    const escaped = `{"to":"jane.doe\\u0040acme-corp.com"}`;
    const inputs: [string, unknown][] = [
      [escaped, { to: "[pii.email:1]" }],
      [JSON.stringify({ [email]: 1 }), { "[pii.email:1]": 1 }],
      [JSON.stringify({ [email]: email }), { "[pii.email:1]": "[pii.email:1]" }],
      [
        JSON.stringify({ id: email, type: email, role: "user" }),
        { id: "[pii.email:1]", type: "[pii.email:1]", role: "user" },
      ],
      [`{"to":"${email}","to":"nobody"}`, { to: "nobody" }],
      ['{"card":4539148803436467}', { card: "[pii.credit_card:1]" }],
    ];
    for (const [source, seen] of inputs) {
      const stream = await streamed(
        callsTools([{ name: "send_mail", arguments: [source.slice(0, 9), source.slice(9)] }]),
      );
      const args = stream.events
        .flatMap(({ choices = [] }) => choices.flatMap(({ delta }) => delta["tool_calls"] ?? []))
        .flatMap((call) => (isCall(call) ? call.function.arguments : []))
        .join("");
      expect(numberedIn(JSON.parse(args))).toEqual(seen);
      expect(stream.text).not.toContain(email);
      expect(stream.text).not.toContain("jane.doe\\\\u0040");
    }
  });

  test("arguments that are no JSON are guarded as text", async () => {
    verifies("stream.tool-arguments");
    const stream = await streamed(
      callsTools([{ name: "send_mail", arguments: [`{"to": "${email.slice(0, 5)}`, email.slice(5)] }]),
    );
    expect(stream.text).not.toContain(email);
    expect(numbered(stream.text)).toContain("[pii.email:1]");
  });

  test("stream: text after a held tool call waits", async () => {
    verifies("stream.choice-order");
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const writes = [
      chunk({ role: "assistant", content: "First. " }),
      chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "clock", arguments: "{}" } }] }),
      chunk({ content: "Then. " }),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n",
    ];
    expect((await streamed(sends(writes))).text).toBe(writes.join(""));
  });
});

type Call = { readonly index: number; readonly function: { readonly arguments: string } };
const isCall = (value: unknown): value is Call => typeof value === "object" && value !== null && "function" in value;
