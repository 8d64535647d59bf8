import { GuardError } from "#core/errors";
import {
  assertNoConfirmedRegression,
  type SuggestionStateMachine,
  staleBase,
  type TuningNeeds,
} from "#features/tuning/suggestion-state-machine";
import { type Actor, HUB_ACTOR } from "#model/change";
import { isEnough } from "#policy/approval/decisions";
import { isActive, type TuningRule } from "#policy/tuning/rule";
import { approvalsGiven, currentState, endOf } from "#policy/tuning/states";
import type { Amendment, Suggestion } from "#policy/tuning/suggestion";

/** How a rule comes into force. */
export type Applying = {
  readonly mode?: TuningRule["mode"] | undefined;
  readonly expires_in_days?: number | undefined;
};

export type Applied = { readonly suggestion: Suggestion; readonly rule: TuningRule };

/** Policies may change under an application that is under way; every time it is looked at again. */
const MAX_TRIES = 100;

type Attempt = { readonly by: Actor; readonly suggestion: Suggestion; readonly applying: Applying };

/** Approvals that are ended in one go: the next ones, the next time. */
const LAPSED_AT_ONCE = 1_000;

/** How suggestions become rules in force, and how those end. */
export class ApplicationService {
  constructor(
    private readonly deps: TuningNeeds,
    private readonly stateMachine: SuggestionStateMachine,
  ) {}

