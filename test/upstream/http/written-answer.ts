import fc from "fast-check";

/** An answer as it stands on the wire, and what a reader makes of it. */
export type WrittenAnswer = {
  readonly wire: Buffer;
  readonly status: number;
  readonly fields: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** Whether only the end of the connection ends it. */
  readonly untilClosed: boolean;
};

const TOKEN_SIGNS = [..."abcdefghijklmnopqrstuvwxyzABCDXYZ0123456789!#$%&'*+-.^_`|~"];
/** Visible characters, spaces, tabs, and bytes above ASCII. */
const TEXT_CODES = [
  9,
  ...Array.from({ length: 95 }, (_, at) => 32 + at),
  ...Array.from({ length: 128 }, (_, at) => 128 + at),
];

const token = fc.string({ unit: fc.constantFrom(...TOKEN_SIGNS), minLength: 1, maxLength: 12 });
const value = fc
  .array(fc.constantFrom(...TEXT_CODES), { maxLength: 24 })
  .map((codes) => String.fromCharCode(...codes).replace(/^[ \t]+|[ \t]+$/g, ""));
const blanks = fc.string({ unit: fc.constantFrom(" ", "\t"), maxLength: 3 });
const field = fc.record({ name: token.map((name) => `x-${name}`), value, before: blanks, after: blanks });

const mixedCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((sign, at) => (upper[at] ? sign.toUpperCase() : sign)).join(""));

/** RFC 9112 §7.1.1: blanks may stand around the signs of an extension, which `fetch` does not know. */
const extensionOf = (around: fc.Arbitrary<string>) =>
  fc
    .tuple(
      around,
      around,
      token,
      fc.option(
        fc.oneof(
          token,
          value.map((text) => `"${text.replaceAll('"', "")}"`),
        ),
      ),
    )
    .map(([before, after, name, given]) => `${before};${after}${name}${given === null ? "" : `=${given}`}`);

const chunkOf = (around: fc.Arbitrary<string>) =>
  fc.record({
    data: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    zeros: fc.nat(3),
    isUpper: fc.boolean(),
    extensions: fc.array(extensionOf(around), { maxLength: 2 }),
  });

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

const chunkedOf = (around: fc.Arbitrary<string>) =>
  fc
    .record({
      chunks: fc.array(chunkOf(around), { maxLength: 5 }),
      last: fc.constantFrom("0", "000", "0;end=1"),
      trailers: fc.array(field, { maxLength: 3 }),
    })
    .map(({ chunks, last, trailers }) => {
      const pieces = chunks.map(({ data, zeros, isUpper, extensions }) => {
        const size = data.length.toString(16);
        const line = "0".repeat(zeros) + (isUpper ? size.toUpperCase() : size) + extensions.join("");
        return Buffer.concat([latin1(`${line}\r\n`), data, latin1("\r\n")]);
      });
      const lines = trailers.map(({ name, value: text, before, after }) => `${name}:${before}${text}${after}\r\n`);
      return {
        bytes: Buffer.concat([...pieces, latin1(`${last}\r\n${lines.join("")}\r\n`)]),
        body: Buffer.concat(chunks.map(({ data }) => data)),
      };
    });

const plain = fc.uint8Array({ maxLength: 200 }).map((body) => ({ bytes: Buffer.from(body), body: Buffer.from(body) }));
const empty = fc.constant({ bytes: Buffer.alloc(0), body: Buffer.alloc(0) });

