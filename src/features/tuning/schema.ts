import { GuardError } from "#core/errors";
import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { timestamp } from "#platform/clock";
import { counts } from "#policy/approval/decisions";
import { isActive, TUNING_KINDS, type TuningMatch, type TuningRule } from "#policy/tuning/rule";
import { GivenChange, GivenMatch, SHOWN_HASH } from "#policy/tuning/shape";
import { currentState, isUnused, versionOf } from "#policy/tuning/states";
import { type Approval, SUGGESTION_STATES, type Suggestion, type SuggestionState } from "#policy/tuning/suggestion";
import { ACTIONS, ORIGINS } from "#scan/detector";
import type { Applied } from "./application-service";
import type { ApprovalStatus } from "./approval-service";
import type { RuleOutcome } from "./rule-service";

/* What is sent. */

const closed = { additionalProperties: false } as const;
const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
/** Absent and null are the same. */
const orNothing = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const mode = Type.Optional(
  Type.Union([Type.Literal("monitor"), Type.Literal("enforce")], {
    description: "monitor only records what would have changed.",
  }),
);
const days = Type.Integer({ minimum: 1, maximum: 365, description: "A whole number of days from 1 to 365." });

export const ApprovalRequest = Type.Object(
  { note: orNothing(text(1_000, "At most 1000 characters.")) },
  { ...closed, $id: "TuningApprovalRequest" },
);

export const Application = Type.Object(
  { mode, expires_in_days: Type.Optional(days) },
  { ...closed, $id: "TuningApplication" },
);

export const Rejection = Type.Object(
  { reason: text(200, "Why: at most 200 characters."), comment: orNothing(text(4_000, "At most 4000 characters.")) },
  { ...closed, $id: "TuningRejection" },
);

export const TuningDecision = Type.Object(
  {
    reason: orNothing(text(4_000, "Reason, at most 4000 characters.")),
    comment: orNothing(text(4_000, "The same under another name.")),
    content_hash: Type.Optional(text(64, "content_hash of the change that was read.")),
  },
  { ...closed, $id: "TuningDecision" },
);
export type TuningDecision = Static<typeof TuningDecision>;

export const SuggestionEdit = Type.Object(
  {
    match: Type.Optional(GivenMatch),
    change: Type.Optional(GivenChange),
    note: orNothing(text(1_000, "Reason, for the approver; at most 1000 characters.")),
  },
  { ...closed, $id: "SuggestionEdit" },
);
export type SuggestionEdit = Static<typeof SuggestionEdit>;

export const SuggestionTrial = Type.Object(
  { match: Type.Optional(GivenMatch), change: Type.Optional(GivenChange) },
  { ...closed, $id: "SuggestionTrial" },
);
export type SuggestionTrial = Static<typeof SuggestionTrial>;

export const NewTuningRule = Type.Object(
  {
    match: GivenMatch,
    change: GivenChange,
    mode,
    expires_in_days: Type.Optional(days),
    rationale: Type.Optional(text(1_000, "At most 1000 characters.")),
  },
  { ...closed, $id: "NewTuningRule" },
);

export const TuningRulePatch = Type.Object(
  {
    match: Type.Optional(GivenMatch),
    change: Type.Optional(GivenChange),
    mode,
    expires_in_days: orNothing(days),
  },
  { ...closed, $id: "TuningRulePatch" },
);

const isState = (word: string): word is SuggestionState => SUGGESTION_STATES.some((state) => state === word);

/** `?status=proposed,approved`; undefined for all. Throws `invalid_value`. */
export const statesIn = (given: string | undefined): readonly SuggestionState[] | undefined => {
  if (given === undefined) return undefined;
  const words = given.split(",");
  const states = words.filter(isState);
  if (states.length === words.length) return states;
  throw new GuardError("invalid_value", `status must be one or several of ${SUGGESTION_STATES.join(", ")}.`, {
    param: "status",
  });
};

/* What is answered. */

const Effect = oneOf(["loosen", "tighten"], "loosen lets more pass.");
const Kind = oneOf(TUNING_KINDS);
const Mode = oneOf(["monitor", "enforce"], "monitor only records what would have changed.");
const STRICTER = ["flag", "redact", "block"] as const;
/** By id to gateway tokens, by e-mail address to signed-in people. */
const Who = Type.String({
  description: "User id for gateway tokens, e-mail address for people.",
  examples: ["eve@example.com"],
});

