import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Texts, textsOfArguments, type Walk, walkOfArguments, walkSliced } from "#scan/texts/text-walk";

const NOW = async () => {};
const DEPTH = 16;

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    fc.string(),
    fc.constantFrom(1e300, 4_111_111_111_111_111, null, true, "jane.doe@example.com", "\u{1f600} \ud83d"),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 5 }),
    tie("value").map((inner) => ({ arguments: JSON.stringify(inner) })),
  ),
})).value;

const replaceSome = ({ slots }: Texts, chosen: (at: number) => boolean): void => {
  slots.forEach((slot, at) => {
    if (chosen(at)) slot.replace(`[redacted:${at}]`);
  });
};

const shown = ({ slots, gaps }: Texts) => ({ slots: slots.map(({ param, text }) => ({ param, text })), gaps });

/** How often it gave way to others. */
const sliced = async (text: string, slice?: number): Promise<{ holder: { arguments: string }; turns: number }> => {
  const holder = { arguments: text };
  let turns = 0;
  const pause = async () => {
    turns += 1;
  };
  const walk: Walk = walkOfArguments(holder, "a", "output", DEPTH);
  const texts = await walkSliced(walk, pause, slice);
  replaceSome(texts, () => true);
  await texts.settleSliced?.(pause);
  return { holder, turns };
};

test("arguments read and written in slices are what they are in one piece", async () => {
  await fc.assert(
    fc.asyncProperty(
      json,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (value, slice, nth) => {
        const text = JSON.stringify({ given: value, more: value });
        const [one, other] = [{ arguments: text }, { arguments: text }];
        const whole = textsOfArguments(one, "a", "output", DEPTH);
        const parts = await walkSliced(walkOfArguments(other, "a", "output", DEPTH), NOW, slice);
        expect(shown(parts)).toEqual(shown(whole));
        for (const texts of [whole, parts]) replaceSome(texts, (at) => at % nth === 0);
        whole.settle?.();
        await parts.settleSliced?.(NOW);
        expect(other).toEqual(one);
      },
    ),
  );
});

test("long arguments with a hundred thousand redactions give way to others on the way", async () => {
  const text = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => `user${n}@example.com`));
  const whole = { arguments: text };
  const texts = textsOfArguments(whole, "a", "output", DEPTH);
  replaceSome(texts, () => true);
  texts.settle?.();
  const { holder, turns } = await sliced(text);
  expect(holder.arguments === whole.arguments).toBe(true);
  expect(turns).toBeGreaterThan(20);
});
