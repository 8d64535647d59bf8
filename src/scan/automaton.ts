import type { Alphabet } from "./alphabet";
import type { AutomatonTables } from "./automaton-tables";
import { MAX_KEYWORD_LENGTH } from "./trie";

/** Units walked at a time. */
export const BLOCK = 4096;
/** Parts of a text that are walked side by side. */
const LANES = 4;
/** Shorter parts are not worth it. */
const MIN_SHARE = 8;
/** With space between the lanes: see `firstSlot`. */
const SLOTS = BLOCK + LANES * MAX_KEYWORD_LENGTH;

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
  /** State × column → state. */
  readonly next: AutomatonTables["next"];
  private readonly depth: Uint8Array;
  private readonly firstHot: number;
  /** Of each lane: its state, and the slot of its next hit. */
  private readonly lanes = new Uint32Array(LANES);
  private readonly slots = new Uint32Array(LANES);

  constructor(
    { next, depth, hotStates }: AutomatonTables,
    private readonly alphabet: Alphabet,
  ) {
    this.next = next;
    this.depth = depth;
    this.states = depth.length;
    this.firstHot = this.states - hotStates;
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
}

const columnOf = (columns: Uint8Array, unit: number): number => columns[unit] ?? 0;
const cellOf = (next: Automaton["next"], cell: number): number => next[cell] ?? 0;

/** A lane may read on as far into the next one's part as the longest keyword is long. */
const firstSlot = (lane: number, share: number): number => lane * (share + MAX_KEYWORD_LENGTH);
