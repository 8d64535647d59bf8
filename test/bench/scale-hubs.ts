/* Hubs on one PostgreSQL, for `bun run bench scale`: what one, two and four of them carry and cost, and how soon what is revoked at one is refused at all. */
import { Hub } from "#test/support/hub";
import { Cluster } from "#test/support/postgres";
import { Child } from "./child.ts";
import { compiledBetween, compilerMicros, cpuMicros } from "./cpu.ts";
import type { Endpoint, LoadJob, LoadResult } from "./load-job.ts";
import { APIS, type ModelShape } from "./shape.ts";
import { median, spread } from "./stats.ts";
import { figure, table } from "./table.ts";
import { WIRES } from "./wires.ts";

export const HUB_COUNTS = [1, 2, 4] as const;
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const WHO = "bench@example.com";
/** A stream of 64 tokens lasts about as long: callers begin spread over it. */
const SPREAD = { json: 0, paced: 130 } as const;
/** After the last call: records are shipped in batches. */
const SHIPS_MS = 3_000;
const IDLE_MS = 10_000;
/** Between two calls that ask whether a token is served still. */
const ASK_AGAIN_MS = 2;
const REFUSED_WITHIN_MS = 30_000;
/** Calls of each hub before anything counts: they are compiled meanwhile. */
const WARM_UP = { whole: 20_000, tenth: 2_000 };
const WARM_CALLERS = 16;

export type HubShape = keyof typeof SPREAD & ModelShape;

type One = { readonly hub: Hub; readonly url: string; readonly pid: number };

