import { DIGITS, type Output, type Trie } from "./trie";

/** Units walked at a time. */
export const BLOCK = 4096;
/** Texts of fewer times the longest keyword are not worth two lanes, each of which must be longer than that. */
const LEAST_SPLIT = 4;
const NONE: readonly Output[] = [];

/** Where keywords ended in the units walked last, in text order; valid until the next walk. */
export type Hits = {
  count: number;
  /** Behind the keyword's last unit. */
  readonly ends: Uint32Array;
  readonly states: Uint32Array;
};

/**
 * An Aho–Corasick automaton as a dense table. Its state is the longest tail of what was read that is the beginning of
 * a keyword. States in which keywords end have the highest numbers, so that one comparison tells them.
 */
export class Automaton {
  readonly hits: Hits = { count: 0, ends: new Uint32Array(BLOCK), states: new Uint32Array(BLOCK) };
  readonly states: number;
  /** State × column → state. */
  readonly next: Uint16Array | Uint32Array;
  readonly depth: Uint8Array;
  readonly fail: Uint32Array;
  /** Node of the trie → state. */
  readonly stateOf: Uint32Array;
  private readonly firstHot: number;
  /** Those of the last state first. */
  private readonly outputs: (readonly Output[])[] = [];
  private readonly longest: number;
  private readonly alphabet: Trie["alphabet"];
  private readonly digits: ReadonlySet<number>;

  constructor(trie: Trie) {
    const { size, alphabet } = trie;
    this.alphabet = alphabet;
    this.digits = new Set(DIGITS.map((digit) => alphabet.columns[digit.charCodeAt(0)] ?? 0));
    this.states = size;
    this.stateOf = new Uint32Array(size);
    this.fail = new Uint32Array(size);
    this.depth = new Uint8Array(size);
    this.next = new (size > 65_536 ? Uint32Array : Uint16Array)(size * alphabet.size);
    this.fill(trie);
    this.firstHot = size - this.outputs.length;
    this.longest = this.depth.reduce((most, depth) => Math.max(most, depth), 0);
  }

  /** What ends in a state, the longest first. */
  endingIn(state: number): readonly Output[] {
    return this.outputs[this.states - 1 - state] ?? NONE;
  }

  /** Reads `text` from `from` up to `to`, a block at most, and gives the state there. Fills `hits`. */
  walk(text: string, from: number, to: number, state: number): number {
    this.hits.count = 0;
    if (to - from < LEAST_SPLIT * (this.longest + 1)) return this.walkOn(text, from, to, state);
    const half = (to - from) >> 1;
    const behind = this.walkTwo(text, from, half, state);
    return this.walkOn(text, from + 2 * half, to, behind);
  }

  private walkOn(text: string, from: number, to: number, before: number): number {
    const { next, firstHot, hits } = this;
    const { columns, firstLead, size } = this.alphabet;
    const { ends, states } = hits;
    let { count } = hits;
    let state = before;
    for (let i = from; i < to; i++) {
      const unit = text.charCodeAt(i);
      const column = columns[unit] ?? 0;
      state = next[Math.imul(state, size) + column] ?? 0;
      if (column >= firstLead) state = this.trailed(state, unit);
      if (state >= firstHot) {
        ends[count] = i + 1;
        states[count++] = state;
      }
    }
    hits.count = count;
    return state;
  }

  /**
   * Twice `half` units in two lanes side by side, since each step waits for the memory the one before it asked for.
   * The second begins as many units early as the longest keyword has: by then its state is that of the whole text.
   */
  private walkTwo(text: string, from: number, half: number, before: number): number {
    const { next, firstHot, hits } = this;
    const { columns, firstLead, size } = this.alphabet;
    const { ends, states } = hits;
    const middle = from + half;
    let state = before;
    let other = this.walkOn(text, middle - this.longest, middle, 0);
    let count = 0;
    let otherCount = half;
    for (let i = from, j = middle; i < middle; i++, j++) {
      const unit = text.charCodeAt(i);
      const column = columns[unit] ?? 0;
      state = next[Math.imul(state, size) + column] ?? 0;
      if (column >= firstLead) state = this.trailed(state, unit);
      if (state >= firstHot) {
        ends[count] = i + 1;
        states[count++] = state;
      }
      const otherUnit = text.charCodeAt(j);
      const otherColumn = columns[otherUnit] ?? 0;
      other = next[Math.imul(other, size) + otherColumn] ?? 0;
      if (otherColumn >= firstLead) other = this.trailed(other, otherUnit);
      if (other >= firstHot) {
        ends[otherCount] = j + 1;
        states[otherCount++] = other;
      }
    }
    ends.copyWithin(count, half, otherCount);
    states.copyWithin(count, half, otherCount);
    hits.count = count + otherCount - half;
    return other;
  }

  /** The second step of a unit beyond ASCII. */
  private trailed(state: number, unit: number): number {
    const { trails, size } = this.alphabet;
    return this.next[state * size + (trails[unit] ?? 0)] ?? 0;
  }

  /**
   * Level by level. A state that fails goes on as a shallower one, so its row begins as a copy of that one's, which is
   * complete; and what a copied row said of a letter is where the child by that letter fails to.
   */
  private fill(trie: Trie): void {
    const { next, stateOf, fail } = this;
    const { size } = this.alphabet;
    const nodes = new Uint32Array(trie.size);
    let filled = 1;
    for (let at = 0; at < filled; at++) {
      const node = nodes[at] ?? 0;
      const state = stateOf[node] ?? 0;
      const row = state * size;
      const failed = (fail[state] ?? 0) * size;
      if (!isBareLead(trie, node)) next.copyWithin(row, failed, failed + size);
      for (let child = trie.child[node] ?? 0; child !== 0; child = trie.sibling[child] ?? 0) {
        const cell = row + (trie.column[child] ?? 0);
        next[cell] = this.add(trie, child, next[cell] ?? 0, filled);
        nodes[filled++] = child;
      }
    }
  }

  /** Numbers a node's state, `before` having numbers already: from the last one down if anything ends there. */
  private add(trie: Trie, node: number, failing: number, before: number): number {
    const ending = this.endingAt(trie, node, failing);
    const state = ending ? this.states - this.outputs.push(ending) : before - this.outputs.length;
    this.stateOf[node] = state;
    this.fail[state] = failing;
    this.depth[state] = trie.depth[node] ?? 0;
    return state;
  }

  /** What ends in a node: its own keywords, and those that are tails of them. A digit behind a digit is not a run's first. */
  private endingAt(trie: Trie, node: number, failing: number): readonly Output[] | undefined {
    const own = trie.outputs[node];
    const tails = this.outputs[this.states - 1 - failing];
    if (!tails) return own;
    const behindDigit = this.digits.has(trie.column[trie.parent[node] ?? 0] ?? 0);
    const inherited = behindDigit ? tails.filter(({ digit }) => !digit) : tails;
    if (inherited.length === 0) return own;
    return own ? [...own, ...inherited] : inherited;
  }
}

/** A lead with nothing before it. The trail that may follow is no letter by itself, so the root's row is not its own. */
function isBareLead({ parent, column, alphabet }: Trie, node: number): boolean {
  return node !== 0 && parent[node] === 0 && (column[node] ?? 0) >= alphabet.firstLead;
}
