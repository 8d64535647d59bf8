import { GuardError } from "#core/errors";
import { canonicalJson } from "#core/json/json";
import { over } from "#features/tuning/application-service";
import { UNCOUNTED } from "#features/tuning/approval-service";
import {
  anotherRule,
  assertNoConfirmedRegression,
  keyOf,
  type SuggestionStateMachine,
  type TuningNeeds,
} from "#features/tuning/suggestion-state-machine";
import type { Actor } from "#model/change";
import { isActive, type TuningRule, type TuningSubject } from "#policy/tuning/rule";
import { endOf, OPEN_STATES } from "#policy/tuning/states";
import { compared, rankOf, spotsOf } from "#policy/tuning/strictness";
import type { Suggestion } from "#policy/tuning/suggestion";
import { tunedBy } from "#policy/tuning/tuned";
import type { Enforced, JudgedTuning, WantedTuning } from "#policy/tuning/validity";
import { proposalOf } from "./suggestion-maker";

/** Going stricter is in force at once; going looser is a suggestion until somebody else has approved it. */
export type RuleOutcome =
  | { readonly kind: "in_force"; readonly rule: TuningRule }
  | { readonly kind: "suggested"; readonly suggestion: Suggestion };

export type NewRule = WantedTuning & {
  readonly mode?: TuningRule["mode"] | undefined;
  readonly expires_in_days?: number | undefined;
  readonly rationale?: string | undefined;
};

/** What is absent stays. `expires_in_days` null: until it is taken back. */
export type RulePatch = {
  readonly mode?: TuningRule["mode"] | undefined;
  readonly expires_in_days?: number | null | undefined;
  readonly wanted?: WantedTuning | undefined;
};

/** Of one subject: custom rules of a policy are bounded, and so is what a person can look through. */
const MAX_RULES = 100;
const MAX_OPEN = 50;
const MAX_TRIES = 100;

/** Rules that people set, change and take back themselves, without a report. */
export class TuningRuleService {
  constructor(
    private readonly deps: TuningNeeds,
    private readonly stateMachine: SuggestionStateMachine,
  ) {}

