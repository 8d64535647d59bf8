import type { Report } from "#core/report";
import type { TuningRule } from "#core/tuning/rule";
import type { Suggestion } from "#core/tuning/suggestion";
import type { WebhookDelivery } from "#core/webhook";
import type { ColumnKit } from "./columns";
import type { Job } from "./loop-port";

/* The tables of the loop from a report to a scanner that has changed; `tables.ts` takes them in. */

export const reporting = (kit: ColumnKit) => ({
  report: kit.table("report", {
    id: kit.text("id").primaryKey(),
    direction: kit.text<Report["direction"]>("direction").notNull(),
    status: kit.text<Report["status"]>("status").notNull(),
    userId: kit.text("user_id").notNull(),
    tokenId: kit.text("token_id"),
    agentId: kit.text("agent_id"),
    eventId: kit.text("event_id"),
    flagTypes: kit.json("flag_types").notNull(),
    userReason: kit.text("user_reason"),
    severityEstimate: kit.text<NonNullable<Report["severity_estimate"]>>("severity_estimate"),
    reporterConfidence: kit.text<NonNullable<Report["reporter_confidence"]>>("reporter_confidence"),
    conversationId: kit.text("conversation_id"),
    shareContent: kit.boolean("share_content").notNull(),
    questionnaireSection: kit.text("questionnaire_section").notNull(),
    sealedContent: kit.text("sealed_content"),
    llmVerdict: kit.text<NonNullable<Report["llm_verdict"]>>("llm_verdict"),
    llmConfidence: kit.real("llm_confidence"),
    llmReasoning: kit.text("llm_reasoning"),
    tuningSuggestionId: kit.text("tuning_suggestion_id"),
    decision: kit.text<NonNullable<Report["decision"]>>("decision"),
    decidedBy: kit.text("decided_by"),
    decidedAt: kit.integer("decided_at"),
    createdAt: kit.integer("created_at").notNull(),
    updatedAt: kit.integer("updated_at").notNull(),
    closedAt: kit.integer("closed_at"),
    revision: kit.integer("revision").notNull(),
  }),

  pastEvent: kit.table("past_event", {
    id: kit.text("id").primaryKey(),
    callId: kit.text("call_id").notNull(),
    userId: kit.text("user_id").notNull(),
    agentId: kit.text("agent_id"),
    at: kit.integer("at").notNull(),
    facts: kit.json("facts").notNull(),
  }),

  job: kit.table("job", {
    id: kit.text("id").primaryKey(),
    kind: kit.text<Job["kind"]>("kind").notNull(),
    ref: kit.text("ref").notNull(),
    runAt: kit.integer("run_at").notNull(),
    attempts: kit.integer("attempts").notNull(),
    worker: kit.text("worker"),
    leasedUntil: kit.integer("leased_until"),
    error: kit.text("error"),
  }),
});

export const tuning = (kit: ColumnKit) => ({
  suggestion: kit.table("suggestion", {
    id: kit.text("id").primaryKey(),
    userId: kit.text("user_id").notNull(),
    agentId: kit.text("agent_id"),
    reportIds: kit.json("report_ids").notNull(),
    kind: kit.text<Suggestion["kind"]>("kind").notNull(),
    effect: kit.text<Suggestion["effect"]>("effect").notNull(),
    change: kit.json("change").notNull(),
    match: kit.json("match").notNull(),
    rationale: kit.text("rationale").notNull(),
    impact: kit.json("impact").notNull(),
    status: kit.text<Suggestion["status"]>("status").notNull(),
    approvals: kit.json("approvals").notNull(),
    required: kit.integer("required").notNull(),
    eligible: kit.json("eligible").notNull(),
    requestedBy: kit.text("requested_by"),
    requestNote: kit.text("request_note"),
    requestedAt: kit.integer("requested_at"),
    baseRevision: kit.integer("base_revision").notNull(),
    contentHash: kit.text("content_hash").notNull(),
    rejected: kit.json("rejected"),
    createdBy: kit.text("created_by"),
    createdAt: kit.integer("created_at").notNull(),
    updatedAt: kit.integer("updated_at").notNull(),
    expiresAt: kit.integer("expires_at"),
    ruleId: kit.text("rule_id"),
    revision: kit.integer("revision").notNull(),
  }),

  tuningRule: kit.table("tuning_rule", {
    id: kit.text("id").primaryKey(),
    userId: kit.text("user_id").notNull(),
    agentId: kit.text("agent_id"),
    kind: kit.text<TuningRule["kind"]>("kind").notNull(),
    effect: kit.text<TuningRule["effect"]>("effect").notNull(),
    match: kit.json("match").notNull(),
    change: kit.json("change").notNull(),
    mode: kit.text<TuningRule["mode"]>("mode").notNull(),
    status: kit.text<TuningRule["status"]>("status").notNull(),
    expiresAt: kit.integer("expires_at"),
    hits: kit.integer("hits").notNull(),
    lastHitAt: kit.integer("last_hit_at"),
    suggestionId: kit.text("suggestion_id"),
    requestedBy: kit.text("requested_by"),
    approvedBy: kit.json("approved_by").notNull(),
    selfApproved: kit.boolean("self_approved").notNull(),
    revision: kit.integer("revision").notNull(),
    createdAt: kit.integer("created_at").notNull(),
    endedAt: kit.integer("ended_at"),
    changed: kit.integer("changed").notNull(),
  }),
});

/** What is said to the world outside, and what was answered to it. */
export const outside = (kit: ColumnKit) => ({
  idempotency: kit.table(
    "idempotency",
    {
      scope: kit.text("scope").notNull(),
      key: kit.text("key").notNull(),
      fingerprint: kit.text("fingerprint").notNull(),
      status: kit.integer("status"),
      body: kit.text("body"),
      createdAt: kit.integer("created_at").notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.scope, it.key] })],
  ),

  /** By the number of the record in the audit log. */
  outbox: kit.table("outbox", {
    seq: kit.integer("seq").primaryKey(),
    record: kit.text("record").notNull(),
  }),

  webhook: kit.table("webhook", {
    id: kit.text("id").primaryKey(),
    url: kit.text("url").notNull(),
    events: kit.json("events").notNull(),
    active: kit.boolean("active").notNull(),
    sealedSecrets: kit.json("sealed_secrets").notNull(),
    description: kit.text("description"),
    disabledReason: kit.text("disabled_reason"),
    createdBy: kit.text("created_by"),
    createdAt: kit.integer("created_at").notNull(),
    failingSince: kit.integer("failing_since"),
  }),

  webhookDelivery: kit.table("webhook_delivery", {
    id: kit.text("id").primaryKey(),
    webhookId: kit.text("webhook_id").notNull(),
    eventId: kit.text("event_id").notNull(),
    type: kit.text("type").notNull(),
    payload: kit.text("payload").notNull(),
    state: kit.text<WebhookDelivery["state"]>("state").notNull(),
    attempts: kit.json("attempts").notNull(),
    nextAt: kit.integer("next_at"),
    createdAt: kit.integer("created_at").notNull(),
  }),
});
