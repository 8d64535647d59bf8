import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRecord } from "#core/json/json";
import { type BytesKind, decodedBytes } from "#scan/texts/encoded-bytes";
import { mediaOf } from "#scan/texts/media";
import { Walk } from "#scan/texts/text-walk";
import { SECRETS } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";

/** Bytes below which base64 under these keys is a text that the scanner decodes. */
const FILE_BYTES = 192;

const walked = (value: unknown, key = "data") => {
  const holder = { [key]: value };
  const walk = new Walk(64);
  walk.field(holder, key, "tool_args");
  return { walk, holder, texts: walk.slots.map(({ text }) => text), gaps: walk.gaps.map(({ reason }) => reason) };
};

/** Units before a prefix of a key, and behind it, that are scanned in a file that is no text (`media.ts`). */
const MAX_AROUND_A_PREFIX = 64 + 320;

/** Drawn bytes, the same in each run: a long list of them is slow to draw with fast-check. */
const drawn = (count: number, seed: number): Uint8Array => {
  let state = seed >>> 0;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
};

const encoded = (bytes: string | Uint8Array, encoding: "base64" | "base64url" = "base64"): string =>
  Buffer.from(bytes).toString(encoding);

const words = fc
  .string({ unit: "grapheme", minLength: FILE_BYTES, maxLength: 3_000 })
  .map((text) => text.toWellFormed())
  .filter((text) => Buffer.byteLength(text) >= FILE_BYTES && !text.startsWith("%PDF-"));
const randomBytes = fc.tuple(fc.integer({ min: FILE_BYTES, max: 60_000 }), fc.integer()).map(([n, s]) => drawn(n, s));

