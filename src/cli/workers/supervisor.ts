import type { Environment } from "#config/environment";
import type { Metric } from "#core/metrics";
import { causeOf, type Log } from "#platform/log";
import { Child, type Ended } from "./child";
import type { ToWorker } from "./messages";

/** First wait before a worker that ended by itself is started again; doubled with each that fails. Milliseconds. */
const RESTART_MS = 250;
const MAX_RESTART_MS = 30_000;
/** One that served for so long had another reason to end than those before. Milliseconds. */
const SETTLED_MS = 60_000;
/** What a worker may take to stop beyond its grace: calls that are cut off write their records. Milliseconds. */
const STOPPING_MS = 15_000;

type Begin = Extract<ToWorker, { kind: "begin" }>;

export type SupervisorNeeds = {
  readonly workers: number;
  readonly args: readonly string[];
  readonly environment: Environment;
  /** What the first worker is told; the others are told its port. */
  readonly begin: Begin;
  readonly graceMs: number;
  /** Told of every worker that has ended what it told last. */
  readonly onEnded: (figures: readonly Metric[] | null) => void;
  readonly log: Log;
};

/** A worker did not start: with it nothing else is. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
  constructor(readonly code: number) {
    super("a worker did not start");
  }
}

/** How all of them came up. */
export type Begun = { readonly url: string; readonly policyRevision: number; readonly interrupted: number };

/**
 * Starts workers, starts those again that end, and replaces them one by one. There is an id more than workers: the one
 * that replaces another serves before that one leaves.
 */
export class Supervisor {
  private readonly ids: readonly string[];
  /** By id; null for one that waits to be started again. */
  private readonly children = new Map<string, Child | null>();
  private readonly failures = new Map<string, number>();
  private readonly timers = new Set<Timer>();
  /** Those that are to end. */
  private readonly leaving = new Set<Child>();
  private begin: Begin;
  private isStopping = false;
  private reloads: Promise<void> | null = null;
  private isReloadWanted = false;

  constructor(private readonly needs: SupervisorNeeds) {
    this.begin = needs.begin;
    this.ids = Array.from({ length: needs.workers + 1 }, (_, n) => String(n));
  }

  /** Throws `NotStarted`. */
  async start(): Promise<Begun> {
    // What is made or brought to this version at a start is so by one process.
    const [first = "0", ...others] = this.ids.slice(0, this.needs.workers);
    const one = await this.firstStart(first);
    const { setUp } = this.begin;
    this.begin = { ...this.begin, port: Number(new URL(one.url).port) || null, setUp: { ...setUp, isShown: false } };
    const all = await Promise.all(others.map((id) => this.firstStart(id)));
    const interrupted = [one, ...all].reduce((sum, said) => sum + said.interrupted, 0);
    return { url: one.url, policyRevision: one.revision, interrupted };
  }

  /** Those that serve now. */
  serving(): Child[] {
    return [...this.children.values()].filter((child) => child !== null);
  }

  get workers(): number {
    return this.needs.workers;
  }

  /** Replaces every worker by a new process. Asked again meanwhile, it does so once more afterwards. */
  reload(): Promise<void> {
    this.isReloadWanted = true;
    this.reloads ??= this.reloading().finally(() => {
      this.reloads = null;
    });
    return this.reloads;
  }

  /** True when all of them ended in order. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    const children = this.serving();
    for (const child of children) child.stop();
    const timer = setTimeout(() => {
      this.needs.log.error("stopping.killed", { workers: this.serving().length });
      this.kill();
    }, this.needs.graceMs + STOPPING_MS);
    const ends = await Promise.all(children.map(({ ended }) => ended));
    clearTimeout(timer);
    return ends.every(({ code }) => code === 0);
  }

  kill(): void {
    for (const child of this.serving()) child.kill();
  }

  private async firstStart(id: string): Promise<{ url: string; revision: number; interrupted: number }> {
    const child = this.spawn(id);
    const said = await child.ready;
    if (said !== null) return said;
    const { code } = await child.ended;
    throw new NotStarted(code ?? 1);
  }

  private spawn(id: string): Child {
    const { args, environment, log, onEnded } = this.needs;
    const child = new Child({ id, args, environment, begin: this.begin, log });
    this.children.set(id, child);
    void this.follow(child).catch((error: unknown) => log.error("task.failed", { task: "worker", ...causeOf(error) }));
    void child.ended.then(() => onEnded(child.lastFigures));
    return child;
  }

  /** To its end, and what follows. */
  private async follow(child: Child): Promise<void> {
    const { log } = this.needs;
    const { id, pid } = child;
    const said = await child.ready;
    const readyAt = performance.now();
    if (said !== null) log.info("worker.ready", { worker: id, pid });
    const ended = await child.ended;
    const isExpected = this.isStopping || this.leaving.delete(child);
    log[isExpected && ended.code === 0 ? "info" : "error"]("worker.ended", { worker: id, pid, ...ended });
    this.children.delete(id);
    if (isExpected || !this.begin.port) return;
    const hasServed = said !== null && performance.now() - readyAt > SETTLED_MS;
    this.startLater(id, hasServed ? 0 : (this.failures.get(id) ?? 0));
  }

  private startLater(id: string, failures: number): void {
    this.failures.set(id, failures + 1);
    this.children.set(id, null);
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.spawn(id);
      },
      Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** failures),
    );
    this.timers.add(timer);
  }

  private async reloading(): Promise<void> {
    const { log } = this.needs;
    while (this.isReloadWanted && !this.isStopping) {
      this.isReloadWanted = false;
      log.info("reloading", { workers: this.needs.workers });
      const outcome = await this.replaceAll(this.serving());
      if (this.isStopping) return;
      if (outcome === null) log.info("reloaded", { workers: this.needs.workers });
      else log.error("reloading.failed", outcome);
    }
  }

  /** Null when every worker was replaced. The others go on as they are when one that is new does not start. */
  private async replaceAll(old: readonly Child[]): Promise<Ended | null> {
    for (const child of old) {
      if (this.children.get(child.id) !== child) continue; // ended by itself: the next one is a new process
      const id = this.ids.find((one) => !this.children.has(one));
      if (this.isStopping || id === undefined) return { code: null, signal: null };
      const next = this.spawn(id);
      this.leaving.add(next); // not started again where it fails
      if ((await next.ready) === null) return next.ended;
      this.leaving.delete(next);
      this.leaving.add(child);
      child.leave();
      await child.ended;
    }
    return null;
  }
}
