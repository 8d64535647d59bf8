import { HASH_BYTES, type TreeHead } from "./merkle";
import { BadNote, base64, isKeyName } from "./note";

/* What a log signs: how many leaves its tree has, and their root. https://c2sp.org/tlog-checkpoint */

/** `origin` names the log. */
export type Checkpoint = TreeHead & { readonly origin: string };

const SIZE = /^(?:0|[1-9]\d{0,15})$/;

/** A size or index as these formats write it; null for anything else. */
export const integer = (text: string): number | null => {
  const value = Number(text);
  return SIZE.test(text) && Number.isSafeInteger(value) ? value : null;
};

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toBase64()}\n`;

/** Lines after the root say nothing that is read here. Throws `BadNote`. */
export const readCheckpoint = (text: string): Checkpoint => {
  const [origin = "", sizeText = "", rootText = "", ...extensions] = text.slice(0, -1).split("\n");
  if (extensions.includes("")) throw new BadNote("This is not a checkpoint of a log: a line of it is empty.");
  const [size, root] = [integer(sizeText), base64(rootText)];
  if (!isKeyName(origin) || size === null || root === null || root.length !== HASH_BYTES) {
    throw new BadNote("This is not a checkpoint of a log.");
  }
  return { origin, size, root };
};
