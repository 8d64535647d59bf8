/*
 * What more cores give, computed: a queueing model of workers, fed with what `bun run bench scale` measures of one.
 *
 * A call passes five stations: the serving thread of its worker (request), the thread that writes records there, the
 * provider (a wait), the serving thread again (answer), the writer again. The client thread and what else the process has
 * (garbage collection, the pool) work beside them: their share is CPU that the call does not wait for. A writer takes
 * all records that wait, as one batch, and each batch waits for the disk once. Callers are bound to a worker as
 * connections are, by chance. Threads that can run share the cores evenly; nothing else runs on them.
 *
 * Time goes on in steps. The result is no promise: it leaves out memory bandwidth, caches and the network.
 */

/** What one call costs one worker, CPU in microseconds, and what it waits for, in milliseconds. */
export type CallCost = {
  /** The thread that serves: half of it for the request, half for the answer. */
  readonly servingUs: number;
  /** The thread that writes records: two for each call. */
  readonly writerUs: number;
  /** All other threads of the process. */
  readonly besideUs: number;
  /** A batch of records, until it is on the disk. */
  readonly commitMs: number;
  readonly providerMs: number;
};

export type Simulated = {
  readonly cores: number;
  readonly workers: number;
  readonly callers: number;
  /** CPU a call ÷ that of one worker, as measured of two. */
  readonly dearer: number;
  /** CPU a call of what runs beside the hub on these cores: the load generator and the provider. 0 for other machines. */
  readonly othersUs: number;
};

export type Outcome = { readonly perSecond: number; readonly busyCores: number };

const STEP_US = 20;
/** Work beside the serving thread that may be put off. */
const MAX_BESIDE_US = 2_000;
const WARM_UP_US = 300_000;
const MEASURED_US = 1_500_000;

type Call = { stage: "request" | "opened" | "provider" | "answer" | "ended"; left: number };

type Worker = {
  /** Calls that the serving thread is to work at, in order. */
  readonly serving: Call[];
  /** Records that wait for the writer. */
  readonly waiting: Call[];
  batch: { left: number; disk: number; readonly calls: readonly Call[] } | null;
  /** CPU that is still to be spent by the other threads, which count as one. */
  besideUs: number;
};

/** The same in every run: a generator of its own (mulberry32). */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};

/** Answers a second of a closed loop of callers. */
export const simulate = (cost: CallCost, simulated: Simulated): Outcome => {
  const simulation = new Simulation(cost, simulated);
  for (let now = 0; now < WARM_UP_US; now += STEP_US) simulation.step();
  simulation.forget();
  for (let now = 0; now < MEASURED_US; now += STEP_US) simulation.step();
  return { perSecond: (simulation.answered * 1e6) / MEASURED_US, busyCores: simulation.busyUs / MEASURED_US };
};

class Simulation {
  answered = 0;
  /** CPU that was spent. */
  busyUs = 0;
  readonly #servingUs: number;
  readonly #writerUs: number;
  readonly #besideUs: number;
  readonly #workers: readonly Worker[];
  readonly #calls: readonly { readonly call: Call; readonly worker: Worker }[];
  /** CPU that is still to be spent by the load generator and by the provider, a thread each. */
  readonly #others = { load: 0, provider: 0 };

