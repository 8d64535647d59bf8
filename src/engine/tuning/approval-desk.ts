import type { Actor } from "#core/change";
import { GuardError } from "#core/errors";
import type { User } from "#core/person";
import { canDecide, DECIDING_ROLES, type Decidable, eligibleFor, REFUSALS, type Ruling } from "#core/review/decide";
import type { TuningSubject } from "#core/tuning/rule";
import { APPROVAL_MS, approvalsOf, standingOf, stateAfter } from "#core/tuning/states";
import type { Approval, Impact, Suggestion } from "#core/tuning/suggestion";
import type { Judged, Wanted } from "#core/tuning/validity";
import { contentHash } from "#engine/tuning/proposal";
import { mustReleaseNothing, type TuningDeps, type TuningLedger } from "#engine/tuning/tuning-ledger";

/** Who acts, and how the record names them. */
export type Acting = { readonly user: User; readonly by: Actor };

export type Decision = {
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
export const UNCOUNTED: Impact = {
  window_days: 0,
  decisions: 0,
  would_change: 0,
  would_release_confirmed: 0,
  coverage: 0,
};

/** How suggestions come to be approved: who asks, who decides, and what takes an approval back. */
export class ApprovalDesk {
  constructor(
    private readonly deps: TuningDeps,
    private readonly ledger: TuningLedger,
  ) {}

  /**
   * Asks for approval of it as the rules are now. Throws `state_conflict`, `stale_base`, `below_floor`,
   * `no_eligible_approver`.
   */
  async request(acting: Acting, suggestion: Suggestion, note: string | null): Promise<Suggestion> {
    await this.deps.sync();
    this.ledger.after(suggestion, "request");
    const { match, change } = suggestion;
    const asked = change.op === "amend" ? null : await this.ledger.rejudged(suggestion, { match, change });
    return this.ask(acting, suggestion, { status: "pending_approval", asked, note, what: "request" });
  }

  /** Whoever edits it asks for it: approvals of what it was count for nothing. Throws as `request` does, and `invalid_value`. */
  async edit(acting: Acting, suggestion: Suggestion, wanted: Wanted, note: string | null): Promise<Suggestion> {
    const { status, asked } = await this.editable(suggestion, wanted);
    return this.ask(acting, suggestion, { status, asked, note, what: "edit" });
  }

  /** What an edit would make of it, with nothing kept. Throws `state_conflict`, `below_floor`, `invalid_value`. */
  async tried(suggestion: Suggestion, wanted: Wanted): Promise<Judged & { readonly impact: Impact }> {
    const { asked } = await this.editable(suggestion, wanted);
    return { ...asked, impact: await this.deps.impactOf(suggestion, asked) };
  }

  private async editable(
    suggestion: Suggestion,
    wanted: Wanted,
  ): Promise<{ readonly status: Suggestion["status"]; readonly asked: Judged }> {
    await this.deps.sync();
    const status = this.ledger.after(suggestion, "edit");
    return { status, asked: await this.ledger.rejudged(suggestion, wanted) };
  }

  /**
   * Throws `state_conflict`, `insufficient_scope` for whoever has a hand in it, `stale_base`, and `invalid_value` when an
   * administrator who decides alone gives no reason.
   */
  async approve(acting: Acting, suggestion: Suggestion, decision: Decision): Promise<Suggestion> {
    const status = this.ledger.after(suggestion, "approve");
    const approval = await this.decided(acting, suggestion, "approve", decision);
    await this.ledger.mustNotHaveMoved(suggestion);
    mustReleaseNothing(suggestion.impact);
    const approvals = [...suggestion.approvals, approval];
    const next: Suggestion = { ...suggestion, status, approvals, expires_at: approval.at + APPROVAL_MS };
    return this.ledger.save(suggestion, next, acting.by, "approve", { alone: approval.alone });
  }

  /** Throws as `approve` does. */
  async deny(acting: Acting, suggestion: Suggestion, decision: Decision): Promise<Suggestion> {
    const status = this.ledger.after(suggestion, "deny");
    const denial = await this.decided(acting, suggestion, "deny", decision);
    const next: Suggestion = {
      ...suggestion,
      status,
      approvals: [...suggestion.approvals, denial],
      expires_at: null,
    };
    return this.ledger.save(suggestion, next, acting.by, "deny", { alone: denial.alone });
  }

  /** Nobody wants it. Throws `state_conflict`. */
  async reject(
    { user, by }: Acting,
    suggestion: Suggestion,
    reason: string,
    comment: string | null,
  ): Promise<Suggestion> {
    const status = this.ledger.after(suggestion, "reject");
    const next: Suggestion = { ...suggestion, status, rejected: { by: user.id, reason, comment }, expires_at: null };
    return this.ledger.save(suggestion, next, by, "reject");
  }

  async statusOf(suggestion: Suggestion): Promise<ApprovalStatus> {
    const { required, eligible, expires_at } = suggestion;
    const status = standingOf(suggestion, this.deps.now());
    const blocking = await this.blocking(suggestion, status);
    return {
      ...{ status, required, eligible, expires_at },
      approvals: suggestion.approvals,
      can_apply: blocking.length === 0,
      blocking,
    };
  }

  /** Whether somebody may decide on it. */
  async ruling(user: Pick<User, "id" | "role">, suggestion: Suggestion): Promise<Ruling> {
    const { requested_by, created_by, eligible } = suggestion;
    // Who wrote the change has asked for it, whoever else did.
    const asker = user.id === created_by ? created_by : requested_by;
    const isKnown = requested_by !== null && (await this.deps.users.byId(requested_by)) !== null;
    const known = isKnown ? asker : null;
    return canDecide(user, { ...(await this.hands(suggestion)), requested_by: known, eligible });
  }

  /** Error codes, and what no approval can mend. */
  private async blocking(suggestion: Suggestion, status: Suggestion["status"]): Promise<string[]> {
    const isFree = suggestion.effect === "tighten";
    if (stateAfter(status, "reject") === null) return ["state_conflict"];
    const isMissing = !isFree && (status !== "approved" || approvalsOf(suggestion).length === 0);
    const isStale = status === "stale" || (await this.ledger.hasMoved(suggestion));
    return [
      ...(isMissing || status === "expired" ? ["approval_required"] : []),
      ...(isStale ? ["stale_base"] : []),
      ...(suggestion.impact.would_release_confirmed > 0 ? ["would_release_confirmed"] : []),
    ];
  }

  private async ask(
    { user, by }: Acting,
    suggestion: Suggestion,
    {
      status,
      asked,
      note,
      what,
    }: { status: Suggestion["status"]; asked: Judged | null; note: string | null; what: string },
  ): Promise<Suggestion> {
    const base_revision = await this.ledger.revision();
    const impact = asked ? await this.deps.impactOf(suggestion, asked) : UNCOUNTED;
    mustReleaseNothing(impact);
    const changed: Suggestion = asked ? { ...suggestion, ...asked } : suggestion;
    const eligible = await this.eligible(suggestion, user);
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
    return this.ledger.save(suggestion, next, by, what, { eligible: eligible.length, base_revision });
  }

  /** Throws `no_eligible_approver`. */
  private async eligible(suggestion: Suggestion, requester: User): Promise<string[]> {
    // Whoever is disabled helps nobody to decide.
    const users = (await this.deps.users.ofRoles(DECIDING_ROLES)).filter(({ state }) => state === "active");
    const hands = { ...(await this.hands(suggestion)), requested_by: requester.id };
    const eligible = eligibleFor(users, hands).filter((id) => id !== suggestion.created_by);
    if (eligible.length > 0 || users.some(({ role }) => role === "admin")) return eligible;
    throw new GuardError(
      "no_eligible_approver",
      "Nobody could approve this: it takes a reviewer or an administrator who has no hand in it.",
    );
  }

  /** Throws `insufficient_scope`, `stale_base`, `invalid_value`. */
  private async decided(
    { user }: Acting,
    suggestion: Suggestion,
    decision: Approval["decision"],
    { comment, content_hash }: Decision,
  ): Promise<Approval> {
    if (user.state !== "active") throw new GuardError("insufficient_scope", "A disabled account decides on nothing.");
    const ruling = await this.ruling(user, suggestion);
    if (!ruling.ok) throw new GuardError("insufficient_scope", REFUSALS[ruling.why]);
    if (content_hash !== null && content_hash !== suggestion.content_hash) {
      throw new GuardError("stale_base", "The change is another one than you have read. Read it again.");
    }
    if (ruling.alone && comment === null) {
      throw new GuardError("invalid_value", "Deciding alone on what one has a hand in takes a reason.", {
        param: "reason",
      });
    }
    const { alone } = ruling;
    return { by: user.id, decision, comment, content_hash: suggestion.content_hash, alone, at: this.deps.now() };
  }

  private async hands(suggestion: Suggestion & TuningSubject): Promise<Omit<Decidable, "requested_by" | "eligible">> {
    const agent = await this.ledger.agentOf(suggestion);
    const reports = await Promise.all(suggestion.report_ids.map((id) => this.deps.reports.byId(id)));
    return {
      owner_id: agent?.owner_id ?? suggestion.user_id,
      sponsor_id: agent?.sponsor_id ?? null,
      evidence_by: reports.flatMap((report) => report?.user_id ?? []),
    };
  }
}
