import { GuardError } from "#core/errors";
import { assertMayDecide } from "#policy/approval/decisions";
import { rulingOnProposal } from "#policy/approval/matters";
import type { PolicyProposal } from "#policy/baseline/baseline";
import type { PolicyChange } from "#policy/baseline/edits";
import type { Decided, PolicyRow } from "#store/policy-port";
import {
  type BaselineActor,
  type BaselineDraft,
  type BaselineService,
  staleBase,
  type WantedBaseline,
} from "./service";

/** In force, or waiting for somebody else because it is looser. */
export type BaselineOutcome =
  | { readonly kind: "in_force"; readonly row: PolicyRow }
  | { readonly kind: "waiting"; readonly proposal: PolicyProposal };

/** Tuning moves the number without changing the policy: so often is it tried again. */
const MAX_TRIES = 100;

/** Puts another baseline in force, by one person or by two. */
export class BaselineChanges {
  constructor(private readonly baselineService: BaselineService) {}

  /** Throws `stale_base`, `invalid_value`, `below_floor`, `state_conflict`. */
  async put(
    acting: BaselineActor,
    base: number,
    changes: readonly PolicyChange[],
    reason: string,
  ): Promise<BaselineOutcome> {
    return this.change(acting, base, { changes }, reason);
  }

  /** The rules set by hand of an earlier revision, under today's configuration. Throws as `put` does, and `not_found`. */
  async restore(
    acting: BaselineActor,
    revision: number,
    base: number | null,
    reason: string,
  ): Promise<BaselineOutcome> {
    return this.change(acting, base, { restored: revision }, reason);
  }

  /** Throws `not_found`, `insufficient_scope`, `state_conflict`, `stale_base`, and what makes it unsound by now. */
  async approve(acting: BaselineActor, id: string, comment: string | null): Promise<PolicyRow> {
    const proposal = await this.waiting(id);
    assertMayDecide(rulingOnProposal(acting.user, proposal));
    const draft = await this.draftOf(acting, proposal);
    await this.baselineService.mustBeSound(draft);
    const row = await this.append(acting, draft, {
      ...proposal,
      ends: decided(proposal, "applied", acting, comment, this.now()),
    });
    if (row) return row;
    throw new GuardError("state_conflict", "Another user changed it meanwhile. Read it and try again.");
  }

  /** By a user who could approve it, or the one who asked for it. Throws `not_found`, `insufficient_scope`, `state_conflict`. */
  async reject(acting: BaselineActor, id: string, comment: string | null): Promise<PolicyProposal> {
    const proposal = await this.waiting(id);
    if (acting.user.id !== proposal.proposed_by) assertMayDecide(rulingOnProposal(acting.user, proposal));
    return this.end(acting, proposal, "rejected", comment);
  }

  private async change(
    acting: BaselineActor,
    base: number | null,
    wanted: WantedBaseline,
    reason: string,
  ): Promise<BaselineOutcome> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const draft = await this.baselineService.draft(wanted);
      if (base !== null) await this.baselineService.mustBeBase(base, draft);
      await this.baselineService.mustBeSound(draft);
      const restored = "restored" in wanted ? wanted.restored : null;
      const eligible = draft.effect === "looser" ? await this.baselineService.eligible(acting.user.id) : [];
      if (eligible.length > 0) return this.propose(acting, draft, { restored, reason, eligible });
      const row = await this.append(acting, draft, { restored, reason, ends: null });
      if (row) return { kind: "in_force", row };
    }
    throw new GuardError("state_conflict", "The baseline policy changed during the request. Try again.");
  }

  private async propose(
    { user, by }: BaselineActor,
    { base, edits, differences }: BaselineDraft,
    asked: Pick<PolicyProposal, "restored" | "reason" | "eligible">,
  ): Promise<BaselineOutcome> {
    const { policies, ids } = this.baselineService.deps;
    const proposal: PolicyProposal = {
      id: ids(),
      base_revision: base.revision,
      edits,
      ...asked,
      proposed_by: user.id,
      proposed_at: this.now(),
      state: "waiting",
      decided_by: null,
      decided_at: null,
      comment: null,
    };
    const { id, base_revision } = proposal;
    const detail = { base_revision, reason: asked.reason, restored: asked.restored, differences };
    await policies.propose(proposal, this.baselineService.record(by, "propose", { proposal: id }, detail));
    return { kind: "waiting", proposal };
  }

  /** Null when the number was taken meanwhile, or the proposal was decided. */
  private async append(
    { user, by }: BaselineActor,
    { base, edits, after, differences, effect }: BaselineDraft,
    asked: { readonly restored: number | null; readonly reason: string; readonly ends: Decided | null },
  ): Promise<PolicyRow | null> {
    const { policies, sync } = this.baselineService.deps;
    const { restored, reason, ends } = asked;
    const revision = base.revision + 1;
    const detail = {
      revision,
      base_revision: base.revision,
      effect,
      reason,
      restored,
      differences,
      ...(ends && { proposal_id: ends.id }),
    };
    const record = this.baselineService.record(by, restored === null ? "edit" : "restore", { revision }, detail);
    const edit = { edits, user_id: user.id, reason, restored };
    const row = await policies.append(base.revision, JSON.stringify(after.source), this.now(), record, { edit, ends });
    if (row) await sync();
    return row;
  }

  /** What a proposal would change now. Throws `stale_base` when that is no longer what it was, and ends it. */
  private async draftOf(acting: BaselineActor, proposal: PolicyProposal): Promise<BaselineDraft> {
    const draft = await this.baselineService.draft({ edits: proposal.edits });
    try {
      await this.baselineService.mustBeBase(proposal.base_revision, draft);
    } catch (error) {
      if (!(error instanceof GuardError)) throw error;
      await this.end(acting, proposal, "stale", null);
      throw staleBase(draft.base.revision);
    }
    return draft;
  }

  private async end(
    acting: BaselineActor,
    proposal: PolicyProposal,
    state: "rejected" | "stale",
    comment: string | null,
  ): Promise<PolicyProposal> {
    const ended = decided(proposal, state, acting, comment, this.now());
    const detail = { base_revision: proposal.base_revision, comment };
    const what = state === "rejected" ? "reject" : "outdate";
    const record = this.baselineService.record(acting.by, what, { proposal: proposal.id }, detail);
    if (await this.baselineService.deps.policies.decide(ended, record)) return { ...proposal, ...ended };
    throw over();
  }

  private async waiting(id: string): Promise<PolicyProposal> {
    const proposal = await this.baselineService.deps.policies.proposal(id.toLowerCase());
    if (!proposal) throw new GuardError("not_found", "There is no such proposal.", { param: "id" });
    if (proposal.state !== "waiting") throw over();
    return proposal;
  }

  private now(): number {
    return this.baselineService.deps.now();
  }
}

const decided = (
  { id }: PolicyProposal,
  state: PolicyProposal["state"],
  { user }: BaselineActor,
  comment: string | null,
  decided_at: number,
): Decided => ({ id, state, decided_by: user.id, decided_at, comment });

const over = (): GuardError => new GuardError("state_conflict", "The proposal is already decided.");
