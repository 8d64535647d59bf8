import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Answers, AUDIENCES, AUTONOMIES, DATA_CLASSES, EFFECTS } from "#policy/review/questionnaire";
import { TIERS } from "#policy/review/review";
import { riskOf, tierOf } from "#policy/review/risk";
import { answers, anyAnswers, tool } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const pointsOf = (given: Answers): Record<string, [string, number]> =>
  Object.fromEntries(riskOf(given).parts.map(({ name, answer, points }) => [name, [answer, points]]));

describe("the tier and its arithmetic", () => {
  test("each part says what was answered and what that adds", () => {
    verifies("review.risk");
    const risk = riskOf(
      answers({
        purpose: { intended_use: "x", audience: "customer" },
        data_privacy: { data_classes: ["public", "confidential", "internal"] },
        tools: { tools: [tool("shop", "look", "read"), tool("shop", "order", "write")] },
        secrets_security: { egress: ["example.org"] },
        oversight: { autonomy: "act_with_approval" },
      }),
    );
    expect(risk).toEqual({
      tier: "high",
      points: 11,
      parts: [
        { name: "autonomy", answer: "act_with_approval", points: 2 },
        { name: "audience", answer: "customer", points: 3 },
        { name: "data", answer: "confidential", points: 3 },
        { name: "tools", answer: "write", points: 2 },
        { name: "egress", answer: "allow_list", points: 1 },
      ],
      raised: null,
    });
  });

  test("every effect but read and write counts as the strictest, and so does running code", () => {
    verifies("review.risk");
    for (const effect of EFFECTS) {
      const [, points] = pointsOf(answers({ tools: { tools: [tool(null, "x", effect)] } }))["tools"] ?? ["", -1];
      expect([effect, points]).toEqual([effect, effect === "read" ? 0 : effect === "write" ? 2 : 4]);
    }
    const code = answers({ tools: { tools: [] }, secrets_security: { code_execution: true } });
    expect(pointsOf(code)["tools"]).toEqual(["execute", 4]);
  });

  test("risk: undeclared answers add no points", () => {
    verifies("review.risk");
    const bare = answers({ tools: { tools: [] }, secrets_security: {}, data_privacy: { data_classes: [] } });
    expect(pointsOf(bare)).toMatchObject({ tools: ["none", 0], egress: ["none", 0], data: ["none", 0] });
    expect(pointsOf(answers({ secrets_security: { egress_hosts: ["a.org"] } }))["egress"]).toEqual(["allow_list", 1]);
  });

  test("0–4 low, 5–9 medium, 10–14 high, 15–20 critical", () => {
    verifies("review.risk");
    const tiers = Array.from({ length: 21 }, (_, points) => tierOf(points));
    expect(tiers).toEqual([
      ...Array(5).fill("low"),
      ...Array(5).fill("medium"),
      ...Array(5).fill("high"),
      ...Array(6).fill("critical"),
    ]);
  });

  test("a use the EU AI Act names as high-risk is at least high, and says why", () => {
    verifies("review.risk");
    fc.assert(
      fc.property(anyAnswers, (given) => {
        const risk = riskOf({ ...given, purpose: { ...given.purpose, annex_iii_area: "employment" } });
        const plain = riskOf({ ...given, purpose: { ...given.purpose, annex_iii_area: null } });
        expect(TIERS.indexOf(risk.tier)).toBe(Math.max(TIERS.indexOf("high"), TIERS.indexOf(plain.tier)));
        expect(risk.raised === null).toBe(TIERS.indexOf(plain.tier) >= TIERS.indexOf("high"));
        expect(plain.raised).toBeNull();
      }),
    );
  });
});

/** Each is a step to a riskier answer, from anything. */
const RISKIER: readonly ((given: Answers) => Answers)[] = [
  (it) => ({ ...it, oversight: { ...it.oversight, autonomy: next(AUTONOMIES, it.oversight.autonomy) } }),
  (it) => ({ ...it, purpose: { ...it.purpose, audience: next(AUDIENCES, it.purpose.audience) } }),
  (it) => ({ ...it, data_privacy: { ...it.data_privacy, data_classes: [...it.data_privacy.data_classes, "secret"] } }),
  (it) => ({ ...it, data_privacy: { ...it.data_privacy, data_classes: [...DATA_CLASSES] } }),
  (it) => ({ ...it, tools: { ...it.tools, tools: [...it.tools.tools, tool("x", "pay", "pay")] } }),
  (it) => ({ ...it, secrets_security: { ...it.secrets_security, code_execution: true } }),
  (it) => ({ ...it, secrets_security: { ...it.secrets_security, egress: "open" } }),
  (it) => ({ ...it, purpose: { ...it.purpose, annex_iii_area: "credit" } }),
];

const next = <T>(values: readonly T[], value: T): T => values[values.indexOf(value) + 1] ?? value;

test("a riskier answer never lowers points or tier, and points stay within 0 and 20", () => {
  verifies("review.risk");
  fc.assert(
    fc.property(anyAnswers, fc.constantFrom(...RISKIER), (given, step) => {
      const [before, after] = [riskOf(given), riskOf(step(given))];
      expect(after.points).toBeGreaterThanOrEqual(before.points);
      expect(TIERS.indexOf(after.tier)).toBeGreaterThanOrEqual(TIERS.indexOf(before.tier));
      expect(before.points).toBe(before.parts.reduce((sum, { points }) => sum + points, 0));
      expect(before.points).toBeWithin(0, 21);
    }),
  );
});
