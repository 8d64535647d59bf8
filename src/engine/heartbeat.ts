/** Something that wants to know, about once a second, that time passes. */
export type Beating = { beat(now: number): void };

/** One timer for all open streams instead of two for each. Whoever builds it drives `beat`. */
export class Heartbeat {
  private readonly open = new Set<Beating>();

  get size(): number {
    return this.open.size;
  }

  join(stream: Beating): void {
    this.open.add(stream);
  }

  leave(stream: Beating): void {
    this.open.delete(stream);
  }

  beat(now: number): void {
    for (const stream of this.open) stream.beat(now);
  }
}
