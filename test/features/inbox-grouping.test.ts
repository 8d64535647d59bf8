import { expect, test } from "bun:test";
import fc from "fast-check";
import { areAlike, readFingerprint } from "#model/fingerprint";
import { type Likeness, likeGroups } from "#model/likeness";
import { verifies } from "#test/support/verifies";

const FINGERPRINT = fc.constantFrom(
  ...[null, "0000000000000000", "000000000000000f", "ffffffff00000000", "ffffffff000000ff", "0f0f0f0f0f0f0f0f"],
);
const ITEMS = fc
  .array(fc.record({ key: fc.constantFrom("a", "b"), fingerprint: FINGERPRINT }), { maxLength: 60 })
  .map((all) => all.map((likeness, id) => ({ id, likeness })));

const isLike = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && areAlike(readFingerprint(one), readFingerprint(other));

test("groups hold every item once, in the order of the list, and only what is alike", () => {
  verifies("inbox.groups");
  fc.assert(
    fc.property(ITEMS, (items) => {
      const groups = likeGroups(items, ({ likeness }): Likeness => likeness);
      expect(groups.flat().toSorted((one, other) => one.id - other.id)).toEqual(items);
      const firsts = groups.map(([first]) => first?.id ?? -1);
      expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
      for (const [first, ...rest] of groups) {
        for (const one of rest) {
          expect(one.id).toBeGreaterThan(first?.id ?? 0);
          expect(one.likeness.key === first?.likeness.key).toBe(true);
          expect(isLike(one.likeness.fingerprint, first?.likeness.fingerprint ?? null)).toBe(true);
        }
      }
      // What is equal and known is never apart.
      const known = items.filter(({ likeness }) => likeness.fingerprint !== null);
      const heads = groups.map(([first]) => first).filter((first) => first !== undefined);
      for (const { likeness } of known) {
        const same = heads.filter(
          (head) => head.likeness.key === likeness.key && head.likeness.fingerprint === likeness.fingerprint,
        );
        expect(same.length).toBeLessThanOrEqual(1);
      }
      expect(likeGroups(items, () => null)).toHaveLength(items.length);
    }),
  );
});
