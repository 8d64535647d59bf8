import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import { type Editor, lineEndOf, type Place, Unreadable, Unwritable } from "./editor";

const LENIENT = { allowTrailingComma: true };

/** JSON with comments and commas behind the last of a list, as editors read it. */
export const JSONC: Editor = {
  parse(text) {
    if (text.trim() === "") return undefined;
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, LENIENT);
    const [first] = errors;
    if (first) throw new Unreadable(`line ${lineOf(text, first.offset)}: ${printParseErrorCode(first.error)}`);
    return value;
  },

  set(text, at, value) {
    const root = parseTree(text, [], LENIENT);
    const style = styleOf(text);
    if (!root) return `${written(nested(at, value), "", style)}${style.eol}${text}`;
    const there = findNodeAtLocation(root, [...at]);
    if (there) return replaced(text, there, written(value, indentAt(text, there.offset), style));
    return inserted(text, root, at, value);
  },

  remove(text, at) {
    const root = parseTree(text, [], LENIENT);
    const value = root && findNodeAtLocation(root, [...at]);
    const node = value?.parent?.type === "property" ? value.parent : value;
    if (!node) throw new Unwritable(at.map(String));
    return [...cutsFor(text, node)]
      .toSorted(([one], [other]) => other - one)
      .reduce((left, [from, to]) => left.slice(0, from) + left.slice(to), text);
  },
};

type Cut = readonly [from: number, to: number];

/** A property or an item, with its line where nothing else is in it, and one comma. Comments stay. */
const cutsFor = (text: string, node: Node): readonly Cut[] => {
  const [from, to] = [node.offset, node.offset + node.length];
  const siblings = node.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(node) - 1];
  const behind = commaBehind(text, to);
  const comma = behind ?? (previous ? commaBehind(text, previous.offset + previous.length) : null);
  const line = text.lastIndexOf("\n", from - 1) + 1;
  const head = text.slice(line, from);
  const [rest = "", isBehind] = /^[ \t]*(,?)[ \t]*(?:\r?\n)?/.exec(text.slice(to)) ?? [];
  const isAlone = head.trim() === "" && line > 0 && rest.endsWith("\n");
  if (isAlone && isBehind) return [[line, to + rest.length]];
  const own: Cut = isAlone ? [line, to + rest.length] : [from - blanksBefore(head, behind), to];
  if (comma === null) return [own];
  return [own, [comma - 1, behind === null ? comma : comma + blanksBehind(text, comma)]];
};

/** The blanks that part the last of a line from the one before it go with it. */
const blanksBefore = (head: string, comma: number | null): number =>
  comma === null && head.trim() !== "" ? head.length - head.trimEnd().length : 0;

/** And those that part another from the one behind it. */
const blanksBehind = (text: string, offset: number): number => /^[ \t]*/.exec(text.slice(offset))?.[0].length ?? 0;

type Style = { readonly eol: string; readonly unit: string };

const styleOf = (text: string): Style => ({ eol: lineEndOf(text), unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  " });

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** The indentation of the line an offset is in. */
const indentAt = (text: string, offset: number): string => {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
};

const written = (value: unknown, indent: string, { eol, unit }: Style): string =>
  JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);

/** A value with the objects around it. */
const nested = (at: Place, value: unknown): unknown =>
  at.reduceRight<unknown>((inner, name) => (typeof name === "number" ? [inner] : { [name]: inner }), value);

const replaced = (text: string, { offset, length }: Node, by: string): string =>
  text.slice(0, offset) + by + text.slice(offset + length);

/** Puts a property or an item behind the last of the innermost object or list there is. */
const inserted = (text: string, root: Node, at: Place, value: unknown): string => {
  let depth = at.length - 1;
  while (depth > 0 && !findNodeAtLocation(root, at.slice(0, depth))) depth -= 1;
  const parent = findNodeAtLocation(root, at.slice(0, depth));
  const name = at[depth];
  const type = typeof name === "number" ? "array" : "object";
  if (parent?.type !== type || name === undefined) throw new Unwritable(at.map(String));
  const content = nested(at.slice(depth + 1), value);
  return appended(text, parent, typeof name === "number" ? null : name, content);
};

const appended = (text: string, parent: Node, name: string | null, value: unknown): string => {
  const style = styleOf(text);
  const end = parent.offset + parent.length;
  const last = parent.children?.at(-1);
  const pair = (indent: string): string =>
    (name === null ? "" : `${JSON.stringify(name)}: `) + written(value, indent, style);
  const outer = indentAt(text, parent.offset);
  if (!last) {
    const inner = outer + style.unit;
    const open = parent.offset + 1;
    const rest = text.slice(open);
    const close = /^[ \t]*\r?\n/.test(rest) ? "" : style.eol + outer;
    return `${text.slice(0, open)}${style.eol}${inner}${pair(inner)}${close}${rest}`;
  }
  const behind = last.offset + last.length;
  const isTall = text.slice(parent.offset, end).includes("\n");
  const comma = commaBehind(text, behind);
  const from = comma ?? behind;
  if (!isTall)
    return `${text.slice(0, from)}${comma === null ? ", " : " "}${compact(name, value)}${comma === null ? "" : ","}${text.slice(from)}`;
  const indent = indentAt(text, last.offset);
  const line = REST_OF_LINE.exec(text.slice(from, end))?.[0].length ?? 0;
  const before =
    comma === null ? `${text.slice(0, behind)},${text.slice(behind, from + line)}` : text.slice(0, from + line);
  return `${before}${style.eol}${indent}${pair(indent)}${comma === null ? "" : ","}${text.slice(from + line)}`;
};

const compact = (name: string | null, value: unknown): string =>
  `${name === null ? "" : `${JSON.stringify(name)}: `}${JSON.stringify(value)}`;

/** Comments that stand behind a value in its line. Each can be read in one way only, so that a long one costs no more than its length. */
const REST_OF_LINE = /^(?:[ \t]*\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?(?=[ \t]*\r?\n)/;
const COMMA = /^(?:\s|\/\*(?:(?!\*\/)[\s\S])*\*\/|\/\/[^\n]*(?:\n|$))*,/;

/** Behind the comma that follows a last value, where there is one. */
const commaBehind = (text: string, offset: number): number | null => {
  const found = COMMA.exec(text.slice(offset));
  return found ? offset + found[0].length : null;
};
