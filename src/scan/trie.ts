import { type Alphabet, alphabetOf } from "./alphabet";
import type { Detector, Precheck } from "./detector";

/** A keyword that ends in a node: whose it is, how long it is, and whether it is the first digit of a run. */
export type TrieOutput = {
  /** `NOBODY` for a word that anchors nothing, but must stand behind something that does. */
  readonly detector: number;
  readonly length: number;
  readonly digit: boolean;
  readonly precheck: Precheck | null;
  /** A bit for each list that has this word. */
  readonly words: number;
};

export const NOBODY = -1;

/** The keywords of all detectors as a tree. Node 0 is the root; a node's number is above its parent's. */
export type Trie = {
  readonly alphabet: Alphabet;
  readonly size: number;
  readonly parent: Uint32Array;
  /** The column that leads to a node. */
  readonly column: Uint8Array;
  /** How many units lead to a node. */
  readonly depth: Uint8Array;
  /** A node's first child, and the next child of its parent; 0 for none. */
  readonly child: Uint32Array;
  readonly sibling: Uint32Array;
  /** Column → the root's child. */
  readonly roots: Uint32Array;
  /** What ends in a node. */
  readonly outputs: readonly (readonly TrieOutput[] | undefined)[];
};

export const DIGITS = [..."0123456789"];
/** What fits the automaton's tables. */
export const MAX_KEYWORD_LENGTH = 255;

/** Throws an Error when the keywords are not what a prefilter can hold. */
export function buildTrie(detectors: readonly Detector[]): Trie {
  const anchors = anchorsOf(detectors);
  const keywords = [...anchors.keys()].sort();
  const alphabet = alphabetOf(keywords);
  const builder = new Builder(alphabet, keywords);
  const outputs = new Array<readonly TrieOutput[] | undefined>(builder.size).fill(undefined);
  for (const [at, keyword] of keywords.entries()) {
    const ending = anchors.get(keyword) ?? [];
    if (ending.length > 0) outputs[builder.ends[at] ?? 0] = ending;
  }
  return { alphabet, outputs, ...builder.built() };
}

/** Each literal that anchors anything, with those it anchors in the order of the catalogue; and the words they need. */
function anchorsOf(detectors: readonly Detector[]): Map<string, TrieOutput[]> {
  const anchors = new Map<string, TrieOutput[]>();
  const add = (literal: string, output: Omit<TrieOutput, "length">): void => {
    const known = anchors.get(literal);
    if (known) known.push({ ...output, length: literal.length });
    else anchors.set(literal, [{ ...output, length: literal.length }]);
  };
  for (const [detector, each] of detectors.entries()) {
    for (const [keyword, precheck] of prechecksOf(each)) add(keyword, { detector, digit: false, precheck, words: 0 });
    const digits = each.anchorDigits === true ? DIGITS : [];
    const precheck = each.digitBehind ? { behind: each.digitBehind, words: 0 } : null;
    for (const digit of digits) add(digit, { detector, digit: true, precheck, words: 0 });
  }
  for (const [word, words] of wordsOf(detectors)) add(word, { detector: NOBODY, digit: false, precheck: null, words });
  // Two digits have a state of their own, in which no first digit of a run can end: see the automaton's outputs.
  if (detectors.some(({ anchorDigits }) => anchorDigits === true)) {
    for (const one of DIGITS) for (const other of DIGITS) anchors.set(one + other, anchors.get(one + other) ?? []);
  }
  return anchors;
}

/** A detector's keywords, and what the anchors by them are held to. */
function prechecksOf(detector: Detector): Map<string, Precheck | null> {
  const prechecks = new Map<string, Precheck | null>();
  for (const keyword of detector.keywords) {
    checkKeyword(keyword, detector.id);
    prechecks.set(keyword, detector.precheck?.(keyword) ?? null);
  }
  return prechecks;
}

/** Each word of a list once, with the bits of its lists. */
function wordsOf(detectors: readonly Detector[]): Map<string, number> {
  const bits = new Map<string, number>();
  for (const { id, keywords, wordLists } of detectors) {
    if (!wordLists || keywords.length === 0) continue;
    for (const { bit, words } of wordLists) {
      for (const word of words) {
        checkKeyword(word, id);
        bits.set(word, (bits.get(word) ?? 0) | bit);
      }
    }
  }
  return bits;
}

function checkKeyword(keyword: string, id: string): void {
  const fits = keyword !== "" && keyword.length <= MAX_KEYWORD_LENGTH;
  if (!fits || keyword !== keyword.toLowerCase()) throw new Error(`bad keyword in ${id}`);
}

class Builder {
  size = 1;
  /** The nodes the keywords end in. */
  readonly ends: readonly number[];
  private readonly parent: Uint32Array;
  private readonly column: Uint8Array;
  private readonly depth: Uint8Array;
  private readonly child: Uint32Array;
  private readonly sibling: Uint32Array;
  private readonly roots: Uint32Array;

  /** The keywords come sorted: of a node's children that which fits the next one, if any does, is the one added last. */
  constructor(
    private readonly alphabet: Alphabet,
    keywords: readonly string[],
  ) {
    const most = 1 + alphabet.size + 2 * keywords.reduce((sum, { length }) => sum + length, 0);
    this.parent = new Uint32Array(most);
    this.column = new Uint8Array(most);
    this.depth = new Uint8Array(most);
    this.child = new Uint32Array(most);
    this.sibling = new Uint32Array(most);
    this.roots = new Uint32Array(alphabet.size);
    this.ends = keywords.map((keyword) => this.add(keyword));
    for (let at = this.child[0] ?? 0; at !== 0; at = this.sibling[at] ?? 0) this.roots[this.column[at] ?? 0] = at;
    // A lead may stand anywhere in a text, so the root knows them all: see the automaton's `fill`.
    for (let lead = alphabet.firstLead; lead < alphabet.size; lead++) this.roots[lead] ||= this.append(0, lead, 0);
  }

  built(): Omit<Trie, "alphabet" | "outputs"> {
    const { size, parent, column, depth, child, sibling, roots } = this;
    return { size, parent, column, depth, child, sibling, roots };
  }

  private add(keyword: string): number {
    const { columns, trails, firstLead } = this.alphabet;
    let node = 0;
    for (let i = 0; i < keyword.length; i++) {
      const unit = keyword.charCodeAt(i);
      const column = columns[unit] ?? 0;
      node = this.step(node, column, i + 1);
      if (column >= firstLead) node = this.step(node, trails[unit] ?? 0, i + 1);
    }
    return node;
  }

  private step(node: number, column: number, depth: number): number {
    const last = this.child[node] ?? 0;
    return last !== 0 && this.column[last] === column ? last : this.append(node, column, depth);
  }

  private append(node: number, column: number, depth: number): number {
    const added = this.size++;
    this.parent[added] = node;
    this.column[added] = column;
    this.depth[added] = depth;
    this.sibling[added] = this.child[node] ?? 0;
    this.child[node] = added;
    return added;
  }
}
