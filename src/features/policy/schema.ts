import { type Static, Type } from "#core/schema";
import type { Tried } from "#features/policy/baseline/service";
import { Id, listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import { timestamp } from "#platform/clock";
import type { Locks, PolicyProposal } from "#policy/baseline/baseline";
import { type BaselineDifference, saidOf } from "#policy/baseline/comparison";
import { PolicyChange } from "#policy/baseline/edits";
import { typesOf } from "#policy/baseline/lint";
import { ACTIONS, ORIGINS, type Origin } from "#scan/detector";
import { type CompiledPolicy, MODES, RULE_MODES, ruleFor, type Thresholds } from "#scan/policy";
import type { PolicyEdit, PolicyRevision } from "#store/policy-port";

const closed = { additionalProperties: false } as const;
const Base = Type.Integer({ minimum: 0, description: "Revision the change is based on." });
const Reason = Type.String({ minLength: 1, maxLength: 2_000, pattern: "\\S", description: "Reason." });
const Changes = Type.Array(PolicyChange, { minItems: 1, maxItems: 200, description: "At most 200." });

export const PolicyTrial = Type.Object({ changes: Changes }, { ...closed, $id: "PolicyTrial" });

export const PolicyUpdate = Type.Object(
  { base_revision: Base, changes: Changes, reason: Reason },
  { ...closed, $id: "PolicyUpdate" },
);

export const PolicyRestoration = Type.Object(
  { revision: Type.Integer({ minimum: 1 }), base_revision: Type.Optional(Base), reason: Reason },
  { ...closed, $id: "PolicyRestoration" },
);

export const PolicyDecision = Type.Object(
  { comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })) },
  { ...closed, $id: "PolicyDecision" },
);
export type PolicyDecision = Static<typeof PolicyDecision>;

/* What is shown of the baseline. */

const Score = Type.Number({ minimum: 0, maximum: 1 });
const ThresholdsResponse = Type.Object(
  { flag: Type.Optional(Score), redact: Type.Optional(Score), block: Type.Optional(Score) },
  { description: "Lowest score of each action." },
);
const Revision = Type.Integer({ minimum: 0, examples: [3] });
const Name = Type.String({ description: "An e-mail address.", examples: ["ada@example.org"] });
const Count = Type.Integer({ minimum: 0 });

const PolicyCell = Type.Object({
  origin: oneOf(ORIGINS),
  action: oneOf(ACTIONS, "The strictest action that can be taken."),
  threshold: orNull(Type.Number({ minimum: 0, maximum: 1, description: "Lowest score of the action." })),
  thresholds: ThresholdsResponse,
  mode: oneOf(RULE_MODES),
  rule: orNull(Type.String({ description: "Finding type whose rule applies; null without one." })),
  from: oneOf(["default", "configuration", "edit"]),
  key: orNull(Type.String({ description: "Configuration key that sets it." })),
});
export type PolicyCell = Static<typeof PolicyCell>;

const PolicyRowResponse = Type.Object({
  type: Type.String({ examples: ["pii.email"] }),
  family: Type.String({ examples: ["pii"] }),
  has_own: Type.Boolean({ description: "Has its own rule, or is a group." }),
  cells: listOf(PolicyCell),
});
export type PolicyRowResponse = Static<typeof PolicyRowResponse>;

const PolicySetting = Type.Object({
  key: Type.String({ examples: ["guard.mode"] }),
  value: Type.Unknown(),
  origin: Type.String({ description: "default, or the source in the configuration." }),
});

export const RevisionResponse = Type.Object(
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
export type RevisionResponse = Static<typeof RevisionResponse>;

const Said = orNull(Type.Object({ thresholds: ThresholdsResponse, mode: oneOf(RULE_MODES) }));
const PolicyDifference = Type.Object({
  type: Type.String({ examples: ["pii.email"] }),
  origin: oneOf(ORIGINS),
  before: Said,
  after: Said,
});
export type PolicyDifference = Static<typeof PolicyDifference>;

export const ProposalResponse = Type.Object(
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
export type ProposalResponse = Static<typeof ProposalResponse>;

export const PolicyResponse = Type.Object(
  {
    object: Type.Literal("policy"),
    revision: Revision,
    mode: oneOf(MODES),
    /** Null for a hub that stored none yet. */
    changed: orNull(RevisionResponse),
    settings: listOf(PolicySetting),
    rows: listOf(PolicyRowResponse),
    floor: listOf(
      Type.Object({
        type: Type.String(),
        origins: Type.Optional(listOf(oneOf(ORIGINS))),
        thresholds: ThresholdsResponse,
      }),
    ),
    waiting: listOf(ProposalResponse),
  },
  { $id: "Policy" },
);
export type PolicyResponse = Static<typeof PolicyResponse>;

export const RevisionPage = Type.Object({
  object: Type.Literal("list"),
  data: listOf(RevisionResponse),
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
      description: "Confirmed findings that would pass. Above 0 the change is refused.",
    }),
    samples: Type.Object({
      total: Count,
      changed: listOf(
        Type.Object({ name: Type.String(), origin: oneOf(ORIGINS), is: oneOf(["caught", "harmless"]), ...Moved }),
      ),
    }),
    replay: Type.Object({
      window_days: Count,
      decisions: Type.Integer({ minimum: 0, description: "Calls with findings under the baseline policy." }),
      would_change: Count,
      moves: listOf(Type.Object({ ...Moved, calls: Count })),
      by_type: listOf(Type.Object({ type: Type.String(), origin: oneOf(ORIGINS), calls: Count })),
      examples: listOf(
        Type.Object({
          call_id: Type.String(),
          event_id: orNull(Type.String()),
          at: Moment,
          ...Moved,
          type: Type.String(),
          origin: oneOf(ORIGINS),
        }),
      ),
      complete: Type.Boolean({ description: "All decisions of the window were re-evaluated." }),
    }),
  },
  { $id: "PolicyImpact" },
);
export type PolicyImpact = Static<typeof PolicyImpact>;

