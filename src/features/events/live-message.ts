/* What `/api/events` sends, as plain types: pages in a browser import them, so this file imports nothing. */

/** What changed, by ids only, never content. Null where the reader may know only that something did. */
export type LiveChange = {
  readonly kind:
    | "agent.changed"
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

/** One call, or, where there are more than 20 a second, how many there were. */
export type LiveCalls = {
  readonly kind: "call.finished";
  readonly at: string;
  readonly count: number;
  /** By what became of them. */
  readonly decisions: Readonly<Record<string, number>>;
  /** At most 20. */
  readonly calls: readonly {
    readonly call_id: string;
    readonly agent_id: string | null;
    readonly kind: string;
    readonly decision: string;
  }[];
};

/** What was missed is not known any more: everything is to be read again. */
export type LiveResync = { readonly kind: "resync"; readonly at: string };

/** The `data:` of each message; its `event:` is the kind. */
export type LiveMessage = LiveChange | LiveCalls | LiveResync;
export type LiveKind = LiveMessage["kind"];
