import type { Requirement } from "./requirement";

/** What is promised of registered agents, their profiles, use, health and drift. */
export const AGENTS: readonly Requirement[] = [
  {
    id: "health.cheap-rounds",
    promise:
      "Every five minutes health is computed of agents about which anything is new, and of the others each hour.",
    source: "docs/spec/agents.md#background-work",
  },
  {
    id: "sync.only-changes",
    promise:
      "When a provider or a tool server changes, a running hub reads its tools and connects it anew, and no other one.",
    source: "docs/spec/agents.md#background-work",
  },
  {
    id: "health.short-turns",
    promise: "A health round writes few rows at a time, and calls are served between its writes.",
    source: "docs/spec/agents.md#background-work",
  },
  {
    id: "agents.one-review",
    promise: "An agent has at most one review going on.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.review-cas",
    promise: "Of two who change a review that both have read one succeeds, and the other is told.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.publish-whole",
    promise:
      "A decision, the profile it makes and the agent's new state come into force in one step with their record, or not at all.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.profile-versions",
    promise: "An agent's profiles are numbered from 1 without a gap, each number once, and none is ever changed.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.lift-once",
    promise: "A restriction is lifted once; who lifted it, when and why stays.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.kill-once",
    promise: "A kill switch is on once for each level and target, and is switched off once.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.hold-once",
    promise: "A held call is decided once and passes once, on an approval that has not run out, among all processes.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.usage-sums",
    promise: "Usage is the sum of what was added, however it was split among batches and processes.",
    source: "docs/spec/agents.md#usage",
  },
  {
    id: "agents.usage-waits-for-nobody",
    promise: "Counting calls and keeping their content never makes calls wait for a lock.",
    source: "docs/spec/agents.md#usage",
  },
  {
    id: "agents.content-expires",
    promise: "What is kept of calls is gone once it has expired, and the audit log does not need it.",
    source: "docs/spec/agents.md#stored-governance-data",
  },
  {
    id: "agents.damage-refused",
    promise:
      "What governs agents is checked when it is read: damaged, it is refused, with its place and without its content.",
    source: "docs/spec/agents.md#stored-governance-data",
  },
  {
    id: "agents.no-change-without-record",
    promise: "Nothing that governs agents changes without its record in the audit log.",
    source: "docs/spec/agents.md#governance-changes",
  },
  {
    id: "agents.older-database",
    promise: "Agents registered with an earlier version keep working, and can be reviewed.",
    source: "docs/spec/agents.md#stored-governance-data",
  },
  {
    id: "health.formula",
    promise:
      "The health score follows its published formula: the table it was chosen by is reproduced, nothing bad ever raises it.",
    source: "docs/spec/agents.md#the-health-score",
  },
  {
    id: "health.too-little",
    promise: "Under 50 calls in seven days there is no score, under 200 one with low confidence.",
    source: "docs/spec/agents.md#the-health-score",
  },
  {
    id: "health.attacks",
    promise: "Attacks that are blocked do not lower an agent's health.",
    source: "docs/spec/agents.md#the-health-score",
  },
  {
    id: "health.bands",
    promise: "A band changes when its edge is crossed by three points, or twice in a row.",
    source: "docs/spec/agents.md#the-health-score",
  },
  {
    id: "drift.index",
    promise: "The population stability index is zero between equals, finite, symmetric, and loses no count.",
    source: "docs/spec/agents.md#measuring-drift",
  },
  {
    id: "drift.false-alarms",
    promise: "Without drift about one evaluation in a hundred exceeds its threshold, at any sample size.",
    source: "docs/spec/agents.md#measuring-drift",
  },
  {
    id: "drift.power",
    promise:
      "Of samples of 200, a true index of 0.13 is watched in more than 78 of 100, and one of 0.31 called drifting in more than 85.",
    source: "docs/spec/agents.md#measuring-drift",
  },
  {
    id: "drift.levels",
    promise: "One of models, tools and flags, or any two features, make an agent drift.",
    source: "docs/spec/agents.md#measuring-drift",
  },
  {
    id: "drift.first-seen",
    promise: "A model or tool that is new since the baseline, used five times, is said at once.",
    source: "docs/spec/agents.md#measuring-drift",
  },
  {
    id: "drift.hysteresis",
    promise: "Drift rises after two hourly evaluations and falls after six hours.",
    source: "docs/spec/agents.md#measuring-drift",
  },
  {
    id: "drift.acknowledge",
    promise:
      "A reviewer who is not the owner can acknowledge drift or set a new baseline, with a reason; both are on record.",
    source: "docs/spec/agents.md#the-drift-baseline",
  },
  {
    id: "agents.own",
    promise: "Anybody's agent but one's own answers as one that does not exist, except to roles that read all.",
    source: "docs/spec/agents.md#ownership",
  },
  {
    id: "agents.suspended-above",
    promise: "An agent that an administrator or the command line suspended its owner cannot resume.",
    source: "docs/spec/agents.md#life-of-an-agent",
  },
  {
    id: "agents.lifecycle",
    promise:
      "A suspended agent may do nothing until it is resumed; a retired one never again, and its tokens are revoked.",
    source: "docs/spec/agents.md#life-of-an-agent",
  },
  {
    id: "profile.compile",
    promise: "Equal answers compile into equal profiles, and what was not declared is not allowed.",
    source: "docs/spec/agents.md#profiles",
  },
  {
    id: "profile.diff",
    promise:
      "Two versions of a profile are compared place by place, and each change says whether it is stricter or looser.",
    source: "docs/spec/agents.md#profiles",
  },
  {
    id: "review.preview",
    promise:
      "Before a review is approved, the profile its answers compile into is shown, and its changes to the one in force.",
    source: "docs/spec/agents.md#profiles",
  },
  {
    id: "profile.by-hand",
    promise: "An administrator puts a profile in force by hand, and takes one out of force with a reason.",
    source: "docs/spec/agents.md#profiles",
  },
  {
    id: "usage.counted",
    promise:
      "Every finished call of an agent is counted by what its record says, names from outside within bounds, and nothing of its content.",
    source: "docs/spec/agents.md#usage",
  },
  {
    id: "usage.recount",
    promise: "Counting the audit log again gives the same numbers.",
    source: "docs/spec/agents.md#usage",
  },
  {
    id: "usage.crash",
    promise: "What a crash took from the counters is counted again from the audit log, once.",
    source: "docs/spec/agents.md#usage",
  },
  {
    id: "usage.today",
    promise: "Requests and tokens of the day are known at once, also after a restart.",
    source: "docs/spec/agents.md#usage",
  },
  {
    id: "health.owned",
    promise: "Health and profile are shown to the agent and its owner; to every other caller they do not exist.",
    source: "docs/spec/agents.md#reading-health",
  },
  {
    id: "health.answer",
    promise:
      "GET /v1/guard/health/{agent_id} says score, band, drift, restrictions, inputs with explanations, caps and formula, and is audited.",
    source: "docs/spec/agents.md#reading-health",
  },
  {
    id: "health.restart",
    promise: "Health, drift and their trend are the same after a restart.",
    source: "docs/spec/agents.md#reading-health",
  },
  {
    id: "health.trend",
    promise: "Four points a day for seven days are kept, and never rewritten.",
    source: "docs/spec/agents.md#reading-health",
  },
  {
    id: "drift.baseline",
    promise:
      "A baseline is the first 1000 governed calls after approval, or at least 500 of the last 14 days, and frozen for its profile version.",
    source: "docs/spec/agents.md#the-drift-baseline",
  },
  {
    id: "profile.read",
    promise: "GET /v1/guard/agents/{agent_id}/profile is the active profile, or null.",
    source: "docs/spec/agents.md#profiles",
  },
  {
    id: "agents.whole-life",
    promise:
      "From registration to approval, enforcement, an automatic restriction, a kill switch and recovery, every step shows in the record and in the agent's health.",
    source: "docs/spec/agents.md#life-of-an-agent",
  },
];
