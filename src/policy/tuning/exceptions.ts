import type { Origin } from "#scan/detector";
import { type CompiledPolicy, isEnforced, stricter } from "#scan/policy";
import type { Judged } from "#scan/scan";
import type { TuningRule } from "./rule";

/** The floor of governed agents: one exact value, approved by a person, may go below it. */
export const FLOOR = "floor";

/** Where a finding stands. */
export type ExceptionPlace = { readonly param: string; readonly origin: Origin };

/** What an exception asks about a finding. Texts come in the form in which they are compared. */
export type ExceptionContext = ExceptionPlace & {
  /** Null while its end is not known. */
  readonly match: (() => string) | null;
  readonly text: (() => string) | null;
};

type Exception = TuningRule & { readonly change: { readonly op: "allow" } };

type Means = {
  /** Keyed, lower-case hexadecimal. */
  readonly hashOf: (text: string) => string;
  /** Whether a text fits a pattern (RE2) from end to end. */
  readonly fits: (pattern: string, text: string) => boolean;
};

/** Exceptions of one subject, asked about every finding that would be acted on. */
export class Exceptions {
  private readonly rules: readonly Exception[];

  constructor(
    rules: readonly TuningRule[],
    private readonly means: Means,
  ) {
    this.rules = rules.filter((rule): rule is Exception => rule.change.op === "allow");
  }

  get isEmpty(): boolean {
    return this.rules.length === 0;
  }

  /** Whether any of them asks for the whole text that a finding stands in. */
  get readsTexts(): boolean {
    return this.rules.some(({ match }) => match.value?.of === "text");
  }

  /** The finding as it is, or only flagged where an exception in force says so and no layer above forbids that. */
  amended(policy: CompiledPolicy, finding: Judged, seen: ExceptionContext): Judged {
    if (!isEnforced(finding.action)) return finding;
    const rule = this.rules.find((candidate) => this.isAbout(candidate, finding, seen));
    if (!rule) return finding;
    const least = policy.leastOf(seen.origin, finding.type, finding.score, rule.match.value ? FLOOR : null);
    const action = stricter(least, "flag");
    if (action === finding.action) return finding;
    const tuned = { tuned: rule.id };
    return rule.mode === "monitor" ? { ...finding, ...tuned, would: action } : { ...finding, ...tuned, action };
  }

  private isAbout({ match }: Exception, { type }: Judged, seen: ExceptionContext): boolean {
    const { types, origins, context, value, pattern } = match;
    if (!types.some((prefix) => type === prefix || type.startsWith(`${prefix}.`))) return false;
    if (origins && !origins.includes(seen.origin)) return false;
    if (context !== undefined && context !== contextOf(seen.param)) return false;
    if (value && !this.isValue(value, seen)) return false;
    return pattern === undefined || (seen.match !== null && this.means.fits(pattern, seen.match()));
  }

  private isValue({ hash, of }: { hash: string; of: "match" | "text" }, seen: ExceptionContext): boolean {
    const text = of === "match" ? seen.match : seen.text;
    return text !== null && this.means.hashOf(text()) === hash;
  }
}

/** A place without its indices: `messages[3].content` and `messages[7].content` are one context. */
export const contextOf = (param: string): string => param.replace(/\[\d+\]/g, "[*]");