describe("whether bytes are text", () => {
  test("any text in UTF-8 is, and is scanned as it is", () => {
    verifies("scan.base64");
    fc.assert(
      fc.property(
        words,
        fc.constantFrom("base64", "base64url"),
        fc.constantFrom("", "data:image/png;base64,"),
        (text, encoding, head) => {
          const { texts, gaps, walk, holder } = walked(head + encoded(text, encoding));
          // By chance, base64url may hold what keys begin with: a window of it is scanned beside.
          expect({ text: texts[0], gaps }).toEqual({ text, gaps: [] });
          walk.slots[0]?.replace("ä [x]");
          const out = `${holder["data"]}`;
          expect(out.slice(0, head.length)).toBe(head);
          expect(Buffer.from(out.slice(head.length), "base64").toString()).toBe("ä [x]");
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each(["utf-16le", "utf-16be"])("ordinary text in %s is", (encoding) => {
    verifies("scan.base64");
    const alphabet = fc.constantFrom(..."The quick brown fox, jumps. Зебра бежит 東京都の天気は晴れ 서울 안녕");
    fc.assert(
      fc.property(fc.string({ unit: alphabet, minLength: 200, maxLength: 900 }), fc.boolean(), (body, hasMark) => {
        const text = hasMark ? `\ufeff${body}` : body;
        const little = Buffer.from(text, "utf16le");
        const bytes = encoding === "utf-16le" ? little : little.swap16();
        const decoded = decodedBytes(bytes);
        // Without a mark, pure CJK may be read in either order; what can hold a key may not.
        expect(decoded.kind).toBe("text");
        if (hasMark || /[a-z]/.test(body)) expect(decoded.text).toBe(text);
        expect(Buffer.from(decoded.encode(decoded.text))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 300 },
    );
  });

  test("random bytes are not", () => {
    verifies("scan.base64");
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        const { texts, gaps } = walked(encoded(bytes));
        expect(gaps).toEqual(["binary"]);
        // Chance writes the short prefix of a key now and then: no more is scanned than what stands around it.
        for (const text of texts) expect(text.length).toBeLessThanOrEqual(MAX_AROUND_A_PREFIX);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, Uint8Array, BytesKind]>([
    ["text in Latin-1", Buffer.from(`Müller schrieb: Grüße aus Köln. `.repeat(20), "latin1"), "text"],
    ["text with some noise in it", Buffer.from("All is well here \0\x01. ".repeat(40)), "text"],
    ["a long text", Buffer.from("Nothing to see here. ".repeat(20_000)), "text"],
    [
      "random bytes, then text",
      Buffer.concat([drawn(2_000, 1), Buffer.from("Dear all, here it is. ".repeat(200))]),
      "mixed",
    ],
    [
      "a picture's first bytes, then text",
      Buffer.from(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${"Dear all, here it is. ".repeat(200)}`, "latin1"),
      "text",
    ],
    [
      "a picture with a comment",
      Buffer.concat([
        Buffer.from("\xff\xd8\xff\xe0", "latin1"),
        Buffer.from("A comment. ".repeat(30)),
        drawn(9_000, 2),
      ]),
      "binary",
    ],
    [
      "a PDF, all of it printable",
      Buffer.from(`%PDF-1.4\n${"1 0 obj << /Length 44 >> stream\n".repeat(40)}`),
      "binary",
    ],
    ["silence", new Uint8Array(3_000), "binary"],
    [
      "quiet sound",
      Uint8Array.from({ length: 4_000 }, (_, at) => (at % 2 === 0 ? (at * 31) % 256 : at % 4 === 1 ? 0 : 255)),
      "binary",
    ],
  ])("%s", (_, bytes, kind) => {
    verifies("scan.base64");
    expect(decodedBytes(bytes).kind).toBe(kind);
    const { text, encode } = decodedBytes(bytes);
    expect(Buffer.from(encode(text))).toEqual(Buffer.from(bytes));
  });
});

describe("media: values inside binary content", () => {
  const keys = Object.entries(SECRETS).filter(([name]) => !["awsSecret", "slackHook", "url"].includes(name));

  test.each(keys)("a key at any place of the bytes: %s", (_, key) => {
    verifies("scan.base64");
    fc.assert(
      fc.property(fc.nat(3_000_000), fc.integer(), fc.boolean(), (at, seed, isUrl) => {
        const bytes = drawn(at + 400, seed);
        const file = Buffer.concat([bytes.subarray(0, at), Buffer.from(`\0${key}\0`), bytes.subarray(at)]);
        const source = encoded(file, isUrl ? "base64url" : "base64");
        const { walk, texts, gaps, holder } = walked(source);
        expect(gaps).toEqual(["binary"]);
        expect(texts.some((text) => text.includes(key))).toBe(true);
        for (const slot of walk.slots) if (slot.text.includes(key)) slot.replace(slot.text.replace(key, "[x]"));
        const left = Buffer.from(`${holder["data"]}`, "base64");
        expect(left.includes(key)).toBe(false);
        expect(left.subarray(0, at)).toEqual(file.subarray(0, at));
        expect(left.subarray(-390)).toEqual(file.subarray(-390));
      }),
      { numRuns: 4 },
    );
  });

  test("a key put into base64 as it is", () => {
    verifies("scan.base64");
    fc.assert(
      fc.property(
        fc.integer({ min: 64, max: 700_000 }),
        fc.constantFrom(SECRETS.awsAccessKey, SECRETS.github),
        (at, key) => {
          const units = "A".repeat(at);
          const { texts } = walked(`${units}${key}${"B".repeat(300 + ((4 - ((at + key.length + 300) % 4)) % 4))}`);
          expect(texts.some((text) => text.includes(key))).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("media: text outside base64's alphabets is scanned as text", () => {
    verifies("scan.base64");
    const text = `${"AAAA".repeat(80)}/${SECRETS.github}/${"B".repeat(60)}`;
    expect(walked(text)).toMatchObject({ texts: [text], gaps: [] });
  });

  test("media: types of data URLs", () => {
    verifies("scan.base64");
    const body = encoded(drawn(600, 7));
    const heads = (head: string) => walked(`${head}${body}`, "url").texts;
    expect(heads("data:image/svg+xml;charset=utf-8;base64,")).toEqual([]);
    expect(heads("data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,")).toEqual([]);
    for (const head of [`data:image/png;name=${SECRETS.github};base64,`, `data:image/${SECRETS.awsAccessKey};base64,`])
      expect(heads(head)).toEqual([head]);
  });

  test("several replaced one after another", () => {
    verifies("scan.base64");
    const file = Buffer.concat([
      drawn(500, 3),
      Buffer.from(`\0${SECRETS.github}\0`),
      drawn(1_500_000, 4),
      Buffer.from(`\0${SECRETS.gitlab}`),
    ]);
    const { walk, holder } = walked(encoded(file));
    for (const slot of walk.slots) slot.replace("[x]");
    const left = Buffer.from(`${holder["data"]}`, "base64").toString("latin1");
    expect(left.match(/\[x\]/g)).toHaveLength(2);
    expect(left).not.toContain(SECRETS.github);
    expect(left).not.toContain(SECRETS.gitlab);
  });
});

test("elsewhere base64 of no text is scanned as it stands; longer text than the scanner decodes is decoded", () => {
  verifies("scan.base64");
  const binary = encoded(drawn(90_000, 5));
  expect(walked(binary, "attachment")).toMatchObject({ texts: [binary], gaps: [] });
  const text = "Nothing to see here. ".repeat(4_000);
  expect(walked(encoded(text), "attachment").texts).toEqual([text]);
  expect(mediaOf("attachment", "*", encoded("Nothing to see here. ".repeat(40)))).toBeNull();
  const few = "Hello there. ".repeat(20);
  expect(walked([`data:image/png;base64,${encoded(few)}`], "images").texts).toEqual([few]);
});

test("MCP's blobs are files under any type", () => {
  verifies("scan.base64");
  const walk = new Walk(64);
  const resource: unknown = { uri: "test://x", mimeType: "text/plain", blob: encoded("Hello there. ".repeat(40)) };
  if (!isRecord(resource)) throw new Error("no resource");
  walk.fields({ content: [{ type: "resource", resource }] }, "", "tool_result", 1);
  expect(walk.slots.map(({ text }) => text)).toContain("Hello there. ".repeat(40));
});
