import { GENESIS } from "#store/audit-link";
import {
  begins,
  CHECKPOINT_EVERY,
  type Checkpoint,
  digestOf,
  LOST,
  type SignedHead,
  STOP_KIND,
} from "./audit-checkpoints";

/** Where and what. */
export type Fault = (seq: number, problem: string) => void;

/**
 * What must hold of the checkpoints among each other, oldest first: each is chained to the one before it, none is
 * missing where there must be one, and the newest is the one that is signed as such.
 */
export class CheckpointTrail {
  #last: Checkpoint | null = null;
  #chainedFrom: number | null = null;
  /** Orderly stops whose checkpoint has not come by. */
  readonly #stops = new Set<number>();

  constructor(private readonly fault: Fault) {}

  /** The record from which on checkpoints are chained; null for none. */
  get chainedFrom(): number | null {
    return this.#chainedFrom;
  }

  record(seq: number, kind: string): void {
    if (kind === STOP_KIND) this.#stops.add(seq);
  }

  /** `droppedUpTo` is asked when the one before is not there: retention takes checkpoints, too, but the last of a month. */
  checkpoint(row: Checkpoint, droppedUpTo: () => number): void {
    this.#stops.delete(row.seq);
    const { seq, prev } = row;
    if (prev === null || prev === undefined) {
      if (this.#chainedFrom !== null) this.fault(seq, "the checkpoint is not chained, as those before it are");
    } else {
      this.#chained(row, prev, droppedUpTo);
      this.#chainedFrom ??= seq;
    }
    this.#last = row;
  }

  #chained({ seq }: Checkpoint, prev: string, droppedUpTo: () => number): void {
    const last = this.#last;
    if (prev === LOST) this.fault(seq, "when this checkpoint was signed, those before it were missing or changed");
    else if (last === null) {
      const isFirst = (prev === GENESIS && seq === 1) || prev === begins(GENESIS);
      if (!isFirst && seq > droppedUpTo()) this.fault(seq, "the checkpoints before this one are missing");
    } else {
      const digest = digestOf(last);
      const isOldest = this.#chainedFrom === null;
      if (prev !== (isOldest ? begins(digest) : digest))
        this.fault(seq, "the checkpoint is not chained to the one before it: some are missing or changed");
      if (!isOldest) this.#distance(last.seq, seq);
    }
  }

  #distance(from: number, to: number): void {
    if (to - from > CHECKPOINT_EVERY)
      this.fault(to, `${to - from} records lie behind the checkpoint of ${from}, more than ${CHECKPOINT_EVERY}`);
  }

  /** `lastSeq`: of the newest record; `known`: which checkpoint is signed as the newest. */
  end(lastSeq: number, known: SignedHead | null): void {
    if (lastSeq === 0) return;
    const last = this.#last;
    if (known === null) this.fault(lastSeq, "what is signed as the newest checkpoint is missing");
    else if (last === null || known.checkpoint !== digestOf(last))
      this.fault(known.seq, `the newest checkpoint, of record ${known.seq}, is missing or changed`);
    if (this.#chainedFrom === null) this.fault(lastSeq, "no chained checkpoint");
    else this.#distance(last?.seq ?? 0, lastSeq);
    for (const seq of this.#stops)
      if (seq > (this.#chainedFrom ?? 0)) this.fault(seq, "the checkpoint of an orderly stop is missing");
  }
}