/** Interim answers that come before it. */
const interim = fc.constantFrom("", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
const reason = fc.constantFrom(" ", " OK", " Not so good", " caf\xe9", "");

const framingsOf = (around: fc.Arbitrary<string>) => ({
  length: plain.map((made) => ({ ...made, line: `content-length: ${made.body.length}`, untilClosed: false })),
  chunked: fc
    .tuple(chunkedOf(around), mixedCase("chunked"), mixedCase("transfer-encoding"))
    .map(([made, coding, name]) => ({ ...made, line: `${name}: ${coding}`, untilClosed: false })),
  closed: plain.map((made) => ({ ...made, line: "", untilClosed: true })),
  none: empty.map((made) => ({ ...made, line: "", untilClosed: false })),
});

const answerOf = ({ length, chunked, closed, none }: ReturnType<typeof framingsOf>): fc.Arbitrary<WrittenAnswer> =>
  fc
    .record({
      framing: fc.oneof(length, chunked, closed, fc.record({ none })),
      status: fc.constantFrom(200, 201, 206, 400, 401, 404, 429, 500, 503),
      bodiless: fc.constantFrom(204, 304),
      reason,
      interim,
      fields: fc.array(field, { maxLength: 5 }),
      at: fc.nat(5),
    })
    .map(({ framing, status: usual, bodiless, reason: words, interim: first, fields, at }) => {
      const { line, bytes, body, untilClosed } = "none" in framing ? framing.none : framing;
      const status = "none" in framing ? bodiless : usual;
      const lines = fields.map(({ name, value: text, before, after }) => `${name}:${before}${text}${after}`);
      if (line !== "") lines.splice(at, 0, line);
      const head = `HTTP/1.1 ${status}${words}\r\n${lines.map((text) => `${text}\r\n`).join("")}\r\n`;
      return {
        wire: Buffer.concat([latin1(first + head), bytes]),
        ...{ status, body, untilClosed },
        fields: fields.map(({ name, value: text }): readonly [string, string] => [name.toLowerCase(), text]),
      };
    });

/** Any answer that HTTP/1.1 allows, in any of its forms. */
export const writtenAnswer = answerOf(framingsOf(blanks));

/** Those that `fetch` reads, too. */
export const usualAnswer = answerOf(framingsOf(fc.constant("")));

/** The same bytes in pieces, cut at places that stand for any. */
export const cutAt = (bytes: Buffer, places: readonly number[]): readonly Buffer[] => {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...cuts].map((from, at) => Buffer.from(bytes.subarray(from, cuts[at] ?? bytes.length)));
};

