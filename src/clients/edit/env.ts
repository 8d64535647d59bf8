import { type Editor, lineEndOf, type Place, Unwritable } from "./editor";

const LINE = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)$/;

/** A value whose quote is not closed in its line. */
const OPEN = /^(?:"(?:\\.|[^"\\])*|'[^']*|`[^`]*)$/;

/** A file of variables, a line each, as programs read it with dotenv. */
export const ENV: Editor = {
  parse: (text) =>
    Object.fromEntries(
      text.split(/\r?\n/).flatMap((line) => {
        const [, name, value] = LINE.exec(line) ?? [];
        if (name === undefined || value === undefined) return [];
        // Lines up to its end are of the value, whatever they look like.
        if (OPEN.test(value)) throw new Unwritable([name]);
        return [[name, value]];
      }),
    ),

  set(text, at, value) {
    const eol = lineEndOf(text);
    const line = `${nameOf(at)}=${value}`;
    const lines = linesOf(text);
    const place = lines.findLastIndex((other) => isOf(other, at));
    const old = lines[place];
    if (old === undefined) return `${text}${text === "" || text.endsWith("\n") ? "" : eol}${line}${eol}`;
    return lines.with(place, line + old.slice(old.trimEnd().length)).join("");
  },

  remove: (text, at) =>
    linesOf(text)
      .filter((line) => !isOf(line, at))
      .join(""),
};

const nameOf = (at: Place): string => String(at[0]);

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

const isOf = (line: string, at: Place): boolean => LINE.exec(line.trimEnd())?.[1] === nameOf(at);
