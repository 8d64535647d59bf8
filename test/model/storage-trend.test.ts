import { expect, test } from "bun:test";
import fc from "fast-check";
import { type StorageSample, storageTrend } from "#model/storage-trend";
import { verifies } from "#test/support/verifies";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 22);

const sample = (daysAgo: number, database_bytes: number, free_bytes = 1_000_000): StorageSample => ({
  ...{ at: NOW - daysAgo * DAY, database_bytes, index_bytes: 0, backup_bytes: 0, free_bytes },
});

test("steady growth is told as it is, in whatever order and with whatever gaps it was measured", () => {
  verifies("settings.storage");
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 27 }), { minLength: 3, maxLength: 27 });
  const rate = fc.integer({ min: 1, max: 10_000_000_000 });
  const start = fc.integer({ min: 0, max: 1_000_000_000_000 });
  fc.assert(
    fc.property(days, rate, start, (agos, perDay, base) => {
      const samples = agos.map((ago) => sample(ago, base + (100 - ago) * perDay, 50 * perDay));
      const trend = storageTrend(samples, NOW);
      expect(trend?.bytes_per_day).toBeWithin(Math.floor(perDay * 0.999), Math.ceil(perDay * 1.001) + 1);
      expect(trend?.days_left).toBeWithin(49, 51);
      expect(trend?.measured_days).toBe(Math.max(...agos) - Math.min(...agos));
    }),
  );
});

test("storage trend: no days left without growth", () => {
  verifies("settings.storage");
  const shrinking = [sample(3, 900), sample(2, 600), sample(1, 300)];
  expect(storageTrend(shrinking, NOW)).toEqual({ measured_days: 2, bytes_per_day: -300, days_left: null });
  const still = [sample(3, 900), sample(2, 900), sample(1, 900)];
  expect(storageTrend(still, NOW)).toEqual({ measured_days: 2, bytes_per_day: 0, days_left: null });
});

test("backups count, and what is older than four weeks or lies in the future does not", () => {
  verifies("settings.storage");
  const backups = [3, 2, 1].map((ago) => ({ ...sample(ago, 500), backup_bytes: 100 * (10 - ago) }));
  const stray = [sample(28, 9_000_000), sample(60, 0), sample(-1, 9_000_000)];
  expect(storageTrend([...stray, ...backups], NOW)).toEqual({
    measured_days: 2,
    bytes_per_day: 100,
    days_left: 10_000,
  });
});

test("nothing is said of less than three samples or less than a day", () => {
  verifies("settings.storage");
  expect(storageTrend([], NOW)).toBeNull();
  expect(storageTrend([sample(20, 1), sample(0, 2)], NOW)).toBeNull();
  expect(storageTrend([sample(0.9, 1), sample(0.5, 2), sample(0, 3)], NOW)).toBeNull();
  expect(storageTrend([sample(1, 1), sample(0.5, 2), sample(0, 3)], NOW)).not.toBeNull();
});