export const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** Answers that no reader may take, with what is wrong with them. All of them are complete. */
export const INVALID_ANSWERS: readonly (readonly [string, string])[] = [
  ["no HTTP at all", "SSH-2.0-OpenSSH_9.9\r\n\r\n"],
  ["an empty line first", "\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
  ["another version", "HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n"],
  ["a version in lower case", "http/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
  ["no status", "HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n"],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n"],
  ["a status out of range", "HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n"],
  ["two spaces before the status", "HTTP/1.1  200 OK\r\ncontent-length: 0\r\n\r\n"],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n"],
  [
    "interim answers without end",
    `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(40)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
  ],
  ["a length and chunks", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["chunks and a length", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc"],
  ["the same length twice", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nab"],
  ["a list of lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nab"],
  ["a length with a sign", "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nab"],
  ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nab"],
  ["a hexadecimal length", "HTTP/1.1 200 OK\r\ncontent-length: 0x2\r\n\r\nab"],
  ["a length with a point", "HTTP/1.1 200 OK\r\ncontent-length: 2.0\r\n\r\nab"],
  ["an empty length", "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\nab"],
  ["a length beyond numbers", `HTTP/1.1 200 OK\r\ncontent-length: ${"9".repeat(30)}\r\n\r\nab`],
  ["a coding behind chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n"],
  ["a coding before chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
  ["chunked twice", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["nearly chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n"],
  ["chunked with a vertical tab", "HTTP/1.1 200 OK\r\ntransfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n"],
  ["chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["a coding where no body can be", "HTTP/1.1 204 No Content\r\ntransfer-encoding: gzip\r\n\r\n"],
  ["lines that end in LF", "HTTP/1.1 200 OK\ncontent-length: 0\n\n"],
  ["one line that ends in LF", "HTTP/1.1 200 OK\r\nx-a: b\ncontent-length: 0\r\n\r\n"],
  ["a CR within a line", "HTTP/1.1 200 OK\r\nx-a: b\rc\r\ncontent-length: 0\r\n\r\n"],
  ["a CR before CR LF", "HTTP/1.1 200 OK\r\nx-a: b\r\r\ncontent-length: 0\r\n\r\n"],
  ["a folded line", "HTTP/1.1 200 OK\r\nx-a: b\r\n c\r\ncontent-length: 0\r\n\r\n"],
  ["a folded first line", "HTTP/1.1 200 OK\r\n x-a: b\r\ncontent-length: 0\r\n\r\n"],
  ["a space before the colon", "HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n"],
  ["a tab before the colon", "HTTP/1.1 200 OK\r\ntransfer-encoding\t: chunked\r\n\r\n0\r\n\r\n"],
  ["a name with a space", "HTTP/1.1 200 OK\r\nx a: b\r\ncontent-length: 0\r\n\r\n"],
  ["a name above ASCII", "HTTP/1.1 200 OK\r\nx\xe9: b\r\ncontent-length: 0\r\n\r\n"],
  ["a line without a colon", "HTTP/1.1 200 OK\r\nx-a\r\ncontent-length: 0\r\n\r\n"],
  ["a line without a name", "HTTP/1.1 200 OK\r\n: b\r\ncontent-length: 0\r\n\r\n"],
  ["NUL in a value", "HTTP/1.1 200 OK\r\nx-a: b\0c\r\ncontent-length: 0\r\n\r\n"],
  ["NUL in a name", "HTTP/1.1 200 OK\r\nx\0: b\r\ncontent-length: 0\r\n\r\n"],
  ["NUL in the reason", "HTTP/1.1 200 O\0K\r\ncontent-length: 0\r\n\r\n"],
  ["a control character in a value", "HTTP/1.1 200 OK\r\nx-a: \x1b[2J\r\ncontent-length: 0\r\n\r\n"],
  ["DEL in a value", "HTTP/1.1 200 OK\r\nx-a: \x7f\r\ncontent-length: 0\r\n\r\n"],
  ["a head of 70 KB in one line", `HTTP/1.1 200 OK\r\nx-a: ${"b".repeat(70_000)}\r\ncontent-length: 0\r\n\r\n`],
  [
    "a head of 70 KB in many lines",
    `HTTP/1.1 200 OK\r\n${`x-a: ${"b".repeat(700)}\r\n`.repeat(100)}content-length: 0\r\n\r\n`,
  ],
  ["300 lines", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(300)}content-length: 0\r\n\r\n`],
  ...[
    "",
    "g",
    "-1",
    "+1",
    "0x1",
    " 1",
    "1 ",
    "1\t",
    "1 1",
    "1,",
    "\xb2",
    "fffffffffffffff",
    "1".repeat(17),
    "1\0",
    "1;\0",
    "1;a\nb",
  ].map((size): readonly [string, string] => [
    `the chunk size ${JSON.stringify(size).slice(0, 24)}`,
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\na\r\n0\r\n\r\n`,
  ]),
  ["a chunk size that ends in LF", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n"],
  ["a chunk size that ends in CR", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\ra\r\n0\r\n\r\n"],
  ["a chunk longer than it says", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"],
  ["a chunk that ends in LF", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n"],
  ["a chunk that ends in CR", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r0\r\n\r\n"],
  [
    "an extension of 5 KB",
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${"a".repeat(5_000)}\r\na\r\n0\r\n\r\n`,
  ],
  [
    "blanks of 5 KB behind a size",
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1${" ".repeat(5_000)};a\r\na\r\n0\r\n\r\n`,
  ],
  ["a trailer that is no field", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nno field\r\n\r\n"],
  ["a folded trailer", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-a: b\r\n c\r\n\r\n"],
  ["trailers that end in LF", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\n"],
  ["300 trailers", `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${"x: y\r\n".repeat(300)}\r\n`],
];
