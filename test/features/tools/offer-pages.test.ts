import { expect, test } from "bun:test";
import fc from "fast-check";
import { PAGE_SIZE, pageOfEntries } from "#features/tools/offer-pages";
import { verifies } from "#test/support/verifies";

const entriesOf = (keys: Iterable<string>) =>
  [...new Set(keys)].sort().map((key) => ({ key, json: JSON.stringify(key) }));

test("pages have every entry once, in order", () => {
  verifies("tools.offer-pages");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 * PAGE_SIZE }), fc.string({ maxLength: 5 }), (count, word) => {
      const entries = entriesOf(Array.from({ length: count }, (_, at) => `${at}${word}`));
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = pageOfEntries(entries, cursor);
        expect(page.items.length).toBeLessThanOrEqual(PAGE_SIZE);
        found.push(...page.items);
        cursor = page.next;
      } while (cursor !== null);
      expect(found).toEqual(entries.map(({ json }) => json));
    }),
    { numRuns: 20 },
  );
});

test("what stays is neither repeated nor left out when the list changes between two pages", () => {
  verifies("tools.offer-pages");
  const keys = Array.from({ length: 2 * PAGE_SIZE }, (_, at) => `${at + 10_000}`);
  const first = pageOfEntries(entriesOf(keys), undefined);
  const changed = entriesOf(["00000", ...keys.filter((key) => key !== keys[PAGE_SIZE - 1])]);
  const second = pageOfEntries(changed, first.next);
  expect(second.items[0]).toBe(JSON.stringify(keys[PAGE_SIZE]));
});

test("what is no cursor is refused", () => {
  for (const cursor of [1, {}, "", "not a cursor!", "a".repeat(20_000)]) {
    expect(() => pageOfEntries([], cursor)).toThrow("nextCursor");
  }
});
