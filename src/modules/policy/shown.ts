import { ACTIONS, ORIGINS } from "#core/scan/detector";
import { MODES, RULE_MODES } from "#core/scan/policy";
import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull } from "#http/openapi/shapes";

/* What is shown of the baseline. */

const Score = Type.Number({ minimum: 0, maximum: 1 });
const Thresholds = Type.Object(
  { flag: Type.Optional(Score), redact: Type.Optional(Score), block: Type.Optional(Score) },
  { description: "From which score on an action is taken." },
);
const Revision = Type.Integer({ minimum: 0, examples: [3] });
const Name = Type.String({ description: "An e-mail address.", examples: ["ada@example.org"] });
const Count = Type.Integer({ minimum: 0 });

const PolicyCell = Type.Object({
  origin: oneOf(ORIGINS),
  action: oneOf(ACTIONS, "The strictest action that can be taken."),
  threshold: orNull(Type.Number({ minimum: 0, maximum: 1, description: "From which score on it is taken." })),
  thresholds: Thresholds,
  mode: oneOf(RULE_MODES),
  rule: orNull(Type.String({ description: "The flag type whose rule says so; null where none does." })),
  from: oneOf(["default", "configuration", "edit"]),
  key: orNull(Type.String({ description: "The key of the configuration that says so, and that it is changed by." })),
});
export type PolicyCell = Static<typeof PolicyCell>;

const PolicyRow = Type.Object({
  type: Type.String({ examples: ["pii.email"] }),
  family: Type.String({ examples: ["pii"] }),
  has_own: Type.Boolean({ description: "It has a rule of its own, or stands for a whole family." }),
  cells: listOf(PolicyCell),
});
export type PolicyRow = Static<typeof PolicyRow>;

const PolicySetting = Type.Object({
  key: Type.String({ examples: ["guard.mode"] }),
  value: Type.Unknown(),
  origin: Type.String({ description: "default, or where the configuration says so." }),
});

export const ShownRevision = Type.Object(
  {
    revision: Revision,
    kind: oneOf(["configuration", "edit", "restore", "tuning"]),
    by: orNull(Name),
    at: Moment,
    reason: orNull(Type.String()),
    restored: orNull(Revision),
  },
  { $id: "PolicyRevision" },
);
export type ShownRevision = Static<typeof ShownRevision>;

const Said = orNull(Type.Object({ thresholds: Thresholds, mode: oneOf(RULE_MODES) }));
const PolicyDifference = Type.Object({
  type: Type.String({ examples: ["pii.email"] }),
  origin: oneOf(ORIGINS),
  before: Said,
  after: Said,
});
export type PolicyDifference = Static<typeof PolicyDifference>;

export const ShownProposal = Type.Object(
  {
    id: Id,
    state: oneOf(["waiting", "applied", "rejected", "stale"]),
    base_revision: Revision,
    restored: orNull(Revision),
    reason: Type.String(),
    proposed_by: Name,
    proposed_at: Moment,
    eligible: listOf(Name),
    differences: listOf(PolicyDifference),
    decided_by: orNull(Name),
    decided_at: orNull(Moment),
    comment: orNull(Type.String()),
    /** Of the reader. */
    may_decide: Type.Boolean(),
    may_withdraw: Type.Boolean(),
  },
  { $id: "PolicyProposal" },
);
export type ShownProposal = Static<typeof ShownProposal>;

export const ShownPolicy = Type.Object(
  {
    object: Type.Literal("policy"),
    revision: Revision,
    mode: oneOf(MODES),
    /** Null for a hub that stored none yet. */
    changed: orNull(ShownRevision),
    settings: listOf(PolicySetting),
    rows: listOf(PolicyRow),
    floor: listOf(
      Type.Object({ type: Type.String(), origins: Type.Optional(listOf(oneOf(ORIGINS))), thresholds: Thresholds }),
    ),
    waiting: listOf(ShownProposal),
  },
  { $id: "Policy" },
);
export type ShownPolicy = Static<typeof ShownPolicy>;

export const RevisionPage = Type.Object({
  object: Type.Literal("list"),
  data: listOf(ShownRevision),
  has_more: Type.Boolean(),
  next_cursor: orNull(Type.String()),
});

export const PolicyDiff = Type.Object(
  {
    object: Type.Literal("policy_diff"),
    from: Revision,
    to: Revision,
    differences: listOf(PolicyDifference),
    settings: listOf(Type.Object({ name: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
  },
  { $id: "PolicyDiff" },
);
export type PolicyDiff = Static<typeof PolicyDiff>;

const PolicyLint = Type.Object({
  level: oneOf(["error", "warning"], "error: it is not saved so."),
  code: oneOf(["locked", "unknown_type", "below_floor", "no_effect", "unreachable", "more_specific", "holds_back"]),
  message: Type.String(),
  type: orNull(Type.String()),
  origin: orNull(oneOf(ORIGINS)),
});

const Moved = { before: oneOf(ACTIONS), after: oneOf(ACTIONS) };

export const PolicyImpact = Type.Object(
  {
    object: Type.Literal("policy_impact"),
    base_revision: Revision,
    effect: oneOf(["same", "stricter", "looser"], "Looser anywhere is looser."),
    /** Who could approve it, where somebody else has to. */
    approvers: listOf(Name),
    differences: listOf(PolicyDifference),
    lint: listOf(PolicyLint),
    would_release_confirmed: Type.Integer({
      minimum: 0,
      description: "Calls that people confirmed to be caught rightly and that would pass. With any it is not saved.",
    }),
    samples: Type.Object({
      total: Count,
      changed: listOf(
        Type.Object({ name: Type.String(), origin: oneOf(ORIGINS), is: oneOf(["caught", "harmless"]), ...Moved }),
      ),
    }),
    replay: Type.Object({
      window_days: Count,
      decisions: Type.Integer({ minimum: 0, description: "Calls under the baseline in which something was found." }),
      would_change: Count,
      moves: listOf(Type.Object({ ...Moved, calls: Count })),
      by_type: listOf(Type.Object({ type: Type.String(), origin: oneOf(ORIGINS), calls: Count })),
      examples: listOf(
        Type.Object({
          ...{ call_id: Type.String(), event_id: orNull(Type.String()), at: Moment },
          ...{ ...Moved, type: Type.String(), origin: oneOf(ORIGINS) },
        }),
      ),
      complete: Type.Boolean({ description: "Every decision of the window was looked at." }),
    }),
  },
  { $id: "PolicyImpact" },
);
export type PolicyImpact = Static<typeof PolicyImpact>;
