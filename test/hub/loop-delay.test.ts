import { expect, test } from "bun:test";
import { LoopDelay, PROBE_MS } from "#hub/loop-delay";
import { Slices } from "#platform/slices";
import { verifies } from "#test/support/verifies";

test("the event loop's delay is what it came round later than due, of the last minute and in all", () => {
  verifies("fairness.probe");
  const delay = new LoopDelay();
  let now = 1_000_000;
  const tick = (ms: number) => {
    now += ms;
    delay.tick(now);
  };
  delay.tick(now);
  for (let n = 0; n < 100; n += 1) tick(PROBE_MS);
  expect(delay.recentMaxMs).toBe(0);
  tick(PROBE_MS + 300);
  expect(delay.recentMaxMs).toBe(300);
  for (let n = 0; n < 30_000 / PROBE_MS; n += 1) tick(PROBE_MS);
  expect(delay.recentMaxMs).toBe(300);
  for (let n = 0; n < 31_000 / PROBE_MS; n += 1) tick(PROBE_MS);
  expect(delay.recentMaxMs).toBe(0);
  tick(90_000);
  expect(delay.recentMaxMs).toBe(90_000 - PROBE_MS);
  const { count, sum } = delay.read();
  expect(count).toBe(1 + 100 + 1 + 1_500 + 1_550 + 1);
  expect(sum).toBeCloseTo((300 + 90_000 - PROBE_MS) / 1_000, 6);
});

test("long pieces of work take turns by slices, one in each turn of the loop", async () => {
  verifies("fairness.long-texts");
  let now = 0;
  const slices = new Slices(4, () => now);
  const order: string[] = [];
  const work = async (name: string) => {
    const pause = slices.begin();
    for (let step = 0; step < 6; step += 1) {
      now += 2;
      order.push(name);
      const wait = pause();
      if (wait) await wait;
    }
  };
  const turns: number[] = [];
  let isOver = false;
  const count = () => {
    turns.push(order.length);
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([work("a"), work("b")]);
  isOver = true;
  expect(order.join("")).toBe("aabbaabbaabb");
  // Between two looks from outside no more than one slice was done.
  for (const [at, done] of turns.entries()) expect(done - (turns[at - 1] ?? done)).toBeLessThanOrEqual(2);
});
