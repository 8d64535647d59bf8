import type { Hold } from "#model/hold";
import type { KeptContent } from "#model/kept-content";
import type { ProfileBody } from "#policy/profile/profile";
import type { KillSwitch, Restriction } from "#policy/restrictions/restriction";
import type { Answers } from "#policy/review/questionnaire";
import type { Review, ReviewComment, ReviewDecision } from "#policy/review/review";
import type { ProfileRow } from "#store/governance-port";
import type { ConfigStore } from "#store/repositories/all";
import { BOB, BOT, withPeople } from "#test/store/contract";
import { someRecord } from "#test/store/records";

/* Rows of each kind that governs agents. */

export const ANSWERS: Answers = {
  ownership: { sponsor: "bob@example.com" },
  purpose: { intended_use: "Answers customers.", audience: "customer" },
  data_privacy: { data_classes: ["internal"] },
  models: { models: ["gpt-*"] },
  tools: { tools: [{ server: "files", tool: "read", effect: "read" }] },
  input_trust: { sources: ["user", "web"] },
  secrets_security: {},
  oversight: { autonomy: "act_with_approval" },
  monitoring: {},
};

export const DRAFT: Review = {
  id: "r1",
  agent_id: "a1",
  number: 1,
  status: "draft",
  answers: {},
  content_hash: null,
  risk: null,
  changes: [],
  submitted_by: null,
  submitted_at: null,
  required: null,
  eligible: [],
  created_at: 10,
  updated_at: 10,
  revision: 1,
};
export const SUBMITTED: Review = {
  ...DRAFT,
  status: "submitted",
  answers: ANSWERS,
  content_hash: "ab12",
  risk: {
    tier: "medium",
    points: 7,
    parts: [{ name: "audience", answer: "customer", points: 2 }],
    raised: null,
  },
  changes: [{ pointer: "/models/models", material: true }],
  submitted_by: "u1",
  submitted_at: 11,
  required: 1,
  eligible: ["u2"],
  updated_at: 11,
  revision: 2,
};
export const APPROVED: Review = { ...SUBMITTED, status: "approved", updated_at: 12, revision: 3 };

export const APPROVAL: ReviewDecision = {
  id: "d1",
  review_id: "r1",
  by: "u2",
  decision: "approve",
  comment: null,
  content_hash: "ab12",
  alone: false,
  at: 12,
};
export const COMMENT: ReviewComment = {
  id: "c1",
  review_id: "r1",
  by: "u2",
  section: "models",
  text: "Why all of them?",
  at: 11,
};

const QUIET = { enabled: true, mode: "enforce", monitor_until: null, rules: [] } as const;

const BODY: ProfileBody = {
  risk_tier: "medium",
  mode: "enforce",
  preset: "balanced",
  fail_mode: "closed",
  detectors: {
    pii: { ...QUIET, rules: [{ type: "pii.email", origins: ["user"], thresholds: { flag: 0.5, block: 0.9 } }] },
    secrets: { ...QUIET, rules: [] },
    prompt_injection: { ...QUIET, rules: [] },
    tools: { ...QUIET, rules: [] },
    custom: { ...QUIET, rules: [] },
  },
  models: { allow: ["gpt-*"], deny: [], max_output_tokens: null },
  tools: {
    default: "deny",
    allow: ["files__read"],
    effects: { files__read: "read" },
    require_human: [],
    tainted_arguments: "block",
    max_calls_per_conversation: 20,
  },
  data: { classes: ["internal"], regions: [], store_content: "none", retention_days: 30 },
  limits: {
    requests_per_minute: 60,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
    concurrent: 4,
    calls_per_conversation: null,
  },
  egress: { url_allow: null, urls: "flag", images: "redact" },
  streaming: { hold_back_chars: 64 },
  block_response: "error",
  disclosure: null,
  tunable: { max_threshold_delta: 0.1 },
};

export const profileOf = (version: number, change: Partial<ProfileRow> = {}): ProfileRow => ({
  id: `f${version}`,
  agent_id: "a1",
  version,
  content_hash: `hash of ${version}`,
  review_id: null,
  body: BODY,
  approved_by: ["u2"],
  effective_from: 12,
  ...change,
});

export const SLOWED: Restriction = {
  id: "x1",
  agent_id: "a1",
  kind: "rate_limited",
  params: { requests_per_minute: 5 },
  source: "automatic",
  set_by: null,
  trigger: { rule: "blocked-rate", evidence_event_ids: ["e1"], metrics: { rate: 0.25 } },
  reason: "Too much was blocked.",
  starts_at: 20,
  expires_at: 90,
  lifted_at: null,
  lifted_by: null,
  lift_reason: null,
  receipts: [],
};
export const KILLED: KillSwitch = {
  id: "k1",
  level: "agent",
  target: "a1",
  reason: "It runs wild.",
  set_by: "u1",
  set_at: 30,
  lifted_at: null,
  lifted_by: null,
  lift_reason: null,
  receipts: [],
};
export const HELD: Hold = {
  id: "h1",
  agent_id: "a1",
  user_id: "u1",
  tool: "mail__send",
  call_hash: "cafe",
  cause: "human_approval",
  layer: "profile v3",
  event_id: "e1",
  sealed_arguments: "v1.x.y.z",
  state: "waiting",
  created_at: 40,
  expires_at: 100,
  decided_by: null,
  decided_at: null,
};
export const KEPT: KeptContent = {
  id: "n1",
  call_id: "call-1",
  event_id: "e1",
  user_id: "u1",
  agent_id: "a1",
  purpose: "blocked",
  sealed: "v1.x.y.z",
  created_at: 50,
  expires_at: 60,
};

/** Two people, and three agents of the first. */
export const withAgents = async (store: ConfigStore): Promise<void> => {
  await withPeople(store);
  await store.users.create(BOB, null, someRecord());
  await store.agents.create({ ...BOT, id: "a2", name: "other" }, someRecord());
  await store.agents.create({ ...BOT, id: "a3", name: "third" }, someRecord());
};
