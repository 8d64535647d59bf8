import type { Report } from "#model/report";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import type { TuningRule } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { Job } from "#store/loop-port";
import type { ConfigStore } from "#store/repositories/all";
import { TOKEN } from "#test/store/contract";
import { withAgents } from "#test/store/governed";
import { someRecord } from "#test/store/records";

/* Rows of each kind on the way from a report to a scanner that has changed. */

export const REPORT: Report = {
  id: "rep1",
  direction: "false_positive",
  status: "submitted",
  user_id: "u1",
  token_id: "t1",
  agent_id: "a1",
  event_id: "e1",
  flag_types: ["pii.email"],
  user_reason: "It is our own address.",
  severity_estimate: "low",
  reporter_confidence: "certain",
  conversation_id: null,
  share_content: true,
  questionnaire_section: "data_privacy",
  sealed_content: "v1.x.y.z",
  fingerprint: null,
  llm_verdict: null,
  llm_confidence: null,
  llm_reasoning: null,
  tuning_suggestion_id: null,
  decision: null,
  decided_by: null,
  decided_at: null,
  created_at: 1_000,
  updated_at: 1_000,
  closed_at: null,
  revision: 1,
};
export const REVIEWED: Report = {
  ...REPORT,
  status: "reviewed",
  llm_verdict: "false_positive",
  llm_confidence: 0.85,
  llm_reasoning: "A published address.",
  tuning_suggestion_id: "sug1",
  updated_at: 1_100,
  revision: 2,
};

export const JOB: Job = { id: "j1", kind: "report.review", ref: "rep1", run_at: 1_000, attempts: 0 };

const ALLOWED: TuningRule["change"] = { op: "allow" };

export const SUGGESTION: Suggestion = {
  id: "sug1",
  user_id: "u1",
  agent_id: "a1",
  report_ids: ["rep1"],
  kind: "value_exception",
  effect: "loosen",
  change: ALLOWED,
  match: { types: ["pii.email"], origins: ["user"], value: { hash: "cafe", of: "match" } },
  rationale: "One address was blocked that is published.",
  impact: { window_days: 14, decisions: 20, would_change: 1, would_release_confirmed: 0, coverage: 0.5 },
  status: "proposed",
  approvals: [],
  required: 1,
  eligible: ["u2"],
  requested_by: null,
  request_note: null,
  requested_at: null,
  base_revision: 1,
  content_hash: "beef",
  rejected: null,
  created_by: null,
  created_at: 1_100,
  updated_at: 1_100,
  expires_at: null,
  rule_id: null,
  revision: 1,
};
export const APPROVED: Suggestion = {
  ...SUGGESTION,
  status: "approved",
  approvals: [{ by: "u2", decision: "approve", comment: null, content_hash: "beef", alone: false, at: 1_200 }],
  requested_by: "u1",
  request_note: "Please.",
  requested_at: 1_150,
  updated_at: 1_200,
  expires_at: 9_000,
  revision: 2,
};
export const APPLIED: Suggestion = { ...APPROVED, status: "applied", rule_id: "rule1", updated_at: 1_300, revision: 3 };

export const RULE: Omit<TuningRule, "revision"> = {
  id: "rule1",
  user_id: "u1",
  agent_id: "a1",
  kind: SUGGESTION.kind,
  effect: "loosen",
  match: SUGGESTION.match,
  change: ALLOWED,
  mode: "enforce",
  status: "active",
  expires_at: 90_000,
  hits: 0,
  last_hit_at: null,
  suggestion_id: "sug1",
  requested_by: "u1",
  approved_by: ["u2"],
  self_approved: false,
  created_at: 1_300,
  ended_at: null,
};
/** Set directly, on a user's own calls. */
export const STRICTER: Omit<TuningRule, "revision"> = {
  ...RULE,
  id: "rule2",
  agent_id: null,
  kind: "threshold",
  effect: "tighten",
  match: { types: ["injection"], context: "messages[*].content" },
  change: { op: "threshold", action: "block", from: null, to: 0.6 },
  expires_at: null,
  suggestion_id: null,
  approved_by: [],
  created_at: 1_400,
};

export const WEBHOOK: Webhook = {
  id: "w1",
  url: "https://hooks.example/in",
  events: ["report.*", "tuning.applied"],
  active: true,
  sealed_secrets: ["v1.x.y.z"],
  description: null,
  disabled_reason: null,
  created_by: "u1",
  created_at: 2_000,
  failing_since: null,
};
export const DELIVERY: WebhookDelivery = {
  id: "d1",
  webhook_id: "w1",
  event_id: "msg1",
  type: "report.created",
  payload: '{"id":"rep1"}',
  state: "pending",
  attempts: [],
  next_at: 2_100,
  created_at: 2_100,
};
export const DELIVER: Job = { id: "j9", kind: "webhook.deliver", ref: "d1", run_at: 2_100, attempts: 0 };

/** Two people, three agents, a token, and a policy. */
export const withPolicy = async (store: ConfigStore): Promise<void> => {
  await withAgents(store);
  await store.tokens.create(TOKEN, someRecord());
  await store.policies.append(0, '{"rules":[]}', 1, someRecord());
};
