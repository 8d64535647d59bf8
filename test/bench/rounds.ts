import { type Cell, measureCell } from "./cell.ts";
import type { Course, Target } from "./course.ts";
import { isStream, type Shape } from "./shape.ts";

export type Plan = {
  readonly shapes: readonly Shape[];
  readonly concurrencies: readonly number[];
  readonly targets: readonly Target[];
  readonly rounds: number;
  readonly seconds: number;
  /** A tenth is enough to see a large change. */
  readonly warmUp: "whole" | "tenth";
};

/**
 * Answers of each target in each shape before anything counts: the first 11,000 calls of a hub cost nearly twice what
 * later ones do, since they are compiled meanwhile. A stream has some 70 events, so that fewer of them warm as much.
 */
const warmUpCalls = (shape: Shape): number => {
  if (shape === "paced") return 1_000;
  return isStream(shape) ? 4_000 : 20_000;
};

/** Callers while warming up, at least: one alone would take minutes. */
const WARM_UP_CONCURRENCY = 16;
/** How long the machine rests between two cells, so that one target's aftermath is not the next one's trouble. */
const REST_MS = 50;

/**
 * Measures every target in every shape at every concurrency, round by round. Targets take turns inside a
 * round, each round beginning with another one: what disturbs the machine disturbs them alike.
 */
export async function alternate(course: Course, plan: Plan, say: (text: string) => void): Promise<Cell[]> {
  for (const { target, shape } of combinations(plan, 0)) {
    const concurrency = Math.max(...plan.concurrencies, WARM_UP_CONCURRENCY);
    const calls = warmUpCalls(shape) / (plan.warmUp === "tenth" ? 10 : 1);
    await measureCell(course, { target, shape, concurrency, until: { calls }, round: -1 });
  }
  const cells: Cell[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    say(`${plan.shapes.join(" and ")}: round ${round + 1} of ${plan.rounds}`);
    for (const concurrency of plan.concurrencies) {
      for (const { target, shape } of combinations(plan, round)) {
        cells.push(await measureCell(course, { target, shape, concurrency, until: { seconds: plan.seconds }, round }));
        await Bun.sleep(REST_MS);
      }
    }
  }
  return cells;
}

function combinations({ shapes, targets }: Plan, round: number): { target: Target; shape: Shape }[] {
  const turn = round % targets.length;
  const order = [...targets.slice(turn), ...targets.slice(0, turn)];
  return shapes.flatMap((shape) => order.map((target) => ({ target, shape })));
}
