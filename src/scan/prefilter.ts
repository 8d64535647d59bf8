import { AnchorTable } from "./anchor-table";
import { Automaton } from "./automaton";
import { type CharSet, inSet } from "./char-set";
import { once } from "./fold/once";
import { boundariesOf, type PrefilterTables } from "./prefilter-tables";

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

  constructor(private readonly tables: PrefilterTables) {
    this.automaton = new Automaton(tables, tables.alphabet);
    this.anchors = new AnchorTable(tables, this.automaton.states);
    this.boundaries = boundariesOf(tables);
    this.behind = tables.lookBehind;
  }

  /** Made when first asked for, since only streams ask. */
  holdMasks(wanted: (detector: number) => boolean): HoldMasks {
    return once(() => this.masksOf(wanted));
  }

  /** Start of the longest tail of `text` that begins a keyword of the masks' detectors; else its length. */
  heldFrom(state: number, text: string, holdMasks: HoldMasks): number {
    const masks = holdMasks();
    const { fail, depth } = this.tables;
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
    const { parent, stateOf, ownBegins, own } = this.tables;
    const bits = this.tables.bits.map((bit, detector) => (wanted(detector) ? bit : 0));
    const masks = new Uint8Array(parent.length);
    // A node's number is above its parent's, so all below a node has been added up when it is reached.
    for (let node = parent.length - 1; node > 0; node--) {
      const above = stateOf[parent[node] ?? 0] ?? 0;
      let ending = 0;
      for (let at = ownBegins[node] ?? 0; at < (ownBegins[node + 1] ?? 0); at++) ending |= bits[own[at] ?? 0] ?? 0;
      masks[above] = (masks[above] ?? 0) | (masks[stateOf[node] ?? 0] ?? 0) | ending;
    }
    return masks;
  }
}
