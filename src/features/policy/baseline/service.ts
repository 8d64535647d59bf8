import { GuardError } from "#core/errors";
import type { Scanner } from "#guard/scanner";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { DECIDING_ROLES, type Decider, eligibleFor } from "#policy/approval/ruling";
import { type Baseline, Locks } from "#policy/baseline/baseline";
import { type BaselineDifference, comparisonOf, differencesOf } from "#policy/baseline/comparison";
import { editedBy, type PolicyChange, type PolicyEdits, rulesOf } from "#policy/baseline/edits";
import { sampleChanges } from "#policy/baseline/impact";
import { type Lint, lintOf, typesOf } from "#policy/baseline/lint";
import type { Comparison } from "#policy/tuning/strictness";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, revisionOf } from "#scan/policy";
import type { PolicyEdit, PolicyRow, PolicyStore } from "#store/policy-port";
import type { UserStore } from "#store/port";
import type { BaselineReplay, Replayed } from "./replay";

export type BaselineNeeds = {
  readonly baseline: Baseline;
  readonly scanner: Scanner;
  readonly policies: PolicyStore;
  readonly users: Pick<UserStore, "byIds" | "ofRoles">;
  readonly replay: BaselineReplay;
  /** Takes in what has changed in the store, so that it holds from the next request on. */
  readonly sync: () => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

type Subject = { readonly revision: number } | { readonly proposal: string };

export type BaselineActor = { readonly user: Decider; readonly by: Actor };

/** A policy that is wanted, and what is known of it beside the one in force. */
export type BaselineDraft = {
  readonly base: PolicyRow;
  readonly edits: PolicyEdits;
  readonly before: CompiledPolicy;
  readonly after: CompiledPolicy;
  readonly differences: readonly BaselineDifference[];
  readonly effect: Comparison;
  readonly lint: readonly Lint[];
};

export type Tried = BaselineDraft & {
  readonly replay: Replayed;
  readonly golden: ReturnType<typeof sampleChanges>;
  /** Who could approve it, where somebody else has to. */
  readonly eligible: readonly string[];
};

/** Where a draft comes from: changes of what is set by hand, or another revision's. */
export type WantedBaseline =
  | { readonly changes: readonly PolicyChange[] }
  | { readonly restored: number }
  | { readonly edits: PolicyEdits };

/** The policy in force, and what another one would be beside it. */
export class BaselineService {
  readonly locks: Locks;

  constructor(readonly deps: BaselineNeeds) {
    this.locks = new Locks(deps.baseline.configured);
  }

  /** Revision 0 of a hub that never stored any. */
  async inForce(): Promise<{ row: PolicyRow; byHand: PolicyEdit | null; policy: CompiledPolicy }> {
    await this.deps.sync();
    const { policies, scanner } = this.deps;
    const policy = scanner.snapshot();
    const row = (await policies.latest()) ?? { revision: 0, source: JSON.stringify(policy.source), created_at: 0 };
    return { row, byHand: await policies.editsAt(row.revision), policy };
  }

  /** Throws `not_found` for a revision that never was. */
  async draft(wanted: WantedBaseline): Promise<BaselineDraft> {
    const { row: base, byHand, policy: before } = await this.inForce();
    const changes = "changes" in wanted ? wanted.changes : [];
    const edits = await this.editsOf(wanted, byHand);
    const { baseline } = this.deps;
    const after = revisionOf(before, baseline.source(rulesOf(edits)), base.revision + 1, DETECTORS);
    const differences = differencesOf(before.source, after.source);
    const effect = comparisonOf(before.source, after.source, differences);
    const meant = changes.length > 0 ? changes : differences.map(changeOf);
    const linted = { changes: meant, before, after, floor: baseline.floor, locks: this.locks, types: typesOf(before) };
    const lint = lintOf(linted).filter(
      ({ code }) => changes.length > 0 || code === "below_floor" || code === "holds_back",
    );
    return { base, edits, before, after, differences, effect, lint };
  }

  /** What it would have done, with nothing put in force. */
  async tried(draft: BaselineDraft, user: BaselineActor["user"]): Promise<Tried> {
    const replay = await this.deps.replay.of(draft, this.deps.now());
    const eligible = draft.effect === "looser" ? await this.eligible(user.id) : [];
    return { ...draft, replay, golden: sampleChanges(draft), eligible };
  }

  /** Throws `stale_base` when the policy is no longer what it was at that revision. Tuning alone changes nothing of it. */
  async mustBeBase(revision: number, { base, before }: BaselineDraft): Promise<void> {
    if (revision === base.revision) return;
    const then = await this.deps.policies.byRevision(revision);
    const [one, other] = [await this.deps.policies.editsAt(revision), await this.deps.policies.editsAt(base.revision)];
    const isSame = then?.source === JSON.stringify(before.source) && one?.revision === other?.revision;
    if (!isSame || revision > base.revision) throw staleBase(base.revision);
  }

  /** Throws `invalid_value`, `below_floor`, `state_conflict` for what nobody may put in force. */
  async mustBeSound(draft: BaselineDraft): Promise<void> {
    const fault = draft.lint.find(({ level }) => level === "error");
    if (fault) {
      throw new GuardError(fault.code === "below_floor" ? "below_floor" : "invalid_value", fault.message, {
        param: "changes",
      });
    }
    if (draft.differences.length === 0) {
      throw new GuardError("invalid_value", "The change has no effect: the policy is the same.", { param: "changes" });
    }
    if (draft.effect !== "looser") return;
    const { would_release_confirmed: released } = await this.deps.replay.of(draft, this.deps.now());
    if (released === 0) return;
    throw new GuardError(
      "state_conflict",
      `It would release ${released} of the last 14 days that people confirmed as true positives.`,
      { extra: { blocking: ["would_release_confirmed"] } },
    );
  }

  /** Administrators and reviewers who have no hand in it. None: an administrator decides alone. */
  async eligible(userId: string): Promise<string[]> {
    return eligibleFor(await this.deps.users.ofRoles(DECIDING_ROLES), { requesters: [userId] });
  }

  /** The serialised record of something done to the policy, or to what is proposed of it. */
  record(by: Actor, what: string, to: Subject, detail: Readonly<Record<string, unknown>>): string {
    const of =
      "proposal" in to
        ? { subject: "policy_proposal", subject_id: to.proposal }
        : { subject: "policy", subject_id: String(to.revision) };
    const change = { kind: `policy.${what}`, by, ...of, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }

  private async editsOf(wanted: WantedBaseline, byHand: PolicyEdit | null): Promise<PolicyEdits> {
    if ("edits" in wanted) return wanted.edits;
    if ("changes" in wanted) return editedBy(byHand?.edits ?? [], wanted.changes);
    const { restored: revision } = wanted;
    const { policies } = this.deps;
    if (!(await policies.byRevision(revision))) {
      throw new GuardError("not_found", "There is no such revision.", { param: "revision" });
    }
    return (await policies.editsAt(revision))?.edits ?? [];
  }
}

const changeOf = ({ type, origin, after }: BaselineDifference): PolicyChange => ({
  type,
  origins: [origin],
  ...(after ? { thresholds: { ...after.thresholds }, mode: after.mode } : { reset: true }),
});

export const staleBase = (revision: number): GuardError =>
  new GuardError(
    "stale_base",
    `The policy has changed since: revision ${revision} is in force. Read it and try again.`,
    {
      extra: { revision },
    },
  );
