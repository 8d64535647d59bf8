/*
 * What base64 holds: text, a file that is no text, or both. Decided by samples, so that a photograph costs no scan.
 */

/** `mixed`: some of it reads as text, but not all. */
export type BytesKind = "text" | "mixed" | "binary";

/** Bytes as a text that can be scanned, and the way back. */
export type DecodedBytes = { readonly kind: BytesKind; readonly text: string; encode(text: string): Uint8Array };

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** Bytes of one sample. Divisible by two, so that samples of UTF-16 begin with a character. */
const SAMPLE_BYTES = 192;
/** Up to here (24 KB) all bytes are looked at, beyond as many samples from the first byte to the last. */
const MAX_SAMPLES = 128;
/** Part of a sample that must be printable. Random bytes reach 0.45 ± 0.04, UTF-8 reaches 1. */
const MIN_PRINTABLE = 0.75;
/** Part of a sample's UTF-16 units that must be common characters. Random bytes reach 0.65 ± 0.05. */
const MIN_COMMON = 0.95;
/** A known file format reads as text only from this part of its samples on: pictures carry metadata. */
const MIN_TEXT_IN_FORMAT = 0.5;

/** First bytes of pictures, sound, video, fonts, archives and programs, as Latin-1. Source: their specifications. */
const FORMAT =
  /^(?:\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF|BM....\0\0\0\0|II\*\0|MM\0\*|\0\0\x01\0|ID3|\xff[\xe2-\xfb]|OggS|fLaC|....ftyp|\x1aE\xdf\xa3|PK\x03\x04|\x1f\x8b|BZh\d|7z\xbc\xaf|\xfd7zXZ|\x28\xb5\x2f\xfd|Rar!|%PDF-|\x7fELF|MZ.{30}|\0asm|SQLite format 3\0|wOF[F2]|OTTO|\0\x01\0\0)/s;
/** Its syntax is text whatever it shows, and a changed length breaks it. */
const PDF = "%PDF-";

/** What bytes are, and their text: none for what is no text. */
export const decodedBytes = (bytes: Uint8Array): DecodedBytes => {
  const samples = samplesOf(bytes);
  const head = latin1.decode(bytes.subarray(0, 64));
  const encoding = encodingOf(bytes, samples);
  if (encoding !== null && !head.startsWith(PDF)) return asText(bytes, encoding);
  const texts = samples.filter((sample) => isUtf8(sample)).length;
  const isMixed = FORMAT.test(head) ? texts >= samples.length * MIN_TEXT_IN_FORMAT : texts > 0;
  const kind = isMixed && !head.startsWith(PDF) ? "mixed" : "binary";
  return {
    kind,
    get text() {
      return latin1.decode(bytes);
    },
    encode: latin1.encode,
  };
};

/** One character for each byte, without exception (`TextDecoder` reads its Latin-1 as windows-1252). */
export const latin1 = {
  decode: (bytes: Uint8Array): string =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"),
  encode: (text: string): Uint8Array => Buffer.from(text, "latin1"),
};

const samplesOf = (bytes: Uint8Array): Uint8Array[] => {
  const last = Math.max(0, bytes.length - SAMPLE_BYTES);
  const count = Math.min(MAX_SAMPLES, Math.ceil(bytes.length / SAMPLE_BYTES));
  return Array.from({ length: count }, (_, at) => {
    const from = count === 1 ? 0 : Math.floor((last * at) / (count - 1) / 2) * 2;
    return bytes.subarray(from, from + SAMPLE_BYTES);
  });
};

const encodingOf = (bytes: Uint8Array, samples: readonly Uint8Array[]): Encoding | null => {
  if (bytes.length === 0) return null;
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (samples.every(isUtf8)) return "utf-8";
  if (samples.every((sample) => isUtf16(sample, 0))) return "utf-16le";
  return samples.every((sample) => isUtf16(sample, 1)) ? "utf-16be" : null;
};

/** Whether most of a sample is printable ASCII or whole characters of UTF-8. Some noise does not hide a text. */
const isUtf8 = (sample: Uint8Array): boolean => {
  let left = sample.length * (1 - MIN_PRINTABLE);
  for (let at = 0; at < sample.length; ) {
    const size = characterAt(sample, at);
    if (size === 0) left -= 1;
    if (left < 0) return false;
    at += Math.max(1, size);
  }
  return true;
};

/** Bytes of the character of UTF-8 that stands at `at`; 0 for none. One that the sample cuts off counts as whole. */
const characterAt = (sample: Uint8Array, at: number): number => {
  const byte = sample[at] ?? 0;
  if (byte < 0x80) return byte >= 0x20 ? Number(byte !== 0x7f) : Number(byte >= 0x09 && byte <= 0x0d);
  // What a sample begins in the middle of.
  if (byte < 0xc0) return at < 3 && isContinued(sample, 0, at + 1) ? 1 : 0;
  if (byte < 0xc2 || byte > 0xf4) return 0;
  const end = Math.min(at + (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4), sample.length);
  return isContinued(sample, at + 1, end) ? end - at : 0;
};

const isContinued = (sample: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at += 1) if (((sample[at] ?? 0) & 0xc0) !== 0x80) return false;
  return true;
};

const isUtf16 = (sample: Uint8Array, low: 0 | 1): boolean => {
  const units = sample.length >> 1;
  let common = 0;
  let ascii = 0;
  for (let at = 0; at < units; at += 1) {
    const unit = (sample[2 * at + low] ?? 0) | ((sample[2 * at + 1 - low] ?? 0) << 8);
    if (isCommon(unit)) common += 1;
    if (unit < 0x80) ascii += 1;
  }
  // Texts have blanks or digits; without any, a run of one byte would be a text.
  return ascii > 0 && common >= units * MIN_COMMON;
};

/** Printable ASCII, the alphabets, CJK, kana, Hangul and full-width forms. */
const isCommon = (unit: number): boolean =>
  (unit >= 0x20 && unit < 0x7f) ||
  (unit >= 0x09 && unit <= 0x0d) ||
  (unit >= 0xa0 && unit < 0x2460) ||
  (unit >= 0x3000 && unit < 0x3100) ||
  (unit >= 0x4e00 && unit < 0xa000) ||
  (unit >= 0xac00 && unit < 0xd7a4) ||
  (unit >= 0xff00 && unit < 0xfff0);

const asText = (bytes: Uint8Array, encoding: Encoding): DecodedBytes => {
  if (encoding === "utf-8") {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      return { kind: "text", text, encode: (next) => new TextEncoder().encode(next) };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return { kind: "text", text: latin1.decode(bytes), encode: latin1.encode };
    }
  }
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  const isBig = encoding === "utf-16be";
  return {
    kind: "text",
    text,
    encode: (next) => (isBig ? Buffer.from(next, "utf16le").swap16() : Buffer.from(next, "utf16le")),
  };
};
