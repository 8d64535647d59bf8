import { type CharSet, inSet } from "./char-set";
import type { Detector } from "./detector";
import { buildTrie, type Output, type Trie } from "./trie";

export type { Output } from "./trie";

const MOST_BOUNDARIES = 7;

/**
 * One Aho–Corasick automaton over the keywords of all detectors, as a dense table. Its state at the
 * end of a text is the longest tail that is the beginning of a keyword, which is what a stream has
 * to hold. Built at every start, so the building touches each state once and copies whole rows.
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
  private readonly trie: Trie;
  /** Per detector: its bit in a hold mask; 0 for those that hold nothing by their keywords. */
  private readonly bits: readonly number[];

  constructor(detectors: readonly Detector[]) {
    this.trie = buildTrie(detectors);
    const { columns, letters, parent, ends } = this.trie;
    this.columns = columns;
    this.shift = Math.ceil(Math.log2(letters + 1));
    this.next = new Uint16Array(parent.length << this.shift);
    this.fail = new Uint16Array(parent.length);
    this.depth = Uint8Array.from(this.trie.depth);
    const outputs: Output[][] = parent.map(() => []);
    for (const { node, output } of ends) outputs[node]?.push(output);
    this.outputs = outputs;
    this.link(outputs);
    this.hot = Uint8Array.from(outputs, ({ length }) => (length > 0 ? 1 : 0));
    const boundaries = new Map(detectors.flatMap(({ boundary }) => (boundary ? [[boundary.join(""), boundary]] : [])));
    if (boundaries.size > MOST_BOUNDARIES) throw new Error("too many different boundaries for one prefilter");
    this.boundaries = [...boundaries.values()];
    const places = [...boundaries.keys()];
    this.bits = detectors.map(({ cue, begin, boundary }) => {
      if (cue || begin) return 0;
      return boundary ? 2 << places.indexOf(boundary.join("")) : 1;
    });
  }

  /** Per state: for which boundaries a detector of `wanted` may have begun here. See `heldFrom`. */
  holdMasks(wanted: (detector: number) => boolean): Uint8Array {
    const { parent, ends } = this.trie;
    const bits = this.bits.map((bit, detector) => (wanted(detector) ? bit : 0));
    const ending = new Uint8Array(parent.length);
    for (const { node, output } of ends) ending[node] = (ending[node] ?? 0) | (bits[output.detector] ?? 0);
    const masks = new Uint8Array(parent.length);
    // A node's number is above its parent's, so all below a node has been added up when it is reached.
    for (let node = parent.length - 1; node > 0; node--) {
      const above = parent[node] ?? 0;
      masks[above] = (masks[above] ?? 0) | (masks[node] ?? 0) | (ending[node] ?? 0);
    }
    return masks;
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

  /** Breadth first: a state's failure link is shallower, so its row and outputs are complete by then. */
  private link(outputs: Output[][]): void {
    const { children, column } = this.trie;
    const { next, fail, shift } = this;
    const queue = [0];
    for (const node of queue) {
      const row = node << shift;
      const failed = fail[node] ?? 0;
      next.copyWithin(row, failed << shift, (failed + 1) << shift);
      const inherited = node === 0 ? [] : (outputs[failed] ?? []);
      if (inherited.length > 0) outputs[node]?.push(...inherited);
      for (const child of children[node] ?? []) {
        const cell = row + (column[child] ?? 0);
        fail[child] = next[cell] ?? 0;
        next[cell] = child;
        queue.push(child);
      }
    }
  }
}
