import type { Detector } from "./detector";

/** A keyword that ends in a state: whose it is, how long it is, and whether it is a digit anchor. */
export type Output = {
  readonly detector: number;
  readonly length: number;
  readonly digit: boolean;
  /** The keyword itself where others may end in the same state: the text has to be compared with it. */
  readonly literal: string | null;
};

/** The keywords of all detectors as a tree. Node 0 is the root; a node's number is above its parent's. */
export type Trie = {
  /** Unit → column; 0 for units in no keyword. */
  readonly columns: Uint8Array;
  /** How many columns there are beside 0. */
  readonly letters: number;
  readonly parent: readonly number[];
  /** The column of the unit that leads to a node. */
  readonly column: readonly number[];
  readonly depth: readonly number[];
  readonly children: readonly (readonly number[])[];
  readonly ends: readonly { readonly node: number; readonly output: Output }[];
};

const DIGITS = "0123456789";
/** What fits the automaton's tables: a state in 16 bits, a column and a keyword's length in 8. */
const MOST_NODES = 65_535;
const MOST_COLUMNS = 127;
const LONGEST_KEYWORD = 255;

/** Throws an Error when the keywords are not what a prefilter can hold. */
export function buildTrie(detectors: readonly Detector[]): Trie {
  const { columns, letters } = columnsOf(detectors);
  const parent = [0];
  const column = [0];
  const depth = [0];
  const children: number[][] = [[]];
  const ends: { node: number; output: Output }[] = [];
  const edges = new Map<number, number>();

  const add = (keyword: string, output: Output): void => {
    let node = 0;
    for (let i = 0; i < keyword.length; i++) {
      const letter = columns[keyword.charCodeAt(i)] ?? 0;
      const edge = node * 256 + letter;
      let child = edges.get(edge);
      if (child === undefined) {
        child = parent.push(node) - 1;
        column.push(letter);
        depth.push(i + 1);
        children.push([]);
        children[node]?.push(child);
        edges.set(edge, child);
      }
      node = child;
    }
    ends.push({ node, output });
  };

  for (const [index, { keywords, anchorDigits }] of detectors.entries()) {
    for (const keyword of new Set(keywords)) {
      const literal = isAscii(keyword) ? null : keyword;
      add(keyword, { detector: index, length: keyword.length, digit: false, literal });
    }
    if (anchorDigits !== true) continue;
    for (const digit of DIGITS) add(digit, { detector: index, length: 1, digit: true, literal: null });
  }
  if (parent.length > MOST_NODES) throw new Error("too many keywords for one prefilter");
  return { columns, letters, parent, column, depth, children, ends };
}

function columnsOf(detectors: readonly Detector[]): { columns: Uint8Array; letters: number } {
  const units = new Set<string>();
  for (const detector of detectors) {
    checkKeywords(detector);
    // By unit, not by code point: the text is read by units.
    for (const unit of detector.keywords.join("").split("")) units.add(unit);
    if (detector.anchorDigits === true) for (const digit of DIGITS) units.add(digit);
  }
  const columns = new Uint8Array(65_536);
  const ascii = [...units].filter(isAscii);
  // Letters beyond ASCII share what columns are left: the table stays half as wide, and with it in the cache.
  const others = [...units].filter((unit) => !isAscii(unit)).sort();
  const shared = Math.max(1, Math.min(others.length, MOST_COLUMNS - ascii.length));
  const put = (unit: string, column: number): void => {
    columns[unit.charCodeAt(0)] = column;
    // `ß` has no capital of one unit, and must not take the column of `S`.
    const capital = unit.toUpperCase();
    if (capital.length === 1) columns[capital.charCodeAt(0)] = column;
  };
  for (const [at, unit] of ascii.entries()) put(unit, at + 1);
  for (const [at, unit] of others.entries()) put(unit, ascii.length + 1 + (at % shared));
  return { columns, letters: ascii.length + (others.length === 0 ? 0 : shared) };
}

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

function checkKeywords({ id, keywords }: Detector): void {
  for (const keyword of keywords) {
    const fits = keyword !== "" && keyword.length <= LONGEST_KEYWORD;
    if (!fits || keyword !== keyword.toLowerCase()) throw new Error(`bad keyword in ${id}`);
  }
}
