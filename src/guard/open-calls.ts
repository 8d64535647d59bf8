import type { Subject } from "#guard/enforcement/policy-resolver";

/** Something that wants to know, several times a second, that time passes. */
export type Ticking = {
  tick(now: number): void;
  /** The same more often: what has been open for long enough is written down. */
  noteOpen?(now: number): void;
  /** The hub is stopping and waits no longer. */
  cutOff?(): void;
  /** Whom and what it concerns, if it is a call. */
  readonly subject?: Subject;
};

/** A call that is under way. */
export type OpenCall = { readonly subject: Subject };

/** One timer for all open calls instead of several for each. Jobs call `tick` and `noteOpen`. */
export class OpenCalls {
  private readonly open = new Set<Ticking>();

  get size(): number {
    return this.open.size;
  }

  join(call: Ticking): void {
    this.open.add(call);
  }

  leave(call: Ticking): void {
    this.open.delete(call);
  }

  tick(now: number): void {
    for (const call of this.open) call.tick(now);
  }

  noteOpen(now: number): void {
    for (const call of this.open) call.noteOpen?.(now);
  }

  /** What says whom it concerns. */
  *calls(): Generator<OpenCall> {
    for (const call of this.open) if (isCall(call)) yield call;
  }

  /** Ends every open call; each writes its own record of that. */
  cutOff(): void {
    for (const call of this.open) call.cutOff?.();
  }
}

const isCall = (ticking: Ticking): ticking is Ticking & OpenCall => ticking.subject !== undefined;
