/*
 * `bun run bench scale`: what more processes and hubs carry and cost.
 *
 * `json`, `paced`: one process and several workers in front of the same upstream, in the same rounds. `json` asks as fast as
 * answers come: what the machine gives. `paced` streams last about as long with one process as with two, so that both serve the
 * same load: what a call costs. A machine of two cores carries the load generator and the upstream too: there workers
 * only cost, and how much is the figure.
 *
 * `hubs`: one, two and four hubs on a PostgreSQL each, under the same load; what they cost without a call; how soon what is
 * revoked at one is refused at all.
 *
 * `model`: what 4, 8 and 16 cores give, computed from what one worker spends by thread.
 */
import { availableParallelism } from "node:os";
import { IS_THERE_POSTGRES } from "#test/support/postgres";
import { atMost, type Bar, judge } from "./bar.ts";
import { type Cell, isValid, measureCell } from "./cell.ts";
import type { Target } from "./course.ts";
import { childMicros, cpuMicros, type ThreadMicros, threadMicros } from "./cpu.ts";
import type { Machine } from "./machine.ts";
import { ModelCourse } from "./model-course.ts";
import type { Flags, Options } from "./options.ts";
import { opening, progress, report } from "./report.ts";
import { alternate } from "./rounds.ts";
import { type HubFindings, hubsText, measureHubs } from "./scale-hubs.ts";
import { boundOf, type CallCost, simulate } from "./scale-model.ts";
import type { Shape } from "./shape.ts";
import { median, spread } from "./stats.ts";
import { summarise } from "./summary.ts";
import { figure, table } from "./table.ts";

const SECTIONS = ["json", "paced", "hubs", "model"] as const;
type Section = (typeof SECTIONS)[number];
const SHAPES = ["json", "paced"] as const;

export const SCALE_FLAGS: Flags<Section> = {
  bench: "scale",
  sections: SECTIONS,
  full: { seconds: "3", rounds: "6", c: "16,64" },
  quick: { seconds: "1", rounds: "3", c: "64" },
};

/** Calls before anything counts, for each worker: they are compiled meanwhile. */
const WARM_UP = { whole: 20_000, tenth: 2_000 };
/** The system chooses which worker is given a connection: so often others are opened until each has served as many. */
const WARM_UPS = 6;
const ONE = "1 worker";
const TWO = "2 workers";
/** So few that one process serves all that they ask: both serve the same load. */
const PACED = [16];
const callersOf = (shape: Shape, concurrencies: readonly number[]) => (shape === "paced" ? PACED : concurrencies);

/** CPU of a call by two workers ÷ by one, at equal load. */
const DEAREST = 1.2;
/** What is revoked at one is served by none when a call begins later than that. Milliseconds. */
const REVOKED_WITHIN_MS = 1_000;

type Measured = { readonly cells: readonly Cell[]; readonly hubs: HubFindings | null };

const lastServed = ({ hubs }: Measured): number | undefined =>
  hubs === null ? undefined : Math.max(...hubs.propagation.map(({ servedMs }) => spread(servedMs).p99));

const BARS: readonly Bar<Measured>[] = [
  atMost("CPU a call, 2 workers ÷ 1, at equal load", DEAREST, 2, ({ cells }) =>
    cells.some(({ shape }) => shape === "paced") ? dearer(cells) : undefined,
  ),
  atMost("revoked at one hub, last served by any, p99 ms", REVOKED_WITHIN_MS, 0, lastServed),
];

export async function benchScale(options: Options<Section>): Promise<void> {
  const { quick, only, concurrencies, seconds, rounds, within } = options;
  const machine = opening(options);
  await using course = await ModelCourse.open(options);
  await using stack = new AsyncDisposableStack();
  const shapes = SHAPES.filter((shape) => only.includes(shape));
  const texts: string[] = [];
  const cells: Cell[] = [];
  if (shapes.length > 0 || only.includes("model")) {
    const hubs = await workerTargets(course, stack, shapes, quick);
    const pass = course.targets.filter(({ name }) => name === "pass");
    for (const shape of shapes) {
      const callers = { shapes: [shape], concurrencies: callersOf(shape, concurrencies) };
      const plan = { ...callers, rounds, seconds, targets: [...pass, ...hubs] };
      cells.push(...(await alternate(course, { ...plan, warmUp: quick ? "tenth" : "whole" }, progress)));
    }
    texts.push(...shapes.map((shape) => ratios(cells, shape)));
    const [one] = hubs;
    if (one !== undefined && only.includes("model")) {
      texts.push(await modelText(course, one, cells, machine, quick));
    }
  }
  let hubs: HubFindings | null = null;
  if (only.includes("hubs") && !IS_THERE_POSTGRES)
    texts.push("hubs: there is no PostgreSQL; apt-get install postgresql");
  else if (only.includes("hubs")) {
    const concurrency = Math.min(...PACED);
    const plan = { upstream: course.upstream, within, shapes: SHAPES, concurrency, rounds, seconds, quick };
    hubs = await measureHubs(plan, progress);
    texts.push(hubsText(hubs));
  }
  const verdicts = judge(BARS, { cells, hubs }).filter(({ verdict }) => verdict !== "not measured");
  await report(options, { machine, rows: summarise(cells), cells }, texts, verdicts);
}

