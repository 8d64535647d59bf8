import { GuardError } from "#core/errors";
import type { BaselineChanges, BaselineOutcome } from "#features/policy/baseline/changes";
import type { BaselineActor, BaselineService } from "#features/policy/baseline/service";
import { emailsFor } from "#identity/names";
import { rulingOnProposal } from "#policy/approval/matters";
import type { PolicyProposal } from "#policy/baseline/baseline";
import { differencesOf, settingDifferencesOf } from "#policy/baseline/comparison";
import type { PolicyChange } from "#policy/baseline/edits";
import type { PolicySource } from "#scan/policy";
import type { PolicyRevision } from "#store/policy-port";
import type { PolicyDiff, PolicyImpact, PolicyResponse, ProposalResponse, RevisionResponse } from "./schema";
import {
  impactResponse,
  type PolicyNames,
  peopleOfProposal,
  proposalResponse,
  revisionResponse,
  rowsOf,
  shownDifferences,
} from "./schema";

type PolicyServiceNeeds = {
  readonly baselineService: BaselineService;
  readonly changes: BaselineChanges;
  /** The settings of the guard, with where each comes from. */
  readonly settings: () => PolicyResponse["settings"];
};

type Reader = BaselineActor["user"];

/** The hub's baseline, for people: to read, to try, to change, to bring back. */
export class PolicyService {
  constructor(private readonly deps: PolicyServiceNeeds) {}

  async inForce(user: Reader): Promise<PolicyResponse> {
    const { baselineService, settings } = this.deps;
    const { row, byHand, policy } = await baselineService.inForce();
    const [changed] = await baselineService.deps.policies.history({ before: null, limit: 1 });
    const waiting = await baselineService.deps.policies.waiting();
    const names = await this.names([changed?.edit?.user_id ?? null, ...waiting.flatMap(peopleOfProposal)]);
    return {
      object: "policy",
      revision: row.revision,
      mode: policy.mode,
      changed: changed ? revisionResponse(changed, names) : null,
      settings: settings(),
      rows: rowsOf(policy, { locks: baselineService.locks, byHand }),
      floor: baselineService.deps.baseline.floor.map(({ type, origins, thresholds }) => ({
        type,
        thresholds: { ...thresholds },
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
    const found = await this.deps.baselineService.deps.policies.history({ before, limit: limit + 1 });
    const names = await this.names(found.map(({ edit }) => edit?.user_id ?? null));
    const data = found.slice(0, limit).map((one): RevisionResponse => revisionResponse(one, names));
    const has_more = found.length > data.length;
    return { object: "list", data, has_more, next_cursor: has_more ? String(data.at(-1)?.revision) : null } as const;
  }

  /** Throws `not_found`. */
  async diff(from: number, to: number): Promise<PolicyDiff> {
    const [one, other] = [sourceOf(await this.revision(from, "from")), sourceOf(await this.revision(to, "to"))];
    return {
      object: "policy_diff",
      from,
      to,
      differences: shownDifferences(differencesOf(one, other)),
      settings: settingDifferencesOf(one, other),
    };
  }

  async tried(user: Reader, changes: readonly PolicyChange[]): Promise<PolicyImpact> {
    const { baselineService } = this.deps;
    const impact = await baselineService.tried(await baselineService.draft({ changes }), user);
    return impactResponse(impact, await this.names(impact.eligible));
  }

  async put(acting: BaselineActor, base: number, changes: readonly PolicyChange[], reason: string) {
    return this.outcome(acting, await this.deps.changes.put(acting, base, changes, reason));
  }

  async restore(acting: BaselineActor, revision: number, base: number | null, reason: string) {
    return this.outcome(acting, await this.deps.changes.restore(acting, revision, base, reason));
  }

  async approve(acting: BaselineActor, id: string, comment: string | null): Promise<PolicyResponse> {
    await this.deps.changes.approve(acting, id, comment);
    return this.inForce(acting.user);
  }

  async reject(acting: BaselineActor, id: string, comment: string | null): Promise<ProposalResponse> {
    const rejected = await this.deps.changes.reject(acting, id, comment);
    return this.shown(acting.user, rejected, await this.names(peopleOfProposal(rejected)));
  }

  private async outcome(
    { user }: BaselineActor,
    outcome: BaselineOutcome,
  ): Promise<{ status: 200; body: PolicyResponse } | { status: 202; body: ProposalResponse }> {
    if (outcome.kind === "in_force") return { status: 200, body: await this.inForce(user) };
    const names = await this.names(peopleOfProposal(outcome.proposal));
    return { status: 202, body: await this.shown(user, outcome.proposal, names) };
  }

  private async shown(user: Reader, proposal: PolicyProposal, names: PolicyNames): Promise<ProposalResponse> {
    const { differences } = await this.deps.baselineService.draft({ edits: proposal.edits });
    const { proposed_by, state } = proposal;
    const isWaiting = state === "waiting";
    const may_decide = isWaiting && rulingOnProposal(user, proposal).ok;
    return proposalResponse(proposal, {
      names,
      differences,
      may_decide,
      may_withdraw: isWaiting && user.id === proposed_by,
    });
  }

  private async revision(revision: number, param: string): Promise<PolicyRevision> {
    const found = await this.deps.baselineService.deps.policies.byRevision(revision);
    if (found) return found;
    throw new GuardError("not_found", "There is no such revision.", { param });
  }

  private names(ids: Iterable<string | null>): Promise<PolicyNames> {
    return emailsFor(this.deps.baselineService.deps.users, ids);
  }
}

const sourceOf = ({ source }: PolicyRevision): PolicySource => JSON.parse(source);
