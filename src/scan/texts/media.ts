import { decodedBytes, latin1 } from "#scan/texts/encoded-bytes";

/*
 * Files inside JSON: base64 under the keys that files stand under, and data URLs. Text in them is scanned as text; what
 * is no text is looked through for keys with a vendor's prefix only, and is recorded as not scanned.
 */

/** A text of a file that is to be scanned, and the string with another in its place (and in that of those before it). */
export type MediaText = { readonly text: string; readonly replaced: (text: string) => string };

/** A string that holds a file. */
export type Media = {
  /** Some of it is not scanned. */
  readonly isUnscanned: boolean;
  /** Steps to look through it: `texts` is to be called with each number below. */
  readonly steps: number;
  texts(step: number): MediaText[];
};

type Replaceable = { readonly text: string; replace(text: string): void };

/** The texts of one step in place of the string itself. */
export const mediaSlots = <S extends Replaceable>(media: Media, step: number, field: S) =>
  media.texts(step).map(({ text, replaced }) => ({
    ...field,
    text,
    replace: (next: string) => field.replace(replaced(next)),
  }));

const MEDIA_KEYS = new Set(["data", "file_data", "b64_json"]);
/** Where a tool's result holds a file (MCP, embedded resources). */
const RESOURCE_BLOB = "resource.blob";
/** Keys that may hold a whole `data:` URL. Anywhere else it is a text that begins like one. */
const MEDIA_URL_KEYS = new Set([...MEDIA_KEYS, "url", "image_url"]);
/** base64 this long under a media key is a file. What is shorter is a text, which the scanner decodes. */
const MIN_FILE = 256;
/** As much base64 as the scanner decodes in a text: 65,536 bytes. What is longer is decoded here, under any key. */
const MAX_SCANNER_DECODES = 87_380;
/** base64 shorter than this holds nothing that detectors know. In pieces of a stream. */
const MIN_PIECE = 16;
const MAX_HEAD = 200;
const DATA_URL = /^data:[\w.+/-]*(?:;[\w.+=-]+)*;base64,/i;
/** What says that it is text is scanned even if it is none. */
const TEXT_HEAD = /^data:text\//i;
/** A type and a character set that no token fits in. */
const PLAIN_HEAD =
  /^data:(?:[a-z]{4,11}\/(?:[a-z]{1,24}|[a-z0-9]{1,10})(?:[.+-](?:[a-z]{1,24}|[a-z0-9]{1,10})){0,5})?(?:;charset=[a-z0-9-]{3,12})?;base64,$/i;
/** Of one of the two alphabets, not of both. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;
const URL_ALPHABET = /[_-]/;

/** The file that a string holds; null for a string that is to be scanned as it stands. `isKnown`: an API says it is a file. */
export const mediaOf = (key: string | number, param: string, text: string, isKnown = false): Media | null => {
  if (text.startsWith("data:")) {
    const head = DATA_URL.exec(text.slice(0, MAX_HEAD))?.[0];
    if (head === undefined) return null;
    return fileOf(text, head, typeof key === "string" && MEDIA_URL_KEYS.has(key) && !TEXT_HEAD.test(head));
  }
  if (text.length < MIN_FILE) return null;
  const isFile = isKnown || (typeof key === "string" && (MEDIA_KEYS.has(key) || param.endsWith(RESOURCE_BLOB)));
  return isFile || text.length > MAX_SCANNER_DECODES ? fileOf(text, "", isFile) : null;
};

/** Whether a piece of a stream is to be decoded by itself. It is read as text like any other, too. */
export const isMediaPiece = (key: string | number, text: string): boolean => {
  if (text.startsWith("data:")) return true;
  const isFile = typeof key === "string" && (MEDIA_KEYS.has(key) || key === "blob");
  return isFile && text.length >= MIN_PIECE && BASE64.test(text);
};