/** A number of hubs with a PostgreSQL of their own, so that what each installation spends can be told apart. */
class Installation implements AsyncDisposable {
  private constructor(
    readonly hubs: readonly One[],
    private readonly token: string,
    private readonly session: string,
    private readonly cluster: Cluster,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async open(count: number, upstream: string, within: string): Promise<Installation> {
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(await Cluster.start());
    const env = {
      GUARDHOUSE_DATABASE__URL: cluster.url(await cluster.database()),
      GUARDHOUSE_MASTER_KEY: MASTER_KEY,
      GUARDHOUSE_ADMIN_EMAIL: "ada@example.com",
      GUARDHOUSE_ADMIN_PASSWORD: "correct horse battery",
    };
    const hubs: One[] = [];
    for (let at = 0; at < count; at++) {
      const hub = stack.use(await Hub.create({ processes: "all", env, within }));
      hubs.push({ hub, ...(await hub.start()) });
    }
    const [first] = hubs;
    if (first === undefined) throw new Error("no hub");
    await first.hub.createUser(WHO);
    const { token } = await first.hub.createToken(WHO);
    await first.hub.addProvider("bench", { baseUrl: `${upstream}/v1`, models: ["bench-*"], apis: APIS });
    const session = await first.hub.createSession("ada@example.com");
    return new Installation(hubs, token, session, cluster, stack.move());
  }

  get databasePid(): number {
    return this.cluster.pid;
  }

  endpoints(): readonly Endpoint[] {
    return this.hubs.map(({ url }) => ({ url: url + WIRES.chat.path, token: this.token }));
  }

  /** CPU so far, of all hubs and of PostgreSQL; what compiles is counted apart. */
  spent() {
    const hubs = this.hubs.reduce((sum, { pid }) => sum + (cpuMicros(pid) ?? Number.NaN), 0);
    const compilers = this.hubs.map(({ pid }) => compilerMicros(pid));
    return { hubs, compilers, database: cpuMicros(this.databasePid) ?? Number.NaN };
  }

  async api(at: number, path: string, json: unknown): Promise<Readonly<Record<string, unknown>>> {
    const headers = { authorization: `Bearer ${this.session}`, "content-type": "application/json" };
    const url = `${this.hubs[at % this.hubs.length]?.url}/api${path}`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(json) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
    return Object(JSON.parse(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

type Spent = ReturnType<Installation["spent"]>;

const between = (before: Spent, after: Spent) => {
  const compiled = after.compilers.reduce(
    (sum, compilers, at) => sum + compiledBetween(before.compilers[at] ?? new Map(), compilers),
    0,
  );
  return { hubs: after.hubs - before.hubs - compiled, database: after.database - before.database };
};

/** One measurement of one installation. CPU in microseconds a call, of all hubs together and of PostgreSQL. */
export type HubCell = {
  readonly hubs: number;
  readonly shape: HubShape;
  readonly concurrency: number;
  readonly round: number;
  readonly perSecond: number;
  readonly hubMicros: number;
  readonly databaseMicros: number;
};

/** CPU without a call, in microseconds a second. */
export type Idle = { readonly hubs: number; readonly hubMicros: number; readonly databaseMicros: number };

/**
 * Milliseconds from the answer that says that a token is revoked to the beginning of the last call that any hub served with
 * it; 0 where none was.
 */
export type Propagation = { readonly hubs: number; readonly isLoaded: boolean; readonly servedMs: readonly number[] };

export type HubFindings = {
  readonly cells: readonly HubCell[];
  readonly idle: readonly Idle[];
  readonly propagation: readonly Propagation[];
};

type HubPlan = {
  readonly upstream: string;
  readonly within: string;
  readonly shapes: readonly HubShape[];
  readonly concurrency: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
};

type Loads = readonly Child<LoadJob, LoadResult>[];
type Until = { readonly seconds: number } | { readonly calls: number };

/** The same callers in all, spread over the hubs: a load generator each, so that none is the limit. */
const loaded = async (
  loads: Loads,
  one: Installation,
  shape: HubShape,
  concurrency: number,
  until: Until,
): Promise<{ readonly requests: number; readonly perSecond: number }> => {
  const endpoints = one.endpoints();
  const results = await Promise.all(
    endpoints.map((endpoint, at) =>
      loads[at]?.run({
        kind: "closed-loop",
        endpoint,
        shape,
        concurrency: Math.max(1, Math.round(concurrency / endpoints.length)),
        spreadMs: SPREAD[shape],
        until,
      }),
    ),
  );
  let [requests, perSecond] = [0, 0];
  for (const result of results) {
    if (result?.kind !== "closed-loop" || Object.keys(result.errors).length > 0) {
      throw new Error(`a hub failed: ${JSON.stringify(result)}`);
    }
    requests += result.requests;
    perSecond += result.requests / result.seconds;
  }
  return { requests, perSecond };
};

const measure = async (
  loads: Loads,
  one: Installation,
  idle: Idle,
  asked: Pick<HubCell, "shape" | "concurrency" | "round"> & { readonly seconds: number },
): Promise<HubCell> => {
  const { shape, concurrency, round, seconds } = asked;
  const [before, begun] = [one.spent(), performance.now()];
  const { requests, perSecond } = await loaded(loads, one, shape, concurrency, { seconds });
  await Bun.sleep(SHIPS_MS);
  const spent = between(before, one.spent());
  const past = (performance.now() - begun) / 1_000;
  return {
    ...{ hubs: one.hubs.length, shape, concurrency, round, perSecond },
    hubMicros: (spent.hubs - idle.hubMicros * past) / requests,
    databaseMicros: (spent.database - idle.databaseMicros * past) / requests,
  };
};

const idleOf = async (one: Installation): Promise<Idle> => {
  const before = one.spent();
  await Bun.sleep(IDLE_MS);
  const spent = between(before, one.spent());
  const seconds = IDLE_MS / 1_000;
  return {
    hubs: one.hubs.length,
    hubMicros: spent.hubs / seconds,
    databaseMicros: spent.database / seconds,
  };
};

const isServed = async (url: string, token: string): Promise<boolean> => {
  const body = WIRES.chat.body("guardhouse/echo", false, "Good morning.");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url + WIRES.chat.path, { method: "POST", headers, body });
  await answer.arrayBuffer();
  if (answer.status !== 200 && answer.status !== 401) throw new Error(`a call answered ${answer.status}`);
  return answer.status === 200;
};

/** Asks until the token is served, or is not; when the last call before that began, by `performance.now()`. */
const until = async (url: string, token: string, wanted: boolean): Promise<number> => {
  const deadline = performance.now() + REFUSED_WITHIN_MS;
  for (let last = Number.NEGATIVE_INFINITY; ; ) {
    const began = performance.now();
    if ((await isServed(url, token)) === wanted) return last;
    last = began;
    if (began > deadline) throw new Error(`a token is ${wanted ? "not served" : "served still"}`);
    await Bun.sleep(ASK_AGAIN_MS);
  }
};

const propagate = async (one: Installation, times: number): Promise<readonly number[]> => {
  const servedMs: number[] = [];
  for (let time = 0; time < times; time++) {
    const made = await one.api(time, "/tokens", { name: `bench ${time}` });
    const token = `${made["token"]}`;
    await Promise.all(one.hubs.map(({ url }) => until(url, token, true)));
    await one.api(time, `/tokens/${made["id"]}/revoke`, {});
    const revoked = performance.now();
    const served = await Promise.all(one.hubs.map(({ url }) => until(url, token, false)));
    servedMs.push(Math.max(0, ...served.map((began) => began - revoked)));
  }
  return servedMs;
};

export async function measureHubs(plan: HubPlan, say: (text: string) => void): Promise<HubFindings> {
  await using stack = new AsyncDisposableStack();
  const loads: Child<LoadJob, LoadResult>[] = [];
  for (let at = 0; at < Math.max(...HUB_COUNTS); at++) {
    loads.push(stack.use(await Child.start<LoadJob, LoadResult>("load.ts")));
  }
  const all: Installation[] = [];
  for (const count of HUB_COUNTS) {
    say(`starting ${count} on PostgreSQL`);
    const one = stack.use(await Installation.open(count, plan.upstream, plan.within));
    await warmUp(loads, one, plan);
    all.push(one);
  }
  await Bun.sleep(SHIPS_MS);
  const idle: Idle[] = [];
  for (const one of all) idle.push(await idleOf(one));
  const cells = await inRounds(loads, all, idle, plan, say);
  say("propagation");
  const largest = all.at(-1);
  return { cells, idle, propagation: largest === undefined ? [] : await propagation(loads, largest, plan) };
}

/** Each hub is given its part by a load generator of its own, so that each is as warm. */
const warmUp = async (loads: Loads, one: Installation, { shapes, quick }: HubPlan): Promise<void> => {
  for (const shape of shapes) {
    const calls = (quick ? WARM_UP.tenth : WARM_UP.whole) / (shape === "json" ? 1 : 10);
    await loaded(loads, one, shape, WARM_CALLERS * one.hubs.length, { calls });
  }
};

/** Installations take turns within a round, each round beginning with another one. */
const inRounds = async (
  loads: Loads,
  all: readonly Installation[],
  idle: readonly Idle[],
  { shapes, concurrency, rounds, seconds }: HubPlan,
  say: (text: string) => void,
): Promise<HubCell[]> => {
  const cells: HubCell[] = [];
  for (let round = 0; round < rounds; round++) {
    say(`hubs on PostgreSQL: round ${round + 1} of ${rounds}`);
    for (const turn of shapes.flatMap((shape) => all.map((_, at) => ({ shape, at: (at + round) % all.length })))) {
      const [one, rest] = [all[turn.at], idle[turn.at]];
      if (one === undefined || rest === undefined) continue;
      cells.push(await measure(loads, one, rest, { shape: turn.shape, concurrency, round, seconds }));
    }
  }
  return cells;
};

const propagation = async (
  loads: Loads,
  one: Installation,
  { concurrency, quick }: HubPlan,
): Promise<Propagation[]> => {
  const hubs = one.hubs.length;
  const times = quick ? 20 : 200;
  const still = await propagate(one, times);
  let isOver = false;
  const under = propagate(one, times).finally(() => {
    isOver = true;
  });
  const load = async (): Promise<void> => {
    while (!isOver) await loaded(loads, one, "paced", concurrency, { seconds: 2 });
  };
  const [busy] = await Promise.all([under, load()]);
  return [
    { hubs, isLoaded: false, servedMs: still },
    { hubs, isLoaded: true, servedMs: busy },
  ];
};

const ofRounds = (cells: readonly HubCell[], value: (cell: HubCell) => number) => median(cells.map(value));

export function hubsText({ cells, idle, propagation }: HubFindings): string {
  const shapes = [...new Set(cells.map(({ shape }) => shape))];
  const rows = shapes.flatMap((shape) =>
    HUB_COUNTS.map((count) => {
      const own = cells.filter((cell) => cell.shape === shape && cell.hubs === count);
      const ones = new Map(cells.filter((one) => one.shape === shape && one.hubs === 1).map((one) => [one.round, one]));
      const ratio = median(own.map((cell) => cell.hubMicros / (ones.get(cell.round)?.hubMicros ?? Number.NaN)));
      return [
        `${shape}, ${count}`,
        figure(ofRounds(own, (cell) => cell.perSecond)),
        figure(ofRounds(own, (cell) => cell.hubMicros)),
        figure(ratio, 2),
        figure(ofRounds(own, (cell) => cell.databaseMicros)),
      ];
    }),
  );
  const still = idle.map(({ hubs, hubMicros, databaseMicros }) => [
    `${hubs}`,
    figure(hubMicros / 1_000, 1),
    figure(databaseMicros / 1_000, 1),
  ]);
  const [least, most] = [idle[0], idle.at(-1)];
  const more = (of: (one: Idle) => number): string =>
    least && most ? figure((of(most) - of(least)) / (most.hubs - least.hubs) / 1_000, 1) : "–";
  const late = propagation.map(({ hubs, isLoaded, servedMs }) => {
    const { p50, p99 } = spread(servedMs);
    const max = Math.max(...servedMs);
    return [
      `${hubs} hubs, ${isLoaded ? "under load" : "without load"}`,
      `${servedMs.length}`,
      ...[p50, p99, max].map((ms) => figure(ms)),
    ];
  });
  return [
    table(["hubs on PostgreSQL", "calls/s", "CPU µs a call", "÷ 1 hub", "PostgreSQL µs"], rows),
    "",
    table(["without calls, hubs", "CPU ms a second", "PostgreSQL ms a second"], still),
    `a hub more: ${more((one) => one.hubMicros)} ms of CPU a second of its own, ${more((one) => one.databaseMicros)} ms of PostgreSQL`,
    "",
    table(["revoked at one, last served by any", "times", "p50 ms", "p99", "max"], late),
    "",
  ].join("\n");
}
