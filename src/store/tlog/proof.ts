import { integer } from "./checkpoint";
import { HASH_BYTES, type Hash, MAX_PROOF_HASHES } from "./merkle";
import { BadNote, base64 } from "./note";

/* A proof that one entry is in a log, to be checked without the log. https://c2sp.org/tlog-proof */

const FIRST_LINE = "c2sp.org/tlog-proof@v1";

/** The longest file that is read, in characters. */
export const MAX_PROOF_CHARS = 4_194_304;

/** `extra` is the entry itself here, a record of the audit log; `checkpoint` a signed note. */
export type EntryProof = {
  readonly extra: string | null;
  readonly index: number;
  readonly hashes: readonly Hash[];
  readonly checkpoint: string;
};

export const proofText = ({ extra, index, hashes, checkpoint }: EntryProof): string =>
  [
    FIRST_LINE,
    ...(extra === null ? [] : [`extra ${new TextEncoder().encode(extra).toBase64()}`]),
    `index ${index}`,
    ...hashes.map((hash) => hash.toBase64()),
    "",
    checkpoint,
  ].join("\n");

/** Throws `BadNote`. */
export const readProof = (text: string): EntryProof => {
  if (text.length > MAX_PROOF_CHARS) throw new BadNote("The proof is too long.");
  const end = text.indexOf("\n\n");
  const [first, ...lines] = text.slice(0, Math.max(0, end)).split("\n");
  if (first !== FIRST_LINE) throw new BadNote(`This is not a proof: it does not begin with ${FIRST_LINE}.`);
  const extra = lines[0]?.startsWith("extra ") ? extraOf(lines.shift()?.slice("extra ".length) ?? "") : null;
  const [indexLine = "", ...hashLines] = lines;
  const index = indexLine.startsWith("index ") ? integer(indexLine.slice("index ".length)) : null;
  if (index === null) throw new BadNote("The proof does not say which entry it is of.");
  return { extra, index, hashes: readHashes(hashLines), checkpoint: text.slice(end + 2) };
};

/** Throws `BadNote`. */
export const readHashes = (lines: readonly string[]): Hash[] => {
  if (lines.length > MAX_PROOF_HASHES) throw new BadNote("The proof has too many hashes.");
  return lines.map((line) => {
    const hash = base64(line);
    if (hash?.length !== HASH_BYTES) throw new BadNote("The proof has a line that is no hash.");
    return hash;
  });
};

const extraOf = (encoded: string): string => {
  const bytes = base64(encoded);
  if (bytes === null) throw new BadNote("The record in the proof is not base64.");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new BadNote("The record in the proof is not UTF-8.", { cause });
  }
};