  /** Throws `invalid_value`, `below_floor`, `state_conflict` when there are too many. */
  async set(by: Actor, subject: TuningSubject, wanted: NewRule): Promise<RuleOutcome> {
    await this.deps.sync();
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const base = await this.stateMachine.revision();
      const judged = await this.stateMachine.judged(subject, wanted);
      if (judged.effect === "loosen") {
        const rationale = wanted.rationale ?? "Asked for by hand.";
        return this.suggest(by, subject, { ...judged, rationale, rule_id: null });
      }
      const rule = await this.begin(by, subject, { ...wanted, ...judged }, base);
      if (rule) return this.taken(rule);
    }
    throw new GuardError("state_conflict", "The baseline policy changed during the request. Try again.");
  }

  /** Throws as `set` does. */
  async amend(by: Actor, rule: TuningRule, patch: RulePatch): Promise<RuleOutcome> {
    await this.deps.sync();
    const now = this.deps.now();
    if (!isActive(rule, now)) throw over();
    const content = await this.contentOf(rule, patch.wanted);
    const mode = patch.mode ?? rule.mode;
    const expires_at = endFor(rule, patch.expires_in_days, now);
    const isLooser = content?.isLooser || isLooserMode(rule, mode) || isLooserEnd(rule, expires_at);
    if (isLooser) {
      const { kind, match } = rule;
      const change = content?.wanted.change ?? { op: "amend" as const, mode };
      const asked = { kind, effect: "loosen" as const, match: content?.wanted.match ?? match, change };
      return this.suggest(by, rule, { ...asked, rationale: `Loosens rule ${rule.id}.`, rule_id: rule.id });
    }
    if (!content && mode === rule.mode && expires_at === rule.expires_at) return { kind: "in_force", rule };
    const changed = await this.deps.tuning.change(
      rule.id,
      { mode, expires_at, ...content?.wanted },
      null,
      (policy_revision) =>
        this.stateMachine.recordOfRule(by, "apply", { ...rule, mode, ...content?.wanted }, { policy_revision }),
    );
    if (!changed) throw over();
    return this.taken(changed);
  }

  /** Whether nothing gets looser when the rule is gone. */
  async isFreeToEnd(rule: TuningRule): Promise<boolean> {
    if (rule.mode === "monitor" || rule.change.op === "allow") return true;
    if (rule.change.op === "detect") return false;
    const [all, others] = [await this.stateMachine.enforced(rule), await this.stateMachine.enforced(rule, rule.id)];
    return this.compared(rule, all, others) !== "looser";
  }

  /** A suggestion to end a rule that makes things stricter. */
  end(by: Actor, rule: TuningRule): Promise<RuleOutcome> {
    const { kind, match, id } = rule;
    if (!isActive(rule, this.deps.now())) throw over();
    const change = { op: "amend", mode: "off" } as const;
    return this.suggest(by, rule, {
      kind,
      effect: "loosen",
      match,
      change,
      rationale: `Ends rule ${id}, which makes things stricter.`,
      rule_id: id,
    });
  }

  /** Null when nothing about what it does changes. */
  private async contentOf(rule: TuningRule, wanted: WantedTuning | undefined) {
    if (!wanted || canonicalJson(wanted) === canonicalJson({ match: rule.match, change: rule.change })) return null;
    const others = await this.stateMachine.enforced(rule, rule.id);
    const { kind, effect, ...content } = await this.stateMachine.judged(rule, wanted, rule.id);
    if (kind !== rule.kind || effect !== rule.effect) throw anotherRule();
    return { wanted: content, isLooser: await this.isLooserContent(rule, content, others) };
  }

  /** Of another match nobody can say in general that it is stricter. */
  private async isLooserContent(rule: TuningRule, wanted: WantedTuning, others: readonly Enforced[]): Promise<boolean> {
    if (canonicalJson(wanted.match) !== canonicalJson(rule.match)) return true;
    const [before, after] = [rule.change, wanted.change];
    if (before.op === "detect" && after.op === "detect") return rankOf(after.action) < rankOf(before.action);
    const all = await this.stateMachine.enforced(rule);
    return this.compared(rule, all, [...others, { ...wanted, id: rule.id }]) === "looser";
  }

  private compared(rule: TuningRule, before: readonly Enforced[], after: readonly Enforced[]) {
    const { source } = this.deps.tuningBaseOf(rule);
    return compared(tunedBy(source, before).source, tunedBy(source, after).source, spotsOf(rule.match));
  }

  private async begin(
    by: Actor,
    { agent_id, user_id }: TuningSubject,
    { kind, effect, match, change, mode = "enforce", expires_in_days }: JudgedTuning & NewRule,
    base: number,
  ): Promise<TuningRule | null> {
    const now = this.deps.now();
    const rules = await this.stateMachine.rulesOf({ agent_id, user_id });
    if (rules.filter((rule) => isActive(rule, now)).length >= MAX_RULES) {
      throw new GuardError("state_conflict", `The limit of ${MAX_RULES} rules is reached. Roll back one first.`);
    }
    const rule: Omit<TuningRule, "revision"> = {
      agent_id,
      user_id,
      kind,
      effect,
      match,
      change,
      mode,
      id: this.deps.ids(),
      status: "active",
      expires_at: endOf(effect, expires_in_days, now),
      hits: 0,
      last_hit_at: null,
      suggestion_id: null,
      requested_by: by.user_id,
      approved_by: [],
      self_approved: false,
      created_at: now,
      ended_at: null,
    };
    return this.deps.tuning.apply(rule, null, base, (policy_revision) =>
      this.stateMachine.recordOfRule(by, "apply", rule, { policy_revision }),
    );
  }

  private async suggest(
    by: Actor,
    { agent_id, user_id }: TuningSubject,
    asked: Pick<Suggestion, "kind" | "effect" | "match" | "change" | "rationale" | "rule_id">,
  ): Promise<RuleOutcome> {
    const { kind, effect, match, change } = asked;
    await this.mustHaveRoom({ agent_id, user_id });
    const base_revision = await this.stateMachine.revision();
    const impact =
      change.op === "amend"
        ? UNCOUNTED
        : await this.deps.impactOf({ agent_id, user_id }, { kind, effect, match, change });
    assertNoConfirmedRegression(impact);
    const suggestion = proposalOf({
      ...asked,
      agent_id,
      user_id,
      impact,
      base_revision,
      id: this.deps.ids(),
      report_ids: [],
      created_by: by.user_id,
      created_at: this.deps.now(),
    });
    const record = this.stateMachine.record(by, "suggest", suggestion);
    if (!(await this.deps.suggestions.create(suggestion, record, MAX_OPEN))) throw tooManyOpen();
    return { kind: "suggested", suggestion };
  }

  /** Checked before the replay, which is expensive; the limit is checked again when it is stored. */
  private async mustHaveRoom(subject: TuningSubject): Promise<void> {
    const open = await this.deps.suggestions.list({ ...keyOf(subject), states: OPEN_STATES });
    if (open.filter((one) => one.agent_id === subject.agent_id).length >= MAX_OPEN) throw tooManyOpen();
  }

  private async taken(rule: TuningRule): Promise<RuleOutcome> {
    await this.deps.sync();
    return { kind: "in_force", rule };
  }
}

const tooManyOpen = (): GuardError =>
  new GuardError("state_conflict", `The limit of ${MAX_OPEN} open suggestions is reached. Decide on one first.`);

const FOREVER = Number.POSITIVE_INFINITY;

/** Throws `invalid_value` for a loosening rule without an end. */
const endFor = (rule: TuningRule, days: number | null | undefined, now: number): number | null => {
  if (days === undefined) return rule.expires_at;
  if (days !== null) return endOf(rule.effect, days, now);
  if (rule.effect === "tighten") return null;
  throw new GuardError("invalid_value", "A loosening rule needs an end: set expires_at or expires_in_days.", {
    param: "expires_in_days",
  });
};

const isLooserMode = (rule: TuningRule, mode: TuningRule["mode"]): boolean =>
  mode !== rule.mode && mode === (rule.effect === "loosen" ? "enforce" : "monitor");

const isLooserEnd = (rule: TuningRule, end: number | null): boolean => {
  const [was, is] = [rule.expires_at ?? FOREVER, end ?? FOREVER];
  return rule.effect === "loosen" ? is > was : is < was;
};
