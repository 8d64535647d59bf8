/* What agents use of their limits where several processes serve. See `port.ts` for what holds of every method. */

/** What one agent has used, over all processes. */
export type UsedLimits = {
  /** What the limiter keeps of it; null for nothing yet. JSON. */
  readonly state: unknown;
  /** Calls under way, in all processes that live. */
  readonly open: number;
  /** Calls of the conversation that was asked about. */
  readonly calls: number;
  /** What was stored of the day's use, for a limiter that begins to count. */
  readonly stored: { readonly requests: number; readonly tokens: number };
};

/** What becomes of it. */
export type LimitChange = {
  readonly state: unknown;
  /** How many calls more are under way in this process. */
  readonly open: number;
  /** How many calls more the conversation has. */
  readonly calls: number;
};

export type LimitStore = {
  /**
   * Reads what an agent has used and writes what becomes of it, in one step over all processes; null changes nothing.
   * `conversation` names a conversation, `day` begins today, Unix milliseconds.
   */
  change(
    agentId: string,
    about: { readonly conversation: string | null; readonly day: number },
    work: (used: UsedLimits) => LimitChange | null,
  ): Promise<void>;
};
