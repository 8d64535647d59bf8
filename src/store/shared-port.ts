/* What several processes must count together, and one process keeps in its memory. See `port.ts` for what holds of every method. */

/** Failed attempts. Times are Unix milliseconds, by the store's clock. */
export type Tries = { readonly count: number; readonly at: number; readonly openAt: number };

/** How often one key may be counted in a window. */
export type Pace = { readonly key: string; readonly most: number };

export type SharedStore = {
  /** False when it was used before. Until that moment it is remembered. */
  useOnce(scope: string, key: string, until: number): Promise<boolean>;
  /**
   * Counts one for each key, or for none when one of them is full in its window: then for how long that still lasts, in
   * milliseconds. 0 when it was counted.
   */
  step(scope: string, paces: readonly Pace[], windowMs: number): Promise<number>;
  /**
   * Reads the tries under some keys and writes what they become, in one step: null forgets one. `work` returns null to
   * change nothing. Those that are older than `forgottenAfterMs` count as none. `now` is the store's clock.
   */
  changeTries(
    keys: readonly string[],
    forgottenAfterMs: number,
    work: (known: readonly (Tries | null)[], now: number) => readonly (Tries | null)[] | null,
  ): Promise<void>;
};
