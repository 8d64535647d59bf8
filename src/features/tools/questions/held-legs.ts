import { isSameSecret } from "#platform/hash";
import { randomText } from "#platform/ids";
import type { Leg } from "./leg";

/** Of one token, and of all: each holds a call open at a server. */
const MAX_OF_TOKEN = 16;
const MAX_HELD = 1_024;

type Held = { readonly leg: Leg; readonly tokenId: string; readonly timer: Timer };

/** Calls that wait for the caller to call again with the answer, each for as long as a person may take. */
export class HeldLegs {
  private readonly repeats = new Set<string>();
  private readonly held = new Map<string, Held>();

  /** The id by which it is taken again; null where too many are held. */
  hold(leg: Leg, tokenId: string, waitMs: number): string | null {
    const own = [...this.held.values()].filter((one) => one.tokenId === tokenId).length;
    if (own >= MAX_OF_TOKEN || this.held.size >= MAX_HELD) return null;
    const id = randomText();
    const timer = setTimeout(() => this.drop(id), waitMs);
    this.held.set(id, { leg, tokenId, timer });
    return id;
  }

  /** Once; null for one that is not here, or that another token has. */
  take(id: string, tokenId: string): Leg | null {
    const held = this.held.get(id);
    if (!held || !isSameSecret(tokenId, held.tokenId)) return null;
    clearTimeout(held.timer);
    this.held.delete(id);
    return held.leg;
  }

  /** An id with which a call that a person approved may be made once more, with its user's answer. */
  allowRepeat(): string {
    // The oldest goes, and its call waits for an approval again.
    for (const oldest of this.repeats) {
      if (this.repeats.size < MAX_HELD) break;
      this.repeats.delete(oldest);
    }
    const id = randomText();
    this.repeats.add(id);
    return id;
  }

  /** Whether it may; once. */
  takeRepeat(id: string): boolean {
    return this.repeats.delete(id);
  }

  /** Ends them all: the hub is stopping. */
  close(): void {
    for (const id of [...this.held.keys()]) this.drop(id);
  }

  private drop(id: string): void {
    const held = this.held.get(id);
    if (!held) return;
    clearTimeout(held.timer);
    this.held.delete(id);
    held.leg.end();
  }
}
