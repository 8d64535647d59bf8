import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { type Editor, lineEndOf, Unreadable, Unwritable } from "./editor";

const formattingOf = (text: string): FormattingOptions => {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { eol: lineEndOf(text), insertSpaces: !indent.startsWith("\t"), tabSize: indent.startsWith("\t") ? 1 : indent.length };
};

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** JSON with comments and commas behind the last of a list, as editors read it. */
export const JSONC: Editor = {
  parse(text) {
    if (text.trim() === "") return undefined;
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first) throw new Unreadable(`line ${lineOf(text, first.offset)}: ${printParseErrorCode(first.error)}`);
    return value;
  },

  set: (text, at, value) => {
    const isInsertion = typeof at.at(-1) === "number" && isBehindLast(text, at);
    try {
      const options = { formattingOptions: formattingOf(text), isArrayInsertion: isInsertion };
      return applyEdits(text, modify(text, [...at], value, options));
    } catch {
      // Something on the way is no object.
      throw new Unwritable(at.map(String));
    }
  },

  remove: (text, at) => applyEdits(text, modify(text, [...at], undefined, { formattingOptions: formattingOf(text) })),
};

const isBehindLast = (text: string, at: readonly (string | number)[]): boolean => {
  let value: unknown = parse(text, [], { allowTrailingComma: true });
  for (const part of at.slice(0, -1)) value = typeof value === "object" && value !== null ? Reflect.get(value, part) : null;
  return Array.isArray(value) && value.length === at.at(-1);
};