const MatchResponse = Type.Object(
  {
    types: listOf(Type.String({ examples: ["secret.aws_access_key"] })),
    origins: Type.Optional(listOf(oneOf(ORIGINS))),
    context: Type.Optional(Type.String({ examples: ["messages[*].content"] })),
    value: Type.Optional(
      Type.Object({
        hash: Type.String({ description: "Prefix of a keyed hash.", examples: ["1f0c9a7e"] }),
        of: oneOf(["match", "text"]),
      }),
    ),
    pattern: Type.Optional(Type.String({ examples: ["AKIA[0-9A-Z]{16}"] })),
    keywords: Type.Optional(listOf(Type.String({ examples: ["AKIA"] }))),
  },
  { $id: "TuningMatch", description: "Matching conditions; all given ones must match." },
);

const ChangeResponse = Type.Union(
  [
    Type.Object({ op: Type.Literal("allow") }),
    Type.Object({
      op: Type.Literal("threshold"),
      action: oneOf(STRICTER),
      from: orNull(Type.Number()),
      to: Type.Number(),
    }),
    Type.Object({ op: Type.Literal("action"), from: oneOf(ACTIONS), to: oneOf(ACTIONS) }),
    Type.Object({ op: Type.Literal("detect"), action: oneOf(STRICTER) }),
  ],
  { $id: "TuningChange", description: "What happens to matching findings." },
);

const Amended = Type.Object(
  { op: Type.Literal("amend"), mode: oneOf(["off", "monitor", "enforce"]) },
  { $id: "TuningAmendment", description: "Change of an existing rule." },
);

export const ImpactResponse = Type.Object(
  {
    window_days: Type.Integer(),
    decisions: Type.Integer({ description: "Matching decisions in the window." }),
    would_change: Type.Integer(),
    would_release_confirmed: Type.Integer({
      description:
        "Confirmed findings and golden samples that would no longer be caught. Above 0 the change cannot be applied.",
      examples: [0],
    }),
    coverage: Type.Number({ description: "0 to 1: share of those decisions that could be re-evaluated." }),
  },
  { $id: "TuningImpact" },
);

/** What an edit would make of a suggestion. */
export const TuningTrial = Type.Object(
  {
    object: Type.Literal("tuning_trial"),
    kind: Kind,
    effect: Effect,
    change: ChangeResponse,
    match: MatchResponse,
    impact: ImpactResponse,
  },
  { $id: "TuningTrial" },
);
export type TuningTrial = Static<typeof TuningTrial>;

const ApprovalResponse = Type.Object(
  {
    by: Who,
    decision: oneOf(["approve", "deny"]),
    comment: orNull(Type.String()),
    alone: Type.Boolean({ description: "Decided by one person: no other was eligible." }),
    at: Moment,
    counts: Type.Boolean({ description: "False after an edit or a new request." }),
  },
  { $id: "TuningApproval" },
);

export const SuggestionResponse = Type.Object(
  {
    id: Id,
    agent_id: orNull(Type.String()),
    user_id: Type.String(),
    report_ids: listOf(Type.String()),
    effect: Effect,
    kind: Kind,
    change: Type.Union([ChangeResponse, Amended]),
    match: MatchResponse,
    rationale: Type.String(),
    impact: ImpactResponse,
    status: oneOf(SUGGESTION_STATES),
    approval: orNull(
      Type.Object({
        required: Type.Integer(),
        eligible: Type.Integer({ description: "Number of eligible approvers." }),
        requested_by: orNull(Who),
        requested_at: Moment,
        note: orNull(Type.String()),
        approvals: listOf(ApprovalResponse),
      }),
    ),
    rejected: orNull(Type.Object({ by: Who, reason: Type.String(), comment: orNull(Type.String()) })),
    base_revision: Type.Integer({ description: "Policy revision the suggestion is based on." }),
    content_hash: Type.String(),
    created_by: orNull(Who),
    created_at: Moment,
    updated_at: Moment,
    expires_at: orNull(Moment),
    rule_id: orNull(Type.String()),
  },
  { $id: "TuningSuggestion", description: "A suggested change of the scanner that would have avoided a mistake." },
);
export type SuggestionResponse = Static<typeof SuggestionResponse>;
export const SuggestionPage = pageSchema(SuggestionResponse);

