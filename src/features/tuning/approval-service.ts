import {
  assertNoConfirmedRegression,
  type SuggestionStateMachine,
  type TuningNeeds,
} from "#features/tuning/suggestion-state-machine";
import type { Actor } from "#model/change";
import type { User } from "#model/person";
import { approversOf, assertMayDecide, decisionOf, nextState } from "#policy/approval/decisions";
import { canDecide, DECIDING_ROLES, type Parties, type Ruling } from "#policy/approval/ruling";
import { APPROVAL_MS, approvalsGiven, currentState, MOVES } from "#policy/tuning/states";
import type { Approval, Suggestion, TuningImpact } from "#policy/tuning/suggestion";
import type { JudgedTuning, WantedTuning } from "#policy/tuning/validity";
import { contentHash } from "./suggestion-maker";

/** Who acts, and how the record names them. */
export type TuningActor = { readonly user: User; readonly by: Actor };

export type ApprovalDecision = {
  readonly comment: string | null;
  /** Of the change that was read; null for whatever it is now. */
  readonly content_hash: string | null;
};

/** Where an approval stands, and what still stands in the way of applying. */
export type ApprovalStatus = {
  readonly status: Suggestion["status"];
  readonly required: number;
  readonly eligible: readonly string[];
  readonly approvals: readonly Approval[];
  readonly can_apply: boolean;
  readonly blocking: readonly string[];
  readonly expires_at: number | null;
};

/** One person stands behind a change and another approves it. */
const APPROVALS_NEEDED = 1;
/** What an amendment of a rule does to stored decisions is what the rule does to them; it is not counted again. */
export const UNCOUNTED: TuningImpact = {
  window_days: 0,
  decisions: 0,
  would_change: 0,
  would_release_confirmed: 0,
  coverage: 0,
};

/** How suggestions come to be approved: who asks, who decides, and what takes an approval back. */
export class ApprovalService {
  constructor(
    private readonly deps: TuningNeeds,
    private readonly stateMachine: SuggestionStateMachine,
  ) {}

  /**
   * Asks for approval of it as the rules are now. Throws `state_conflict`, `stale_base`, `below_floor`,
   * `no_eligible_approver`.
   */
  async request(acting: TuningActor, suggestion: Suggestion, note: string | null): Promise<Suggestion> {
    await this.deps.sync();
    this.stateMachine.after(suggestion, "request");
    const { match, change } = suggestion;
    const asked = change.op === "amend" ? null : await this.stateMachine.rejudged(suggestion, { match, change });
    return this.ask(acting, suggestion, { status: "pending_approval", asked, note, what: "request" });
  }

  /** The editor becomes the requester, and earlier approvals are void. Throws as `request` does, and `invalid_value`. */
  async edit(
    acting: TuningActor,
    suggestion: Suggestion,
    wanted: WantedTuning,
    note: string | null,
  ): Promise<Suggestion> {
    const { status, asked } = await this.editable(suggestion, wanted);
    return this.ask(acting, suggestion, { status, asked, note, what: "edit" });
  }

  /** What an edit would make of it, with nothing kept. Throws `state_conflict`, `below_floor`, `invalid_value`. */
  async tried(suggestion: Suggestion, wanted: WantedTuning): Promise<JudgedTuning & { readonly impact: TuningImpact }> {
    const { asked } = await this.editable(suggestion, wanted);
    return { ...asked, impact: await this.deps.impactOf(suggestion, asked) };
  }

  private async editable(
    suggestion: Suggestion,
    wanted: WantedTuning,
  ): Promise<{ readonly status: Suggestion["status"]; readonly asked: JudgedTuning }> {
    await this.deps.sync();
    const status = this.stateMachine.after(suggestion, "edit");
    return { status, asked: await this.stateMachine.rejudged(suggestion, wanted) };
  }

  /**
   * Throws `state_conflict`, `insufficient_scope` for users who are involved, `stale_base`, and `invalid_value` when an
   * administrator who decides alone gives no reason.
   */
  async approve(acting: TuningActor, suggestion: Suggestion, decision: ApprovalDecision): Promise<Suggestion> {
    const status = this.stateMachine.after(suggestion, "approve");
    const approval = await this.decided(acting, suggestion, "approve", decision);
    await this.stateMachine.assertBaseUnchanged(suggestion);
    assertNoConfirmedRegression(suggestion.impact);
    const approvals = [...suggestion.approvals, approval];
    const next: Suggestion = { ...suggestion, status, approvals, expires_at: approval.at + APPROVAL_MS };
    return this.stateMachine.save(suggestion, next, acting.by, "approve", { alone: approval.alone });
  }

