import { hashesUnder } from "#platform/hash";
import { labelsBy } from "#scan/label";

/** Labels of one caller. */
export const LABELS = labelsBy(hashesUnder(new Uint8Array(32)));

const LABEL = /\[([a-z][\w.-]*):([a-z][0-9a-z]{5})\]/g;

/** Puts numbers in place of what is keyed in labels, by type in the order of appearance: `[pii.email:1]`. */
export const numbered = (text: string): string => {
  const seen = new Map<string, string[]>();
  return text.replace(LABEL, (_label, type: string, code: string) => {
    const codes = seen.get(type) ?? [];
    seen.set(type, codes);
    if (!codes.includes(code)) codes.push(code);
    return `[${type}:${codes.indexOf(code) + 1}]`;
  });
};

/** The same in all texts of a JSON value. */
export const numberedIn = (value: unknown): unknown => JSON.parse(numbered(JSON.stringify(value)));
