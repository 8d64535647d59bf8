/** What waits for a decision of a person. */
export const WAITING_KINDS = [
  "review",
  "tuning",
  "policy",
  "held_call",
  "rebaseline",
  "tool_definition",
  "report",
] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

/** Who has taken up what waits. It binds nobody: who may decide stays as it is. */
export type Assignee = {
  readonly kind: WaitingKind;
  readonly subject_id: string;
  readonly user_id: string;
  /** Unix milliseconds. */
  readonly at: number;
};

/** What a user is told came of what they reported or asked for. */
export const NOTICE_TYPES = [
  "report.reviewed",
  "report.resolved",
  "review.approved",
  "review.changes_requested",
  "review.rejected",
  "tuning.approved",
  "tuning.denied",
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

export type Notice = {
  /** Of the event and the user, so that an event that is told twice makes one notice. */
  readonly id: string;
  readonly user_id: string;
  readonly type: NoticeType;
  readonly subject: "report" | "review" | "suggestion";
  readonly subject_id: string;
  readonly agent_id: string | null;
  /** A verdict, or a state. */
  readonly outcome: string;
  readonly at: number;
  /** Null while the user has not seen it. */
  readonly seen_at: number | null;
};
