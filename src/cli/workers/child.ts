import { ownProgram } from "#cli/replaced-process";
import type { Environment } from "#config/environment";
import { WORKER_VARIABLE } from "#config/sources";
import type { Metric } from "#core/metrics";
import type { Log } from "#platform/log";
import { BEAT_MS, type FromWorker, saidByWorker, type ToWorker } from "./messages";

/**
 * Beats that may be missing before a worker is held to hang. Counted, not timed: a machine that slept, or a parent that
 * was stopped, has counted nothing meanwhile.
 */
const MISSING_BEATS = 10;
/** The same for one that starts, which may have to bring a large database to this version. */
const STARTING_BEATS = 600;
/** Figures of a worker that does not answer by then are left out. Milliseconds. */
const FIGURES_MS = 2_000;

export type Ended = { readonly code: number | null; readonly signal: string | null };
type Ready = Extract<FromWorker, { kind: "ready" }>;

export type ChildNeeds = {
  readonly id: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly begin: Extract<ToWorker, { kind: "begin" }>;
  readonly log: Log;
};

/** One worker, from its start to its end. */
export class Child {
  readonly id: string;
  /** Resolves when it answers calls; null when it ended before. */
  readonly ready: Promise<Ready | null>;
  readonly ended: Promise<Ended>;
  private readonly process: Bun.Subprocess<"ignore", "inherit", "inherit">;
  private readonly readied = Promise.withResolvers<Ready | null>();
  private readonly asked = new Map<number, (metrics: readonly Metric[] | null) => void>();
  private readonly watch: Timer;
  private told: readonly Metric[] | null = null;
  private asks = 0;
  private missing = 0;
  private isReady = false;

  constructor(private readonly needs: ChildNeeds) {
    const { id, args, environment, log } = needs;
    this.id = id;
    const ended = Promise.withResolvers<Ended>();
    this.ready = this.readied.promise;
    this.ended = ended.promise;
    this.process = Bun.spawn([...ownProgram(), ...args], {
      env: { ...environment, [WORKER_VARIABLE]: id },
      stdio: ["ignore", "inherit", "inherit"],
      serialization: "json",
      ipc: (said: unknown) => this.hear(said),
      onExit: (_, code, signal) => {
        clearInterval(this.watch);
        this.readied.resolve(null);
        for (const answer of this.asked.values()) answer(null);
        ended.resolve({ code, signal: signal === null ? null : String(this.process.signalCode ?? signal) });
      },
    });
    this.watch = setInterval(() => this.count(), BEAT_MS);
    log.info("worker.started", { worker: id, pid: this.pid });
  }

  get pid(): number {
    return this.process.pid;
  }

  /** The last that it told, as of an end in order its last of all; null for none. */
  get lastFigures(): readonly Metric[] | null {
    return this.told;
  }

  stop(): void {
    this.tell({ kind: "stop" });
  }

  /** Stops, while others go on at the address. */
  leave(): void {
    this.tell({ kind: "leave" });
  }

  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** Null where it does not answer in time, or does not serve. */
  figures(): Promise<readonly Metric[] | null> {
    if (!this.isReady) return Promise.resolve(null);
    const ask = ++this.asks;
    const answer = Promise.withResolvers<readonly Metric[] | null>();
    const timer = setTimeout(() => answer.resolve(null), FIGURES_MS);
    this.asked.set(ask, answer.resolve);
    this.tell({ kind: "figures", ask });
    return answer.promise.finally(() => {
      clearTimeout(timer);
      this.asked.delete(ask);
    });
  }

  private hear(value: unknown): void {
    const said = saidByWorker(value);
    if (said === null) {
      this.needs.log.warn("worker.not_understood", { worker: this.id });
      return;
    }
    this.missing = 0;
    if (said.kind === "hello") this.tell(this.needs.begin);
    if (said.kind === "ready") {
      this.isReady = true;
      this.readied.resolve(said);
    }
    if (said.kind === "figures") {
      this.told = said.metrics;
      this.asked.get(said.ask)?.(said.metrics);
    }
  }

  private count(): void {
    this.missing += 1;
    if (this.missing <= (this.isReady ? MISSING_BEATS : STARTING_BEATS)) return;
    this.needs.log.error("worker.hangs", { worker: this.id, pid: this.pid });
    this.kill();
  }

  private tell(message: ToWorker): void {
    try {
      this.process.send(message);
    } catch {
      // It has ended, or closed its channel to end: `ended` says so.
    }
  }
}
