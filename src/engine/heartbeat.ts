import type { Subject } from "#engine/governance/governor";

/** Something that wants to know, several times a second, that time passes. */
export type Beating = {
  beat(now: number): void;
  /** The hub is stopping and waits no longer. */
  cutOff?(): void;
  /** Whom and what it concerns, if it is a call. */
  readonly subject?: Subject;
};

/** A call that is under way. */
export type OpenCall = { readonly subject: Subject };

/** One timer for all open calls instead of several for each. Whoever builds it drives `beat`. */
export class Heartbeat {
  private readonly open = new Set<Beating>();

  get size(): number {
    return this.open.size;
  }

  join(call: Beating): void {
    this.open.add(call);
  }

  leave(call: Beating): void {
    this.open.delete(call);
  }

  beat(now: number): void {
    for (const call of this.open) call.beat(now);
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

const isCall = (beating: Beating): beating is Beating & OpenCall => beating.subject !== undefined;
