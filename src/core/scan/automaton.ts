import { DIGITS, LONGEST_KEYWORD, type Output, type Trie } from "./trie";

/** Units walked at a time. */
export const BLOCK = 4096;
/** Shorter texts are not worth two lanes; each lane must be longer than any keyword. */
const LEAST_SPLIT = 4 * (LONGEST_KEYWORD + 1);
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
  private readonly outputs: readonly (readonly Output[])[];
  private readonly longest: number;
  private readonly alphabet: Trie["alphabet"];

  constructor(trie: Trie) {
    const { size, alphabet } = trie;
    const order = breadthFirst(trie);
    const fail = failuresOf(trie, order);
    const outputs = outputsOf(trie, order, fail);
    this.alphabet = alphabet;
    this.states = size;
    this.firstHot = size - outputs.filter((ending) => ending !== undefined).length;
    this.stateOf = new Uint32Array(size);
    this.fail = new Uint32Array(size);
    this.depth = new Uint8Array(size);
    let cold = 0;
    let longest = 0;
    const hot: (readonly Output[])[] = [];
    for (const node of order) {
      const ending = outputs[node];
      const state = ending === undefined ? cold++ : this.firstHot + hot.push(ending) - 1;
      const depth = trie.depth[node] ?? 0;
      this.stateOf[node] = state;
      // A failure link is shallower, so it has its number by then.
      this.fail[state] = this.stateOf[fail[node] ?? 0] ?? 0;
      this.depth[state] = depth;
      if (depth > longest) longest = depth;
    }
    this.outputs = hot;
    this.longest = longest;
    this.next = new (size > 65_536 ? Uint32Array : Uint16Array)(size * alphabet.size);
    this.fill(trie, order);
  }

  /** What ends in a state, the longest first. */
  endingIn(state: number): readonly Output[] {
    return this.outputs[state - this.firstHot] ?? NONE;
  }

  /** Reads `text` from `from` up to `to`, a block at most, and gives the state there. Fills `hits`. */
  walk(text: string, from: number, to: number, state: number): number {
    this.hits.count = 0;
    if (to - from < LEAST_SPLIT) return this.walkOn(text, from, to, state);
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

  /** Row by row: a state's failure link is shallower, so its row is complete by then. */
  private fill(trie: Trie, order: Uint32Array): void {
    const { next, stateOf, fail } = this;
    const { size } = this.alphabet;
    for (const node of order) {
      const state = stateOf[node] ?? 0;
      const failed = fail[state] ?? 0;
      if (!isBareLead(trie, node)) next.copyWithin(state * size, failed * size, (failed + 1) * size);
      for (let child = trie.child[node] ?? 0; child !== 0; child = trie.sibling[child] ?? 0) {
        next[state * size + (trie.column[child] ?? 0)] = stateOf[child] ?? 0;
      }
    }
  }
}

/** A lead with nothing before it. The trail that may follow is no letter by itself, so the root's row is not its own. */
function isBareLead({ parent, column, alphabet }: Trie, node: number): boolean {
  return node !== 0 && parent[node] === 0 && (column[node] ?? 0) >= alphabet.firstLead;
}

function breadthFirst({ size, child, sibling }: Trie): Uint32Array {
  const order = new Uint32Array(size);
  let filled = 1;
  for (let at = 0; at < filled; at++) {
    for (let node = child[order[at] ?? 0] ?? 0; node !== 0; node = sibling[node] ?? 0) order[filled++] = node;
  }
  return order;
}

/** Per node: that of the longest proper tail that begins a keyword. */
function failuresOf(trie: Trie, order: Uint32Array): Uint32Array {
  const fail = new Uint32Array(trie.size);
  for (const node of order) {
    const parent = trie.parent[node] ?? 0;
    if (parent === 0) continue;
    const column = trie.column[node] ?? 0;
    let at = parent;
    let found = 0;
    while (found === 0 && at !== 0 && !isBareLead(trie, at)) {
      at = fail[at] ?? 0;
      found = childBy(trie, at, column);
    }
    fail[node] = found;
  }
  return fail;
}

function childBy({ child, sibling, column, roots }: Trie, node: number, by: number): number {
  if (node === 0) return roots[by] ?? 0;
  let at = child[node] ?? 0;
  while (at !== 0 && column[at] !== by) at = sibling[at] ?? 0;
  return at;
}

/** What ends in each node: its own keywords, and those that are tails of them. A digit behind a digit is not a run's first. */
function outputsOf(trie: Trie, order: Uint32Array, fail: Uint32Array): (readonly Output[] | undefined)[] {
  const outputs = [...trie.outputs];
  const digits = new Set(DIGITS.map((digit) => trie.alphabet.columns[digit.charCodeAt(0)]));
  for (const node of order) {
    const own = outputs[node];
    let inherited = outputs[fail[node] ?? 0];
    if (inherited && digits.has(trie.column[trie.parent[node] ?? 0])) inherited = withoutDigits(inherited);
    if (inherited) outputs[node] = own ? [...own, ...inherited] : inherited;
  }
  return outputs;
}

function withoutDigits(outputs: readonly Output[]): readonly Output[] | undefined {
  const others = outputs.filter(({ digit }) => !digit);
  return others.length > 0 ? others : undefined;
}