/** Whom people know the ids as. */
const NAMED = {
  agent: orNull(Type.String({ description: "The agent's name." })),
  user: Type.String({ description: "An e-mail address." }),
};
const Handling = Type.Boolean({
  description: "Whether the current user may request approval, apply, edit, reject and roll back.",
});

export const NamedSuggestion = Type.Object(
  { ...SuggestionResponse.properties, ...NAMED },
  { $id: "NamedTuningSuggestion" },
);
export type NamedSuggestion = Static<typeof NamedSuggestion>;
export const NamedSuggestionPage = pageSchema(NamedSuggestion);

export const StatusResponse = Type.Object(
  {
    status: oneOf(SUGGESTION_STATES),
    required: Type.Integer(),
    eligible: Type.Integer(),
    approvals: listOf(ApprovalResponse),
    can_apply: Type.Boolean(),
    blocking: listOf(Type.String({ description: "Blocking requirements.", examples: ["approval_required"] })),
    expires_at: orNull(Moment),
  },
  { $id: "TuningApprovalStatus" },
);
export type StatusResponse = Static<typeof StatusResponse>;

/** For the reader: whether they may decide. */
export const Deciding = Type.Object(
  { allowed: Type.Boolean(), alone: Type.Boolean(), why: orNull(Type.String()) },
  { $id: "Deciding" },
);
export type Deciding = Static<typeof Deciding>;

export const ReadSuggestion = Type.Object(
  {
    ...NamedSuggestion.properties,
    approval_status: Type.Object({ ...StatusResponse.properties, eligible_people: listOf(Who) }),
    handling: Handling,
    deciding: Type.Optional(Deciding),
  },
  { $id: "ReadTuningSuggestion" },
);
export type ReadSuggestion = Static<typeof ReadSuggestion>;

export const RuleResponse = Type.Object(
  {
    id: Id,
    agent_id: orNull(Type.String()),
    user_id: Type.String(),
    kind: Kind,
    effect: Effect,
    match: MatchResponse,
    change: ChangeResponse,
    mode: Mode,
    status: oneOf(["active", "reverted", "lapsed"]),
    expires_at: orNull(Moment),
    hits: Type.Integer(),
    last_hit_at: orNull(Moment),
    unused: Type.Boolean({ description: "No hit for 60 days." }),
    suggestion_id: orNull(Type.String()),
    requested_by: orNull(Who),
    approved_by: listOf(Who),
    self_approved: Type.Boolean({ description: "Approved by the only administrator, who was involved." }),
    revision: Type.Integer({ description: "Policy revision of its last change." }),
    created_at: Moment,
    ended_at: orNull(Moment),
  },
  { $id: "TuningRule" },
);
export type RuleResponse = Static<typeof RuleResponse>;
export const RulePage = pageSchema(RuleResponse);

export const NamedRule = Type.Object(
  { ...RuleResponse.properties, ...NAMED, handling: Handling },
  { $id: "NamedTuningRule" },
);
export type NamedRule = Static<typeof NamedRule>;
export const NamedRulePage = pageSchema(NamedRule);

export const AppliedResponse = Type.Object(
  {
    status: Type.Literal("applied"),
    suggestion_id: Type.String(),
    rule: RuleResponse,
    policy_revision: Type.Integer(),
    tuning_revision: Type.Integer(),
  },
  { $id: "TuningApplied" },
);
export type AppliedResponse = Static<typeof AppliedResponse>;

/* How it is answered. */

/** How people are named: by id to gateway tokens, by e-mail address to signed-in people. */
export type TuningNames = (userId: string) => string;

export const BY_ID: TuningNames = (userId) => userId;

/** Whom a suggestion that is shown names, those who may decide on it among them. */
export const peopleOfSuggestion = (it: Suggestion): (string | null)[] => [
  ...[it.user_id, it.requested_by, it.created_by, it.rejected?.by ?? null],
  ...it.approvals.map(({ by }) => by),
  ...it.eligible,
];

