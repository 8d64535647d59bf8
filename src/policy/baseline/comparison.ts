import { type Comparison, compared } from "#policy/tuning/strictness";
import { ORIGINS } from "#scan/detector";
import { type PolicyRule, type PolicySource, ruleFor, type Thresholds } from "#scan/policy";
import type { BaselineCell } from "./edits";

/** What one policy says of a flag type at an origin; null for nothing. */
export type BaselineSaid = { readonly thresholds: Thresholds; readonly mode: "enforce" | "monitor" } | null;

/** One place where two policies differ. */
export type BaselineDifference = BaselineCell & { readonly before: BaselineSaid; readonly after: BaselineSaid };

/** A setting of a policy as a whole. */
export type SettingDifference = { readonly name: string; readonly before: unknown; readonly after: unknown };

const SETTINGS = ["mode", "hold_back", "max_text", "custom"] as const;

export const saidOf = (rule: PolicyRule | null): BaselineSaid =>
  rule && { thresholds: rule.thresholds, mode: rule.mode ?? "enforce" };

/** Where they differ, told once for all types that have no rule of their own. */
export const differencesOf = (before: PolicySource, after: PolicySource): BaselineDifference[] => {
  const types = [...new Set([...before.rules, ...after.rules].map(({ type }) => type))].sort();
  return types.flatMap((type) =>
    ORIGINS.flatMap((origin): BaselineDifference[] => {
      const was = saidOf(ruleFor(before.rules, type, origin));
      const is = saidOf(ruleFor(after.rules, type, origin));
      return isSame(was, is) ? [] : [{ type, origin, before: was, after: is }];
    }),
  );
};

export const settingDifferencesOf = (before: PolicySource, after: PolicySource): SettingDifference[] =>
  SETTINGS.flatMap((name) =>
    JSON.stringify(before[name]) === JSON.stringify(after[name])
      ? []
      : [{ name, before: before[name] ?? null, after: after[name] ?? null }],
  );

/** Looser at one place and one score is looser. A rule that only watches does no more than flag. */
export const comparisonOf = (before: PolicySource, after: PolicySource, cells: readonly BaselineCell[]): Comparison =>
  compared(asDone(before), asDone(after), cells);

/** Rules as what they come to. */
export const asDone = (source: PolicySource): PolicySource => ({
  ...source,
  rules: source.rules.map((rule) =>
    rule.mode === "monitor" ? { ...rule, thresholds: { flag: leastOf(rule.thresholds) } } : rule,
  ),
});

const leastOf = (thresholds: Thresholds): number => Math.min(2, ...Object.values(thresholds));

const isSame = (one: BaselineSaid, other: BaselineSaid): boolean =>
  one?.mode === other?.mode &&
  (["flag", "redact", "block"] as const).every((action) => one?.thresholds[action] === other?.thresholds[action]);