/** Of a machine with so many cores: one, two, and as many as leave a core for what is not the hub. */
const workersOf = (cores: number): number[] => [...new Set([1, 2, Math.min(16, Math.max(2, cores - 1))])];

/** One process and several workers, each of them warm. */
async function workerTargets(
  course: ModelCourse,
  stack: AsyncDisposableStack,
  shapes: readonly Shape[],
  quick: boolean,
): Promise<Target[]> {
  const hubs: Target[] = [];
  let enough = 0;
  for (const count of workersOf(availableParallelism())) {
    const hub = stack.use(await course.startHub("full", { serve: ["--workers", String(count)] }));
    const target = { name: count === 1 ? ONE : `${count} workers`, endpoint: hub.endpoint, pid: hub.pid };
    hubs.push(target);
    progress(`warming up ${target.name}`);
    const spent = spentSince(target.pid, count);
    for (let time = 0; time < WARM_UPS; time++) {
      await warmUp(course, target, shapes, (quick ? WARM_UP.tenth : WARM_UP.whole) * count);
      // What the same calls cost one worker: each of several has had as many then.
      if (count === 1) enough = Math.min(...spent());
      if (Math.min(...spent()) >= enough) break;
    }
    progress(`warm: ${spent().map((micros) => `${(micros / 1e6).toFixed(1)} s`)} of CPU by worker`);
  }
  return hubs;
}

/** CPU microseconds of each worker from now on. One worker needs no other process. */
const spentSince = (pid: number, count: number): (() => number[]) => {
  const now = () => (count === 1 ? [cpuMicros(pid) ?? 0] : childMicros(pid));
  const began = now();
  return () => now().map((all, at) => all - (began[at] ?? 0));
};

async function warmUp(course: ModelCourse, target: Target, shapes: readonly Shape[], calls: number): Promise<void> {
  for (const shape of shapes.length === 0 ? (["json"] as const) : shapes) {
    const until = { calls: shape === "json" ? calls : calls / 10 };
    await measureCell(course, { target, shape, concurrency: 64, until, round: -1 });
  }
}

/** Of all rounds in which both were measured. */
const pairsOf = (cells: readonly Cell[], shape: Shape, concurrency: number, name: string) => {
  const own = cells.filter((cell) => cell.shape === shape && cell.concurrency === concurrency && isValid(cell));
  return own
    .filter(({ target }) => target === name)
    .flatMap((many) => {
      const one = own.find(({ target, round }) => target === ONE && round === many.round);
      return one === undefined ? [] : [{ many, one }];
    });
};

const cpuRatio = (pairs: ReturnType<typeof pairsOf>): number =>
  median(pairs.map(({ many, one }) => (many.cpuMicros ?? Number.NaN) / (one.cpuMicros ?? Number.NaN)));

/** CPU of a call by two workers ÷ by one, where both serve the same load. */
const dearer = (cells: readonly Cell[]): number => cpuRatio(pairsOf(cells, "paced", Math.min(...PACED), TWO));

/** Against one process in the same round; CPU without the threads that compile. */
function ratios(cells: readonly Cell[], shape: Shape): string {
  const concurrencies = [...new Set(cells.filter((cell) => cell.shape === shape).map((cell) => cell.concurrency))];
  const names = [...new Set(cells.map(({ target }) => target))].filter((name) => /worker/.test(name) && name !== ONE);
  const lines = concurrencies.flatMap((concurrency) =>
    names.map((name) => {
      const pairs = pairsOf(cells, shape, concurrency, name);
      const calls = median(pairs.map(({ many, one }) => many.perSecond / one.perSecond));
      return [`${concurrency}`, name, figure(calls, 2), figure(cpuRatio(pairs), 2)];
    }),
  );
  return `${shape}: ÷ ${ONE}, by round\n${table(["c", "", "calls/s", "CPU a call"], lines)}\n`;
}