/** Whom a rule that is shown names. */
export const peopleOfRule = ({ user_id, requested_by, approved_by }: TuningRule): (string | null)[] => [
  user_id,
  requested_by,
  ...approved_by,
];

const timeOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at));
const nameOrNull = (id: string | null, names: TuningNames): string | null => (id === null ? null : names(id));

/** Of hashes only so much that two can be told apart. */
export const matchResponse = ({ value, ...match }: TuningMatch) => ({
  ...match,
  ...(value && { value: { hash: value.hash.slice(0, SHOWN_HASH), of: value.of } }),
});

export const suggestionResponse = (it: Suggestion, now: number, names: TuningNames): SuggestionResponse => ({
  id: it.id,
  agent_id: it.agent_id,
  user_id: it.user_id,
  report_ids: it.report_ids,
  effect: it.effect,
  kind: it.kind,
  change: it.change,
  match: matchResponse(it.match),
  rationale: it.rationale,
  impact: it.impact,
  status: currentState(it, now),
  approval:
    it.requested_at === null
      ? null
      : {
          required: it.required,
          eligible: it.eligible.length,
          requested_by: nameOrNull(it.requested_by, names),
          requested_at: timestamp(it.requested_at),
          note: it.request_note,
          approvals: it.approvals.map((one) => approvalResponse(one, it, names)),
        },
  rejected: it.rejected && { ...it.rejected, by: names(it.rejected.by) },
  base_revision: it.base_revision,
  content_hash: it.content_hash,
  created_by: nameOrNull(it.created_by, names),
  created_at: timestamp(it.created_at),
  updated_at: timestamp(it.updated_at),
  expires_at: timeOrNull(it.expires_at),
  rule_id: it.rule_id,
});

const approvalResponse = (
  { by, decision, comment, alone, at, content_hash }: Approval,
  it: Pick<Suggestion, "content_hash" | "requested_at">,
  names: TuningNames,
) => ({
  by: names(by),
  decision,
  comment,
  alone,
  at: timestamp(at),
  /** Not once the change is another, or was asked for anew. */
  counts: counts({ content_hash, at }, versionOf(it)),
});

export const statusResponse = (it: Suggestion, status: ApprovalStatus, names: TuningNames): StatusResponse => ({
  status: status.status,
  required: status.required,
  eligible: status.eligible.length,
  approvals: status.approvals.map((one) => approvalResponse(one, it, names)),
  can_apply: status.can_apply,
  blocking: status.blocking,
  expires_at: timeOrNull(status.expires_at),
});

export const ruleResponse = (it: TuningRule, now: number, names: TuningNames): RuleResponse => ({
  id: it.id,
  agent_id: it.agent_id,
  user_id: it.user_id,
  kind: it.kind,
  effect: it.effect,
  match: matchResponse(it.match),
  change: it.change,
  mode: it.mode,
  status: it.status === "active" && !isActive(it, now) ? "lapsed" : it.status,
  expires_at: timeOrNull(it.expires_at),
  hits: it.hits,
  last_hit_at: timeOrNull(it.last_hit_at),
  /** Nothing has met it for 60 days: it could go. */
  unused: isUnused(it, now),
  suggestion_id: it.suggestion_id,
  requested_by: nameOrNull(it.requested_by, names),
  approved_by: it.approved_by.map(names),
  self_approved: it.self_approved,
  revision: it.revision,
  created_at: timestamp(it.created_at),
  ended_at: timeOrNull(it.ended_at),
});

/** A rule's revision is the policy revision it came with, and the one its subject's tuning last changed at. */
export const appliedResponse = ({ suggestion, rule }: Applied, now: number, names: TuningNames): AppliedResponse => ({
  status: "applied",
  suggestion_id: suggestion.id,
  rule: ruleResponse(rule, now, names),
  policy_revision: rule.revision,
  tuning_revision: rule.revision,
});

/** 202 for what waits for somebody else. */
export const outcomeResponse = (outcome: RuleOutcome, now: number, names: TuningNames, status = 200) =>
  outcome.kind === "in_force"
    ? { status, body: ruleResponse(outcome.rule, now, names) }
    : { status: 202, body: suggestionResponse(outcome.suggestion, now, names) };
