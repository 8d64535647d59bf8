import { expect, test } from "bun:test";
import { Recent } from "#features/overview/recent";

const MS = 1_000;

/** A room with a clock that stands until it is moved, and a count of what was worked out. */
const room = () => {
  let now = Date.UTC(2026, 10, 1);
  let worked = 0;
  const recent = new Recent<string>(MS, () => now);
  return {
    recent,
    wait: (ms: number) => {
      now += ms;
    },
    worked: () => worked,
    ask: (question: string) =>
      recent.of(question, async () => {
        worked += 1;
        return `${question} at ${now}`;
      }),
  };
};

test("recent-answer cache drops expired entries at the next request", async () => {
  const { recent, ask, wait } = room();
  for (let index = 0; index < 500; index += 1) await ask(`old ${index}`);
  expect(recent.size).toBe(500);
  wait(MS - 1);
  await ask("young");
  expect(recent.size).toBe(501);
  wait(1);
  await ask("another");
  expect(recent.size).toBe(2);
});

test("equal questions are computed once until the answer expires", async () => {
  const { ask, wait, worked } = room();
  const [first, second] = await Promise.all([ask("day"), ask("day")]);
  expect(second).toBe(first);
  wait(MS - 1);
  expect(await ask("day")).toBe(first);
  expect(worked()).toBe(1);
  wait(1);
  expect(await ask("day")).not.toBe(first);
  wait(-MS);
  await ask("day");
  expect(worked()).toBe(3);
});

test("recent-answer cache does not keep failures", async () => {
  const { recent, ask, wait } = room();
  const failing = Promise.withResolvers<string>();
  const failed = recent.of("day", () => failing.promise);
  wait(MS);
  const newer = await ask("day");
  failing.reject(new Error("the database is busy"));
  expect(failed).rejects.toThrow("busy");
  await failed.catch(() => null);
  expect(await ask("day")).toBe(newer);
  await expect(recent.of("week", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await ask("week")).toStartWith("week at");
});
