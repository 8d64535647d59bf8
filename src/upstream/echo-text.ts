import { isRecord, type JsonRecord, parseJson } from "#core/json/json";

/* What the built-in model has in common in all APIs. */

export const ECHO_MODEL = "guardhouse/echo";

/** The text of a message, of its parts together. */
export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
};

/** Four characters a token: the rule of thumb for English. */
export const tokens = (text: string): number => Math.ceil(text.length / 4);

/** The JSON object in a text; an empty one where there is none. */
export const argumentsIn = (text: string): JsonRecord => {
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  const given = from >= 0 && to > from ? parseJson(text.slice(from, to + 1)) : null;
  return isRecord(given) ? given : {};
};

const WORD = /\w/;

/** Whether a text names a tool, as a word of its own: "credit" does not name a tool "edit". */
export const isNamed = (text: string, name: string): boolean => {
  if (name === "") return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + name.length))) return true;
  }
  return false;
};
