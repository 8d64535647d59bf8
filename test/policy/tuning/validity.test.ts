import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { compared, rankOf } from "#policy/tuning/strictness";
import { tunedBy } from "#policy/tuning/tuned";
import { judged, type TuningBase, type WantedTuning } from "#policy/tuning/validity";
import { DEFAULT_POLICY } from "#scan/defaults";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { actionFor, type PolicySource, type Thresholds, thresholdsIn } from "#scan/policy";
import { verifies } from "#test/support/verifies";

const FLOOR = [
  { type: "secret", origins: ["output"], thresholds: { redact: 0.9 } },
  { type: "injection", origins: ["user"], thresholds: { block: 0.95 } },
] as const;
const ungoverned: TuningBase = { source: DEFAULT_POLICY, most_delta: null };
const governed: TuningBase = {
  source: {
    ...DEFAULT_POLICY,
    rules: [
      { type: "secret", thresholds: { redact: 0.8 } },
      { type: "pii", thresholds: { redact: 0.5 } },
      { type: "injection", thresholds: { block: 0.7 } },
    ],
    above: [{ name: "floor", rules: FLOOR }],
  },
  most_delta: 0.2,
};

const refusalOf = (wanted: WantedTuning, tuningBase = governed): string => {
  try {
    return judged(wanted, tuningBase, []).effect;
  } catch (error) {
    if (error instanceof GuardError) return `${error.code} ${error.param}`;
    throw error;
  }
};
const threshold = (action: "flag" | "redact" | "block", to: number, from: number | null = null) =>
  ({ op: "threshold", action, from, to }) as const;
const allow = { op: "allow" } as const;
const value = { hash: "ab".repeat(32), of: "match" } as const;

describe("tuning: valid changes", () => {
  test("its kind follows from what it says", () => {
    verifies("tuning.validity");
    const kindOf = (wanted: WantedTuning) => judged(wanted, ungoverned, []).kind;
    expect(kindOf({ match: { types: ["pii"], value }, change: allow })).toBe("value_exception");
    expect(kindOf({ match: { types: ["pii"], context: "a[*].b" }, change: allow })).toBe("context_exception");
    expect(kindOf({ match: { types: ["pii"], pattern: "A\\d+" }, change: allow })).toBe("pattern_exception");
    expect(
      kindOf({ match: { types: ["custom"], keywords: ["project x"] }, change: { op: "detect", action: "block" } }),
    ).toBe("pattern_add");
    expect(kindOf({ match: { types: ["pii.email"] }, change: threshold("block", 0.1) })).toBe("threshold");
  });

  test("tuning: empty, unlimited and invalid matches are refused", () => {
    verifies("tuning.validity");
    const detect = { op: "detect", action: "flag" } as const;
    expect(refusalOf({ match: { types: ["pii"] }, change: allow })).toBe("invalid_value match");
    expect(refusalOf({ match: { types: [], value }, change: allow })).toBe("invalid_value match.types");
    expect(refusalOf({ match: { types: ["pii"], pattern: "(" }, change: allow })).toBe("invalid_value match.pattern");
    expect(refusalOf({ match: { types: ["pii"], pattern: "(a{200}){200}" }, change: allow })).toBe(
      "invalid_value match.pattern",
    );
    expect(refusalOf({ match: { types: ["pii"], pattern: "(?=a)b" }, change: allow })).toBe(
      "invalid_value match.pattern",
    );
    expect(refusalOf({ match: { types: [] }, change: detect })).toBe("invalid_value match.keywords");
    expect(refusalOf({ match: { types: [], keywords: ["\u0416\u0416\u0416"] }, change: detect })).toBe(
      "invalid_value match.keywords",
    );
    expect(refusalOf({ match: { types: ["pii"], value }, change: threshold("block", 1) })).toBe("invalid_value match");
    expect(refusalOf({ match: { types: ["pii"] }, change: threshold("redact", 0.5, 0.5) })).toBe(
      "invalid_value change",
    );
  });

  test("a refusal repeats nothing of a pattern", () => {
    verifies("tuning.validity");
    try {
      judged({ match: { types: ["pii"], pattern: "hunter2(" }, change: allow }, governed, []);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain("hunter2");
    }
  });
});

