import { expect, test } from "bun:test";
import fc from "fast-check";
import { Outdated } from "#dashboard/app/outdated";

test("one call is shown within two seconds, a flood of them once in five", () => {
  const outdated = new Outdated();
  const reads: number[] = [];
  for (let now = 0; now <= 58_000; now += 100) {
    outdated.add("call.finished", now);
    if (outdated.takeDue(now).paths.includes("/api/overview")) reads.push(now);
  }
  expect(reads.slice(0, 3)).toEqual([2_000, 7_000, 12_000]);
  // Changes that people make are not kept waiting by it.
  outdated.add("hold.changed", 58_100);
  expect(outdated.takeDue(60_099).paths).toEqual([]);
  expect(outdated.takeDue(60_100).paths).toContain("/api/overview");
});

test("whatever comes, all of it is read, and it says how long that takes", () => {
  const kinds = fc.constantFrom("call.finished" as const, "hold.changed" as const, "resync" as const);
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.nat(4_000)), { minLength: 1, maxLength: 40 }), (news) => {
      const outdated = new Outdated();
      let now = 0;
      const unread = new Set<string>();
      const read = (): number | null => {
        const { paths, next } = outdated.takeDue(now);
        for (const path of paths) unread.delete(path);
        return next;
      };
      for (const [kind, passed] of news) {
        now += passed;
        outdated.add(kind, now);
        unread.add(kind === "resync" ? "/api/" : "/api/overview");
        read();
      }
      const last = now;
      for (let next = read(); next !== null; next = read()) {
        expect(next).toBeGreaterThan(0);
        now += next;
      }
      expect([...unread]).toEqual([]);
      expect(now - last).toBeLessThanOrEqual(5_000);
    }),
  );
});
