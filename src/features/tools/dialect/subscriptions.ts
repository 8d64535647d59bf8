/** Streams one token may hold open. */
const MAX_PER_TOKEN = 16;

/** What is open of each token, streams unless said, so that it holds only so many and a stop ends all. */
export class Subscriptions {
  private readonly byToken = new Map<string, Set<() => void>>();
  private isClosed = false;

  constructor(private readonly mostOfToken = MAX_PER_TOKEN) {}

  /** False when the token has as many as it may, or the hub is stopping. `end` is called by `close`. */
  add(tokenId: string, end: () => void): boolean {
    const open = this.byToken.get(tokenId) ?? new Set();
    if (this.isClosed || open.size >= this.mostOfToken) return false;
    this.byToken.set(tokenId, open.add(end));
    return true;
  }

  remove(tokenId: string, end: () => void): void {
    const open = this.byToken.get(tokenId);
    open?.delete(end);
    if (open?.size === 0) this.byToken.delete(tokenId);
  }

  /** Ends them all and takes no more. A server that waits for its connections would wait for these for ever. */
  close(): void {
    this.isClosed = true;
    for (const end of [...this.byToken.values()].flatMap((open) => [...open])) end();
  }

  get size(): number {
    return this.byToken.values().reduce((sum, open) => sum + open.size, 0);
  }
}
