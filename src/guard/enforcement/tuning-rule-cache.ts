import { ExceptionMatcher } from "#guard/enforcement/exception-matcher";
import type { Clock } from "#platform/clock";
import { isActive, type TuningRule } from "#policy/tuning/rule";

type TuningRuleCacheNeeds = {
  readonly now: Clock;
  /** Keyed, lower-case hexadecimal. */
  readonly hashOf: (text: string) => string;
  /** Whether a text fits a pattern (RE2) from end to end. */
  readonly fits: (pattern: string, text: string) => boolean;
};

/** The tuning of one subject, for as long as nothing changes it. */
export type SubjectTuning = {
  readonly exceptionMatcher: ExceptionMatcher;
  /** Those in force that change what the policy does, monitored ones not among them. */
  readonly enforced: readonly TuningRule[];
  /** Unix milliseconds at which one of them runs out. */
  readonly until: number;
};

/** The tuning rules of all subjects, as of the last change taken in. */
export class TuningRuleCache {
  private readonly subjects = new Map<string, Map<string, TuningRule>>();
  private readonly none: SubjectTuning;

  constructor(private readonly deps: TuningRuleCacheNeeds) {
    this.none = {
      exceptionMatcher: new ExceptionMatcher([], null, deps),
      enforced: [],
      until: Number.POSITIVE_INFINITY,
    };
  }

  /** The subjects whose rules these change. */
  apply(rules: readonly TuningRule[]): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const rule of rules) {
      const key = rule.agent_id ?? rule.user_id;
      const own = this.subjects.get(key) ?? new Map<string, TuningRule>();
      own.set(rule.id, rule);
      this.subjects.set(key, own);
      changed.add(key);
    }
    return changed;
  }

  has(subjectId: string): boolean {
    return this.subjects.has(subjectId);
  }

  /** Of an agent, or of a user's calls without one. `tried`: a rule as it would be, beside or instead of one there is. */
  of(subjectId: string, tried?: TuningRule): SubjectTuning {
    const own = this.subjects.get(subjectId);
    if (!own && !tried) return this.none;
    const now = this.deps.now();
    const all = [...[...(own?.values() ?? [])].filter(({ id }) => id !== tried?.id), ...(tried ? [tried] : [])];
    const rules = all.filter((rule) => isActive(rule, now)).sort((one, other) => (one.id < other.id ? -1 : 1));
    const ends = rules.flatMap(({ expires_at }) => expires_at ?? []);
    return {
      exceptionMatcher: new ExceptionMatcher(rules, Math.max(...all.map(({ revision }) => revision)), this.deps),
      enforced: rules.filter(({ mode }) => mode === "enforce"),
      until: Math.min(Number.POSITIVE_INFINITY, ...ends),
    };
  }
}
