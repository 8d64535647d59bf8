import { expect, test } from "bun:test";
import fc from "fast-check";
import { isAfter, mergedRanks, Ranking, type RankPlace, rankCursor, rankPlaceIn } from "#store/call-survey";
import { verifies } from "#test/support/verifies";

const PLACE: fc.Arbitrary<RankPlace> = fc.record({
  rank: fc.oneof(
    fc.constantFrom(-1, 0, 1.5, Number.NEGATIVE_INFINITY, 1e-7, 1.5e300, 123_456_789_012_345),
    fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
    // As numbers of a narrow column are.
    fc.double({ noNaN: true, min: 0, max: 1 }).map(Math.fround),
    fc.double({ noNaN: true, min: 0, max: 1e-3 }),
    fc.nat(3),
  ),
  at: fc.nat(5),
  node: fc.constantFrom(null, "a", "w-2"),
  seq: fc.nat(20),
});

test("a place in an order is the same after it was a cursor", () => {
  verifies("calls.ordered");
  fc.assert(
    fc.property(PLACE, (place) => {
      const back = rankPlaceIn(rankCursor(place));
      expect(back).toEqual({ ...place, rank: place.rank === 0 ? 0 : place.rank });
    }),
  );
  for (const none of ["", "r", "rx_1__1", "r1_1__", "412,w1:93", "r1_1_A_1"]) expect(rankPlaceIn(none)).toBeNull();
});

test("the first few behind a place, of several logs, are those of all of them in order", () => {
  verifies("calls.ordered");
  const property = fc.property(
    fc.array(fc.uniqueArray(PLACE, { selector: rankCursor, maxLength: 20 }), { minLength: 1, maxLength: 3 }),
    fc.option(PLACE),
    fc.integer({ min: 1, max: 8 }),
    (logs, after, limit) => {
      const parts = logs.map((places, log) => {
        const ranking = new Ranking<{ readonly place: RankPlace }>(limit, after);
        for (const place of places) ranking.offer({ place: { ...place, node: `log-${log}` } });
        return { items: ranking.items, isFull: ranking.isFull, horizon: null };
      });
      const wanted = logs
        .flatMap((places, log) => places.map((place) => ({ ...place, node: `log-${log}` })))
        .filter((place) => after === null || isAfter(place, after))
        .filter((place, index, all) => all.findIndex((one) => rankCursor(one) === rankCursor(place)) === index)
        .sort((one, other) => (isAfter(one, other) ? 1 : -1));
      const { items, next } = mergedRanks(parts, limit);
      const shown = items.map(({ place }) => rankCursor(place));
      expect([...new Set(shown)]).toEqual(wanted.slice(0, new Set(shown).size).map(rankCursor));
      expect(items.length).toBeLessThanOrEqual(limit);
      if (wanted.length > limit) expect(next).not.toBeNull();
    },
  );
  fc.assert(property, { numRuns: 300 });
});
