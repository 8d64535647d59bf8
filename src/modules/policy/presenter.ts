import { type Difference, saidOf } from "#core/baseline/comparison";
import type { Locks } from "#core/baseline/locks";
import type { PolicyProposal } from "#core/baseline/proposal";
import { ACTIONS, ORIGINS, type Origin } from "#core/scan/detector";
import { type CompiledPolicy, ruleFor, type Thresholds } from "#core/scan/policy";
import type { Tried } from "#engine/baseline/desk";
import { typesOf } from "#engine/baseline/types";
import { timestamp } from "#platform/clock";
import type { PolicyEdit, PolicyRevision } from "#store/policy-port";
import type { PolicyCell, PolicyImpact, PolicyRow, ShownProposal, ShownRevision } from "./shown";

/** The address of somebody by id. */
export type Names = (userId: string) => string;

/** Where each rule comes from. */
export type Sources = { readonly locks: Locks; readonly byHand: PolicyEdit | null };

/** Every flag type there is, with what is done about it by where a text comes from. */
export const rowsOf = (policy: CompiledPolicy, sources: Sources): PolicyRow[] => {
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

export const shownRevision = ({ revision, created_at, edit }: PolicyRevision, names: Names): ShownRevision => ({
  revision,
  kind: edit ? (edit.restored === null ? "edit" : "restore") : "configuration",
  by: edit?.user_id ? names(edit.user_id) : null,
  at: timestamp(created_at),
  reason: edit?.reason ?? null,
  restored: edit?.restored ?? null,
});

export const shownDifferences = (differences: readonly Difference[]) =>
  differences.map(({ before, after, ...cell }) => ({ ...cell, before: shownSaid(before), after: shownSaid(after) }));

const shownSaid = (said: Difference["before"]) => said && { thresholds: { ...said.thresholds }, mode: said.mode };

/** Whom a proposal that is shown names. */
export const peopleOfProposal = ({ proposed_by, decided_by, eligible }: PolicyProposal): (string | null)[] => [
  proposed_by,
  decided_by,
  ...eligible,
];

export const shownProposal = (
  it: PolicyProposal,
  {
    names,
    differences,
    ...may
  }: { names: Names; differences: readonly Difference[]; may_decide: boolean; may_withdraw: boolean },
): ShownProposal => ({
  ...{ id: it.id, state: it.state, base_revision: it.base_revision, restored: it.restored, reason: it.reason },
  proposed_by: names(it.proposed_by),
  proposed_at: timestamp(it.proposed_at),
  eligible: it.eligible.map(names),
  differences: shownDifferences(differences),
  decided_by: it.decided_by === null ? null : names(it.decided_by),
  decided_at: it.decided_at === null ? null : timestamp(it.decided_at),
  comment: it.comment,
  ...may,
});

export const shownImpact = (
  { base, effect, differences, lint, replay, golden, eligible }: Tried,
  names: Names,
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
