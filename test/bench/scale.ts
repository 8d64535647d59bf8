/*
 * `bun run bench scale`: one process and several workers in front of the same upstream, in the same rounds. `json` asks as
 * fast as answers come: what the machine gives. `paced` streams last about as long whoever serves them, so that both
 * serve the same load: what a call costs. A machine of two cores carries the load generator and the upstream too: there
 * workers only cost, and how much is the figure.
 */
import { availableParallelism } from "node:os";
import { type Cell, isValid, measureCell } from "./cell.ts";
import type { Target } from "./course.ts";
import { ModelCourse } from "./model-course.ts";
import type { Flags, Options } from "./options.ts";
import { opening, progress, report } from "./report.ts";
import { alternate } from "./rounds.ts";
import type { Shape } from "./shape.ts";
import { median } from "./stats.ts";
import { summarise } from "./summary.ts";
import { figure, table } from "./table.ts";

const SECTIONS = ["json", "paced"] as const;
type Section = (typeof SECTIONS)[number];

export const SCALE_FLAGS: Flags<Section> = {
  bench: "scale",
  sections: SECTIONS,
  full: { seconds: "3", rounds: "6", c: "16,64" },
  quick: { seconds: "1", rounds: "3", c: "64" },
};

/** Calls before anything counts, for each worker: they are compiled meanwhile. */
const WARM_UP = { whole: 20_000, tenth: 2_000 };
const ONE = "1 worker";
/** So few that one process serves all that they ask: both serve the same load. */
const PACED = [16];
const callersOf = (shape: Shape, concurrencies: readonly number[]) => (shape === "paced" ? PACED : concurrencies);

export async function benchScale(options: Options<Section>): Promise<void> {
  const { quick, only, concurrencies, seconds, rounds } = options;
  const machine = opening(options);
  await using course = await ModelCourse.open(options);
  await using stack = new AsyncDisposableStack();
  const pass = course.targets.filter(({ name }) => name === "pass");
  const hubs: Target[] = [];
  for (const count of workersOf(availableParallelism())) {
    const hub = stack.use(await course.startHub("full", ["--workers", String(count)]));
    const target = { name: count === 1 ? ONE : `${count} workers`, endpoint: hub.endpoint, pid: hub.pid };
    hubs.push(target);
    progress(`warming up ${target.name}`);
    const until = { calls: (quick ? WARM_UP.tenth : WARM_UP.whole) * (count - 1) };
    const few = { calls: until.calls / 10 };
    for (const shape of count > 1 ? only : []) {
      await measureCell(course, { target, shape, concurrency: 64, until: shape === "json" ? until : few, round: -1 });
    }
  }
  const cells: Cell[] = [];
  for (const shape of only) {
    const plan = {
      shapes: [shape],
      concurrencies: callersOf(shape, concurrencies),
      rounds,
      seconds,
      targets: [...pass, ...hubs],
    };
    cells.push(...(await alternate(course, { ...plan, warmUp: quick ? "tenth" : "whole" }, progress)));
  }
  const rows = summarise(cells);
  await report(
    options,
    { machine, rows, cells },
    only.map((shape) => ratios(cells, shape)),
    [],
  );
}

/** Of a machine with so many cores: one, two, and as many as leave a core for what is not the hub. */
const workersOf = (cores: number): number[] => [...new Set([1, 2, Math.min(16, Math.max(2, cores - 1))])];

/** Against one process in the same round; CPU without the threads that compile. */
function ratios(cells: readonly Cell[], shape: Shape): string {
  const concurrencies = [...new Set(cells.filter((cell) => cell.shape === shape).map((cell) => cell.concurrency))];
  const names = [...new Set(cells.map(({ target }) => target))].filter((name) => /worker/.test(name) && name !== ONE);
  const lines = concurrencies.flatMap((concurrency) => {
    const own = cells.filter((cell) => cell.shape === shape && cell.concurrency === concurrency && isValid(cell));
    return names.map((name) => {
      const pairs = own
        .filter(({ target }) => target === name)
        .flatMap((many) => {
          const one = own.find(({ target, round }) => target === ONE && round === many.round);
          return one === undefined ? [] : [{ many, one }];
        });
      const calls = median(pairs.map(({ many, one }) => many.perSecond / one.perSecond));
      const cpu = median(pairs.map(({ many, one }) => (many.cpuMicros ?? Number.NaN) / (one.cpuMicros ?? Number.NaN)));
      return [`${concurrency}`, name, figure(calls, 2), figure(cpu, 2)];
    });
  });
  return `${shape}: ÷ ${ONE}, by round\n${table(["c", "", "calls/s", "CPU a call"], lines)}\n`;
}
