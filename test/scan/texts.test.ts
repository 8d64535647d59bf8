import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRecord, type JsonRecord } from "#core/json/json";
import { dropLogprobs, textsBeside, textsOfAnswer, textsOfRequest } from "#guard/apis/chat-texts";
import { type Texts, textsOfArguments } from "#scan/texts/text-walk";
import { verifies } from "#test/support/verifies";

const DEEP = 100;

const user = (content: unknown) => ({ role: "user", content });
const request = (fields: object): JsonRecord => ({ model: "m", messages: [user("Hello there")], ...fields });
const found = ({ slots }: Texts): string[] => slots.map(({ text }) => text);
const places = ({ slots }: Texts): string[] => slots.map(({ param }) => param);
const gaps = (texts: Texts): string[] => texts.gaps.map(({ param, reason }) => `${param} ${reason}`);

/** JSON as people and providers send it, with a marker somewhere in it. */
const MARKER = "jane.doe@example.com";
const leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(MARKER),
  fc.constant(`to ${MARKER}!`),
);
const keys = fc.oneof(
  fc.string(),
  fc.constantFrom("id", "type", "role", "content", "arguments", "data", "url", "input", "index", MARKER, "__proto__"),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(keys, tie("value")), { maxLength: 4 })
      .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries)))),
    tie("value").map((value) => JSON.stringify(value)),
  ),
})).value;

/** JSON inside strings opened, so that only what it says is compared. */
const opened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(opened);
  if (isRecord(value)) return Object.entries(value).map(([key, inner]) => [key, opened(inner)]);
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return opened(JSON.parse(value));
  } catch {
    return value;
  }
};

