import type { AuditRecord } from "#core/audit";

/** What is told to whoever subscribed: that something happened, to what, and when. Ids only, never content. */
export type HubEvent = {
  /** Of one event always the same, so that whoever is told twice can tell. */
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

/** Every event, and what it says. */
export const EVENTS = {
  "agent.created": "An agent was registered.",
  "agent.updated": "Its name, description, environment or sponsor changed.",
  "agent.owner_changed": "It has another owner.",
  "agent.suspended": "It may do nothing for now.",
  "agent.resumed": "It may run again.",
  "agent.retired": "It has ended for good.",
  "call.blocked.summary":
    "In the last five minutes calls of an agent, or of a user without one, were blocked. One event, however many they were.",
  "drift.changed": "What the agent does differs more, or less, from its baseline.",
  "health.band_changed": "The agent's health is in another band.",
  "hold.created": "A tool call waits for a person.",
  "hold.approved": "A person let it pass.",
  "hold.denied": "A person did not.",
  "killswitch.on": "Something was stopped at once.",
  "killswitch.off": "It may go on.",
  "mcp.tool.definition_changed": "A tool server lists a tool otherwise than before.",
  "policy.approval_requested": "A looser baseline policy waits for a second person.",
  "policy.changed": "Another baseline policy is in force.",
  "policy.rejected": "A looser baseline policy was refused, or withdrawn by whoever asked for it.",
  "policy.outdated": "A looser baseline policy can no longer be approved: the one in force has changed since.",
  "profile.published": "A profile came into force for the agent.",
  "profile.revoked": "No profile is in force for it any more.",
  "report.created": "Somebody says that a call was blocked or let pass by mistake.",
  "report.reviewed": "A report has its verdict, or needs a person for one.",
  "report.resolved": "A report is closed.",
  "restriction.applied": "An agent was restricted, by a person or by the hub.",
  "restriction.confirmed": "The restriction holds everywhere; no call is left that began without it.",
  "restriction.lifted": "A restriction was ended before its time.",
  "review.submitted": "A review waits for decisions.",
  "review.changes_requested": "A reviewer wants other answers.",
  "review.approved": "It has all the approvals it needs.",
  "review.rejected": "A reviewer refused it.",
  "review.withdrawn": "It was taken back, or nobody touched it for 30 days.",
  "system.reviewer_untrusted":
    "The model that reads reports got a known case wrong, and reads none until a person lets it go on.",
  "token.created": "A gateway token was issued or taken in.",
  "token.rotated": "It was replaced.",
  "token.disabled": "It is shut out until it is enabled.",
  "token.enabled": "It is let in again.",
  "token.revoked": "It is shut out for good.",
  "tuning.suggested": "A change of the rules was proposed.",
  "tuning.approval_requested": "It waits for a person's approval.",
  "tuning.approved": "A person approved it.",
  "tuning.denied": "A person refused it.",
  "tuning.rejected": "Its owner does not want it.",
  "tuning.applied": "It is in force.",
  "tuning.reverted": "It was taken back.",
  "tuning.lapsed": "Its time ran out.",
  "webhook.disabled": "The hub switched a webhook off because its receiver does not answer.",
  "webhook.test": "Somebody tries the webhook out. Sent to that one only, whatever it subscribes to.",
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