/** The address of somebody by id. */
export type PolicyNames = (userId: string) => string;

/** Where each rule comes from. */
export type Sources = { readonly locks: Locks; readonly byHand: PolicyEdit | null };

/** Every flag type there is, with what is done about it by where a text comes from. */
export const rowsOf = (policy: CompiledPolicy, sources: Sources): PolicyRowResponse[] => {
  const ruled = new Set(policy.source.rules.map(({ type }) => type));
  const found = typesOf(policy);
  const families = new Set([...found, ...ruled].map(familyOf));
  return [...new Set([...families, ...found, ...ruled])].sort().map((type) => ({
    type,
    family: familyOf(type),
    has_own: ruled.has(type) || families.has(type),
    cells: ORIGINS.map((origin) => cellOf(policy, type, origin, sources)),
  }));
};

const familyOf = (type: string): string => type.split(".")[0] ?? type;

const cellOf = (policy: CompiledPolicy, type: string, origin: Origin, { locks, byHand }: Sources): PolicyCell => {
  const rule = ruleFor(policy.source.rules, type, origin);
  const said = saidOf(rule) ?? { thresholds: {}, mode: "enforce" as const };
  const locked = locks.keyAt({ type, origin });
  const decided = rule && locks.keyAt({ type: rule.type, origin });
  const isEdit = byHand?.edits.some((edit) => edit.type === rule?.type && edit.origins.includes(origin)) ?? false;
  return {
    origin,
    ...strictestOf(said.thresholds),
    thresholds: { ...said.thresholds },
    mode: said.mode,
    rule: rule?.type ?? null,
    from: decided ? "configuration" : isEdit ? "edit" : "default",
    key: locked,
  };
};

const strictestOf = (thresholds: Thresholds): Pick<PolicyCell, "action" | "threshold"> => {
  for (const action of [...ACTIONS].reverse()) {
    const threshold = action === "allow" ? undefined : thresholds[action];
    if (threshold !== undefined) return { action, threshold };
  }
  return { action: "allow", threshold: null };
};

export const revisionResponse = (
  { revision, created_at, edit }: PolicyRevision,
  names: PolicyNames,
): RevisionResponse => ({
  revision,
  kind: edit ? (edit.restored === null ? "edit" : "restore") : "configuration",
  by: edit?.user_id ? names(edit.user_id) : null,
  at: timestamp(created_at),
  reason: edit?.reason ?? null,
  restored: edit?.restored ?? null,
});

export const shownDifferences = (differences: readonly BaselineDifference[]) =>
  differences.map(({ before, after, ...cell }) => ({ ...cell, before: shownSaid(before), after: shownSaid(after) }));

const shownSaid = (said: BaselineDifference["before"]) =>
  said && { thresholds: { ...said.thresholds }, mode: said.mode };

/** Whom a proposal that is shown names. */
export const peopleOfProposal = ({ proposed_by, decided_by, eligible }: PolicyProposal): (string | null)[] => [
  proposed_by,
  decided_by,
  ...eligible,
];

export const proposalResponse = (
  it: PolicyProposal,
  {
    names,
    differences,
    ...may
  }: { names: PolicyNames; differences: readonly BaselineDifference[]; may_decide: boolean; may_withdraw: boolean },
): ProposalResponse => ({
  id: it.id,
  state: it.state,
  base_revision: it.base_revision,
  restored: it.restored,
  reason: it.reason,
  proposed_by: names(it.proposed_by),
  proposed_at: timestamp(it.proposed_at),
  eligible: it.eligible.map(names),
  differences: shownDifferences(differences),
  decided_by: it.decided_by === null ? null : names(it.decided_by),
  decided_at: it.decided_at === null ? null : timestamp(it.decided_at),
  comment: it.comment,
  ...may,
});

export const impactResponse = (
  { base, effect, differences, lint, replay, golden, eligible }: Tried,
  names: PolicyNames,
): PolicyImpact => {
  const { would_release_confirmed, ...replayed } = replay;
  return {
    object: "policy_impact",
    base_revision: base.revision,
    effect,
    approvers: eligible.map(names),
    differences: shownDifferences(differences),
    lint,
    would_release_confirmed,
    samples: { total: golden.samples, changed: golden.changed },
    replay: replayed,
  };
};