const THREADS = { serving: /^(guardhouse|bun)$/, writer: /^audit-writer$/, client: /^HTTP Client$/ };
const CALLERS = 64;
/** What the model takes for a provider's answer, where it is no bound. Milliseconds. */
const PROVIDER_MS = 1;
/** Where nothing was measured: the highest that is allowed. */
const dearerOr = (measured: number): number => (Number.isFinite(measured) ? measured : DEAREST);

/** CPU of a call of one worker by thread, and what cores and workers give by it. */
async function modelText(
  course: ModelCourse,
  target: Target,
  cells: readonly Cell[],
  machine: Machine,
  quick: boolean,
): Promise<string> {
  const upstream = course.targets.find(({ name }) => name === "direct")?.pid ?? 0;
  const [before, upstreamBefore] = [threadMicros(target.pid), cpuMicros(upstream) ?? Number.NaN];
  const until = { seconds: quick ? 3 : 15 };
  const cell = await measureCell(course, { target, shape: "json", concurrency: CALLERS, until, round: -1 });
  const provider = ((cpuMicros(upstream) ?? Number.NaN) - upstreamBefore) / cell.requests;
  const spent = sharesOf(before, threadMicros(target.pid), cell.requests);
  const cost: CallCost = {
    servingUs: spent.serving,
    writerUs: spent.writer,
    besideUs: spent.client + spent.rest,
    commitMs: machine.fsyncP50,
    providerMs: PROVIDER_MS,
  };
  const factor = dearerOr(dearer(cells));
  const othersUs = cell.loadCpuMicros + provider;
  const shown = [
    ["serving thread", spent.serving],
    ["writer thread", spent.writer],
    ["client thread", spent.client],
    ["other threads", spent.rest],
    ["of all: in the kernel", spent.kernel],
    ["load generator", cell.loadCpuMicros],
    ["provider", provider],
  ] as const;
  const here = availableParallelism();
  const check = [1, 2].map((workers) => {
    const measured = cells.filter((one) => {
      const name = workers === 1 ? ONE : TWO;
      return one.target === name && one.shape === "json" && one.concurrency === CALLERS && isValid(one);
    });
    const options = { cores: here, workers, callers: CALLERS, dearer: workers === 1 ? 1 : factor, othersUs };
    const { perSecond } = simulate({ ...cost, providerMs: 0 }, options);
    const seen = median(measured.map((one) => one.perSecond));
    return [
      `${here} cores, ${workers} workers, with load`,
      figure(perSecond),
      figure(seen),
      figure(perSecond / seen, 2),
    ];
  });
  const ahead = [1, 2, 4, 8, 16].flatMap((cores) =>
    [...new Set([1, Math.ceil(cores / 2), Math.max(1, cores - 1), cores])].map((workers) => {
      const options = { cores, workers, callers: CALLERS * workers, dearer: workers === 1 ? 1 : factor, othersUs: 0 };
      const { perSecond, busyCores } = simulate(cost, options);
      return [`${cores}`, `${workers}`, figure(boundOf(cost, options)), figure(perSecond), figure(busyCores, 1)];
    }),
  );
  return [
    table(
      ["CPU µs a call of one worker", ""],
      shown.map(([name, micros]) => [name, figure(micros, 1)]),
    ),
    "",
    table(["the model, held against this machine", "computed calls/s", "measured", "÷"], check),
    "",
    `computed for cores that carry nothing else; CPU a call × ${factor.toFixed(2)} from two workers on`,
    table(["cores", "workers", "bound calls/s", "simulated calls/s", "busy cores"], ahead),
    "",
  ].join("\n");
}

const sharesOf = (before: ThreadMicros, after: ThreadMicros, calls: number) => {
  const spent = [...after.byName].map(([name, micros]) => ({ name, micros: micros - (before.byName.get(name) ?? 0) }));
  const of = (thread: RegExp): number =>
    spent.filter(({ name }) => thread.test(name)).reduce((sum, { micros }) => sum + micros, 0) / calls;
  const all = of(/./);
  const [serving, writer, client] = [of(THREADS.serving), of(THREADS.writer), of(THREADS.client)];
  return {
    serving,
    writer,
    client,
    rest: all - serving - writer - client,
    kernel: (after.kernel - before.kernel) / calls,
  };
};
