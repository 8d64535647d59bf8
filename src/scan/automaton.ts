import { DIGITS, MAX_KEYWORD_LENGTH, type Trie, type TrieOutput } from "./trie";

/** Units walked at a time. */
export const BLOCK = 4096;
/** Parts of a text that are walked side by side. */
const LANES = 4;
/** Shorter parts are not worth it. */
const MIN_SHARE = 8;
/** With space between the lanes: see `firstSlot`. */
const SLOTS = BLOCK + LANES * MAX_KEYWORD_LENGTH;
const NONE: readonly TrieOutput[] = [];

/** Where keywords ended in the units walked last, in text order; valid until the next walk. */
export type Hits = {
  count: number;
  /** Behind the keyword's last unit. */
  readonly ends: Uint32Array;
  readonly states: Uint32Array;
};

/**
 * An Aho–Corasick automaton as a dense table. Its state is the longest tail of what was read that is the beginning of
 * a keyword. States in which keywords end, and those between the two steps of a unit, have the highest numbers, so that
 * one comparison tells them.
 */
export class Automaton {
  readonly hits: Hits = { count: 0, ends: new Uint32Array(SLOTS), states: new Uint32Array(SLOTS) };
  readonly states: number;
  /** How many of them, those with the highest numbers, have something end in them. */
  readonly hotStates: number;
  /** State × column → state. */
  readonly next: Uint16Array | Uint32Array;
  readonly depth: Uint8Array;
  readonly fail: Uint32Array;
  /** Node of the trie → state. */
  readonly stateOf: Uint32Array;
  private readonly firstHot: number;
  /** Those of the last state first. */
  private readonly outputs: (readonly TrieOutput[])[] = [];
  /** Of each lane: its state, and the slot of its next hit. */
  private readonly lanes = new Uint32Array(LANES);
  private readonly slots = new Uint32Array(LANES);
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
    this.hotStates = this.outputs.length;
    this.firstHot = size - this.hotStates;
  }

  /** What ends in a state, the longest first. */
  endingIn(state: number): readonly TrieOutput[] {
    return this.outputs[this.states - 1 - state] ?? NONE;
  }

  /** Reads `text` from `from` up to `to`, a block at most, and gives the state there. Fills `hits`. */
  walk(text: string, from: number, to: number, state: number): number {
    this.hits.count = 0;
    const share = Math.floor((to - from) / LANES);
    if (share < MIN_SHARE) return this.walkOn(text, from, to, state);
    this.walkLanes(text, from, share, state);
    return this.walkOn(text, from + share * LANES, to, this.join(text, from, share));
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
      if (state < firstHot) continue;
      if (column >= firstLead) state = this.trailed(state, unit);
      if (state < firstHot) continue;
      ends[count] = i + 1;
      states[count++] = state;
    }
    hits.count = count;
    return state;
  }

  /** All parts side by side, since each step waits for the memory the one before it asked for. All but the first begin anew. */
  private walkLanes(text: string, from: number, share: number, before: number): void {
    const { next, firstHot, lanes, slots } = this;
    const { columns, size } = this.alphabet;
    for (let lane = 0; lane < LANES; lane++) slots[lane] = firstSlot(lane, share);
    let [a, b, c, d] = [before, 0, 0, 0];
    let unit = 0;
    let column = 0;
    for (let i = from; i < from + share; i++) {
      unit = text.charCodeAt(i);
      column = columnOf(columns, unit);
      a = cellOf(next, Math.imul(a, size) + column);
      if (a >= firstHot) a = this.seen(0, i + 1, unit, a);
      unit = text.charCodeAt(i + share);
      column = columnOf(columns, unit);
      b = cellOf(next, Math.imul(b, size) + column);
      if (b >= firstHot) b = this.seen(1, i + share + 1, unit, b);
      unit = text.charCodeAt(i + 2 * share);
      column = columnOf(columns, unit);
      c = cellOf(next, Math.imul(c, size) + column);
      if (c >= firstHot) c = this.seen(2, i + 2 * share + 1, unit, c);
      unit = text.charCodeAt(i + 3 * share);
      column = columnOf(columns, unit);
      d = cellOf(next, Math.imul(d, size) + column);
      if (d >= firstHot) d = this.seen(3, i + 3 * share + 1, unit, d);
    }
    lanes.set([a, b, c, d]);
  }

  /** What one comparison tells: a unit's second step, or a hit. Gives the state behind the unit. */
  private seen(lane: number, end: number, unit: number, stepped: number): number {
    const { alphabet, hits, slots } = this;
    const state = columnOf(alphabet.columns, unit) < alphabet.firstLead ? stepped : this.trailed(stepped, unit);
    if (state < this.firstHot) return state;
    const slot = slots[lane] ?? 0;
    hits.ends[slot] = end;
    hits.states[slot] = state;
    slots[lane] = slot + 1;
    return state;
  }

  /**
   * Joins what the lanes found, and gives the state at their end. Each lane goes on in the next one's part until its
   * state tells of nothing before that part, which is then the state the next lane had there: so hits are those of one walk.
   */
  private join(text: string, from: number, share: number): number {
    const { hits, lanes, slots, depth } = this;
    hits.count = slots[0] ?? 0;
    let state = lanes[0] ?? 0;
    for (let lane = 1; lane < LANES; lane++) {
      const begin = from + lane * share;
      let read = 0;
      while (read < share && (depth[state] ?? 0) > read) state = this.walkOn(text, begin + read, begin + ++read, state);
      this.keep(firstSlot(lane, share), slots[lane] ?? 0, begin + read);
      if ((depth[state] ?? 0) <= read) state = lanes[lane] ?? 0;
    }
    return state;
  }

  /** Adds the hits of a lane that end behind what the lane before it has read too. */
  private keep(from: number, to: number, read: number): void {
    const { ends, states } = this.hits;
    let { count } = this.hits;
    for (let slot = from; slot < to; slot++) {
      const end = ends[slot] ?? 0;
      if (end <= read) continue;
      ends[count] = end;
      states[count++] = states[slot] ?? 0;
    }
    this.hits.count = count;
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

  /** Numbers a node's state, `before` having numbers already: from the last one down if anything ends there or a second step follows. */
  private add(trie: Trie, node: number, failing: number, before: number): number {
    const ending = isLead(trie, node) ? NONE : this.endingAt(trie, node, failing);
    const state = ending ? this.states - this.outputs.push(ending) : before - this.outputs.length;
    this.stateOf[node] = state;
    this.fail[state] = failing;
    this.depth[state] = trie.depth[node] ?? 0;
    return state;
  }

  /** What ends in a node: its own keywords, and those that are tails of them. A digit behind a digit is not a run's first. */
  private endingAt(trie: Trie, node: number, failing: number): readonly TrieOutput[] | undefined {
    const own = trie.outputs[node];
    const tails = this.outputs[this.states - 1 - failing];
    if (!tails) return own;
    const behindDigit = this.digits.has(trie.column[trie.parent[node] ?? 0] ?? 0);
    const inherited = behindDigit ? tails.filter(({ digit }) => !digit) : tails;
    if (inherited.length === 0) return own;
    return own ? [...own, ...inherited] : inherited;
  }
}

const columnOf = (columns: Uint8Array, unit: number): number => columns[unit] ?? 0;
const cellOf = (next: Automaton["next"], cell: number): number => next[cell] ?? 0;

/** A lane may read on as far into the next one's part as the longest keyword is long. */
const firstSlot = (lane: number, share: number): number => lane * (share + MAX_KEYWORD_LENGTH);

/** A lead with nothing before it. The trail that may follow is no letter by itself, so the root's row is not its own. */
function isBareLead(trie: Trie, node: number): boolean {
  return node !== 0 && trie.parent[node] === 0 && isLead(trie, node);
}

/** A unit's first step of two. Its second may be by the same column, but leads no deeper. */
function isLead({ parent, column, depth, alphabet }: Trie, node: number): boolean {
  if ((column[node] ?? 0) < alphabet.firstLead) return false;
  const above = parent[node] ?? 0;
  return above === 0 || (depth[node] ?? 0) > (depth[above] ?? 0);
}
