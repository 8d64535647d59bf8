import { RecentlyUsed } from "#platform/recently-used";

/** For so long a server is taken to speak the era it spoke. Milliseconds. */
export const VERDICT_MS = 60 * 60 * 1000;
/** Addresses that are remembered. */
const MAX_ADDRESSES = 4_096;

/**
 * Addresses of servers that were found to know the older era only: the next caller connects without the question that
 * these servers do not know. It is no more than where to begin; what does not answer is asked in both eras.
 */
export class OlderServers {
  private readonly found = new RecentlyUsed<number>(MAX_ADDRESSES);

  /** `now`: Unix milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Unix milliseconds of when it was found out; null for what is not known, or not any more. */
  since(url: string): number | null {
    const since = this.found.get(url);
    return since !== undefined && this.now() - since <= VERDICT_MS ? since : null;
  }

  add(url: string): void {
    this.found.set(url, this.now());
  }

  remove(url: string): void {
    this.found.delete(url);
  }
}
