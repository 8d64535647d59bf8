/* What agents use of their limits where several processes serve. See `port.ts` for what holds of every method. */

/** What one agent has used, over all processes. */
export type UsedLimits = {
  /** The time by the store's clock, Unix milliseconds: windows and days are the same in all processes. */
  readonly now: number;
  /** What the limiter keeps of it; null for nothing yet. JSON. */
  readonly state: unknown;
  /** Calls under way, in all processes that live. */
  readonly open: number;
  /** Calls of the conversation that was asked about. */
  readonly calls: number;
  /** What was stored of today's use, where the limiter keeps nothing of the agent yet. */
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
   * `conversation` names the conversation whose calls are counted. `work` may be asked again, when what it made was not
   * written.
   */
  change(agentId: string, conversation: string | null, work: (used: UsedLimits) => LimitChange | null): Promise<void>;
};
