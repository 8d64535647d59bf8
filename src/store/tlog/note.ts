/*
 * Signed notes: text, then lines of signatures, each by a key that is known by name and id. https://c2sp.org/signed-note
 * Keys are Ed25519, which sign the text itself (a log's) or a cosignature over it (a witness's,
 * https://c2sp.org/tlog-cosignature).
 */

/** What the first byte of a key says that it signs. */
export const SIGNS_NOTES = 0x01;
export const SIGNS_COSIGNATURES = 0x04;
type KeyUse = typeof SIGNS_NOTES | typeof SIGNS_COSIGNATURES;

/** Of an Ed25519 public key. */
export const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const ID_BYTES = 4;
const TIME_BYTES = 8;
/** The last second that a date can name. */
const MAX_TIME = 8_640_000_000_000;

/** The longest note that is read, in characters. */
export const MAX_NOTE_CHARS = 131_072;
const MAX_SIGNATURES = 64;

/** A public key as files and settings have it: `example.com/log+a1b2c3d4+AQ…`. */
export type NoteKey = {
  readonly name: string;
  readonly use: KeyUse;
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** `id` in hexadecimal; `bytes` without it. */
export type NoteSignature = { readonly name: string; readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> };
/** `text` ends with a newline. */
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] };

/** What is wrong with a note, key or proof, in words for whom it came to. */
export class BadNote extends Error {
  override readonly name = "BadNote";
}

const NAME = /^[^\s+\u0000-\u001f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]{1,255}$/;

export const isKeyName = (name: string): boolean => NAME.test(name) && name.isWellFormed();

/** A key's id: the first four bytes in hexadecimal. */
const keyId = (name: string, use: KeyUse, bytes: Uint8Array): string => {
  const hasher = new Bun.SHA256();
  hasher.update(`${name}\n`);
  hasher.update(Uint8Array.of(use, ...bytes));
  return hasher.digest("hex").slice(0, 2 * ID_BYTES);
};

export const noteKey = (name: string, use: KeyUse, bytes: Uint8Array<ArrayBuffer>): NoteKey => ({
  name,
  use,
  id: keyId(name, use, bytes),
  bytes,
});

export const keyText = ({ name, use, id, bytes }: NoteKey): string =>
  `${name}+${id}+${Uint8Array.of(use, ...bytes).toBase64()}`;

// Base64 may have a plus itself.
const KEY = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/;

/** Throws `BadNote`. */
export const readKey = (text: string): NoteKey => {
  const [, name = "", id, encoded = ""] = KEY.exec(text.trim()) ?? [];
  if (!isKeyName(name)) throw new BadNote("This is not a public key of the form NAME+ID+KEY.");
  const [use, ...bytes] = base64(encoded) ?? [];
  if ((use !== SIGNS_NOTES && use !== SIGNS_COSIGNATURES) || bytes.length !== KEY_BYTES) {
    throw new BadNote(`The key ${name} is not an Ed25519 key.`);
  }
  const key = noteKey(name, use, Uint8Array.from(bytes));
  if (key.id !== id) throw new BadNote(`The key ${name} was changed: its id is ${key.id}, not ${id}.`);
  return key;
};

const SIGNATURE = /^— (\S+) (\S+)$/;

/** Throws `BadNote`. */
export const readNote = (note: string): Note => {
  if (note.length > MAX_NOTE_CHARS) throw new BadNote("The note is too long.");
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n") || hasControls(note)) throw new BadNote("This is not a signed note.");
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) throw new BadNote("The note has too many signatures.");
  return { text: note.slice(0, end + 1), signatures: lines.map(readSignature) };
};

/** Throws `BadNote`. */
export const readSignature = (line: string): NoteSignature => {
  const [, name, encoded] = SIGNATURE.exec(line) ?? [];
  const bytes = encoded === undefined ? null : base64(encoded);
  if (name === undefined || !isKeyName(name) || bytes === null || bytes.length <= ID_BYTES) {
    throw new BadNote("The note has a line that is no signature.");
  }
  return { name, id: bytes.subarray(0, ID_BYTES).toHex(), bytes: bytes.slice(ID_BYTES) };
};

const hasControls = (text: string): boolean => /[\u0000-\u0009\u000b-\u001f]/.test(text) || !text.isWellFormed();

/** Only as it is written by all: padded, no other alphabet. */
export const base64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    const bytes = Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
    return bytes.toBase64() === text ? bytes : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};

export const signatureLine = ({ name, id }: NoteKey, signature: Uint8Array): string =>
  `— ${name} ${Uint8Array.of(...Uint8Array.fromHex(id), ...signature).toBase64()}\n`;

/** Who has signed a checkpoint beside the log `origin`; nobody where it is no note. */
export const signersBeside = (origin: string, note: string): string[] => {
  try {
    return readNote(note).signatures.flatMap(({ name }) => (name === origin ? [] : [name]));
  } catch (error) {
    if (error instanceof BadNote) return [];
    throw error;
  }
};

/** What a witness signs. `time` in Unix seconds. */
export const cosignedText = (text: string, time: number): string => `cosignature/v1\ntime ${time}\n${text}`;

/** A cosignature as a note has it: its time, then the signature over `cosignedText`. */
export const timedSignature = (time: number, signature: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(TIME_BYTES + signature.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  bytes.set(signature, TIME_BYTES);
  return bytes;
};

/** By `key`, `time` in Unix seconds for a witness's. */
export type GoodSignature = { readonly key: NoteKey; readonly time: number | null };

/**
 * The signatures of `keys` that a note has; those of other keys say nothing. Throws `BadNote` when one of a known key
 * does not hold: somebody has changed the note.
 */
export const goodSignatures = async (
  { text, signatures }: Note,
  keys: readonly NoteKey[],
): Promise<GoodSignature[]> => {
  const good: GoodSignature[] = [];
  for (const signature of signatures) {
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.id);
    if (key === undefined || good.some((one) => one.key === key)) continue;
    const time = await timeOfSignature(key, text, signature.bytes);
    if (time === undefined) throw new BadNote(`The signature of ${key.name} does not hold.`);
    good.push({ key, time });
  }
  return good;
};

/** Undefined when it does not hold. */
const timeOfSignature = async (
  key: NoteKey,
  text: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<number | null | undefined> => {
  if (key.use === SIGNS_NOTES) return (await isSigned(key, text, bytes)) ? null : undefined;
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (time > MAX_TIME) return undefined;
  return (await isSigned(key, cosignedText(text, time), bytes.slice(TIME_BYTES))) ? time : undefined;
};

const isSigned = async ({ bytes }: NoteKey, text: string, signature: Uint8Array<ArrayBuffer>): Promise<boolean> => {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const key = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, new TextEncoder().encode(text));
};
