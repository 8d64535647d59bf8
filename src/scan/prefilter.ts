import { AnchorTable } from "./anchor-table";
import { Automaton } from "./automaton";
import { type CharSet, inSet } from "./char-set";
import type { Detector } from "./detector";
import { once } from "./fold/once";
import { buildTrie, type Trie } from "./trie";

const MAX_BOUNDARIES = 7;
const MIN_BEHIND = 64;

/** Per state of the automaton: for which boundaries some detectors may have begun there. See `heldFrom`. */
export type HoldMasks = () => Uint8Array;

/** The automaton over the keywords of all detectors, and what its state says a stream has to hold. */
export class Prefilter {
  readonly automaton: Automaton;
  /** What ends in its states. */
  readonly anchors: AnchorTable;
  /** Distinct boundary sets; the bits of a hold mask stand for them, bit 0 for "none". */
  readonly boundaries: readonly CharSet[];
  /** Units behind a decision's place that any detector may look at. */
  readonly behind: number;
  private readonly trie: Pick<Trie, "size" | "parent" | "outputs">;
  /** Per detector: its bit in a hold mask; 0 for those that hold nothing by their keywords. */
  private readonly bits: readonly number[];

  constructor(detectors: readonly Detector[]) {
    const trie = buildTrie(detectors);
    this.trie = { size: trie.size, parent: trie.parent.slice(0, trie.size), outputs: trie.outputs };
    this.automaton = new Automaton(trie);
    this.behind = Math.max(MIN_BEHIND, ...detectors.map(({ behind, keywords }) => behind + longest(keywords)));
    const boundaries = new Map(detectors.flatMap(({ boundary }) => (boundary ? [[boundary.join(""), boundary]] : [])));
    if (boundaries.size > MAX_BOUNDARIES) throw new Error("too many different boundaries for one prefilter");
    this.boundaries = [...boundaries.values()];
    this.anchors = new AnchorTable(this.automaton, detectors, this.boundaries);
    const places = [...boundaries.keys()];
    this.bits = detectors.map(({ cue, begin, boundary }) => {
      if (cue || begin) return 0;
      return boundary ? 2 << places.indexOf(boundary.join("")) : 1;
    });
  }

  /** Made when first asked for, since only streams ask. */
  holdMasks(wanted: (detector: number) => boolean): HoldMasks {
    return once(() => this.masksOf(wanted));
  }

  /** Start of the longest tail of `text` that begins a keyword of the masks' detectors; else its length. */
  heldFrom(state: number, text: string, holdMasks: HoldMasks): number {
    const masks = holdMasks();
    const { fail, depth } = this.automaton;
    for (let at = state; at !== 0; at = fail[at] ?? 0) {
      const mask = masks[at] ?? 0;
      if (mask === 0) continue;
      const start = text.length - (depth[at] ?? 0);
      if (mask & 1 || start <= 0) return Math.max(0, start);
      const before = text.charCodeAt(start - 1);
      if (this.isBegin(mask, before)) return start;
    }
    return text.length;
  }

  /** Whether something with one of the mask's boundaries may begin behind a unit. */
  private isBegin(mask: number, before: number): boolean {
    for (let i = 0; i < this.boundaries.length; i++) {
      const set = this.boundaries[i];
      if (set && mask & (2 << i) && !inSet(set, before)) return true;
    }
    return false;
  }

  private masksOf(wanted: (detector: number) => boolean): Uint8Array {
    const { size, parent, outputs } = this.trie;
    const { stateOf } = this.automaton;
    const bits = this.bits.map((bit, detector) => (wanted(detector) ? bit : 0));
    const masks = new Uint8Array(size);
    // A node's number is above its parent's, so all below a node has been added up when it is reached.
    for (let node = size - 1; node > 0; node--) {
      const above = stateOf[parent[node] ?? 0] ?? 0;
      const ending = outputs[node]?.reduce((mask, { detector }) => mask | (bits[detector] ?? 0), 0) ?? 0;
      masks[above] = (masks[above] ?? 0) | (masks[stateOf[node] ?? 0] ?? 0) | ending;
    }
    return masks;
  }
}

function longest(keywords: readonly string[]): number {
  return keywords.reduce((most, { length }) => Math.max(most, length), 1);
}
