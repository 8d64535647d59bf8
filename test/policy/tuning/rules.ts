import type { TuningRule } from "#policy/tuning/rule";

/** A rule in force that lets nothing pass, to be made into one that does. */
export const ruleOf = (given: Partial<TuningRule>): TuningRule => ({
  id: "01a1ffb5-e076-7687-9aef-54a6ab033db5",
  agent_id: "agent-1",
  user_id: "user-1",
  kind: "value_exception",
  effect: "loosen",
  match: { types: ["pii"] },
  change: { op: "allow" },
  mode: "enforce",
  status: "active",
  expires_at: null,
  hits: 0,
  last_hit_at: null,
  suggestion_id: null,
  requested_by: null,
  approved_by: [],
  self_approved: false,
  revision: 1,
  created_at: 0,
  ended_at: null,
  ...given,
});
