/* What `/api/overview` answers, as plain types: pages in a browser import them, so this file imports nothing. */

export type OverviewWindow = "1h" | "24h" | "7d" | "30d";

/** Calls of models and tools in one bucket, by what became of them. */
export type OverviewBucket = {
  readonly at: string;
  readonly calls: number;
  readonly allow: number;
  readonly flag: number;
  readonly redact: number;
  readonly block: number;
  readonly refused: number;
  readonly error: number;
};

export type OverviewTop = { readonly name: string; readonly count: number };

/** What waits for this person. */
export type YourTurn = {
  readonly total: number;
  readonly reviews: number;
  readonly tuning: number;
  readonly held_calls: number;
  readonly rebaselines: number;
  readonly tool_definitions: number;
  readonly reports: number;
};

export type Overview = {
  readonly object: "overview";
  readonly window: OverviewWindow;
  readonly since: string;
  readonly until: string;
  readonly bucket_seconds: number;
  /** Oldest first, without gaps. */
  readonly series: readonly OverviewBucket[];
  readonly totals: Omit<OverviewBucket, "at">;
  /** Blocked calls of all that were let in; null where there was none. */
  readonly block_rate: number | null;
  /** Within 8 %; null where nothing was measured. */
  readonly scan_us: { readonly p50: number | null; readonly p95: number | null };
  readonly upstream_ms: { readonly p50: number | null; readonly p95: number | null };
  readonly tokens: { readonly prompt: number; readonly completion: number };
  readonly top_flags: readonly OverviewTop[];
  readonly top_models: readonly OverviewTop[];
  readonly top_agents: readonly (OverviewTop & { readonly id: string })[];
  readonly your_turn: YourTurn;
  readonly agents: {
    readonly total: number;
    /** By health band: `healthy`, `watch` … `unknown` for those nobody has computed yet. */
    readonly by_band: Readonly<Record<string, number>>;
    readonly restricted: number;
    readonly suspended: number;
  };
  readonly active_restrictions: number;
  readonly kill_switch: {
    readonly on: boolean;
    readonly switches: readonly { readonly id: string; readonly level: string; readonly target: string | null }[];
  };
  /** Records that are not counted yet; 0 as a rule. */
  readonly behind: number;
};
