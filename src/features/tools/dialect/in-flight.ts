import type { RpcId } from "#model/tools/mcp";
import { Cancellation, type CancelSignal } from "#platform/cancellation";

/**
 * Calls of 2025-era clients under way, for `notifications/cancelled`. Without sessions an id is unique to one client
 * at best, and a token may have several: a notice that could mean two calls cancels neither.
 */
export class InFlight {
  private readonly calls = new Map<string, Set<Cancellation>>();

  /** `end` must be called when the call has ended, in whatever way. */
  begin(tokenId: string, id: RpcId): { readonly signal: CancelSignal; readonly end: () => void } {
    const key = keyOf(tokenId, id);
    const signal = new Cancellation();
    const same = this.calls.get(key) ?? new Set();
    this.calls.set(key, same.add(signal));
    const end = () => {
      same.delete(signal);
      if (same.size === 0 && this.calls.get(key) === same) this.calls.delete(key);
    };
    return { signal, end };
  }

  cancel(tokenId: string, id: RpcId): void {
    const [only, ...others] = this.calls.get(keyOf(tokenId, id)) ?? [];
    if (others.length === 0) only?.abort();
  }

  get size(): number {
    return this.calls.size;
  }
}

/** `1` and `"1"` are two ids. */
const keyOf = (tokenId: string, id: RpcId): string => `${tokenId} ${JSON.stringify(id)}`;
