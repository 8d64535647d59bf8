import { type CharSet, DIGIT, inSet } from "./char-set";
import type { Detector } from "./detector";
import type { TrieOutput } from "./trie";

const ASCII = 128;
/** Numbers of an entry: detector << 16 | length << 8 | boundary; row of `behind`; lists of words; widths of runs of digits. */
const ENTRY = 4;
const MAX_ROWS = 256;

/** What anchors are told by, as numbers. */
export type AnchorTables = {
  /** Where the entries of a state begin: of that in which anything ends and whose number is highest first. */
  readonly begins: Uint32Array;
  readonly entries: Int32Array;
  /** Of each of those states: a bit for each list of words of which one ends there. */
  readonly words: Int32Array;
  /** Unit → a bit for each boundary it is in. */
  readonly within: Uint8Array;
  /** Row by row: 1 for the units that may stand behind an anchor. All may in the first. */
  readonly behind: Uint8Array;
};

/** `endings`: what ends in each state in which anything ends, that with the highest number first. */
export function anchorTables(
  endings: readonly (readonly TrieOutput[])[],
  detectors: readonly Detector[],
  boundaries: readonly CharSet[],
): AnchorTables {
  const bits = {
    keywords: detectors.map(({ boundary }) => bitOf(boundary, boundaries)),
    digits: detectors.map(({ boundary, digitBoundary = boundary }) => bitOf(digitBoundary, boundaries)),
  };
  const rows = new Rows();
  const begins = new Uint32Array(endings.length + 1);
  const words = new Int32Array(endings.length);
  const entries: number[] = [];
  const add = ({ detector: index, length, digit, precheck }: TrieOutput, detector: Detector): void => {
    const boundary = (digit ? bits.digits : bits.keywords)[index] ?? 0;
    const widths = digit ? widthsOf(detector) : 0;
    entries.push((index << 16) | (length << 8) | boundary, rows.of(precheck?.behind), precheck?.words ?? 0, widths);
  };
  for (const [at, ending] of endings.entries()) {
    for (const output of ending) {
      words[at] = (words[at] ?? 0) | output.words;
      const detector = detectors[output.detector];
      if (detector) add(output, detector);
    }
    begins[at + 1] = entries.length;
  }
  return { begins, entries: Int32Array.from(entries), words, within: withinOf(boundaries), behind: rows.table() };
}

/**
 * What ends in the automaton's states, as numbers. Most anchors are none, by the units beside them or the words behind
 * them: this way they cost a look at a few neighbours in memory, and nothing is made for them.
 */
export class AnchorTable {
  private readonly begins: Uint32Array;
  private readonly entries: Int32Array;
  private readonly words: Int32Array;
  private readonly within: Uint8Array;
  private readonly behind: Uint8Array;
  private readonly last: number;

  constructor({ begins, entries, words, within, behind }: AnchorTables, states: number) {
    this.begins = begins;
    this.entries = entries;
    this.words = words;
    this.within = within;
    this.behind = behind;
    this.last = states - 1;
  }

  /** The entries of a state are every `ENTRY`th number from here up to `end`. */
  begin(state: number): number {
    return this.begins[this.last - state] ?? 0;
  }

  end(state: number): number {
    return this.begins[this.last - state + 1] ?? 0;
  }

  next(entry: number): number {
    return entry + ENTRY;
  }

  detector(entry: number): number {
    return (this.entries[entry] ?? 0) >>> 16;
  }

  length(entry: number): number {
    return ((this.entries[entry] ?? 0) >>> 8) & 0xff;
  }

  /** Whether an entry's keyword that ends at `end` is an anchor, by the units beside it; one that has not come may be any. */
  isAnchor(entry: number, text: string, end: number): boolean {
    const boundary = (this.entries[entry] ?? 0) & 0xff;
    const start = end - this.length(entry);
    if (boundary !== 0 && start > 0 && ((this.within[text.charCodeAt(start - 1)] ?? 0) & boundary) !== 0) return false;
    if (end < text.length && !this.mayGoOn(this.row(entry), text.charCodeAt(end))) return false;
    return hasWidth(this.widths(entry), text, end - 1);
  }

  /** Names what may stand behind an entry's keyword; 0 for anything. */
  row(entry: number): number {
    return this.entries[entry + 1] ?? 0;
  }

  mayGoOn(row: number, unit: number): boolean {
    return row === 0 || unit >= ASCII || this.behind[row * ASCII + unit] === 1;
  }

  /** The lists of words of which one must stand behind the anchor; 0 where none must. */
  wordsNeeded(entry: number): number {
    return this.entries[entry + 2] ?? 0;
  }

  /** The bits of the widths that a run of digits may have which an entry's anchor begins; 0 for any. */
  widths(entry: number): number {
    return this.entries[entry + 3] ?? 0;
  }

  /** The lists of words of which one ends in a state. */
  wordsIn(state: number): number {
    return this.words[this.last - state] ?? 0;
  }
}

function withinOf(boundaries: readonly CharSet[]): Uint8Array {
  const within = new Uint8Array(ASCII);
  for (const [at, set] of boundaries.entries()) {
    for (let unit = 0; unit < ASCII; unit++) if (inSet(set, unit)) within[unit] = (within[unit] ?? 0) | (1 << at);
  }
  return within;
}

/** A boundary's bit; 0 for none. */
const bitOf = (boundary: CharSet | undefined, all: readonly CharSet[]): number =>
  boundary ? 1 << all.findIndex((set) => set.join("") === boundary.join("")) : 0;

/** Runs of digits are counted up to here. */
const MAX_DIGITS = 20;

/** A bit for each width; 0 for any. */
const widthsOf = ({ digitWidths = [] }: Detector): number =>
  digitWidths.reduce((bits, width) => bits | (1 << Math.min(width, MAX_DIGITS)), 0);

/** Whether the run of digits at `at` has one of some widths, or may have it, since the text ends in it. */
export function hasWidth(widths: number, text: string, at: number): boolean {
  if (widths === 0) return true;
  const stop = Math.min(text.length, at + MAX_DIGITS);
  let end = at + 1;
  while (end < stop && inSet(DIGIT, text.charCodeAt(end))) end++;
  return end === text.length || (widths & (1 << (end - at))) !== 0;
}

/** Numbers sets of units. */
class Rows {
  private readonly sets: CharSet[] = [new Uint8Array(ASCII).fill(1)];
  private readonly known = new Map<string, number>();

  of(set: CharSet | null | undefined): number {
    if (!set) return 0;
    const name = set.join("");
    const row = this.known.get(name) ?? this.sets.length;
    // More are not told apart.
    if (row >= MAX_ROWS) return 0;
    if (row === this.sets.length) {
      this.sets.push(set);
      this.known.set(name, row);
    }
    return row;
  }

  table(): Uint8Array {
    const table = new Uint8Array(this.sets.length * ASCII);
    for (const [row, set] of this.sets.entries()) table.set(set, row * ASCII);
    return table;
  }
}
