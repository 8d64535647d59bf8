import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { literalsOf, withoutNull } from "#core/shape-check";
import { asAsked, missingIn, riskSoFar } from "#dashboard/features/reviews/review-answers";
import { EFFECT_OPTIONS, QUESTIONS, SECTIONS } from "#dashboard/features/reviews/review-questions";
import { EFFECTS, SECTION_KEYS, SECTIONS as SHAPES } from "#policy/review/questionnaire";
import { riskOf } from "#policy/review/risk";
import { answers, anyAnswers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

/** The words a question may be answered with, on its own or as items of a list. */
const wordsOf = (schema: Parameters<typeof withoutNull>[0]): unknown[] => {
  const meant = withoutNull(schema);
  const item: unknown = meant["items"];
  const isSchema = (it: unknown): it is typeof meant => typeof it === "object" && it !== null;
  return [...literalsOf(isSchema(item) ? item : meant)];
};

describe("the form of a review", () => {
  test("asks every question, and those it must", () => {
    verifies("dashboard.questionnaire");
    expect([...SECTIONS]).toEqual([...SECTION_KEYS]);
    for (const section of SECTION_KEYS) {
      const { properties, required = [] } = SHAPES[section];
      const asked = QUESTIONS[section].map(({ name }): string => name);
      expect([section, asked.toSorted()]).toEqual([section, Object.keys(properties).sort()]);
      const needed = QUESTIONS[section].flatMap(({ name, required: must }) => (must ? [name as string] : []));
      expect([section, needed.toSorted()]).toEqual([section, [...required].sort()]);
    }
  });

  test("offers every answer the questionnaire knows", () => {
    verifies("dashboard.questionnaire");
    let compared = 0;
    for (const section of SECTION_KEYS) {
      const shapes = Object.entries(SHAPES[section].properties);
      for (const question of QUESTIONS[section]) {
        if (question.as !== "one" && question.as !== "several") continue;
        const schema = shapes.find(([name]) => name === question.name)?.[1];
        if (!schema || question.name === "egress") continue;
        const offered: unknown[] = question.options.map(({ value }) => value);
        // People are asked in the order that suits reading.
        expect([question.name, new Set(offered)]).toEqual([question.name, new Set(wordsOf(schema))]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(8);
    expect(EFFECT_OPTIONS.map(({ value }): string => value)).toEqual([...EFFECTS]);
  });

  test("its tier is the hub's once everything is answered", () => {
    verifies("dashboard.questionnaire");
    fc.assert(
      fc.property(anyAnswers, (given) => {
        const { open, ...risk } = riskSoFar(given);
        expect(open).toEqual([]);
        expect(risk).toEqual(riskOf(given));
        expect(riskSoFar(asAsked(given))).toEqual({ ...risk, open });
        expect(missingIn(given)).toEqual([]);
      }),
    );
  });

  test("questionnaire names unanswered questions and gives them no points", () => {
    verifies("dashboard.questionnaire");
    expect(riskSoFar({})).toMatchObject({ points: 0, open: ["autonomy", "audience", "data", "tools"] });
    const { oversight: _, ...rest } = answers();
    expect(riskSoFar(rest).open).toEqual(["autonomy"]);
    expect(missingIn(rest)).toEqual(["oversight"]);
  });
});
