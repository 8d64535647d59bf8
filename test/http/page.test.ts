import { expect, test } from "bun:test";
import fc from "fast-check";
import { pageOf } from "#http/page";
import { verifies } from "#test/support/verifies";

const ids = (count: number): { readonly id: string }[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `01a1fe2a-fc2e-7000-8000-${String(count - index).padStart(12, "0")}`,
  }));

test("pages in a row give everything once, in order, whatever their size and whatever is removed meanwhile", () => {
  verifies("api.pages");
  fc.assert(
    fc.property(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 20 }), fc.boolean(), (count, limit, removes) => {
      let items = ids(count);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = pageOf(items, { limit: String(limit), cursor });
        expect(page.data.length).toBeLessThanOrEqual(limit);
        expect(page.has_more).toBe(page.next_cursor !== null);
        seen.push(...page.data.map(({ id }) => id));
        if (removes) items = items.filter(({ id }) => !seen.includes(id));
        expect(seen.length).toBeLessThanOrEqual(count);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(ids(count).map(({ id }) => id));
    }),
  );
});

test("an address that says no size gets 50", () => {
  expect(pageOf(ids(60), {})).toMatchObject({ object: "list", has_more: true, data: { length: 50 } });
  expect(pageOf([], {})).toEqual({ object: "list", data: [], has_more: false, next_cursor: null });
});

test("a list whose ids are in another order than its times, for the clock was set back, is given once as well", () => {
  verifies("api.pages");
  const mixed = [3, 1, 2, 5, 4].flatMap((at) => ids(5).filter(({ id }) => id.endsWith(`${at}`)));
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = pageOf(mixed, { limit: "2", cursor });
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(mixed.map(({ id }) => id));
});
