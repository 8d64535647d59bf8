import type { AuditRecord } from "#model/audit";

/** What subscribers receive: what happened, to what, and when. Ids only, never content. */
export type HubEvent = {
  /** The same at each delivery of an event, so that receivers recognise repetitions. */
  readonly id: string;
  readonly type: EventType;
  /** Unix milliseconds. */
  readonly at: number;
  readonly agent_id: string | null;
  readonly user_id: string | null;
  /** What it happened to: `review`, `restriction` … */
  readonly subject: string;
  readonly subject_id: string;
};

/** Every event type with its meaning. */
export const EVENTS = {
  "agent.created": "An agent was registered.",
  "agent.updated": "An agent's name, description, environment or sponsor changed.",
  "agent.owner_changed": "An agent has a new owner.",
  "agent.suspended": "An agent was suspended: its calls are refused.",
  "agent.resumed": "An agent was resumed.",
  "agent.retired": "An agent was retired for good.",
  "alert.fired": "An alert fires.",
  "alert.resolved": "An alert that had fired is over.",
  "budget.warned": "Three quarters, or 95 %, of a budget are spent. At most one event each in a day, week or month.",
  "call.blocked.summary":
    "Calls of an agent, or of a user without an agent, were blocked in the last five minutes. One event for all of them.",
  "drift.changed": "An agent's drift status changed.",
  "health.band_changed": "An agent's health band changed.",
  "hold.created": "A tool call is held for approval.",
  "hold.approved": "A held tool call was approved.",
  "hold.denied": "A held tool call was denied.",
  "killswitch.on": "A kill switch was activated.",
  "killswitch.off": "A kill switch was deactivated.",
  "mcp.tool.definition_changed": "A tool's definition at its tool server changed.",
  "notice.created":
    "A user has a notice: their report was judged or decided, or their agent's review or tuning suggestion was. `data.user_id` is the user.",
  "policy.approval_requested": "A looser baseline policy needs approval by another person.",
  "policy.changed": "A new baseline policy is in force.",
  "policy.rejected": "A looser baseline policy was rejected or withdrawn.",
  "policy.outdated": "A looser baseline policy can no longer be approved: the one in force has changed since.",
  "profile.published": "A profile of an agent came into force.",
  "profile.revoked": "An agent's profile was revoked.",
  "report.created": "A user or agent reported a wrong block or a miss.",
  "report.reviewed": "A report has a verdict, or needs one by a person.",
  "report.resolved": "A report was closed.",
  "restriction.applied": "An agent was restricted, by a person or automatically.",
  "restriction.confirmed": "All enforcement points confirmed a restriction; no open call began before it.",
  "restriction.lifted": "A restriction was lifted before its end.",
  "review.submitted": "A review was submitted for approval.",
  "review.changes_requested": "A reviewer requested changes of a review.",
  "review.approved": "A review has all required approvals.",
  "review.rejected": "A review was rejected.",
  "review.withdrawn": "A review was withdrawn, or not changed for 30 days.",
  "system.reviewer_untrusted":
    "The reviewer model misjudged a known case. It judges no more reports until a person resumes it.",
  "token.created": "A gateway token was issued or imported.",
  "token.rotated": "A gateway token was replaced.",
  "token.disabled": "A gateway token was disabled.",
  "token.enabled": "A gateway token was enabled again.",
  "token.revoked": "A gateway token was revoked for good.",
  "tuning.suggested": "A tuning suggestion was made.",
  "tuning.approval_requested": "A tuning suggestion needs approval.",
  "tuning.approved": "A tuning suggestion was approved.",
  "tuning.denied": "A tuning suggestion was denied.",
  "tuning.rejected": "The owner rejected a tuning suggestion.",
  "tuning.applied": "A tuning rule is in force.",
  "tuning.reverted": "A tuning rule was rolled back.",
  "tuning.lapsed": "A tuning rule expired.",
  "webhook.disabled": "The hub disabled a webhook because its receiver does not answer.",
  "webhook.test": "A test event. Sent only to the tested webhook, whatever its subscription.",
} as const;

export type EventType = keyof typeof EVENTS;

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text);

/** `report.created` is that one, `report.*` all below, `*` all there are. */
export const isSubscribed = (patterns: readonly string[], type: EventType): boolean =>
  patterns.some((pattern) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : pattern === type));

/** Whether a pattern names any event at all. A star stands for whole words. */
export const isPattern = (text: string): boolean => {
  if (!text.endsWith("*")) return isEventType(text);
  return (
    (text === "*" || text.endsWith(".*")) && Object.keys(EVENTS).some((type) => type.startsWith(text.slice(0, -1)))
  );
};

