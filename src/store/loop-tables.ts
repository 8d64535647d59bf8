import type { Report } from "#model/report";
import type { WebhookDelivery } from "#model/webhook";
import type { TuningRule } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { ColumnKit } from "./columns";
import type { Job } from "./loop-port";

/* The tables of the loop from a report to a scanner that has changed; `tables.ts` takes them in. */

export const reporting = (kit: ColumnKit) => ({
  report: kit.table("report", {
    id: kit.text().primaryKey(),
    direction: kit.text<Report["direction"]>().notNull(),
    status: kit.text<Report["status"]>().notNull(),
    user_id: kit.text().notNull(),
    token_id: kit.text(),
    agent_id: kit.text(),
    event_id: kit.text(),
    flag_types: kit.json().notNull(),
    user_reason: kit.text(),
    severity_estimate: kit.text<NonNullable<Report["severity_estimate"]>>(),
    reporter_confidence: kit.text<NonNullable<Report["reporter_confidence"]>>(),
    conversation_id: kit.text(),
    share_content: kit.boolean().notNull(),
    questionnaire_section: kit.text().notNull(),
    sealed_content: kit.text(),
    fingerprint: kit.text(),
    llm_verdict: kit.text<NonNullable<Report["llm_verdict"]>>(),
    llm_confidence: kit.real(),
    llm_reasoning: kit.text(),
    tuning_suggestion_id: kit.text(),
    decision: kit.text<NonNullable<Report["decision"]>>(),
    decided_by: kit.text(),
    decided_at: kit.integer(),
    created_at: kit.integer().notNull(),
    updated_at: kit.integer().notNull(),
    closed_at: kit.integer(),
    revision: kit.integer().notNull(),
  }),

  pastEvent: kit.table("past_event", {
    id: kit.text().primaryKey(),
    call_id: kit.text().notNull(),
    user_id: kit.text().notNull(),
    agent_id: kit.text(),
    at: kit.integer().notNull(),
    facts: kit.json().notNull(),
  }),

  job: kit.table("job", {
    id: kit.text().primaryKey(),
    kind: kit.text<Job["kind"]>().notNull(),
    ref: kit.text().notNull(),
    run_at: kit.integer().notNull(),
    attempts: kit.integer().notNull(),
    worker: kit.text(),
    leased_until: kit.integer(),
    error: kit.text(),
  }),
});

export const tuning = (kit: ColumnKit) => ({
  suggestion: kit.table("suggestion", {
    id: kit.text().primaryKey(),
    user_id: kit.text().notNull(),
    agent_id: kit.text(),
    report_ids: kit.json().notNull(),
    kind: kit.text<Suggestion["kind"]>().notNull(),
    effect: kit.text<Suggestion["effect"]>().notNull(),
    change: kit.json().notNull(),
    match: kit.json().notNull(),
    rationale: kit.text().notNull(),
    impact: kit.json().notNull(),
    status: kit.text<Suggestion["status"]>().notNull(),
    approvals: kit.json().notNull(),
    required: kit.integer().notNull(),
    eligible: kit.json().notNull(),
    requested_by: kit.text(),
    request_note: kit.text(),
    requested_at: kit.integer(),
    base_revision: kit.integer().notNull(),
    content_hash: kit.text().notNull(),
    rejected: kit.json(),
    created_by: kit.text(),
    created_at: kit.integer().notNull(),
    updated_at: kit.integer().notNull(),
    expires_at: kit.integer(),
    rule_id: kit.text(),
    revision: kit.integer().notNull(),
  }),

  tuningRule: kit.table("tuning_rule", {
    id: kit.text().primaryKey(),
    user_id: kit.text().notNull(),
    agent_id: kit.text(),
    kind: kit.text<TuningRule["kind"]>().notNull(),
    effect: kit.text<TuningRule["effect"]>().notNull(),
    match: kit.json().notNull(),
    change: kit.json().notNull(),
    mode: kit.text<TuningRule["mode"]>().notNull(),
    status: kit.text<TuningRule["status"]>().notNull(),
    expires_at: kit.integer(),
    hits: kit.integer().notNull(),
    last_hit_at: kit.integer(),
    suggestion_id: kit.text(),
    requested_by: kit.text(),
    approved_by: kit.json().notNull(),
    self_approved: kit.boolean().notNull(),
    revision: kit.integer().notNull(),
    created_at: kit.integer().notNull(),
    ended_at: kit.integer(),
    changed: kit.integer().notNull(),
  }),
});

/** What is said to the world outside, and what was answered to it. */
export const outside = (kit: ColumnKit) => ({
  idempotency: kit.table(
    "idempotency",
    {
      scope: kit.text().notNull(),
      key: kit.text().notNull(),
      fingerprint: kit.text().notNull(),
      status: kit.integer(),
      body: kit.text(),
      created_at: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.scope, it.key] })],
  ),

  /** By the number of the record in the audit log. */
  outbox: kit.table("outbox", {
    seq: kit.integer().primaryKey(),
    record: kit.text().notNull(),
  }),

  /** What receivers were told of, and pages of other processes may not be yet. */
  outboxTold: kit.table("outbox_told", {
    seq: kit.integer().primaryKey(),
    at: kit.integer().notNull(),
  }),

  webhook: kit.table("webhook", {
    id: kit.text().primaryKey(),
    url: kit.text().notNull(),
    events: kit.json().notNull(),
    active: kit.boolean().notNull(),
    sealed_secrets: kit.json().notNull(),
    description: kit.text(),
    disabled_reason: kit.text(),
    created_by: kit.text(),
    created_at: kit.integer().notNull(),
    failing_since: kit.integer(),
  }),

  webhookDelivery: kit.table("webhook_delivery", {
    id: kit.text().primaryKey(),
    webhook_id: kit.text().notNull(),
    event_id: kit.text().notNull(),
    type: kit.text().notNull(),
    payload: kit.text().notNull(),
    state: kit.text<WebhookDelivery["state"]>().notNull(),
    attempts: kit.json().notNull(),
    next_at: kit.integer(),
    created_at: kit.integer().notNull(),
  }),
});
