import { ACTIONS, ORIGINS } from "#core/scan/detector";
import { type Static, Type } from "#core/schema";
import { TUNING_KINDS } from "#core/tuning/rule";
import { SUGGESTION_STATES } from "#core/tuning/suggestion";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/* What is shown of tuning. What people and callers send is in `schema.ts` and `core/tuning/shape.ts`. */

const Effect = oneOf(["loosen", "tighten"], "loosen lets more pass.");
const Kind = oneOf(TUNING_KINDS);
const Mode = oneOf(["monitor", "enforce"], "monitor changes nothing, and records what it would have changed.");
const STRICTER = ["flag", "redact", "block"] as const;
/** By id to gateway tokens, by e-mail address to signed-in people. */
const Who = Type.String({
  description: "An id for gateway tokens, an e-mail address for people.",
  examples: ["eve@example.com"],
});

const ShownMatch = Type.Object(
  {
    types: listOf(Type.String({ examples: ["secret.aws_access_key"] })),
    origins: Type.Optional(listOf(oneOf(ORIGINS))),
    context: Type.Optional(Type.String({ examples: ["messages[*].content"] })),
    value: Type.Optional(
      Type.Object({
        hash: Type.String({ description: "The beginning of a keyed hash.", examples: ["1f0c9a7e"] }),
        of: oneOf(["match", "text"]),
      }),
    ),
    pattern: Type.Optional(Type.String({ examples: ["AKIA[0-9A-Z]{16}"] })),
    keywords: Type.Optional(listOf(Type.String({ examples: ["AKIA"] }))),
  },
  { $id: "TuningMatch", description: "Which findings it is about. All that is given has to fit." },
);

const ShownChange = Type.Union(
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
  { $id: "TuningChange", description: "What becomes of them." },
);

const Amended = Type.Object(
  { op: Type.Literal("amend"), mode: oneOf(["off", "monitor", "enforce"]) },
  { $id: "TuningAmendment", description: "What becomes of a rule that is there." },
);

export const ShownImpact = Type.Object(
  {
    window_days: Type.Integer(),
    decisions: Type.Integer({ description: "Decisions of the window the change could concern." }),
    would_change: Type.Integer(),
    would_release_confirmed: Type.Integer({
      description: "Confirmed findings and golden samples that would no longer be caught. Above 0 it is never applied.",
      examples: [0],
    }),
    coverage: Type.Number({ description: "0 to 1: the share of those decisions that could be judged again." }),
  },
  { $id: "TuningImpact" },
);

/** What an edit would make of a suggestion. */
export const TuningTrial = Type.Object(
  {
    object: Type.Literal("tuning_trial"),
    ...{ kind: Kind, effect: Effect, change: ShownChange, match: ShownMatch, impact: ShownImpact },
  },
  { $id: "TuningTrial" },
);
export type TuningTrial = Static<typeof TuningTrial>;

const ShownApproval = Type.Object(
  {
    by: Who,
    decision: oneOf(["approve", "deny"]),
    comment: orNull(Type.String()),
    alone: Type.Boolean({ description: "Nobody else could have decided." }),
    at: Moment,
    counts: Type.Boolean({ description: "False once the change is another, or was asked for anew." }),
  },
  { $id: "TuningApproval" },
);

export const ShownSuggestion = Type.Object(
  {
    id: Id,
    agent_id: orNull(Type.String()),
    user_id: Type.String(),
    report_ids: listOf(Type.String()),
    effect: Effect,
    kind: Kind,
    change: Type.Union([ShownChange, Amended]),
    match: ShownMatch,
    rationale: Type.String(),
    impact: ShownImpact,
    status: oneOf(SUGGESTION_STATES),
    approval: orNull(
      Type.Object({
        required: Type.Integer(),
        eligible: Type.Integer({ description: "How many could approve it." }),
        requested_by: orNull(Who),
        requested_at: Moment,
        note: orNull(Type.String()),
        approvals: listOf(ShownApproval),
      }),
    ),
    rejected: orNull(Type.Object({ by: Who, reason: Type.String(), comment: orNull(Type.String()) })),
    base_revision: Type.Integer({ description: "The policy revision it was made against." }),
    content_hash: Type.String(),
    created_by: orNull(Who),
    created_at: Moment,
    updated_at: Moment,
    expires_at: orNull(Moment),
    rule_id: orNull(Type.String()),
  },
  { $id: "TuningSuggestion", description: "A change that would have avoided a mistake, until somebody approves it." },
);
export type ShownSuggestion = Static<typeof ShownSuggestion>;
export const SuggestionPage = pageSchema(ShownSuggestion);

