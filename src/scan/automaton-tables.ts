import { DIGITS, type Trie, type TrieOutput } from "./trie";

const NONE: readonly TrieOutput[] = [];

/** What an automaton is made of, by the numbers of its states. */
export type AutomatonTables = {
  /** State × column → state. */
  readonly next: Uint16Array | Uint32Array;
  /** How many units lead to a state. */
  readonly depth: Uint8Array;
  /** The state of the longest tail that is the beginning of a keyword, too. */
  readonly fail: Uint32Array;
  /** Node of the trie → state. */
  readonly stateOf: Uint32Array;
  /** How many states, those with the highest numbers, have something end in them or come between a unit's two steps. */
  readonly hotStates: number;
};

/** Makes an automaton's tables of the keywords as a tree. */
export class AutomatonBuilder {
  readonly next: Uint16Array | Uint32Array;
  readonly depth: Uint8Array;
  readonly fail: Uint32Array;
  readonly stateOf: Uint32Array;
  private readonly states: number;
  /** Those of the last state first. */
  private readonly outputs: (readonly TrieOutput[])[] = [];
  private readonly digits: ReadonlySet<number>;

  constructor(trie: Trie) {
    const { size, alphabet } = trie;
    this.digits = new Set(DIGITS.map((digit) => alphabet.columns[digit.charCodeAt(0)] ?? 0));
    this.states = size;
    this.stateOf = new Uint32Array(size);
    this.fail = new Uint32Array(size);
    this.depth = new Uint8Array(size);
    this.next = new (size > 65_536 ? Uint32Array : Uint16Array)(size * alphabet.size);
    this.fill(trie);
  }

  built(): AutomatonTables {
    const { next, depth, fail, stateOf, outputs } = this;
    return { next, depth, fail, stateOf, hotStates: outputs.length };
  }

  /** What ends in each of the hot states, the longest first; of the state with the highest number first. */
  get endings(): readonly (readonly TrieOutput[])[] {
    return this.outputs;
  }

  /**
   * Level by level. A state that fails goes on as a shallower one, so its row begins as a copy of that one's, which is
   * complete; and what a copied row said of a letter is where the child by that letter fails to.
   */
  private fill(trie: Trie): void {
    const { next, stateOf, fail } = this;
    const { size } = trie.alphabet;
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
