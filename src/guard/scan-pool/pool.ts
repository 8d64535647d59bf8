import { DETECTORS } from "#scan/detectors/index";
import type { AnyScan } from "#scan/packed-scan";
import type { CompiledPolicy, PolicyRecipe } from "#scan/policy";
import { scanText } from "#scan/scan";
import type { ScanAnswer, ScanText } from "./messages";
import { type PoolFigures, PoolMeters } from "./meters";
import { FairQueue, type QueueLimits } from "./queue";
import { ScanThread, startScanWorker } from "./thread";

export type { ScanText } from "./messages";

export type PoolOptions = {
  readonly threads: number;
  readonly limits: QueueLimits;
  /** Told of a thread that died or hung, with the length of the text it had. */
  readonly onFault?: (fault: { readonly reason: "died" | "hung"; readonly units: number }) => void;
  readonly start?: () => Worker;
  /** Milliseconds after which a thread counts as hung that has a job of so many units. */
  readonly hangMs?: (units: number) => number;
};

/** What became of one text. */
export type PoolScan = { readonly scan: AnyScan; readonly ms: number } | { readonly failed: Error };

/** One call's right to have its texts scanned. */
export type ScanPlace = {
  /**
   * In the order of `texts`. Rejects when the signal aborts, with its reason, and when the thread dies. A policy whose
   * detectors a thread does not have is used on this one.
   */
  scan(policy: CompiledPolicy, texts: readonly ScanText[]): Promise<readonly PoolScan[]>;
  leave(): void;
};

type EnterOptions = {
  readonly signal: AbortSignal | null;
  /** Whether the call may be refused when the queue is full. */
  readonly isRefusable: boolean;
};

type Job = {
  readonly key: string;
  readonly policy: CompiledPolicy;
  readonly recipe: PolicyRecipe;
  readonly texts: readonly ScanText[];
  readonly units: number;
  readonly since: number;
  readonly done: PromiseWithResolvers<readonly PoolScan[]>;
  isCancelled: boolean;
};

type Seat = {
  /** Takes only short jobs, so that those never wait for long ones. */
  readonly isShort: boolean;
  thread: ScanThread | null;
  job: Job | null;
  startedAt: number;
  watch: ReturnType<typeof setTimeout> | null;
};

/** UTF-16 units of text in a job that the thread for short jobs takes. */
const SHORT_UNITS = 262_144;
/** A thread that takes longer than this for a job hangs. Generous: on a busy machine it has the lowest priority. */
const HANG_MS = 60_000;
const HANG_MS_PER_UNIT = 0.06;
const hangMs = (units: number): number => HANG_MS + units * HANG_MS_PER_UNIT;
/** A thread that works on a job nobody waits for any more is ended once it has for this long; before, it finishes. */
const WASTE_MS = 1_000;

/** How many threads a machine with so many cores gets: one core is left to calls, and one thread is for short texts. */
export const threadsFor = (cores: number): number => Math.max(2, Math.min(cores - 1, 8));

/** Threads that scan long texts, started when the first one comes. Callers take turns (`FairQueue`). */
export class ScanPool {
  readonly #queue: FairQueue<Job>;
  readonly #seats: readonly Seat[];
  readonly #meters = new PoolMeters();
  #jobs = 0;
  #isClosed = false;