/** `isFile`: bytes that are no text are expected there. Elsewhere base64 of such is scanned as it stands. */
const fileOf = (source: string, head: string, isFile: boolean): Media | null => {
  const body = source.slice(head.length);
  const units = unitsOf(body);
  if (units === null) return null;
  const bytes = Buffer.from(body, "base64");
  const decoded = decodedBytes(bytes);
  const { kind } = decoded;
  if ((kind === "binary" && !isFile) || (kind !== "binary" && units < MIN_FILE)) return null;
  const parts = new Parts(source);
  const beside: Part[] =
    head === "" || PLAIN_HEAD.test(head) ? [] : [{ text: head, from: 0, to: head.length, encode: same }];
  const code: Base64 = { isUrl: URL_ALPHABET.test(body), isPadded: body.endsWith("=") };
  const file = new EncodedFile(source, bytes, { from: head.length, units }, code);
  if (kind === "binary") {
    const texts = (step: number) => parts.texts([...(step === 0 ? beside : []), ...file.keys(step)]);
    return { isUnscanned: true, steps: file.steps, texts };
  }
  const { text, encode } = decoded;
  const whole = { text, from: head.length, to: source.length, encode: (next: string) => base64(encode(next), code) };
  return {
    isUnscanned: kind === "mixed",
    steps: file.steps,
    texts: (step) => parts.texts([...(step === 0 ? [...beside, whole] : []), ...file.rawKeys(step)]),
  };
};

const same = (text: string): string => text;

/** Units of base64 without its padding; null for what is none. */
const unitsOf = (body: string): number | null => {
  if (!BASE64.test(body)) return null;
  const padding = body.endsWith("==") ? 2 : Number(body.endsWith("="));
  const isWhole = padding === 0 ? body.length % 4 !== 1 : body.length % 4 === 0;
  return isWhole ? body.length - padding : null;
};

/** A text of a file, the stretch of the string that it stands in, and what becomes of that when the text is replaced. */
type Part = Stretch & { readonly text: string; readonly encode: (text: string) => string };
/** In UTF-16 units of the string. */
type Stretch = { readonly from: number; readonly to: number };

/** Parts of a string, which may be replaced one after another. */
class Parts {
  private edits: (Stretch & { readonly text: string })[] = [];

  constructor(private readonly source: string) {}

  texts(parts: Iterable<Part>): MediaText[] {
    return Array.from(parts, ({ text, from, to, encode }) => ({
      text,
      replaced: (next) => this.edited({ from, to, text: encode(next) }),
    }));
  }

  /** Of stretches that overlap all is taken out. */
  private edited(edit: Stretch & { readonly text: string }): string {
    this.edits = [...this.edits, edit].sort((one, other) => one.from - other.from || one.to - other.to);
    const merged: (Stretch & { readonly text: string })[] = [];
    for (const one of this.edits) {
      const before = merged.at(-1);
      if (before === undefined || one.from >= before.to) merged.push(one);
      else merged[merged.length - 1] = { from: before.from, to: Math.max(before.to, one.to), text: "" };
    }
    let out = "";
    let done = 0;
    for (const { from, to, text } of merged) {
      out += this.source.slice(done, from) + text;
      done = to;
    }
    return out + this.source.slice(done);
  }
}

type Base64 = { readonly isUrl: boolean; readonly isPadded: boolean };

const base64 = (bytes: Uint8Array, { isUrl, isPadded }: Base64): string => {
  const made = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isUrl ? "base64url" : "base64");
  if (isUrl) return isPadded ? made.padEnd(Math.ceil(made.length / 4) * 4, "=") : made;
  return made;
};

/** Beginnings of keys that say by themselves whose they are. Source: the vendors' documentation, as the detectors. */
const PREFIX =
  /gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|soat|cbt)-|A[KS]IA|AIza|ya29\.|GOCSPX-|sk-|[sr]k_(?:live|test)_|whsec_|xox[abeprs]|xapp-|npm_|pypi-|rubygems_|hf_|do[opr]_v1_|shp(?:at|ca|pa|ss)_|gsk_|r8_|pplx-|xai-|dapi|lin_api_|ntn_|SG\.|hv[sb]\.|atlasv1|eyJ[A-Za-z0-9_-]{8,}\.eyJ|-----BEGIN |ATATT|figd_|glsa_|nvapi-|sq0|EAAA|shippo_|tfp_|gw-live-|gwk_/;
