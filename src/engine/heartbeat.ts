/** Something that wants to know, several times a second, that time passes. */
export type Beating = {
  beat(now: number): void;
  /** The hub is stopping and waits no longer. */
  cutOff?(): void;
};

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

  /** Ends every open call; each writes its own record of that. */
  cutOff(): void {
    for (const call of this.open) call.cutOff?.();
  }
}
