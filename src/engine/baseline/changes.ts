import type { PolicyChange } from "#core/baseline/edits";
import { type PolicyProposal, rulingOn } from "#core/baseline/proposal";
import { GuardError } from "#core/errors";
import { REFUSALS } from "#core/review/decide";
import type { Decided, PolicyRow } from "#store/policy-port";
import { type Acting, type BaselineDesk, type Draft, staleBase, type Wanted } from "./desk";

/** In force, or waiting for somebody else because it is looser. */
export type Outcome =
  | { readonly kind: "in_force"; readonly row: PolicyRow }
  | { readonly kind: "waiting"; readonly proposal: PolicyProposal };

/** Tuning moves the number without changing the policy: so often is it tried again. */
const MOST_TRIES = 100;

/** Puts another baseline in force, by one person or by two. */
export class BaselineChanges {
  constructor(private readonly desk: BaselineDesk) {}

  /** Throws `stale_base`, `invalid_value`, `below_floor`, `state_conflict`. */
  async put(acting: Acting, base: number, changes: readonly PolicyChange[], reason: string): Promise<Outcome> {
    return this.change(acting, base, { changes }, reason);
  }

  /** The rules set by hand of an earlier revision, under today's configuration. Throws as `put` does, and `not_found`. */
  async restore(acting: Acting, revision: number, base: number | null, reason: string): Promise<Outcome> {
    return this.change(acting, base, { restored: revision }, reason);
  }

  /** Throws `not_found`, `insufficient_scope`, `state_conflict`, `stale_base`, and what makes it unsound by now. */
  async approve(acting: Acting, id: string, comment: string | null): Promise<PolicyRow> {
    const proposal = await this.waiting(id);
    mustDecide(acting, proposal);
    const draft = await this.draftOf(acting, proposal);
    await this.desk.mustBeSound(draft);
    const row = await this.append(acting, draft, {
      ...proposal,
      ends: decided(proposal, "applied", acting, comment, this.now()),
    });
    if (row) return row;
    throw new GuardError("state_conflict", "Somebody else was quicker. Look at it again.");
  }

  /** By whoever could approve it, or by whoever asked for it. Throws `not_found`, `insufficient_scope`, `state_conflict`. */
  async reject(acting: Acting, id: string, comment: string | null): Promise<PolicyProposal> {
    const proposal = await this.waiting(id);
    if (acting.user.id !== proposal.proposed_by) mustDecide(acting, proposal);
    return this.end(acting, proposal, "rejected", comment);
  }

  private async change(acting: Acting, base: number | null, wanted: Wanted, reason: string): Promise<Outcome> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const draft = await this.desk.draft(wanted);
      if (base !== null) await this.desk.mustBeBase(base, draft);
      await this.desk.mustBeSound(draft);
      const restored = "restored" in wanted ? wanted.restored : null;
      const eligible = draft.effect === "looser" ? await this.desk.eligible(acting.user.id) : [];
      if (eligible.length > 0) return this.propose(acting, draft, { restored, reason, eligible });
      const row = await this.append(acting, draft, { restored, reason, ends: null });
      if (row) return { kind: "in_force", row };
    }
    throw new GuardError("state_conflict", "The hub's policy changes too often just now. Try again.");
  }

  private async propose(
    { user, by }: Acting,
    { base, edits, differences }: Draft,
    asked: Pick<PolicyProposal, "restored" | "reason" | "eligible">,
  ): Promise<Outcome> {
    const { policies, ids } = this.desk.deps;
    const proposal: PolicyProposal = {
      ...{ id: ids(), base_revision: base.revision, edits, ...asked },
      ...{ proposed_by: user.id, proposed_at: this.now(), state: "waiting" },
      ...{ decided_by: null, decided_at: null, comment: null },
    };
    const { id, base_revision } = proposal;
    const detail = { base_revision, reason: asked.reason, restored: asked.restored, differences };
    await policies.propose(proposal, this.desk.record(by, "propose", { proposal: id }, detail));
    return { kind: "waiting", proposal };
  }

  /** Null when the number was taken meanwhile, or the proposal was decided. */
  private async append(
    { user, by }: Acting,
    { base, edits, after, differences, effect }: Draft,
    asked: { readonly restored: number | null; readonly reason: string; readonly ends: Decided | null },
  ): Promise<PolicyRow | null> {
    const { policies, sync } = this.desk.deps;
    const { restored, reason, ends } = asked;
    const revision = base.revision + 1;
    const detail = {
      ...{ revision, base_revision: base.revision, effect, reason, restored, differences },
      ...(ends && { proposal_id: ends.id }),
    };
    const record = this.desk.record(by, restored === null ? "edit" : "restore", { revision }, detail);
    const edit = { edits, user_id: user.id, reason, restored };
    const row = await policies.append(base.revision, JSON.stringify(after.source), this.now(), record, { edit, ends });
    if (row) await sync();
    return row;
  }

  /** What a proposal would change now. Throws `stale_base` when that is no longer what it was, and ends it. */
  private async draftOf(acting: Acting, proposal: PolicyProposal): Promise<Draft> {
    const draft = await this.desk.draft({ edits: proposal.edits });
    try {
      await this.desk.mustBeBase(proposal.base_revision, draft);
    } catch (error) {
      if (!(error instanceof GuardError)) throw error;
      await this.end(acting, proposal, "stale", null);
      throw staleBase(draft.base.revision);
    }
    return draft;
  }

  private async end(
    acting: Acting,
    proposal: PolicyProposal,
    state: "rejected" | "stale",
    comment: string | null,
  ): Promise<PolicyProposal> {
    const ended = decided(proposal, state, acting, comment, this.now());
    const detail = { base_revision: proposal.base_revision, comment };
    const what = state === "rejected" ? "reject" : "outdate";
    const record = this.desk.record(acting.by, what, { proposal: proposal.id }, detail);
    if (await this.desk.deps.policies.decide(ended, record)) return { ...proposal, ...ended };
    throw over();
  }

  private async waiting(id: string): Promise<PolicyProposal> {
    const proposal = await this.desk.deps.policies.proposal(id.toLowerCase());
    if (!proposal) throw new GuardError("not_found", "There is no such proposal.", { param: "id" });
    if (proposal.state !== "waiting") throw over();
    return proposal;
  }

  private now(): number {
    return this.desk.deps.now();
  }
}

const decided = (
  { id }: PolicyProposal,
  state: PolicyProposal["state"],
  { user }: Acting,
  comment: string | null,
  decided_at: number,
): Decided => ({ id, state, decided_by: user.id, decided_at, comment });

const mustDecide = ({ user }: Acting, proposal: PolicyProposal): void => {
  const ruling = rulingOn(user, proposal);
  if (!ruling.ok) throw new GuardError("insufficient_scope", REFUSALS[ruling.why]);
};

const over = (): GuardError => new GuardError("state_conflict", "Somebody has decided on it already.");