describe("whatever the shape", () => {
  test("no text with the marker is missed, and putting another in its place leaves none", () => {
    verifies("scan.every-place");
    fc.assert(
      fc.property(json, json, (content, extra) => {
        const body: JsonRecord = JSON.parse(JSON.stringify(request({ messages: [user(content)], extra })));
        const texts = textsOfRequest(body, DEEP);
        for (const slot of texts.slots) {
          if (slot.text.includes(MARKER)) slot.replace(slot.text.replaceAll(MARKER, "[gone]"));
        }
        texts.settle?.();
        expect(JSON.stringify(body)).not.toContain(MARKER);
      }),
      { numRuns: 2_000 },
    );
  });

  test("replacing every text with itself changes nothing", () => {
    verifies("scan.redaction-only");
    fc.assert(
      fc.property(json, (extra) => {
        const body: JsonRecord = JSON.parse(JSON.stringify(request({ extra })));
        const before = structuredClone(body);
        const texts = textsOfRequest(body, DEEP);
        fc.pre(!texts.isRewritten);
        expect(body).toEqual(before);
        // A number that is put in its place again is a text from then on.
        for (const slot of texts.slots) if (!Number.isFinite(Number(slot.text))) slot.replace(slot.text);
        expect(opened(body)).toEqual(opened(before));
      }),
      { numRuns: 1_000 },
    );
  });

  test("a path shows no name but those of the published interface", () => {
    verifies("audit.no-content");
    fc.assert(
      fc.property(json, (extra) => {
        const { slots, gaps: skipped } = textsOfRequest(
          JSON.parse(JSON.stringify(request({ [MARKER]: extra, secretname: extra }))),
          DEEP,
        );
        for (const { param } of [...slots, ...skipped]) {
          expect(param).toMatch(/^(?:[a-z_]+|\*)(?:\.(?:[a-z_0-9]+|\*)|\[\d+\])*$/);
          expect(param).not.toContain("secretname");
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("protocol words are not text, and text is not a protocol word", () => {
  test("plain words under protocol keys", () => {
    expect(found(textsOfRequest(request({ messages: [{ role: "assistant", content: "Hello there" }] }), DEEP))).toEqual(
      ["Hello there"],
    );
  });

  test.each(["role", "type", "id", "object", "tool_call_id", "detail", "finish_reason"])(
    "anything else under %s",
    (key) => {
      verifies("scan.every-place");
      expect(found(textsOfRequest(request({ metadata: { [key]: "AKIA 1234" } }), DEEP))).toContain("AKIA 1234");
    },
  );
});

describe("files are not text, and text is not a file", () => {
  const base64 = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256)).toString("base64");
  const image = `data:image/png;base64,${base64}`;

  test.each([
    ["an image", { image_url: { url: image } }, "x.image_url.url binary"],
    ["an image without its object", { image_url: image }, "x.image_url binary"],
    ["sound", { input_audio: { data: base64 } }, "x.input_audio.data binary"],
    ["a file", { file: { file_data: image } }, "x.file.file_data binary"],
    ["a remote image", { image_url: { url: "https://img.example/a" } }, "x.image_url.url remote_media"],
  ])("%s", (_, part, gap) => {
    verifies("scan.unscanned");
    expect(gaps(textsOfRequest({ messages: [], x: part }, DEEP))).toEqual([gap.replace("x", "*")]);
  });

  test.each([
    ["in a message", user(image)],
    ["with spaces in it", { role: "user", content: [{ type: "image_url", image_url: { url: `${image} and so on` } }] }],
    [
      "of text",
      { role: "user", content: [{ type: "image_url", image_url: { url: `data:text/plain;base64,${base64}` } }] },
    ],
    ["too short to be one", { role: "user", content: [{ type: "input_audio", input_audio: { data: "QUJDREVG" } }] }],
    ["under another name", { role: "user", content: [{ type: "x", blob: base64 }] }],
  ])("%s it is scanned", (_, message) => {
    verifies("scan.unscanned");
    const texts = textsOfRequest(request({ messages: [message] }), DEEP);
    expect(texts.slots).toHaveLength(1);
    expect(texts.gaps.filter(({ reason }) => reason === "binary")).toEqual([]);
  });
});

describe("JSON inside a string", () => {
  const args = (source: string) => {
    const holder = { arguments: source };
    return { holder, texts: textsOfArguments(holder, "args", "tool_args", DEEP) };
  };

  test("its leaves are texts, unescaped; putting one back keeps the rest", () => {
    verifies("stream.tool-arguments");
    const { holder, texts } = args('{"to":"caf\\u00e9 Paris","n":1.5,"list":["first one",{"deep":"second one"}]}');
    expect(found(texts)).toEqual(["café Paris", "first one", "second one"]);
    texts.slots[2]?.replace("[x]");
    texts.slots[0]?.replace('"quoted"');
    texts.settle?.();
    expect(JSON.parse(holder.arguments)).toEqual({ to: '"quoted"', n: 1.5, list: ["first one", { deep: "[x]" }] });
  });

  test.each(["not json at all", '"a JSON string, though"', "123456789", '{"half": "of it'])(
    "%s is a text",
    (source) => {
      const { holder, texts } = args(source);
      expect(found(texts)).toEqual([source]);
      texts.slots[0]?.replace("[x]");
      texts.settle?.();
      expect(holder.arguments).toBe("[x]");
    },
  );

  test("unchanged, it is left alone to the byte", () => {
    const source = '{ "a" : "caf\\u00e9 Paris", "b": 1.0, "c": 12345678901234567890 }';
    const { holder, texts } = args(source);
    expect(texts.isRewritten).toBe(false);
    expect(holder.arguments).toBe(source);
  });

  test.each([
    ['{"a":"first one","a":"second one"}', '{"a":"second one"}'],
    ['{"x":{"a":1,"b":2,"a":3}}', '{"x":{"a":3,"b":2}}'],
    ['[{"a":1,"\\u0061":2}]', '[{"a":2}]'],
    ['{"a":"first one","a":{}}', '{"a":{}}'],
  ])("a repeated name is kept once, as it was scanned: %s", (source, kept) => {
    verifies("scan.duplicate-keys");
    const { holder, texts } = args(source);
    expect(texts.isRewritten).toBe(true);
    expect(holder.arguments).toBe(kept);
  });

  test("colons, quotes and braces inside strings are no names", () => {
    const source = JSON.stringify({ a: 'x": "y', b: '{"c":1,"c":2}', 'd":': ["e:", '\\"f\\":'] });
    expect(args(source).texts.isRewritten).toBe(false);
  });
});

test("too deep is named, not followed", () => {
  verifies("scan.unscanned");
  const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : { in: nested(depth - 1, inner) });
  const texts = textsOfRequest(request({ extra: nested(20, "deep text") }), 10);
  expect(texts.gaps.map(({ reason }) => reason)).toEqual(["too_deep"]);
  expect(found(texts)).not.toContain("deep text");
  const deepArguments = textsOfArguments({ arguments: JSON.stringify(nested(20, "deep text")) }, "args", "output", 10);
  expect(found(deepArguments).join()).toContain("deep text");
});

describe("answers", () => {
  const answer = {
    id: "chatcmpl-1234567",
    model: "fake-model",
    system_fingerprint: "fp_1234567",
    usage: { prompt_tokens: 123456789012 },
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "first answer", reasoning_content: "a thought" },
        logprobs: { content: [{ token: "first answer" }] },
      },
      {
        index: 1,
        message: {
          refusal: "no thank you",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "lookup", arguments: '{"q":"what for"}' } }],
        },
      },
    ],
    citations: [{ title: "a title" }],
  };

  test("every choice and channel is read, what a provider says of itself too, tokens as one text", () => {
    verifies("stream.channels", "scan.envelope");
    expect(places(textsOfAnswer(answer, DEEP))).toEqual([
      "id",
      "model",
      "system_fingerprint",
      "usage.*",
      "choices[0].message.content",
      "choices[0].message.reasoning_content",
      "choices[1].message.refusal",
      "choices[1].message.tool_calls[0].id",
      "choices[1].message.tool_calls[0].function.name",
      "choices[1].message.tool_calls[0].function.arguments.*",
      "citations[0].title",
    ]);
    const others = places(textsBeside(answer, DEEP, { id: answer.id, model: answer.model }));
    expect(others).toEqual([
      "system_fingerprint",
      "usage.*",
      "citations[0].title",
      "choices[1].message.tool_calls[0].id",
    ]);
  });

  test("log probabilities go from every choice", () => {
    verifies("stream.logprobs");
    const body = structuredClone(answer) as JsonRecord;
    dropLogprobs(body);
    expect(JSON.stringify(body)).not.toContain('"token"');
  });
});