/** Whom people know the ids as. */
const NAMED = {
  agent: orNull(Type.String({ description: "The agent's name." })),
  user: Type.String({ description: "An e-mail address." }),
};
const Handling = Type.Boolean({ description: "Whether the reader may ask for it, apply, edit, reject and revert it." });

export const NamedSuggestion = Type.Object(
  { ...ShownSuggestion.properties, ...NAMED },
  { $id: "NamedTuningSuggestion" },
);
export type NamedSuggestion = Static<typeof NamedSuggestion>;
export const NamedSuggestionPage = pageSchema(NamedSuggestion);

export const ShownStatus = Type.Object(
  {
    status: oneOf(SUGGESTION_STATES),
    required: Type.Integer(),
    eligible: Type.Integer(),
    approvals: listOf(ShownApproval),
    can_apply: Type.Boolean(),
    blocking: listOf(Type.String({ description: "What stands in the way.", examples: ["approval_required"] })),
    expires_at: orNull(Moment),
  },
  { $id: "TuningApprovalStatus" },
);
export type ShownStatus = Static<typeof ShownStatus>;

/** For the reader: whether they may decide. */
export const Deciding = Type.Object(
  { allowed: Type.Boolean(), alone: Type.Boolean(), why: orNull(Type.String()) },
  { $id: "Deciding" },
);
export type Deciding = Static<typeof Deciding>;

export const ReadSuggestion = Type.Object(
  {
    ...NamedSuggestion.properties,
    approval_status: Type.Object({ ...ShownStatus.properties, eligible_people: listOf(Who) }),
    handling: Handling,
    deciding: Type.Optional(Deciding),
  },
  { $id: "ReadTuningSuggestion" },
);
export type ReadSuggestion = Static<typeof ReadSuggestion>;

export const ShownRule = Type.Object(
  {
    id: Id,
    agent_id: orNull(Type.String()),
    user_id: Type.String(),
    kind: Kind,
    effect: Effect,
    match: ShownMatch,
    change: ShownChange,
    mode: Mode,
    status: oneOf(["active", "reverted", "lapsed"]),
    expires_at: orNull(Moment),
    hits: Type.Integer(),
    last_hit_at: orNull(Moment),
    unused: Type.Boolean({ description: "Nothing has met it for 60 days: it could go." }),
    suggestion_id: orNull(Type.String()),
    requested_by: orNull(Who),
    approved_by: listOf(Who),
    self_approved: Type.Boolean({ description: "By a sole administrator who had a hand in it." }),
    revision: Type.Integer({ description: "The policy revision its last change came with." }),
    created_at: Moment,
    ended_at: orNull(Moment),
  },
  { $id: "TuningRule" },
);
export type ShownRule = Static<typeof ShownRule>;
export const RulePage = pageSchema(ShownRule);

export const NamedRule = Type.Object(
  { ...ShownRule.properties, ...NAMED, handling: Handling },
  { $id: "NamedTuningRule" },
);
export type NamedRule = Static<typeof NamedRule>;
export const NamedRulePage = pageSchema(NamedRule);

export const ShownApplied = Type.Object(
  {
    status: Type.Literal("applied"),
    suggestion_id: Type.String(),
    rule: ShownRule,
    policy_revision: Type.Integer(),
    tuning_revision: Type.Integer(),
  },
  { $id: "TuningApplied" },
);
export type ShownApplied = Static<typeof ShownApplied>;