describe("the floor", () => {
  test("keeps what it says: no threshold or action goes below it where it holds", () => {
    verifies("tuning.below-floor");
    expect(refusalOf({ match: { types: ["secret"] }, change: threshold("redact", 0.95) })).toBe("below_floor change");
    expect(
      refusalOf({ match: { types: ["secret.aws"], origins: ["output"] }, change: threshold("redact", 0.95) }),
    ).toBe("below_floor change");
    expect(refusalOf({ match: { types: ["secret"], origins: ["output"] }, change: threshold("redact", 0.9) })).toBe(
      "loosen",
    );
    expect(refusalOf({ match: { types: ["secret"], origins: ["user"] }, change: threshold("redact", 0.95) })).toBe(
      "loosen",
    );
    const down = { op: "action", from: "block", to: "flag" } as const;
    expect(refusalOf({ match: { types: ["injection"] }, change: down })).toBe("below_floor change");
    expect(refusalOf({ match: { types: ["injection"], origins: ["output"] }, change: down })).toBe("loosen");
  });

  test("lets one exact value pass, and no place or pattern where it leaves nothing", () => {
    verifies("tuning.below-floor");
    const bound: TuningBase = {
      ...governed,
      source: { ...governed.source, above: [{ name: "floor", rules: [{ type: "pii", thresholds: { redact: 0.5 } }] }] },
    };
    expect(refusalOf({ match: { types: ["pii"], context: "a" }, change: allow }, bound)).toBe("below_floor change");
    expect(refusalOf({ match: { types: ["pii"], value }, change: allow }, bound)).toBe("loosen");
    expect(refusalOf({ match: { types: ["injection"], context: "a" }, change: allow })).toBe("loosen");
  });

  test("a threshold goes no further up than the profile says, also in many steps", () => {
    verifies("tuning.below-floor");
    const pii = { types: ["pii"], origins: ["user" as const] };
    expect(refusalOf({ match: pii, change: threshold("redact", 0.7) })).toBe("loosen");
    expect(refusalOf({ match: pii, change: threshold("redact", 0.71) })).toBe("below_floor change.to");
    const first = { id: "one", match: pii, change: threshold("redact", 0.7) };
    expect(() => judged({ match: pii, change: threshold("redact", 0.8) }, governed, [first])).toThrow(/0\.2/);
    expect(judged({ match: pii, change: threshold("redact", 0.6) }, governed, [first]).effect).toBe("tighten");
  });
});

const score = fc.integer({ min: 0, max: 20 }).map((n) => n / 20);
const thresholds: fc.Arbitrary<Thresholds> = fc.record(
  { flag: score, redact: score, block: score },
  { requiredKeys: [] },
);
const types = ["pii", "pii.email", "secret", "secret.aws.key"];
const rule = fc.record(
  { type: fc.constantFrom(...types), origins: fc.subarray([...ORIGINS], { minLength: 1 }), thresholds },
  { requiredKeys: ["type", "thresholds"] },
);
const match = fc.record(
  { types: fc.subarray(types, { minLength: 1 }), origins: fc.subarray([...ORIGINS], { minLength: 1 }) },
  { requiredKeys: ["types"] },
);
const change = fc.oneof(
  fc.record({
    op: fc.constant("threshold" as const),
    action: fc.constantFrom("flag" as const, "redact" as const, "block" as const),
    from: fc.constant(null),
    to: score,
  }),
  fc.record({ op: fc.constant("action" as const), from: fc.constantFrom(...ACTIONS), to: fc.constantFrom(...ACTIONS) }),
);
/** More than any rule names: a type below, and one beside. */
const PROBED = [...types, "pii.email.work", "pii.phone", "secret.aws"];
const SCORES = Array.from({ length: 41 }, (_, i) => i / 40);

const strictnessOf = (source: PolicySource): number[] =>
  PROBED.flatMap((type) =>
    ORIGINS.flatMap((origin) => SCORES.map((at) => rankOf(actionFor(thresholdsIn(source, type, origin), at)))),
  );

test("tuning: the effect tighten or loosen matches decisions for every type, origin and score", () => {
  verifies("tuning.stricter-free");
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 6 }),
      fc.array(fc.record({ match, change }), { maxLength: 3 }),
      fc.record({ match, change }),
      (rules, earlier, wanted) => {
        const tuningBase: TuningBase = { source: { ...DEFAULT_POLICY, rules }, most_delta: null };
        const enforced = earlier.map((one, i) => ({ ...one, id: `r${i}` }));
        const before = strictnessOf(tunedBy(tuningBase.source, enforced).source);
        const after = strictnessOf(tunedBy(tuningBase.source, [...enforced, { ...wanted, id: "new" }]).source);
        const isAsStrict = after.every((rank, i) => rank >= (before[i] ?? 0));
        const isSame = after.every((rank, i) => rank === before[i]);
        if (isSame) return;
        expect(effectBeside(wanted, tuningBase, enforced)).toBe(isAsStrict ? "tighten" : "loosen");
      },
    ),
    { numRuns: 300 },
  );
});

const effectBeside = (...given: Parameters<typeof judged>): string => judged(...given).effect;

test("a policy compared with itself is the same, and with one that does less is looser", () => {
  const spots = [{ type: "pii", origin: "user" as const }];
  const source = { rules: [{ type: "pii", thresholds: { redact: 0.5 } }] };
  expect(compared(source, source, spots)).toBe("same");
  expect(compared(source, { rules: [] }, spots)).toBe("looser");
  expect(compared({ rules: [] }, source, spots)).toBe("stricter");
});