  /** Throws as `approve` does. */
  async deny(acting: TuningActor, suggestion: Suggestion, decision: ApprovalDecision): Promise<Suggestion> {
    const status = this.stateMachine.after(suggestion, "deny");
    const denial = await this.decided(acting, suggestion, "deny", decision);
    const next: Suggestion = {
      ...suggestion,
      status,
      approvals: [...suggestion.approvals, denial],
      expires_at: null,
    };
    return this.stateMachine.save(suggestion, next, acting.by, "deny", { alone: denial.alone });
  }

  /** Nobody wants it. Throws `state_conflict`. */
  async reject(
    { user, by }: TuningActor,
    suggestion: Suggestion,
    reason: string,
    comment: string | null,
  ): Promise<Suggestion> {
    const status = this.stateMachine.after(suggestion, "reject");
    const next: Suggestion = { ...suggestion, status, rejected: { by: user.id, reason, comment }, expires_at: null };
    return this.stateMachine.save(suggestion, next, by, "reject");
  }

  async statusOf(suggestion: Suggestion): Promise<ApprovalStatus> {
    const { required, eligible, expires_at } = suggestion;
    const status = currentState(suggestion, this.deps.now());
    const blocking = await this.blocking(suggestion, status);
    return {
      status,
      required,
      eligible,
      expires_at,
      approvals: suggestion.approvals,
      can_apply: blocking.length === 0,
      blocking,
    };
  }

  /** Whether somebody may decide on it. */
  async ruling(user: User, suggestion: Suggestion): Promise<Ruling> {
    const { requested_by, eligible } = suggestion;
    const isKnown = requested_by !== null && (await this.deps.users.byId(requested_by)) !== null;
    const parties = await this.parties(suggestion, requested_by);
    return canDecide(user, { ...parties, requesters: isKnown ? parties.requesters : [], eligible });
  }

  /** Error codes, and what no approval can mend. */
  private async blocking(suggestion: Suggestion, status: Suggestion["status"]): Promise<string[]> {
    const isFree = suggestion.effect === "tighten";
    if (nextState(MOVES, status, "reject") === null) return ["state_conflict"];
    const isMissing = !isFree && (status !== "approved" || approvalsGiven(suggestion).length === 0);
    const isStale = status === "stale" || (await this.stateMachine.hasBaseChanged(suggestion));
    return [
      ...(isMissing || status === "expired" ? ["approval_required"] : []),
      ...(isStale ? ["stale_base"] : []),
      ...(suggestion.impact.would_release_confirmed > 0 ? ["would_release_confirmed"] : []),
    ];
  }

  private async ask(
    { user, by }: TuningActor,
    suggestion: Suggestion,
    {
      status,
      asked,
      note,
      what,
    }: { status: Suggestion["status"]; asked: JudgedTuning | null; note: string | null; what: string },
  ): Promise<Suggestion> {
    const base_revision = await this.stateMachine.revision();
    const impact = asked ? await this.deps.impactOf(suggestion, asked) : UNCOUNTED;
    assertNoConfirmedRegression(impact);
    const changed: Suggestion = asked ? { ...suggestion, ...asked } : suggestion;
    const people = await this.deps.users.ofRoles(DECIDING_ROLES);
    const eligible = approversOf(people, await this.parties(suggestion, user.id));
    const next: Suggestion = {
      ...changed,
      status,
      impact,
      base_revision,
      content_hash: contentHash(changed),
      required: APPROVALS_NEEDED,
      eligible,
      requested_by: user.id,
      request_note: note,
      requested_at: this.deps.now(),
      expires_at: null,
    };
    return this.stateMachine.save(suggestion, next, by, what, { eligible: eligible.length, base_revision });
  }

  /** Throws `insufficient_scope`, `stale_base`, `invalid_value`. */
  private async decided(
    { user }: TuningActor,
    suggestion: Suggestion,
    decision: Approval["decision"],
    { comment, content_hash: read }: ApprovalDecision,
  ): Promise<Approval> {
    const alone = assertMayDecide(await this.ruling(user, suggestion));
    const at = this.deps.now();
    return decisionOf({ by: user.id, decision, comment, read, alone, at }, suggestion.content_hash, "reason");
  }

  private async parties(suggestion: Suggestion, requested_by: string | null) {
    const agent = await this.stateMachine.agentOf(suggestion);
    const reports = await Promise.all(suggestion.report_ids.map((id) => this.deps.reports.byId(id)));
    return {
      // The author of a change counts as its requester.
      requesters: [requested_by, suggestion.created_by],
      owner_id: agent?.owner_id ?? suggestion.user_id,
      sponsor_id: agent?.sponsor_id ?? null,
      evidence_by: reports.flatMap((report) => report?.user_id ?? []),
    } satisfies Parties;
  }
}