/** The keys that consist of letters of standard base64 alone, in a form that few pictures contain by chance. */
const LETTERS_ONLY = /A[KS]IA[A-Z0-9]{16}|AIza[A-Za-z0-9]{30}/g;
const RAW_PREFIX = new RegExp(PREFIX, "g");
/** No vendor's key is shorter, in bytes. */
const MIN_KEY = 20;
const PEM = "-----BEGIN ";
/** Of a PEM block, in bytes. */
const MAX_PEM = 3_072;
const TOKEN = new Uint8Array(256);
for (const unit of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") TOKEN[unit.charCodeAt(0)] = 1;
/** Units of base64 looked through in one step: one to three milliseconds. Divisible by four. */
const STEP_UNITS = 262_144;
const STEP_BYTES = (STEP_UNITS / 4) * 3;
/** Units that one step repeats of the next, so that no key is cut in two. Divisible by four. */
const OVERLAP = 4_096;
/** Units before and behind a prefix that stands in base64 as it is. */
const BEFORE = 64;
const BEHIND = 320;

/** Bytes, and the keys that stand in them or in their base64. */
class EncodedFile {
  readonly steps: number;

  constructor(
    private readonly source: string,
    private readonly bytes: Uint8Array,
    private readonly body: { readonly from: number; readonly units: number },
    private readonly code: Base64,
  ) {
    this.steps = Math.max(1, Math.ceil(body.units / STEP_UNITS));
  }

  keys(step: number): Part[] {
    return [...this.rawKeys(step), ...this.decodedKeys(step)];
  }

  private range(step: number): Stretch {
    const from = step * STEP_UNITS;
    return { from, to: Math.min(this.body.units, from + STEP_UNITS + OVERLAP) };
  }

  /** Keys that were put into base64, or in place of it, as they are. */
  *rawKeys(step: number): Generator<Part> {
    const { from, to } = this.range(step);
    const units = this.source.slice(this.body.from + from, this.body.from + to);
    let done = 0;
    for (const { index } of units.matchAll(this.code.isUrl ? RAW_PREFIX : LETTERS_ONLY)) {
      if (index < done) continue;
      // The next step comes to what begins there.
      if (index >= STEP_UNITS) return;
      const start = Math.max(done, index - BEFORE);
      done = Math.min(units.length, index + BEHIND);
      const offset = this.body.from + from;
      const text = units.slice(start, done);
      yield { text, from: offset + start, to: offset + done, encode: same };
    }
  }

  /** Keys in the bytes. What takes the place of one ends with blanks, so that all behind it stays as it is. */
  private *decodedKeys(step: number): Generator<Part> {
    const { from, to } = this.range(step);
    const first = (from / 4) * 3;
    const last = Math.min(this.bytes.length, Math.ceil((to * 3) / 4));
    for (const { from: start, to: end } of keyPlaces(this.bytes, first, last)) {
      if (start >= first + STEP_BYTES) continue;
      const text = latin1.decode(this.bytes.subarray(start, end));
      if (!PREFIX.test(text)) continue;
      const begin = Math.floor(start / 3) * 3;
      const stop = Math.min(this.bytes.length, Math.ceil(end / 3) * 3);
      const encode = (next: string): string => {
        const before = this.bytes.subarray(begin, start);
        const behind = this.bytes.subarray(end, stop);
        const isWhole = stop === this.bytes.length;
        const blanks = isWhole ? "" : " ".repeat((3 - ((before.length + next.length + behind.length) % 3)) % 3);
        return base64(Buffer.concat([before, latin1.encode(next + blanks), behind]), this.code);
      };
      const isLast = stop === this.bytes.length;
      const unit = (byte: number) => this.body.from + (byte / 3) * 4;
      yield { text, from: unit(begin), to: isLast ? this.source.length : unit(stop), encode };
    }
  }
}

/** Where keys can be: PEM blocks, and runs of their characters. Random bytes have no such run: few are looked at. */
function* keyPlaces(bytes: Uint8Array, from: number, to: number): Generator<Stretch> {
  const here = Buffer.from(bytes.buffer, bytes.byteOffset, to);
  for (let at = here.indexOf(PEM, from); at >= 0; at = here.indexOf(PEM, at + MAX_PEM))
    yield { from: at, to: Math.min(to, at + MAX_PEM) };
  // One byte of every run of this length stands at one of these places.
  for (let at = from + MIN_KEY - 1; at < to; at += MIN_KEY) {
    if (TOKEN[bytes[at] ?? 0] === 0) continue;
    let start = at;
    while (start > from && TOKEN[bytes[start - 1] ?? 0] === 1) start -= 1;
    let end = at + 1;
    while (end < to && TOKEN[bytes[end] ?? 0] === 1) end += 1;
    if (end - start < MIN_KEY) continue;
    yield { from: start, to: end };
    at = end;
  }
}
