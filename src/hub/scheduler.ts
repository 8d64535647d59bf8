import type { Metric } from "#core/metrics";
import { causeOf, type Log } from "#platform/log";
import type { NodeStore } from "#store/node-port";

/** What a feature does by itself, again and again while the hub serves. */
export type ScheduledJob = {
  /** Names it in the log and in metrics. */
  readonly name: string;
  /** Milliseconds. */
  readonly everyMs: number;
  readonly run: () => unknown;
  /** Also as soon as the hub is ready: what nobody waits for does not hold that up. */
  readonly atStart?: true;
  /** Begun again although the run before has not ended: for what bounds itself. */
  readonly overlaps?: true;
  /** Where several processes serve, one at a time does it: one of all, or one in each data directory. */
  readonly singleton?: true | "directory";
};

type SchedulerNeeds = {
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly nodes: Pick<NodeStore, "holds" | "holdsHere">;
};

type Counts = { done: number; failed: number };

/** Jobs that are due more often are about time itself, and are begun on time. Milliseconds. */
const EXACT_MS = 1_000;
/** Their periods are multiples of it, so that one timer serves them all: waking up costs more than most of them do. */
const BEAT_MS = 20;
/** By which part of its period the first run may come early, so that jobs of one period spread. */
const JITTER = 0.1;

const isSlow = ({ everyMs }: ScheduledJob): boolean => everyMs >= EXACT_MS;

/** Runs jobs at their times. One that fails is logged and counted; it is run again when it is due, and so are the others. */
export class Scheduler {
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();
  private readonly counts = new Map<string, Counts>();
  private readonly running = new Set<string>();

  private isStopped = false;

  constructor(private readonly needs: SchedulerNeeds) {}

  /** `ready` resolves when the hub is. */
  start(jobs: readonly ScheduledJob[], ready: Promise<void>): void {
    for (const job of jobs) this.counts.set(job.name, { done: 0, failed: 0 });
    const [slow, exact] = [jobs.filter(isSlow), jobs.filter((job) => !isSlow(job))];
    for (const job of slow) this.schedule(job);
    this.beat(exact);
    void ready.then(() => {
      if (this.isStopped) return;
      for (const job of jobs) if (job.atStart) void this.run(job);
    });
  }

  /** Begins nothing more. What is under way goes on. */
  stop(): void {
    this.isStopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  metrics(): Metric[] {
    const samples = [...this.counts].flatMap(([job, { done, failed }]) => [
      { labels: { job, outcome: "done" }, value: done },
      { labels: { job, outcome: "failed" }, value: failed },
    ]);
    return [{ name: "guardhouse_job_runs_total", help: "Runs of the hub's own jobs.", type: "counter", samples }];
  }

  /** Begins each of these jobs when as many beats have passed as its period has. */
  private beat(jobs: readonly ScheduledJob[]): void {
    if (jobs.length === 0) return;
    let beats = 0;
    const due = jobs.map((job) => ({ job, every: Math.max(1, Math.round(job.everyMs / BEAT_MS)) }));
    const tick = (): void => {
      beats += 1;
      for (const { job, every } of due) if (beats % every === 0) void this.run(job);
    };
    this.timers.add(setInterval(tick, BEAT_MS));
  }

  private schedule(job: ScheduledJob): void {
    const { everyMs } = job;
    const repeat = () => this.timers.add(setInterval(() => void this.run(job), everyMs));
    const first = setTimeout(
      () => {
        this.timers.delete(first);
        void this.run(job);
        repeat();
      },
      everyMs * (1 - JITTER * this.needs.random()),
    );
    this.timers.add(first);
  }

  private async isOurs({ name, singleton }: ScheduledJob): Promise<boolean> {
    if (singleton === undefined) return true;
    const { nodes } = this.needs;
    return singleton === "directory" ? nodes.holdsHere(name) : nodes.holds(name);
  }

  private async run(job: ScheduledJob): Promise<void> {
    const { name } = job;
    if (this.running.has(name) && !job.overlaps) return;
    const counts = this.counts.get(name);
    this.running.add(name);
    try {
      if (!(await this.isOurs(job))) return;
      await job.run();
      if (counts) counts.done += 1;
    } catch (error) {
      if (counts) counts.failed += 1;
      this.needs.log.error("task.failed", { task: name, ...causeOf(error) });
    } finally {
      this.running.delete(name);
    }
  }
}
