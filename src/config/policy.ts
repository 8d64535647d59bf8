import type { ConfiguredRule } from "#policy/baseline/baseline";
import type { CustomRule } from "#scan/custom";
import { DEFAULT_POLICY } from "#scan/defaults";
import { type Action, ORIGINS } from "#scan/detector";
import type { PolicyRule, PolicySource, Thresholds } from "#scan/policy";
import type { Config } from "./schema";

/** Where a type starts to be flagged, and acted on, when the built-in rules do not say. */
const FLAG_FROM = 0.3;
const ACT_FROM = 0.5;

/** Rules of the configuration, in the order in which later ones win, each with its key. */
export const configuredRules = ({ guard }: Pick<Config, "guard">): readonly ConfiguredRule[] => [
  ...guard.custom.map(({ id, action = "flag", mode }) => {
    const rule = { ...ruleFor(`custom.${id}`, action), ...(mode && { mode }) };
    return { key: "guard.custom", rule };
  }),
  ...Object.entries(guard.actions).map(([type, action]) => ({ key: "guard.actions", rule: ruleFor(type, action) })),
  ...guard.rules.map((rule) => ({ key: "guard.rules", rule: withoutUndefined(rule) })),
];

/**
 * The policy in force: the built-in rules; in place of them what people set by hand, for the very type it names; and in
 * place of both a configured rule, for its type and all below. Among configured ones the order of `scan/` applies (the
 * more specific wins, of equals the later), so that a full rule refines a shorthand action.
 */
export const policyOf = (config: Pick<Config, "guard" | "limits">, edits: readonly PolicyRule[] = []): PolicySource => {
  const { guard, limits } = config;
  const configured = configuredRules(config).map(({ rule }) => rule);
  const edited = [...edits.reduce(withoutOwn, DEFAULT_POLICY.rules), ...edits];
  return {
    ...DEFAULT_POLICY,
    mode: guard.mode,
    hold_back: guard.hold_back,
    // Whatever is read is scanned to its end: padding hides nothing.
    max_text: limits.body_bytes,
    // Left out where there are none, so that the policy is the same one as before there could be any.
    ...(guard.custom.length > 0 && { custom: guard.custom.map(customRule) }),
    rules: [...configured.reduce(without, edited), ...configured],
  };
};

export const customRule = ({ id, words, pattern, keywords, score }: Config["guard"]["custom"][number]): CustomRule => ({
  id,
  ...(words && { words }),
  ...(pattern !== undefined && { pattern }),
  ...(keywords && { keywords }),
  ...(score !== undefined && { score }),
});

const isBelow = (type: string, prefix: string): boolean => type === prefix || type.startsWith(`${prefix}.`);

/** Rules less what a configured one replaces. */
const without = (rules: readonly PolicyRule[], rule: PolicyRule): readonly PolicyRule[] =>
  replaced(rules, rule, ({ type }) => isBelow(type, rule.type));

/** Rules less what an edit replaces: what is below its type keeps its own. */
const withoutOwn = (rules: readonly PolicyRule[], rule: PolicyRule): readonly PolicyRule[] =>
  replaced(rules, rule, ({ type }) => type === rule.type);

const replaced = (
  rules: readonly PolicyRule[],
  rule: PolicyRule,
  isMeant: (old: PolicyRule) => boolean,
): readonly PolicyRule[] =>
  rules.flatMap((old): PolicyRule[] => {
    if (!isMeant(old)) return [old];
    const origins = (old.origins ?? ORIGINS).filter((origin) => rule.origins && !rule.origins.includes(origin));
    return origins.length === 0 ? [] : [{ ...old, origins }];
  });

const ruleFor = (type: string, action: Action): PolicyRule => {
  if (action === "allow") return { type, thresholds: {} };
  if (action === "flag") return { type, thresholds: { flag: FLAG_FROM } };
  return { type, thresholds: { flag: FLAG_FROM, [action]: actFrom(type) } };
};

/** The score from which the built-in rules act on a type: detectors of one kind share a scale. */
const actFrom = (type: string): number => {
  const fitting = DEFAULT_POLICY.rules.filter((rule) => isBelow(type, rule.type));
  const scores = fitting
    .sort((one, other) => other.type.length - one.type.length)
    .flatMap(({ thresholds }) => thresholds.block ?? thresholds.redact ?? []);
  return scores[0] ?? ACT_FROM;
};

const withoutUndefined = ({ type, origins, thresholds, mode }: Config["guard"]["rules"][number]): PolicyRule => {
  const { flag, redact, block } = thresholds;
  const given: Thresholds = {
    ...(flag !== undefined && { flag }),
    ...(redact !== undefined && { redact }),
    ...(block !== undefined && { block }),
  };
  return { type, thresholds: given, ...(origins && { origins }), ...(mode && { mode }) };
};

/** What the configuration says no profile can go below. */
export const floorOf = ({ guard }: Pick<Config, "guard">): readonly PolicyRule[] => guard.floor.map(withoutUndefined);
