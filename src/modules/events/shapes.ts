/* What `/api/events` sends, as plain types: pages in a browser import them, so this file imports nothing. */

/** The `event:` of each message. `resync`: what was missed is not known any more, everything is to be read again. */
export type LiveKind =
  | "call.finished"
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
  | "health.changed"
  | "resync";

/** The `data:` of each message but `call.finished`: ids and kinds only, never content. */
export type LiveChange = {
  readonly kind: LiveKind;
  readonly at: string;
  /** What happened, as `review.submitted`; null where only a change is known. */
  readonly type: string | null;
  readonly subject: string | null;
  readonly subject_id: string | null;
  readonly agent_id: string | null;
};

/** The `data:` of `call.finished`: one call, or, where there are more than 20 a second, how many there were. */
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
