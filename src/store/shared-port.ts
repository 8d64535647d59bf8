/* What several processes must count together, and one process keeps in its memory. See `port.ts` for what holds of every method. */

/** Failed attempts. Times are Unix milliseconds, by the store's clock. */
export type Tries = { readonly count: number; readonly at: number; readonly openAt: number };

/** How often one key may be counted in a window. */
export type Pace = { readonly key: string; readonly most: number };

/** Whose calls were blocked, and the id of the event that will tell of it. */
export type BlockedCaller = {
  readonly subject_id: string;
  readonly event_id: string;
  readonly agent_id: string | null;
  readonly user_id: string;
};

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
  /**
   * Adds to what is counted under a name. Once in `everyMs`, over all processes, the whole count is `taken`, by one of
   * them, and begins anew; `left` is what has to wait for the next time.
   */
  tally(name: string, more: number, everyMs: number): Promise<{ readonly taken: number; readonly left: number }>;
  /**
   * Reads what automatic restrictions count of some agents and writes what becomes of it, in one step over all processes.
   * `now` is the store's clock. `work` may be asked again, when what it made was not written.
   */
  changeTriggers(
    agentIds: readonly string[],
    work: (states: ReadonlyMap<string, unknown>, now: number) => ReadonlyMap<string, unknown>,
  ): Promise<void>;
  /** Those that were noted already keep their event. */
  noteBlocked(callers: readonly BlockedCaller[]): Promise<void>;
  blockedCallers(): Promise<BlockedCaller[]>;
  /** Its event was told. */
  forgetBlocked(caller: BlockedCaller): Promise<void>;
};