  constructor(private readonly options: PoolOptions) {
    this.#queue = new FairQueue(options.limits);
    this.#seats = Array.from({ length: options.threads }, (_, at) => ({
      isShort: at === 0 && options.threads > 1,
      thread: null,
      job: null,
      startedAt: 0,
      watch: null,
    }));
  }

  get figures(): PoolFigures {
    const threads = this.#seats.filter(({ thread }) => thread !== null).length;
    const busy = this.#seats.filter(({ job }) => job !== null).length;
    const { waitingJobs, admittedCalls, admittedUnits } = this.#queue;
    return { threads, busy, waitingJobs, admittedCalls, admittedUnits, ...this.#meters.read() };
  }

  /** `caller`: who takes turns with others. `units`: of all texts of the call. Throws `ScanQueueFull`. */
  enter(caller: string, units: number, { signal, isRefusable }: EnterOptions): ScanPlace {
    try {
      const leave = this.#queue.enter(caller, units, isRefusable);
      return { leave, scan: (policy, texts) => this.#scan(caller, policy, texts, signal) };
    } catch (error) {
      this.#meters.refused();
      throw error;
    }
  }

  /** Ends all threads. What is under way fails. */
  close(): void {
    this.#isClosed = true;
    for (const job of this.#queue.clear()) job.done.reject(new Error("the scan pool is closed"));
    for (const seat of this.#seats) this.#vacate(seat)?.done.reject(new Error("the scan pool is closed"));
  }

  async #scan(
    key: string,
    policy: CompiledPolicy,
    texts: readonly ScanText[],
    signal: AbortSignal | null,
  ): Promise<readonly PoolScan[]> {
    const recipe = policy.recipeFor(DETECTORS);
    if (recipe === null) return texts.map(({ text, origin }) => ({ scan: scanText(policy, text, origin), ms: 0 }));
    if (this.#isClosed) throw new Error("the scan pool is closed");
    signal?.throwIfAborted();
    const done = Promise.withResolvers<readonly PoolScan[]>();
    const units = texts.reduce((sum, { text }) => sum + text.length, 0);
    const job: Job = { key, policy, recipe, texts, units, since: performance.now(), done, isCancelled: false };
    const onAbort = () => this.#cancel(job, signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#queue.push(key, job);
    this.#fill();
    try {
      return await done.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Gives jobs to threads that have none. */
  #fill(): void {
    for (const seat of this.#seats) {
      if (seat.job !== null) continue;
      const job = this.#queue.next(({ units }) => !seat.isShort || units <= SHORT_UNITS);
      if (job) this.#give(seat, job);
    }
  }

  #give(seat: Seat, job: Job): void {
    this.#jobs += 1;
    const number = this.#jobs;
    seat.job = job;
    seat.startedAt = performance.now();
    this.#meters.waited((seat.startedAt - job.since) / 1_000);
    seat.watch = setTimeout(() => this.#lose(seat, "hung"), (this.options.hangMs ?? hangMs)(job.units));
    seat.watch.unref();
    const failed = (error: unknown) => {
      // A thread that cannot be started, or a text that cannot be handed over: the next job tries anew.
      if (seat.job === job) this.#vacate(seat);
      job.done.reject(error);
    };
    try {
      seat.thread ??= new ScanThread(this.options.start ?? startScanWorker, {
        onAnswer: (answer) => this.#answered(seat, answer),
        onDeath: () => this.#lose(seat, "died"),
      });
      const order = { job: number, policy: job.policy, recipe: job.recipe, texts: job.texts };
      seat.thread.send(order).catch((error: unknown) => {
        failed(error);
        this.#fill();
      });
    } catch (error) {
      failed(error);
    }
  }

  #answered(seat: Seat, { results, ms }: ScanAnswer): void {
    const { job } = seat;
    if (seat.watch) clearTimeout(seat.watch);
    seat.job = null;
    this.#fill();
    if (!job || job.isCancelled) return;
    job.done.resolve(
      results.map((result, at) => {
        if (result && "failed" in result) return { failed: namedError(result.failed) };
        return { scan: result ?? NOTHING, ms: ms[at] ?? 0 };
      }),
    );
  }

  #cancel(job: Job, reason: unknown): void {
    job.isCancelled = true;
    job.done.reject(reason);
    if (this.#queue.drop(job.key, job)) return;
    const seat = this.#seats.find((one) => one.job === job);
    if (!seat) return;
    const end = () => {
      this.#vacate(seat);
      this.#fill();
    };
    if (seat.watch) clearTimeout(seat.watch);
    const left = WASTE_MS - (performance.now() - seat.startedAt);
    if (left > 0) seat.watch = setTimeout(end, left);
    else end();
  }

  /** Another thread takes its place with the next job. */
  #lose(seat: Seat, reason: "died" | "hung"): void {
    if (seat.thread === null) return;
    const job = this.#vacate(seat);
    this.#meters.lost();
    this.options.onFault?.({ reason, units: job?.units ?? 0 });
    if (job && !job.isCancelled) job.done.reject(new Error(`the scanning thread ${reason}`));
    if (!this.#isClosed) this.#fill();
  }

  #vacate(seat: Seat): Job | null {
    const { job, thread, watch } = seat;
    if (watch) clearTimeout(watch);
    seat.thread = null;
    seat.job = null;
    thread?.end();
    return job;
  }
}

const NOTHING: AnyScan = { findings: [] };

const namedError = (name: string): Error => Object.assign(new Error("the scanner failed"), { name });
