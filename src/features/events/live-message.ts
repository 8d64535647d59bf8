/* What `/api/events` sends, as plain types: pages in a browser import them, so this file imports nothing. */

/** What changed, by ids only, never content. Null where the reader may know only that something did. */
export type LiveChange = {
  readonly kind:
    | "agent.changed"
    | "alert.changed"
    | "review.changed"
    | "profile.changed"
    | "report.changed"
    | "tuning.changed"
    | "restriction.changed"
    | "hold.changed"
    | "tool_server.changed"
    | "token.changed"
    | "killswitch.changed"
    | "policy.changed"
    | "provider.changed"
    | "user.changed"
    | "webhook.changed"
    | "health.changed";
  readonly at: string;
  /** What happened, as `review.submit`. */
  readonly type: string;
  readonly subject: string | null;
  readonly subject_id: string | null;
  readonly agent_id: string | null;
};

/** A finished call: what lists of calls show of it. */
export type LiveCall = {
  readonly call_id: string;
  readonly at: string;
  readonly kind: string;
  readonly category: "call" | "other" | "administration";
  readonly decision: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly via: string;
  readonly agent_id: string | null;
  readonly agent: string | null;
  readonly user_id: string | null;
  readonly user: string | null;
  readonly token_id: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly tool: string | null;
  readonly conversation_id: string | null;
  /** Types of its findings. */
  readonly flags: readonly string[];
  readonly total_tokens: number | null;
  readonly cost_usd: number | null;
  readonly cost_basis: string | null;
  readonly total_ms: number | null;
  readonly scan_us: number | null;
};

/** One call, or, where there are more than 20 a second, how many there were. */
export type LiveCalls = {
  readonly kind: "call.finished";
  readonly at: string;
  readonly count: number;
  /** By what became of them. */
  readonly decisions: Readonly<Record<string, number>>;
  /** At most 20. */
  readonly calls: readonly LiveCall[];
};

/** What was missed is not known any more: everything is to be read again. */
export type LiveResync = { readonly kind: "resync"; readonly at: string };

/** The `data:` of each message; its `event:` is the kind. */
export type LiveMessage = LiveChange | LiveCalls | LiveResync;
export type LiveKind = LiveMessage["kind"];
