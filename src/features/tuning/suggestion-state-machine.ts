import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import { type Actor, changeRecord, HUB_ACTOR } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { mustMove } from "#policy/approval/decisions";
import { isActive, type TuningRule, type TuningSubject } from "#policy/tuning/rule";
import { type BaseRevisions, currentState, hasBaseChanged, MOVES, type SuggestionMove } from "#policy/tuning/states";
import type { Suggestion, TuningImpact } from "#policy/tuning/suggestion";
import { tunedBy } from "#policy/tuning/tuned";
import {
  type Enforced,
  isAsItWas,
  type JudgedTuning,
  judged,
  type TuningBase,
  type WantedTuning,
} from "#policy/tuning/validity";
import type { PolicySource } from "#scan/policy";
import type { ProfileStore } from "#store/governance-port";
import type { ReportStore, SuggestionStore, TuningStore } from "#store/loop-port";
import type { PolicyStore } from "#store/policy-port";
import type { AgentStore, UserStore } from "#store/port";
import { contentHash, type Rehearsal } from "./suggestion-maker";

export type TuningNeeds = {
  readonly suggestions: SuggestionStore;
  readonly tuning: Omit<TuningStore, "hit">;
  readonly policies: Pick<PolicyStore, "latest">;
  readonly profiles: Pick<ProfileStore, "ofAgent">;
  readonly reports: Pick<ReportStore, "byId">;
  readonly agents: Pick<AgentStore, "byId">;
  readonly users: Pick<UserStore, "byId" | "ofRoles">;
  /** What the subject's calls are held to before any tuning. */
  readonly tuningBaseOf: (subject: TuningSubject) => TuningBase;
  /** Tries a change on the golden samples, and on what was reported as far as it is still there. */
  readonly rehearse: (subject: TuningSubject, change: JudgedTuning, reportIds: readonly string[]) => Promise<Rehearsal>;
  readonly impactOf: (subject: TuningSubject, change: JudgedTuning) => Promise<TuningImpact>;
  /** Takes in what has changed in the store, so that it holds from the next request on. */
  readonly sync: () => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

export const keyOf = ({
  agent_id,
  user_id,
}: TuningSubject): { readonly agent_id: string } | { readonly user_id: string } =>
  agent_id === null ? { user_id } : { agent_id };

/** Suggestions as they move from state to state, each move with its record; and what they are held against. */
export class SuggestionStateMachine {
  constructor(private readonly deps: TuningNeeds) {}

  /** The state a move leads to as of now. Throws `state_conflict`. */
  after(suggestion: Suggestion, move: SuggestionMove): Suggestion["status"] {
    return mustMove("suggestion", MOVES, currentState(suggestion, this.deps.now()), move);
  }

  /** Throws `state_conflict` when somebody was quicker. */
  async save(
    before: Suggestion,
    after: Suggestion,
    by: Actor,
    what: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Suggestion> {
    const next = this.next(before, after);
    if (await this.deps.suggestions.save(next, before.revision, this.record(by, what, next, more))) return next;
    throw new GuardError("state_conflict", "The suggestion has changed meanwhile. Read it again.");
  }

  next(before: Suggestion, after: Suggestion): Suggestion {
    return { ...after, updated_at: this.deps.now(), revision: before.revision + 1 };
  }

  /** Ids, states and hashes: what a pattern or a value is stays out of records. */
  record(by: Actor, what: string, suggestion: Suggestion, more: Readonly<Record<string, unknown>> = {}): string {
    const { id, agent_id, user_id, kind, effect, change, status, content_hash, report_ids } = suggestion;
    const detail = { agent_id, user_id, kind, effect, op: change.op, status, content_hash, report_ids, ...more };
    return this.line(by, { what, subject: "suggestion", id, detail });
  }

  recordOfRule(
    by: Actor,
    what: string,
    rule: Omit<TuningRule, "revision">,
    more: Readonly<Record<string, unknown>>,
  ): string {
    const { id, agent_id, user_id, kind, effect, change, mode, suggestion_id, match } = rule;
    const content_hash = contentHash({ match, change });
    const detail = { agent_id, user_id, kind, effect, op: change.op, mode, suggestion_id, content_hash, ...more };
    return this.line(by, { what, subject: "tuning_rule", id, detail });
  }

  /** The rules of the subject that change what its policy does; `without` one that is about to change. */
  async enforced(subject: TuningSubject, without: string | null = null): Promise<Enforced[]> {
    const now = this.deps.now();
    return (await this.rulesOf(subject))
      .filter((rule) => rule.mode === "enforce" && isActive(rule, now) && rule.id !== without)
      .reverse();
  }

  /** What the policy of the subject is with its tuning. */
  async policyOf(subject: TuningSubject): Promise<PolicySource> {
    return tunedBy(this.deps.tuningBaseOf(subject).source, await this.enforced(subject)).source;
  }

  /** Newest first. */
  rulesOf(subject: TuningSubject): Promise<TuningRule[]> {
    return this.deps.tuning.ofSubject(keyOf(subject));
  }

  /** What a change is as of now. Throws `invalid_value`, `below_floor`. */
  async judged(subject: TuningSubject, wanted: WantedTuning, without: string | null = null): Promise<JudgedTuning> {
    return judged(wanted, this.deps.tuningBaseOf(subject), await this.enforced(subject, without));
  }

  /**
   * The same of a suggestion. What loosens a rule that is there stays loosening, whatever the rule does beside others.
   * Throws `invalid_value` also for what would make the rule another one.
   */
  async rejudged(suggestion: Suggestion, wanted: WantedTuning): Promise<JudgedTuning> {
    const { rule_id, kind, effect } = suggestion;
    const judged = await this.judged(suggestion, wanted, rule_id);
    if (rule_id === null) return judged;
    if (judged.kind !== kind) throw anotherRule();
    return { ...judged, effect };
  }

  /** The policy revision in force: what a change is made against. */
  async revision(): Promise<number> {
    return (await this.deps.policies.latest())?.revision ?? 0;
  }

  /**
   * Throws `stale_base` when tuning or profile of the subject changed since the suggestion was last looked at, or what it
   * would change is not what it was; it is stale from then on.
   */
  async assertBaseUnchanged(suggestion: Suggestion): Promise<void> {
    if (!(await this.hasBaseChanged(suggestion))) return;
    const stale: Suggestion = { ...suggestion, status: this.after(suggestion, "outdate"), expires_at: null };
    await this.save(suggestion, stale, HUB_ACTOR, "stale");
    throw staleBase();
  }

  async hasBaseChanged(suggestion: Suggestion): Promise<boolean> {
    const { change, match, rule_id } = suggestion;
    if (hasBaseChanged(suggestion, await this.baseOf(suggestion))) return true;
    if (change.op === "amend") return false;
    return !isAsItWas({ match, change }, this.deps.tuningBaseOf(suggestion), await this.enforced(suggestion, rule_id));
  }

  /** The agent it is about; null for a user's own calls. */
  agentOf({ agent_id }: TuningSubject): Promise<Agent | null> {
    return agent_id === null ? Promise.resolve(null) : this.deps.agents.byId(agent_id);
  }

  private async baseOf(subject: TuningSubject): Promise<BaseRevisions> {
    const rules = await this.rulesOf(subject);
    const [profile] = subject.agent_id === null ? [] : await this.deps.profiles.ofAgent(subject.agent_id);
    return {
      tuning_revision: rules.length === 0 ? null : Math.max(...rules.map(({ revision }) => revision)),
      profile_from: profile?.effective_from ?? null,
    };
  }

  private line(
    by: Actor,
    {
      what,
      subject,
      id,
      detail,
    }: { what: string; subject: string; id: string; detail: Readonly<Record<string, unknown>> },
  ): string {
    const change = { kind: `tuning.${what}`, by, subject, subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

export const anotherRule = (): GuardError =>
  new GuardError("invalid_value", "This edit would make another rule. Delete this one and create a new one.", {
    param: "change",
  });

export const staleBase = (): GuardError =>
  new GuardError("stale_base", "The policy has changed since the suggestion was made. Request approval again.");

/** Throws `state_conflict` for what nobody may put in force. */
export const assertNoConfirmedRegression = ({ would_release_confirmed: released }: TuningImpact): void => {
  if (released === 0) return;
  throw new GuardError(
    "state_conflict",
    `It would let ${released} pass that ${released === 1 ? "is" : "are"} known to be caught rightly. It can never be applied.`,
    { extra: { blocking: ["would_release_confirmed"] } },
  );
};
