import { differencesOf, settingDifferencesOf } from "#core/baseline/comparison";
import type { PolicyChange } from "#core/baseline/edits";
import { type PolicyProposal, rulingOn } from "#core/baseline/proposal";
import { GuardError } from "#core/errors";
import type { PolicySource } from "#core/scan/policy";
import type { BaselineChanges, Outcome } from "#engine/baseline/changes";
import type { Acting, BaselineDesk } from "#engine/baseline/desk";
import { emailsFor } from "#engine/names";
import type { PolicyRevision } from "#store/policy-port";
import {
  type Names,
  peopleOfProposal,
  rowsOf,
  shownDifferences,
  shownImpact,
  shownProposal,
  shownRevision,
} from "./presenter";
import type { PolicyDiff, PolicyImpact, ShownPolicy, ShownProposal, ShownRevision } from "./shown";

type Deps = {
  readonly desk: BaselineDesk;
  readonly changes: BaselineChanges;
  /** The settings of the guard, with where each comes from. */
  readonly settings: () => ShownPolicy["settings"];
};

type Reader = Acting["user"];

/** The hub's baseline, for people: to read, to try, to change, to bring back. */
export class PolicyService {
  constructor(private readonly deps: Deps) {}

  async inForce(user: Reader): Promise<ShownPolicy> {
    const { desk, settings } = this.deps;
    const { row, byHand, policy } = await desk.inForce();
    const [changed] = await desk.deps.policies.history({ before: null, limit: 1 });
    const waiting = await desk.deps.policies.waiting();
    const names = await this.names([changed?.edit?.user_id ?? null, ...waiting.flatMap(peopleOfProposal)]);
    return {
      object: "policy",
      revision: row.revision,
      mode: policy.mode,
      changed: changed ? shownRevision(changed, names) : null,
      settings: settings(),
      rows: rowsOf(policy, { locks: desk.locks, byHand }),
      floor: desk.deps.baseline.floor.map(({ type, origins, thresholds }) => ({
        ...{ type, thresholds: { ...thresholds } },
        ...(origins && { origins: [...origins] }),
      })),
      waiting: await Promise.all(waiting.map((one) => this.shown(user, one, names))),
    };
  }

  /** Newest first. Throws `invalid_value`. */
  async revisions(limit: number, cursor: string | undefined) {
    const before = cursor === undefined ? null : Number(/^\d{1,15}$/.exec(cursor)?.[0]);
    if (Number.isNaN(before)) {
      throw new GuardError("invalid_value", "cursor must be the next_cursor of an earlier page.", { param: "cursor" });
    }
    const found = await this.deps.desk.deps.policies.history({ before, limit: limit + 1 });
    const names = await this.names(found.map(({ edit }) => edit?.user_id ?? null));
    const data = found.slice(0, limit).map((one): ShownRevision => shownRevision(one, names));
    const has_more = found.length > data.length;
    return { object: "list", data, has_more, next_cursor: has_more ? String(data.at(-1)?.revision) : null } as const;
  }

  /** Throws `not_found`. */
  async diff(from: number, to: number): Promise<PolicyDiff> {
    const [one, other] = [sourceOf(await this.revision(from, "from")), sourceOf(await this.revision(to, "to"))];
    return {
      ...{ object: "policy_diff", from, to },
      differences: shownDifferences(differencesOf(one, other)),
      settings: settingDifferencesOf(one, other),
    };
  }

  async tried(user: Reader, changes: readonly PolicyChange[]): Promise<PolicyImpact> {
    const { desk } = this.deps;
    const impact = await desk.tried(await desk.draft({ changes }), user);
    return shownImpact(impact, await this.names(impact.eligible));
  }

  async put(acting: Acting, base: number, changes: readonly PolicyChange[], reason: string) {
    return this.outcome(acting, await this.deps.changes.put(acting, base, changes, reason));
  }

  async restore(acting: Acting, revision: number, base: number | null, reason: string) {
    return this.outcome(acting, await this.deps.changes.restore(acting, revision, base, reason));
  }

  async approve(acting: Acting, id: string, comment: string | null): Promise<ShownPolicy> {
    await this.deps.changes.approve(acting, id, comment);
    return this.inForce(acting.user);
  }

  async reject(acting: Acting, id: string, comment: string | null): Promise<ShownProposal> {
    const rejected = await this.deps.changes.reject(acting, id, comment);
    return this.shown(acting.user, rejected, await this.names(peopleOfProposal(rejected)));
  }

  private async outcome(
    { user }: Acting,
    outcome: Outcome,
  ): Promise<{ status: 200; body: ShownPolicy } | { status: 202; body: ShownProposal }> {
    if (outcome.kind === "in_force") return { status: 200, body: await this.inForce(user) };
    const names = await this.names(peopleOfProposal(outcome.proposal));
    return { status: 202, body: await this.shown(user, outcome.proposal, names) };
  }

  private async shown(user: Reader, proposal: PolicyProposal, names: Names): Promise<ShownProposal> {
    const { differences } = await this.deps.desk.draft({ edits: proposal.edits });
    const { proposed_by, state } = proposal;
    const isWaiting = state === "waiting";
    const may_decide = isWaiting && rulingOn(user, proposal).ok;
    return shownProposal(proposal, {
      names,
      differences,
      may_decide,
      may_withdraw: isWaiting && user.id === proposed_by,
    });
  }

  private async revision(revision: number, param: string): Promise<PolicyRevision> {
    const found = await this.deps.desk.deps.policies.byRevision(revision);
    if (found) return found;
    throw new GuardError("not_found", "There is no such revision.", { param });
  }

  private names(ids: Iterable<string | null>): Promise<Names> {
    return emailsFor(this.deps.desk.deps.users, ids);
  }
}

const sourceOf = ({ source }: PolicyRevision): PolicySource => JSON.parse(source);