  constructor(
    private readonly cost: CallCost,
    private readonly simulated: Simulated,
  ) {
    const { workers: count, callers, dearer } = simulated;
    this.#servingUs = (cost.servingUs * dearer) / 2;
    this.#writerUs = (cost.writerUs * dearer) / 2;
    this.#besideUs = cost.besideUs * dearer;
    this.#workers = Array.from({ length: count }, () => ({ serving: [], waiting: [], batch: null, besideUs: 0 }));
    const chance = random(1);
    this.#calls = Array.from({ length: callers }, () => {
      const worker = this.#workers[Math.floor(chance() * count)];
      if (worker === undefined) throw new Error("no worker");
      const call: Call = { stage: "request", left: 0 };
      this.#serve(call, worker, "request");
      return { call, worker };
    });
  }

  /** What is measured begins now. */
  forget(): void {
    this.answered = 0;
    this.busyUs = 0;
  }

  step(): void {
    for (const worker of this.#workers) this.#beginBatch(worker);
    const running = this.#running();
    const slice = STEP_US * Math.min(1, this.simulated.cores / Math.max(1, running));
    this.busyUs += running * slice;
    this.#others.load = Math.max(0, this.#others.load - slice);
    this.#others.provider = Math.max(0, this.#others.provider - slice);
    for (const worker of this.#workers) {
      worker.besideUs = Math.max(0, worker.besideUs - slice);
      if (!isBehind(worker)) serveFor(slice, worker);
      this.#write(slice, worker);
    }
    for (const { call, worker } of this.#calls) this.#await(call, worker);
  }

  #running(): number {
    const { load, provider } = this.#others;
    const own = this.#workers.map(
      (one) => +(one.serving.length > 0 && !isBehind(one)) + +((one.batch?.left ?? 0) > 0) + +(one.besideUs > 0),
    );
    return own.reduce((sum, threads) => sum + threads, +(load > 0) + +(provider > 0));
  }

  #serve(call: Call, worker: Worker, stage: "request" | "answer"): void {
    call.stage = stage;
    call.left = this.#servingUs;
    worker.serving.push(call);
  }

  #beginBatch(worker: Worker): void {
    if (worker.batch !== null || worker.waiting.length === 0) return;
    const calls = worker.waiting.splice(0);
    worker.batch = { left: calls.length * this.#writerUs, disk: this.cost.commitMs * 1_000, calls };
  }

  #write(slice: number, worker: Worker): void {
    const { batch } = worker;
    if (batch === null) return;
    if (batch.left > 0) batch.left -= slice;
    else batch.disk -= STEP_US;
    if (batch.left > 0 || batch.disk > 0) return;
    worker.batch = null;
    for (const call of batch.calls) this.#written(call, worker);
  }

  #written(call: Call, worker: Worker): void {
    const others = this.simulated.othersUs / 2;
    if (call.stage === "opened") {
      call.stage = "provider";
      call.left = this.cost.providerMs * 1_000;
      this.#others.provider += others;
      return;
    }
    this.answered += 1;
    this.#others.load += others;
    worker.besideUs += this.#besideUs;
    this.#serve(call, worker, "request");
  }

  #await(call: Call, worker: Worker): void {
    if (call.stage !== "provider") return;
    call.left -= STEP_US;
    if (call.left <= 0) this.#serve(call, worker, "answer");
  }
}

/** What works beside it, such as garbage collection, cannot be put off for ever: the thread that serves waits for it. */
const isBehind = ({ besideUs }: Worker): boolean => besideUs > MAX_BESIDE_US;

/** The thread that serves does so for so long: one call after the other. */
const serveFor = (slice: number, { serving, waiting }: Worker): void => {
  let left = slice;
  for (let call = serving[0]; call !== undefined && left > 0; call = serving[0]) {
    const done = Math.min(left, call.left);
    call.left -= done;
    left -= done;
    if (call.left > 0) return;
    serving.shift();
    call.stage = call.stage === "request" ? "opened" : "ended";
    waiting.push(call);
  }
};

/**
 * What bounds it, without waiting: the threads that serve, each of one core, and all CPU there is. Answers a second.
 */
export const boundOf = (
  cost: CallCost,
  { cores, workers, dearer }: Pick<Simulated, "cores" | "workers" | "dearer">,
): number => {
  const serving = (workers * 1e6) / (cost.servingUs * dearer);
  const all = (cores * 1e6) / ((cost.servingUs + cost.writerUs + cost.besideUs) * dearer);
  const beside = (workers * 1e6) / (Math.max(1, cost.besideUs) * dearer);
  return Math.min(serving, all, beside);
};