/** Every pattern there is: all, those below a word, single types. */
export const EVENT_PATTERNS: readonly string[] = [
  "*",
  ...new Set(
    Object.keys(EVENTS).flatMap((type) => [...type.matchAll(/\./g)].map(({ index }) => `${type.slice(0, index)}.*`)),
  ),
  ...Object.keys(EVENTS),
];

type Detail = Readonly<Record<string, unknown>>;
type Tells = EventType | ((detail: Detail) => readonly EventType[]);

const hasAny = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

const BY_STATUS: Readonly<Record<string, EventType>> = {
  approved: "review.approved",
  rejected: "review.rejected",
  changes_requested: "review.changes_requested",
};

const decided = ({ status, profile }: Detail): readonly EventType[] => {
  const type = BY_STATUS[String(status)];
  return [...(type ? [type] : []), ...(profile ? (["profile.published"] as const) : [])];
};

/** Kinds of audit records, and the events they tell of. A kind that is not here tells of none. */
const TOLD: ReadonlyMap<string, Tells> = new Map<string, Tells>([
  ["agent.create", "agent.created"],
  ["agent.update", ({ owner_id }) => [owner_id === undefined ? "agent.updated" : "agent.owner_changed"]],
  ["agent.suspend", "agent.suspended"],
  ["agent.resume", "agent.resumed"],
  ["agent.retire", "agent.retired"],
  ["alert.fire", "alert.fired"],
  ["alert.resolve", "alert.resolved"],
  ["budget.warn", "budget.warned"],
  ["hold.create", "hold.created"],
  ["hold.decide", ({ state }) => [state === "approved" ? "hold.approved" : "hold.denied"]],
  ["killswitch.on", "killswitch.on"],
  ["killswitch.off", "killswitch.off"],
  ["policy.adopt", "policy.changed"],
  ["policy.edit", "policy.changed"],
  ["policy.restore", "policy.changed"],
  ["policy.propose", "policy.approval_requested"],
  ["policy.reject", "policy.rejected"],
  ["policy.outdate", "policy.outdated"],
  ["profile.publish", "profile.published"],
  ["profile.revoke", "profile.revoked"],
  ["report.create", "report.created"],
  ["report.reviewed", "report.reviewed"],
  ["report.needs_human", "report.reviewed"],
  ["report.decide", "report.resolved"],
  ["report.withdraw", "report.resolved"],
  ["restriction.set", "restriction.applied"],
  // Streams are the last to hold.
  [
    "restriction.confirm",
    ({ points }) => (Array.isArray(points) && points.includes("streams") ? ["restriction.confirmed"] : []),
  ],
  ["restriction.lift", "restriction.lifted"],
  ["review.submit", "review.submitted"],
  ["review.edit", ({ status }) => (status === "submitted" ? ["review.submitted"] : [])],
  ["review.decide", decided],
  ["review.withdraw", "review.withdrawn"],
  ["token.create", "token.created"],
  ["token.import", "token.created"],
  ["token.rotate", "token.rotated"],
  ["token.disable", "token.disabled"],
  ["token.enable", "token.enabled"],
  ["token.revoke", "token.revoked"],
  ["tool_server.see", ({ changed }) => (hasAny(changed) ? ["mcp.tool.definition_changed"] : [])],
  ["tuning.suggest", "tuning.suggested"],
  ["tuning.request", "tuning.approval_requested"],
  ["tuning.edit", "tuning.approval_requested"],
  // The last of several approvals is the one that counts.
  ["tuning.approve", ({ status }) => (status === "approved" ? ["tuning.approved"] : [])],
  ["tuning.deny", "tuning.denied"],
  ["tuning.reject", "tuning.rejected"],
  ["tuning.apply", "tuning.applied"],
  ["tuning.revert", "tuning.reverted"],
  ["tuning.lapse", "tuning.lapsed"],
  ["webhook.disable", "webhook.disabled"],
]);

/** The events a record tells of; none for most. */
export const eventsOf = (record: AuditRecord): readonly HubEvent[] => {
  const { change, actor } = record;
  const tells = TOLD.get(record.kind);
  if (!change || !tells) return [];
  const types = typeof tells === "string" ? [tells] : tells(change.detail);
  return types.map((type, index) => ({
    // Made of the record's, so that a record read twice tells of the same event twice.
    id: index === 0 ? record.id : `${record.id}-${index + 1}`,
    type,
    at: Date.parse(record.at),
    agent_id: agentOf(record, change),
    user_id: actor.user_id,
    subject: change.subject,
    subject_id: change.subject_id,
  }));
};

const agentOf = ({ actor }: AuditRecord, { subject, subject_id, detail }: NonNullable<AuditRecord["change"]>) => {
  if (subject === "agent") return subject_id;
  if (subject === "kill_switch") return detail["level"] === "agent" ? String(detail["target"]) : null;
  const named = detail["agent_id"];
  return typeof named === "string" || named === null ? named : actor.agent_id;
};
