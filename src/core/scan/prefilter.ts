import { type CharSet, inSet } from "./char-set";
import type { Detector } from "./detector";

/** A keyword that ends in a state: whose it is, how long it is, and whether it is a digit anchor. */
export type Output = { readonly detector: number; readonly length: number; readonly digit: boolean };

type Node = {
  readonly children: Map<string, number>;
  readonly depth: number;
  fail: number;
  outputs: Output[];
  /** Detectors with a keyword strictly below this node. */
  readonly below: Set<number>;
};

/**
 * One Aho–Corasick automaton over the keywords of all detectors, as a dense table. Its state at the
 * end of a text is the longest tail that is the beginning of a keyword, which is what a stream has
 * to hold.
 */
export class Prefilter {
  /** Unit → column; 0 for units in no keyword. Letters fall together in both cases. */
  readonly columns: Uint8Array;
  readonly shift: number;
  readonly next: Uint16Array;
  readonly hot: Uint8Array;
  readonly outputs: readonly (readonly Output[])[];
  readonly depth: Uint8Array;
  readonly fail: Uint16Array;
  /** Distinct boundary sets; the bits of a hold mask stand for them, bit 0 for "none". */
  readonly boundaries: readonly CharSet[];
  private readonly below: readonly ReadonlySet<number>[];

  constructor(private readonly detectors: readonly Detector[]) {
    const nodes = buildTrie(detectors);
    const letters = [...new Set(nodes.flatMap((node) => [...node.children.keys()]))];
    if (letters.length > 254 || nodes.length > 65535) throw new Error("too many keywords for one prefilter");
    this.columns = new Uint8Array(65536);
    letters.forEach((letter, i) => {
      this.columns[letter.charCodeAt(0)] = i + 1;
      this.columns[letter.toUpperCase().charCodeAt(0)] = i + 1;
    });
    this.shift = Math.ceil(Math.log2(letters.length + 1));
    this.next = new Uint16Array(nodes.length << this.shift);
    linkTrie(nodes, letters, this.next, this.shift);
    this.outputs = nodes.map((node) => node.outputs);
    this.hot = Uint8Array.from(nodes, (node) => (node.outputs.length > 0 ? 1 : 0));
    this.depth = Uint8Array.from(nodes, (node) => node.depth);
    this.fail = Uint16Array.from(nodes, (node) => node.fail);
    this.below = nodes.map((node) => node.below);
    this.boundaries = [...new Set(detectors.flatMap((detector) => detector.boundary ?? []))];
    if (this.boundaries.length > 7) throw new Error("too many different boundaries for one prefilter");
  }

  /** Per state: for which boundaries a detector of `wanted` may have begun here. See `heldFrom`. */
  holdMasks(wanted: (detector: number) => boolean): Uint8Array {
    return Uint8Array.from(this.below, (below) => {
      let mask = 0;
      for (const index of below) {
        const detector = this.detectors[index];
        if (!detector || detector.cue || detector.begin || !wanted(index)) continue;
        mask |= detector.boundary ? 2 << this.boundaries.indexOf(detector.boundary) : 1;
      }
      return mask;
    });
  }

  /** Start of the longest tail of `text` that begins a keyword of the masks' detectors; else its length. */
  heldFrom(state: number, text: string, masks: Uint8Array): number {
    for (let at = state; at !== 0; at = this.fail[at] ?? 0) {
      const mask = masks[at] ?? 0;
      if (mask === 0) continue;
      const start = text.length - (this.depth[at] ?? 0);
      if (mask & 1 || start <= 0) return Math.max(0, start);
      const before = text.charCodeAt(start - 1);
      if (this.boundaries.some((set, i) => mask & (2 << i) && !inSet(set, before))) return start;
    }
    return text.length;
  }
}

function buildTrie(detectors: readonly Detector[]): Node[] {
  const create = (depth: number): Node => ({ children: new Map(), depth, fail: 0, outputs: [], below: new Set() });
  const root = create(0);
  const nodes = [root];
  const add = (keyword: string, output: Output): void => {
    let node = root;
    for (const letter of keyword) {
      node.below.add(output.detector);
      let child = node.children.get(letter);
      if (child === undefined) {
        child = nodes.push(create(node.depth + 1)) - 1;
        node.children.set(letter, child);
      }
      node = nodes[child] ?? root;
    }
    node.outputs.push(output);
  };
  detectors.forEach((detector, index) => {
    for (const keyword of new Set(detector.keywords)) {
      if (keyword === "" || keyword !== keyword.toLowerCase()) throw new Error(`bad keyword in ${detector.id}`);
      add(keyword, { detector: index, length: keyword.length, digit: false });
    }
    if (detector.anchorDigits !== true) return;
    for (const digit of "0123456789") add(digit, { detector: index, length: 1, digit: true });
  });
  return nodes;
}

/** Breadth first: a node's failure link is shallower, so its row and outputs are complete by then. */
function linkTrie(nodes: readonly Node[], letters: readonly string[], next: Uint16Array, shift: number): void {
  const queue = [0];
  for (const index of queue) {
    const node = nodes[index];
    if (!node) continue;
    const failed = nodes[node.fail];
    if (index !== 0 && failed) node.outputs = [...node.outputs, ...failed.outputs];
    letters.forEach((letter, i) => {
      const cell = (index << shift) + i + 1;
      const child = node.children.get(letter);
      const fallback = index === 0 ? 0 : (next[(node.fail << shift) + i + 1] ?? 0);
      next[cell] = child ?? fallback;
      const childNode = child === undefined ? undefined : nodes[child];
      if (child === undefined || !childNode) return;
      childNode.fail = fallback;
      queue.push(child);
    });
  }
}
