import type { Lightened } from "#guard/apis/api";
import type { Pause } from "#platform/slices";
import type { WalkRules } from "#scan/texts/walk-rules";

/*
 * Vectors of an answer: lists of numbers, or their bytes in base64. They hold no text and are most of it, so they are
 * neither parsed nor scanned nor written anew.
 */

/** Only a key is followed by a colon, and inside a string the quotes would be escaped. */
const KEY = '"embedding"';
const BEFORE_VALUE = /\s*:\s*/y;
const NUMBERS = /^[\d\s.,eE+-]*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Units of a vector that is cut out in one piece: ten times the longest there is. What is longer is read like all else. */
const MAX_VECTOR = 1_048_576;
/** Shorter base64 may be a word; the shortest vectors have a hundred times as many. */
const MIN_BASE64 = 64;
const MARK = /^guardhouse:vector:\d+$/;
const MARKED = /"embedding":"guardhouse:vector:(\d+)"/g;

/** Puts a mark in the place of each vector. */
export const withoutVectors = async (json: string, pause: Pause): Promise<Lightened> => {
  const vectors: string[] = [];
  const parts: string[] = [];
  let done = 0;
  for (let at = json.indexOf(KEY); at >= 0; at = json.indexOf(KEY, at)) {
    at += KEY.length;
    BEFORE_VALUE.lastIndex = at;
    if (!BEFORE_VALUE.test(json)) continue;
    const from = BEFORE_VALUE.lastIndex;
    const to = endOfVector(json, from);
    if (to === null) continue;
    parts.push(json.slice(done, from), `"guardhouse:vector:${vectors.length}"`);
    vectors.push(json.slice(from, to));
    done = to;
    at = to;
    const wait = pause();
    if (wait) await wait;
  }
  parts.push(json.slice(done));
  const restored = (marked: string) =>
    marked.replace(MARKED, (mark, number: string) => {
      const vector = vectors[Number(number)];
      return vector === undefined ? mark : `${KEY}:${vector}`;
    });
  return { json: parts.join(""), restored };
};

/** Where a vector ends that begins here; null where none does. */
const endOfVector = (json: string, from: number): number | null => {
  const isList = json[from] === "[";
  if (!isList && json[from] !== '"') return null;
  const end = json.slice(from + 1, from + 1 + MAX_VECTOR).indexOf(isList ? "]" : '"');
  if (end < 0) return null;
  const value = json.slice(from + 1, from + 1 + end);
  const isVector = isList ? NUMBERS.test(value) : value.length >= MIN_BASE64 && BASE64.test(value);
  return isVector ? from + end + 2 : null;
};

/** Passes over the marks. */
export const passOverMarks: NonNullable<WalkRules["looks"]> = (_walk, holder, key) => {
  if (key !== "embedding" || Array.isArray(holder)) return false;
  const value = holder[key];
  return typeof value === "string" && MARK.test(value);
};
