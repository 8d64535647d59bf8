import { type Difference, differencesBetween } from "#core/differences";
import { canonicalJson } from "#core/json/json";
import { Type } from "#core/schema";
import { PERMISSIONS } from "#policy/commands/permission";
import type { TAINTED_ACTIONS } from "#policy/review/questionnaire";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import { policyRuleOf } from "./effective-policy";
import { USUAL_HOOKS } from "./local-rules";
import { FAMILIES, type ProfileRules } from "./presets";
import type { ProfileBody } from "./profile";

/** `other`: neither, or both at once. */
export const CHANGE_DIRECTIONS = ["stricter", "looser", "other"] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

/** As it is answered. */
export const ProfileDifference = Type.Object({
  pointer: Type.String({ description: "JSON pointer.", examples: ["/limits/requests_per_minute"] }),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
  direction: Type.Union(CHANGE_DIRECTIONS.map((direction) => Type.Literal(direction))),
});
export type ProfileChange = Difference & { readonly direction: ChangeDirection };

/** What changed from one profile to the next, and which way it went. */
export const diffProfiles = (before: ProfileBody, after: ProfileBody): ProfileChange[] =>
  differencesBetween(before, after).map((change) => withDirection(change, before, after));

const withDirection = (change: Difference, before: ProfileBody, after: ProfileBody): ProfileChange => {
  const family = FAMILIES.find((name) => change.pointer === `/detectors/${name}/rules`);
  if (family === undefined) return { ...change, direction: directionOf(change) };
  const [old, fresh] = [before.detectors[family].rules, after.detectors[family].rules];
  return {
    pointer: change.pointer,
    before: without(old, fresh),
    after: without(fresh, old),
    direction: rulesDirection(old, fresh),
  };
};

/** The rules that are not among the others: a long list in which one rule changed tells nothing. */
const without = (rules: ProfileRules, others: ProfileRules): ProfileRules => {
  const known = new Set(others.map((rule) => canonicalJson(rule)));
  return rules.filter((rule) => !known.has(canonicalJson(rule)));
};

type Compare = (before: unknown, after: unknown) => ChangeDirection;

/** Greater is stricter. */
const byRank = (rank: (value: unknown) => number): Compare => {
  return (before, after) => {
    const [one, other] = [rank(before), rank(after)];
    if (one === other || Number.isNaN(one) || Number.isNaN(other)) return "other";
    return other > one ? "stricter" : "looser";
  };
};
const inListOf = (values: readonly unknown[]): Compare => byRank((value) => values.indexOf(value));
/** A ceiling: null for none. */
const ceiling: Compare = byRank((value) => (typeof value === "number" ? -value : Number.NEGATIVE_INFINITY));
const opposite: Readonly<Record<ChangeDirection, ChangeDirection>> = {
  stricter: "looser",
  looser: "stricter",
  other: "other",
};

/** Names that are allowed, null for all: more is looser. */
const allowed: Compare = (before, after) => {
  if (before === null || after === null) return before === null ? "stricter" : "looser";
  if (!Array.isArray(before) || !Array.isArray(after)) return "other";
  const added = after.some((item) => !before.includes(item));
  const removed = before.some((item) => !after.includes(item));
  if (added === removed) return "other";
  return added ? "looser" : "stricter";
};
/** The same where nothing is said for none. */
const listed: Compare = (before, after) => allowed(before ?? [], after ?? []);
const denied: Compare = (before, after) => opposite[allowed(before, after)];

/** Where one side says nothing of it, it is as where this is said. */
const usually =
  (usual: unknown, compare: Compare): Compare =>
  (before, after) =>
    compare(before ?? usual, after ?? usual);
/** Without any rules all is allowed: a list of what is allowed then says nothing. */
const exempted: Compare = (before, after) =>
  (before ?? null) === null || (after ?? null) === null ? "other" : allowed(before, after);

/** From lenient to strict. */
const TAINTED = ["allow", "flag", "hold", "block"] as const satisfies readonly (typeof TAINTED_ACTIONS)[number][];

const COMPARED: readonly (readonly [RegExp, Compare])[] = [
  [/^\/mode$|^\/detectors\/\w+\/mode$/, inListOf(["monitor", "enforce"])],
  [/^\/detectors\/\w+\/enabled$/, inListOf([false, true])],
  [/^\/fail_mode$/, inListOf(["open", "closed"])],
  [/^\/models\/allow$|^\/tools\/allow$|^\/egress\/url_allow$/, allowed],
  [/^\/server_tools\/(?:allow|mcp_hosts)$|^\/(?:prompts|resources)$/, listed],
  [/^\/(?:commands|files\/\w+)\/allow$/, exempted],
  [/^\/(?:commands|files\/\w+)\/(?:ask|deny)$/, usually([], denied)],
  [/^\/(?:commands|files\/\w+)\/default$|^\/commands\/other_hosts$/, usually("allow", inListOf(PERMISSIONS))],
  [/^\/commands\/hosts$/, usually(null, allowed)],
  [/^\/hooks\/redact$/, usually(USUAL_HOOKS.redact, inListOf(["allow", "deny"]))],
  [/^\/hooks\/offline_minutes$/, usually(USUAL_HOOKS.offline_minutes, ceiling)],
  [/^\/provider_state$/, byRank((value) => (value === "forbid" ? 1 : 0))],
  [/^\/models\/deny$|^\/tools\/require_human$/, denied],
  [/^\/tools\/default$/, inListOf(["allow", "deny"])],
  [/^\/tools\/tainted_arguments$/, inListOf(TAINTED)],
  [/^\/tools\/tainted_values\/from$/, ceiling],
  [/^\/tools\/tainted_values\/reading_tools$/, inListOf([false, true])],
  [/^\/models\/max_output_tokens$|^\/tools\/max_calls_per_conversation$|^\/limits\/\w+$/, ceiling],
  [/^\/egress\/(?:urls|images)$/, inListOf(ACTIONS)],
  [/^\/tunable\/max_threshold_delta$/, ceiling],
];

const directionOf = ({ pointer, before, after }: Difference): ChangeDirection =>
  COMPARED.find(([place]) => place.test(pointer))?.[1](before, after) ?? "other";

/** Asks both lists what they do about every type either names, at every origin, at every score that decides. */
const rulesDirection = (before: ProfileRules, after: ProfileRules): ChangeDirection => {
  const both = [...before, ...after];
  const types = [...new Set(both.map(({ type }) => type))];
  const scores = [...new Set(both.flatMap(({ thresholds }) => Object.values(thresholds)))];
  const [old, fresh] = [policyOf(before), policyOf(after)];
  const cases = types.flatMap((type) => ORIGINS.flatMap((origin) => scores.map((score) => ({ type, origin, score }))));
  const steps = cases.map(({ type, origin, score }) => {
    const rank = (policy: CompiledPolicy): number => ACTIONS.indexOf(policy.judge(origin, type, score));
    return Math.sign(rank(fresh) - rank(old));
  });
  const [isStricter, isLooser] = [steps.includes(1), steps.includes(-1)];
  if (isStricter === isLooser) return "other";
  return isStricter ? "stricter" : "looser";
};

const policyOf = (rules: ProfileRules) =>
  compilePolicy(
    { mode: "enforce", hold_back: 0, max_text: 1, rules: rules.map((rule) => policyRuleOf(rule, false)) },
    1,
    [],
  );
