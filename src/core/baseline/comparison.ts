import { ORIGINS } from "#core/scan/detector";
import { type PolicyRule, type PolicySource, ruleFor, type Thresholds } from "#core/scan/policy";
import { type Comparison, compared } from "#core/tuning/strictness";
import type { Cell } from "./edits";

/** What one policy says of a flag type at an origin; null for nothing. */
export type Said = { readonly thresholds: Thresholds; readonly mode: "enforce" | "monitor" } | null;

/** One place where two policies differ. */
export type Difference = Cell & { readonly before: Said; readonly after: Said };

/** A setting of a policy as a whole. */
export type SettingDifference = { readonly name: string; readonly before: unknown; readonly after: unknown };

const SETTINGS = ["mode", "hold_back", "max_text", "custom"] as const;

export const saidOf = (rule: PolicyRule | null): Said =>
  rule && { thresholds: rule.thresholds, mode: rule.mode ?? "enforce" };

/** Where they differ, told once for all types that have no rule of their own. */
export const differencesOf = (before: PolicySource, after: PolicySource): Difference[] => {
  const types = [...new Set([...before.rules, ...after.rules].map(({ type }) => type))].sort();
  return types.flatMap((type) =>
    ORIGINS.flatMap((origin): Difference[] => {
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
export const comparisonOf = (before: PolicySource, after: PolicySource, cells: readonly Cell[]): Comparison =>
  compared(asDone(before), asDone(after), cells);

/** Rules as what they come to. */
export const asDone = (source: PolicySource): PolicySource => ({
  ...source,
  rules: source.rules.map((rule) =>
    rule.mode === "monitor" ? { ...rule, thresholds: { flag: leastOf(rule.thresholds) } } : rule,
  ),
});

const leastOf = (thresholds: Thresholds): number => Math.min(2, ...Object.values(thresholds));

const isSame = (one: Said, other: Said): boolean =>
  one?.mode === other?.mode &&
  (["flag", "redact", "block"] as const).every((action) => one?.thresholds[action] === other?.thresholds[action]);