  /**
   * Rehearses the change, stores rule, revision and suggestion in one step, and has it taken in. Throws
   * `approval_required`, `stale_base`, `state_conflict`, `below_floor`.
   */
  async apply(by: Actor, given: Suggestion, applying: Applying): Promise<Applied> {
    await this.deps.sync();
    this.mustBeApplicable(given);
    await this.stateMachine.assertBaseUnchanged(given);
    await this.rehearse(given);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const suggestion = tries === 0 ? given : await this.again(given);
      // What was edited meanwhile is not what was rehearsed.
      if (suggestion.content_hash !== given.content_hash) throw staleBase();
      this.mustBeApplicable(suggestion);
      // Read before the look at what has moved: whatever moves after that makes another revision.
      const base = await this.stateMachine.revision();
      await this.stateMachine.assertBaseUnchanged(suggestion);
      const attempt = { by, suggestion, applying };
      const applied = suggestion.rule_id === null ? await this.begin(attempt, base) : await this.amend(attempt);
      if (!applied) continue;
      await this.deps.sync();
      return applied;
    }
    throw new GuardError("state_conflict", "The baseline policy changed during the request. Try again.");
  }

  /** Takes a rule back, which makes its suggestion reverted. Throws `state_conflict`. */
  async revert(by: Actor, rule: TuningRule): Promise<TuningRule> {
    const reverted = await this.end(by, rule, "reverted");
    if (!reverted) throw over();
    await this.deps.sync();
    return reverted;
  }

  /** Ends what has run out. Says how many rules and approvals that were. To be called from time to time. */
  async runOnce(now: number): Promise<number> {
    let lapsed = 0;
    for (const rule of await this.deps.tuning.runOut(now)) {
      if (!isActive(rule, now) && (await this.end(HUB_ACTOR, rule, "lapsed"))) lapsed += 1;
    }
    const over = { states: ["expired"], now } as const;
    for (const suggestion of await this.deps.suggestions.page(over, { after: null, limit: LAPSED_AT_ONCE })) {
      if (suggestion.status !== "approved" || currentState(suggestion, now) !== "expired") continue;
      const next = this.stateMachine.next(suggestion, { ...suggestion, status: "expired" });
      const record = this.stateMachine.record(HUB_ACTOR, "lapse", next);
      // A concurrent request changed its state.
      if (await this.deps.suggestions.save(next, suggestion.revision, record)) lapsed += 1;
    }
    if (lapsed > 0) await this.deps.sync();
    return lapsed;
  }

  private mustBeApplicable(suggestion: Suggestion): void {
    const state = currentState(suggestion, this.deps.now());
    if (state === "stale") throw staleBase();
    if (state === "applied" || state === "reverted" || state === "rejected") {
      this.stateMachine.after(suggestion, "apply");
    }
    if (suggestion.effect === "tighten" && state !== "expired") return;
    // What was approved is this change and no other: an edit makes another hash.
    if (state === "approved" && isEnough(approvalsGiven(suggestion), suggestion.required)) return;
    throw new GuardError(
      "approval_required",
      "An approval is required first. Request it, then have another person approve.",
      {
        extra: { current_status: state },
      },
    );
  }

  /** What amends a rule puts nothing in force that was not rehearsed when the rule was. */
  private async rehearse(suggestion: Suggestion): Promise<void> {
    const { match, change, report_ids, effect } = suggestion;
    if (change.op === "amend") return;
    const judged = await this.stateMachine.rejudged(suggestion, { match, change });
    if (judged.effect !== effect) throw staleBase();
    const { broken, passes } = await this.deps.rehearse(suggestion, judged, report_ids);
    if (broken.length > 0 || passes === false) {
      throw new GuardError(
        "state_conflict",
        broken.length > 0
          ? `The rehearsal failed: ${broken.length} golden samples would be judged otherwise.`
          : "The rehearsal failed: what was reported would be judged as before.",
        { extra: { blocking: ["rehearsal_failed"], broken } },
      );
    }
    assertNoConfirmedRegression(await this.deps.impactOf(suggestion, judged));
  }

  /** Null when something moved meanwhile. */
  private async begin({ by, suggestion, applying }: Attempt, base: number): Promise<Applied | null> {
    const { match, change, kind, effect, agent_id, user_id, requested_by } = suggestion;
    if (change.op === "amend") throw new Error(`Suggestion ${suggestion.id} amends no rule`);
    const now = this.deps.now();
    const given = approvalsGiven(suggestion);
    const rule: Omit<TuningRule, "revision"> = {
      agent_id,
      user_id,
      kind,
      effect,
      match,
      change,
      id: this.deps.ids(),
      mode: applying.mode ?? "enforce",
      status: "active",
      expires_at: endOf(effect, applying.expires_in_days, now),
      hits: 0,
      last_hit_at: null,
      suggestion_id: suggestion.id,
      requested_by: requested_by ?? by.user_id,
      approved_by: [...new Set(given.map((approval) => approval.by))],
      self_approved: given.some(({ alone }) => alone),
      created_at: now,
      ended_at: null,
    };
    const next = this.applied(suggestion, rule.id);
    const put = await this.deps.tuning.apply(rule, { next, expected: suggestion.revision }, base, (revision) =>
      this.stateMachine.record(by, "apply", next, noteOf(rule, revision)),
    );
    return put && { suggestion: next, rule: put };
  }

  /** Null when something moved meanwhile. Throws `state_conflict` for a rule that is over. */
  private async amend({ by, suggestion, applying }: Attempt): Promise<Applied | null> {
    const rule = suggestion.rule_id === null ? null : await this.deps.tuning.byId(suggestion.rule_id);
    const now = this.deps.now();
    if (!rule || !isActive(rule, now)) throw over();
    const patch = amendmentOf(suggestion, rule, applying, now);
    const next = this.applied(suggestion, rule.id);
    const put = await this.deps.tuning.change(rule.id, patch, { next, expected: suggestion.revision }, (revision) =>
      this.stateMachine.record(by, "apply", next, noteOf({ ...rule, ...patch }, revision)),
    );
    return put && { suggestion: next, rule: put };
  }

  private applied(suggestion: Suggestion, rule_id: string): Suggestion {
    return this.stateMachine.next(suggestion, { ...suggestion, status: "applied", expires_at: null, rule_id });
  }

  /** Null when it was over already. */
  private async end(by: Actor, rule: TuningRule, status: "reverted" | "lapsed"): Promise<TuningRule | null> {
    const from = rule.suggestion_id === null ? null : await this.deps.suggestions.byId(rule.suggestion_id);
    const isReverted = status === "reverted" && from?.status === "applied";
    const next = isReverted ? this.stateMachine.next(from, { ...from, status: "reverted" }) : null;
    const what = status === "reverted" ? "revert" : "lapse";
    return this.deps.tuning.change(
      rule.id,
      { status, ended_at: this.deps.now() },
      from && next && { next, expected: from.revision },
      (policy_revision) => this.stateMachine.recordOfRule(by, what, rule, { policy_revision }),
    );
  }

  private async again({ id }: Suggestion): Promise<Suggestion> {
    const suggestion = await this.deps.suggestions.byId(id);
    if (suggestion) return suggestion;
    throw new GuardError("not_found", "There is no such suggestion.", { param: "id" });
  }
}

type Patch = Partial<Pick<TuningRule, "mode" | "status" | "expires_at" | "ended_at" | "change" | "match">>;

const amendmentOf = ({ change, match }: Suggestion, rule: TuningRule, applying: Applying, now: number): Patch => {
  const expires_at = endOf(rule.effect, applying.expires_in_days, now);
  if (change.op !== "amend") return { change, match, mode: applying.mode ?? rule.mode, expires_at };
  const mode: Amendment["mode"] = change.mode;
  if (mode === "off") return { status: "reverted", ended_at: now };
  return { mode: applying.mode ?? mode, expires_at };
};

const noteOf = (rule: Omit<TuningRule, "revision">, policy_revision: number) => ({
  rule_id: rule.id,
  mode: rule.mode,
  rule_status: rule.status,
  rule_expires_at: rule.expires_at,
  approved_by: rule.approved_by,
  self_approved: rule.self_approved,
  policy_revision,
});

export const over = (): GuardError => new GuardError("state_conflict", "This rule has already ended.");
