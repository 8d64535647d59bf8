import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileProfile } from "#policy/profile/compile";
import { type Effective, effectiveOf } from "#policy/profile/effective";
import { holdingOf, humansNeeded, modelDenials, toolDenials } from "#policy/profile/permits";
import type { ProfileBody } from "#policy/profile/profile";
import type { Restriction, RestrictionScope } from "#policy/restrictions/restriction";
import { DEFAULT_POLICY } from "#scan/defaults";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { compilePolicy, type PolicyRule } from "#scan/policy";
import { answers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const NOW = 1_750_000_000_000;
const TYPES = [
  "pii",
  "pii.email",
  "secret",
  "secret.generic",
  "injection",
  "tool",
  "egress",
  "egress.url",
  "custom",
  "custom.falcon",
];
const FOUND = [
  "pii.email",
  "pii.iban",
  "secret.generic",
  "injection.direct",
  "tool.tainted_argument",
  "egress.url",
  "egress.image",
  "custom.falcon",
];
const TOOLS = ["files__read", "files__write", "mail__send", "think"];
const MODELS = ["fake-a", "fake-b", "other"];

const score = fc.constantFrom(0.2, 0.5, 0.8, 1);
const thresholds = fc.record({ flag: score, redact: score, block: score }, { requiredKeys: [] });
const rule = fc
  .record(
    {
      type: fc.constantFrom(...TYPES),
      thresholds,
      origins: fc.uniqueArray(fc.constantFrom(...ORIGINS), { minLength: 1 }),
      mode: fc.constantFrom("enforce" as const, "monitor" as const),
    },
    { requiredKeys: ["type", "thresholds"] },
  )
  .map((given): PolicyRule => given);
const names = fc.uniqueArray(fc.constantFrom(...TOOLS, "files__*", "mail__*", "*"));
const globs = fc.uniqueArray(fc.constantFrom(...MODELS, "fake-*", "*"));
const limit = fc.integer({ min: 1, max: 5 });

const BODY = compileProfile(answers(), { tier: "low" });
const family = fc.record({
  enabled: fc.boolean(),
  mode: fc.constantFrom("enforce" as const, "monitor" as const),
  monitor_until: fc.constantFrom(null, new Date(NOW + 1).toISOString(), new Date(NOW - 1).toISOString()),
  rules: fc.array(rule, { maxLength: 4 }),
});
const body: fc.Arbitrary<ProfileBody> = fc
  .record({
    mode: fc.constantFrom("enforce" as const, "monitor" as const),
    detectors: fc.record({ pii: family, secrets: family, prompt_injection: family, tools: family, custom: family }),
    models: fc.record({ allow: globs, deny: globs, max_output_tokens: fc.option(limit) }),
    tools: fc.record({
      default: fc.constantFrom("deny" as const, "allow" as const),
      allow: names,
      effects: fc.dictionary(fc.constantFrom(...TOOLS, "files__*"), fc.constantFrom("read" as const, "write" as const)),
      require_human: names,
      tainted_arguments: fc.constantFrom("allow" as const, "flag" as const, "block" as const, "hold" as const),
      max_calls_per_conversation: fc.option(limit),
    }),
    limits: fc.record({
      requests_per_minute: fc.option(limit),
      requests_per_day: fc.option(limit),
      tokens_per_minute: fc.option(limit),
      tokens_per_day: fc.option(limit),
      concurrent: fc.option(limit),
      calls_per_conversation: fc.option(limit),
    }),
    egress: fc.record({
      url_allow: fc.option(fc.constantFrom<string[]>(["good.example"], [])),
      urls: fc.constantFrom(...ACTIONS),
      images: fc.constantFrom(...ACTIONS),
    }),
  })
  // Through JSON, as profiles are stored.
  .map((some) => JSON.parse(JSON.stringify({ ...BODY, ...some })));
const narrowed: fc.Arbitrary<RestrictionScope> = fc.oneof(
  fc.record({ kind: fc.constant("model_restricted" as const), params: fc.record({ models_allow: globs }) }),
  fc.record({
    kind: fc.constant("tool_restricted" as const),
    params: fc.record({ tools_deny: names, read_only: fc.boolean() }),
  }),
  fc.record({
    kind: fc.constant("rate_limited" as const),
    params: fc.record(
      { requests_per_minute: limit, tokens_per_minute: limit, concurrent: limit },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ kind: fc.constant("output_redaction" as const), params: fc.constant({}) }),
  fc.record({ kind: fc.constant("human_approval" as const), params: fc.record({ tools: names }) }),
);
const restrictionOf = (given: RestrictionScope, id: string): Restriction => ({
  ...given,
  id,
  agent_id: "a",
  source: "manual",
  set_by: null,
  trigger: null,
  reason: "",
  starts_at: NOW - 1,
  expires_at: null,
  lifted_at: null,
  lifted_by: null,
  lift_reason: null,
  receipts: [],
});
const restrictions = fc
  .array(narrowed, { maxLength: 4 })
  .map((all) => all.map((one, at) => restrictionOf(one, `r${at}`)));
const parts = fc.record({
  baseline: fc.constant(DEFAULT_POLICY),
  profile: fc.option(fc.record({ version: fc.constant(3), body })),
  floor: fc.array(rule, { maxLength: 3 }),
  restrictions,
  now: fc.constant(NOW),
});

const rank = (action: (typeof ACTIONS)[number]): number => ACTIONS.indexOf(action);
/** Every answer it can give, as numbers: higher is stricter. */
const strictnessOf = (effective: Effective): number[] => {
  const policy = compilePolicy(effective.policy, 1, []);
  const verdicts = FOUND.flatMap((type) =>
    ORIGINS.flatMap((origin) => [0.3, 0.6, 0.9, 1].map((at) => rank(policy.judge(origin, type, at)))),
  );
  const holds = (denials: Parameters<typeof holdingOf>[1]): number => (holdingOf(effective, denials) ? 1 : 0);
  const limits = [
    effective.limits.requests_per_minute,
    effective.limits.tokens_per_minute,
    effective.limits.concurrent,
  ];
  return [
    ...verdicts,
    ...MODELS.map((model) => holds(modelDenials(effective, model))),
    ...TOOLS.map((tool) => holds(toolDenials(effective, tool))),
    ...TOOLS.map((tool) => holds(humansNeeded(effective, tool))),
    ...limits.map((bound) => -(bound?.value ?? Number.POSITIVE_INFINITY)),
  ];
};
const isNowhereLooser = (stricter: Effective, than: Effective): boolean => {
  const [after, before] = [strictnessOf(stricter), strictnessOf(than)];
  return after.every((value, at) => value >= (before[at] ?? 0));
};

describe("the strictest of all layers", () => {
  test("one restriction more never loosens anything, wherever it stands", () => {
    verifies("enforce.strictest");
    fc.assert(
      fc.property(parts, narrowed, fc.nat(4), (given, more, at) => {
        const added = given.restrictions.toSpliced(at, 0, restrictionOf(more, "added"));
        expect(isNowhereLooser(effectiveOf({ ...given, restrictions: added }), effectiveOf(given))).toBe(true);
      }),
    );
  });

  test("the order of restrictions does not matter", () => {
    verifies("enforce.strictest");
    fc.assert(
      fc.property(parts, (given) => {
        const turned = { ...given, restrictions: given.restrictions.toReversed() };
        expect(strictnessOf(effectiveOf(turned))).toEqual(strictnessOf(effectiveOf(given)));
      }),
    );
  });

  test("a floor never loosens anything, and no profile goes below it", () => {
    verifies("enforce.strictest", "enforce.floor");
    fc.assert(
      fc.property(parts, (given) => {
        expect(isNowhereLooser(effectiveOf(given), effectiveOf({ ...given, floor: [] }))).toBe(true);
        if (!given.profile) return;
        const policy = compilePolicy(effectiveOf(given).policy, 1, []);
        const alone = compilePolicy({ ...DEFAULT_POLICY, rules: given.floor }, 1, []);
        for (const type of FOUND) {
          for (const origin of ORIGINS) {
            for (const at of [0.3, 0.6, 1]) {
              expect(rank(policy.judge(origin, type, at))).toBeGreaterThanOrEqual(rank(alone.judge(origin, type, at)));
            }
          }
        }
      }),
    );
  });

  test("a profile that only watches refuses nothing and enforces nothing", () => {
    verifies("enforce.monitor");
    fc.assert(
      fc.property(body, (given) => {
        const profile = { version: 3, body: { ...given, mode: "monitor" as const } };
        const effective = effectiveOf({ baseline: DEFAULT_POLICY, profile, floor: [], restrictions: [], now: NOW });
        const policy = compilePolicy(effective.policy, 1, []);
        for (const type of FOUND) {
          for (const origin of ORIGINS) expect(rank(policy.judge(origin, type, 1))).toBeLessThanOrEqual(rank("flag"));
        }
        for (const model of MODELS) expect(holdingOf(effective, modelDenials(effective, model))).toBeNull();
        for (const tool of TOOLS) {
          const denials = [...toolDenials(effective, tool), ...humansNeeded(effective, tool)];
          expect(holdingOf(effective, denials)).toBeNull();
        }
        expect(Object.values(effective.limits).every((bound) => bound === null)).toBe(true);
      }),
    );
  });
});

describe("effective policy: allowed models and tools, by a second implementation", () => {
  const plain = (pattern: string, name: string): boolean =>
    pattern === "*" || pattern === name || (pattern.endsWith("__*") && name.startsWith(pattern.slice(0, -1)));

  test("tools", () => {
    verifies("enforce.tools-gateway", "enforce.tools-declared");
    fc.assert(
      fc.property(parts, fc.constantFrom(...TOOLS), (given, tool) => {
        const enforced = {
          ...given,
          profile: given.profile && { version: 3, body: { ...given.profile.body, mode: "enforce" as const } },
        };
        const effective = effectiveOf(enforced);
        const profile = enforced.profile?.body.tools;
        const effects = profile?.effects ?? {};
        const reads = (effects[tool] ?? effects[`${tool.split("__")[0]}__*`]) === "read";
        const isDenied =
          (profile?.default === "deny" && !profile.allow.some((pattern) => plain(pattern, tool))) ||
          given.restrictions.some(
            (one) =>
              one.kind === "tool_restricted" &&
              (one.params.tools_deny?.some((pattern) => plain(pattern, tool)) || (one.params.read_only && !reads)),
          );
        expect(holdingOf(effective, toolDenials(effective, tool)) !== null).toBe(isDenied);
      }),
    );
  });

  test("models", () => {
    verifies("enforce.models");
    const covers = (glob: string, model: string) =>
      glob === "*" || glob === model || (glob.endsWith("*") && model.startsWith(glob.slice(0, -1)));
    fc.assert(
      fc.property(parts, fc.constantFrom(...MODELS), (given, model) => {
        const enforced = {
          ...given,
          profile: given.profile && { version: 3, body: { ...given.profile.body, mode: "enforce" as const } },
        };
        const effective = effectiveOf(enforced);
        const profile = enforced.profile?.body.models;
        const isDenied =
          (profile !== undefined &&
            (profile.deny.some((glob) => covers(glob, model)) || !profile.allow.some((glob) => covers(glob, model)))) ||
          given.restrictions.some(
            (one) => one.kind === "model_restricted" && !one.params.models_allow.some((glob) => covers(glob, model)),
          );
        expect(holdingOf(effective, modelDenials(effective, model)) !== null).toBe(isDenied);
      }),
    );
  });
});
