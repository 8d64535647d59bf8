import { parse } from "smol-toml";
import { tomlPair, tomlTable, tomlValue } from "#clients/toml-text";
import { isRecord } from "#core/json/json";
import { type Editor, lineEndOf, type Place, Unreadable, Unwritable } from "./editor";
import { type Statement, statementsIn } from "./toml-statements";

const isNamed = (path: readonly string[], at: Place): boolean =>
  path.length === at.length && path.every((name, index) => name === at[index]);

const namesOf = (at: Place): string[] => at.map(String);

/** Where the line of an offset ends, its end included. */
const lineAfter = (text: string, offset: number): number => {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
};

/** A header with the statements under it, or a pair. */
type Span = { readonly from: number; readonly to: number };

const tableAt = (text: string, statements: readonly Statement[], at: Place): Span | null => {
  const index = statements.findIndex(({ kind, path }) => kind === "table" && isNamed(path, at));
  const header = statements[index];
  if (!header) return null;
  const next = statements.findIndex(({ kind }, place) => place > index && kind !== "pair");
  const last = statements[(next < 0 ? statements.length : next) - 1] ?? header;
  return { from: header.from, to: lineAfter(text, last.to) };
};

/** A pair of the outermost table. */
const rootPair = (statements: readonly Statement[], at: Place): Statement | null => {
  const pair = statements.find(({ kind, path }) => kind === "pair" && isNamed(path, at));
  return pair?.section.length === 0 ? pair : null;
};

const replaced = (text: string, { from, to }: Span, by: string): string => text.slice(0, from) + by + text.slice(to);

const ended = (text: string, eol: string): string => (text === "" || text.endsWith("\n") ? text : text + eol);

/** TOML as far as entries go: tables, and values of the outermost one. */
export const TOML: Editor = {
  parse(text) {
    try {
      return parse(text, { integersAsBigInt: "asNeeded" });
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      throw new Unreadable(cause.message.split("\n")[0] ?? "not TOML");
    }
  },

  set(text, at, value) {
    const eol = lineEndOf(text);
    const statements = statementsIn(text);
    if (isRecord(value)) {
      const table = `${tomlTable(namesOf(at), value).join(eol)}${eol}`;
      const there = tableAt(text, statements, at);
      if (there) return replaced(text, there, table);
      const before = ended(text, eol);
      return `${before}${before.trim() === "" ? "" : eol}${table}`;
    }
    const [name, ...deeper] = namesOf(at);
    if (name === undefined || deeper.length > 0) throw new Unwritable(namesOf(at));
    const there = rootPair(statements, at);
    if (there) return replaced(text, { from: there.valueFrom, to: there.to }, tomlValue(value));
    const headers = statements.filter(({ kind }) => kind !== "pair");
    const last = statements.findLast(({ kind, from }) => kind === "pair" && from < (headers[0]?.from ?? text.length));
    const offset = last ? lineAfter(text, last.to) : 0;
    const before = ended(text.slice(0, offset), eol);
    return `${before}${tomlPair(name, value)}${eol}${text.slice(offset)}`;
  },

  remove(text, at) {
    const statements = statementsIn(text);
    const pair = rootPair(statements, at);
    if (pair) return replaced(text, { from: pair.from, to: lineAfter(text, pair.to) }, "");
    const table = tableAt(text, statements, at);
    if (!table) throw new Unwritable(namesOf(at));
    const before = text.slice(0, table.from);
    // The blank line that was put before it.
    return (before.trim() === "" ? before : before.replace(/(?<=\n)\r?\n$/, "")) + text.slice(table.to);
  },
};
