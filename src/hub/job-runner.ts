import type { Clock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { Job, JobStore } from "#store/loop-port";

/** How work of one kind is done. */
export type JobHandler = {
  readonly kind: Job["kind"];
  /** How often it is begun at most. */
  readonly attempts: number;
  /** Jobs of this kind that one process does at a time. */
  readonly atOnce: number;
  /** Longer than any run takes: after this somebody else begins it anew. Milliseconds. */
  readonly leaseMs: number;
  /** The pause after so many attempts, in milliseconds. */
  pauseAfter(attempts: number): number;
  /** Throws to be tried again. `signal` aborts when the hub stops. Has to bear being begun twice. */
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** It failed too often, or ended its process each time. */
  gaveUp(job: Job): Promise<void>;
};

/** A receiver did not take what was sent: it is to be tried again. `code` is its answer, or why nothing was sent. */
export class NotTaken extends Error {
  override readonly name = "NotTaken";
  constructor(readonly code: string) {
    super(code);
  }
}

type JobRunnerNeeds = {
  readonly jobs: JobStore;
  readonly handlers: readonly JobHandler[];
  /** Names this process: a lease is its own. */
  readonly worker: string;
  readonly now: Clock;
  readonly log: Log;
};

/** Does stored work. A job is leased, so that of several processes one does it, and another if that one dies. */
export class JobRunner {
  private readonly running = new Map<Promise<void>, Job["kind"]>();
  private readonly stopping = new AbortController();

  constructor(private readonly deps: JobRunnerNeeds) {}

  /** Starts due jobs up to the limit of concurrent ones. Resolves when all that it began has ended. */
  async tick(): Promise<void> {
    await Promise.all(this.deps.handlers.map((handler) => this.begin(handler)));
  }

  /** Begins nothing more. Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort(new DOMException("hub stopping", "AbortError"));
    await Promise.all(this.running.keys());
  }

  private async begin(handler: JobHandler): Promise<void> {
    const { kind, atOnce, leaseMs } = handler;
    const busy = [...this.running.values()].filter((one) => one === kind).length;
    if (busy >= atOnce || this.stopping.signal.aborted) return;
    const now = this.deps.now();
    const jobs = await this.deps.jobs.lease(kind, this.deps.worker, now, now + leaseMs, atOnce - busy);
    await Promise.all(jobs.map((job) => this.follow(kind, this.settle(handler, job))));
  }

  private async follow(kind: Job["kind"], work: Promise<void>): Promise<void> {
    this.running.set(work, kind);
    await work;
    this.running.delete(work);
  }

  /** Does the job and says in the store what became of it. Never throws: what is not said runs out with the lease. */
  private async settle(handler: JobHandler, job: Job): Promise<void> {
    try {
      await this.attempt(handler, job);
    } catch (error) {
      this.failed(job, error);
    }
  }

  private async attempt(handler: JobHandler, job: Job): Promise<void> {
    const { jobs, worker, now } = this.deps;
    try {
      if (job.attempts > handler.attempts) await handler.gaveUp(job);
      else await handler.run(job, this.stopping.signal);
    } catch (error) {
      this.failed(job, error);
      const isStopped = this.stopping.signal.aborted;
      if (isStopped || job.attempts < handler.attempts) {
        const pause = isStopped ? 0 : handler.pauseAfter(job.attempts);
        await jobs.retry(job.id, worker, now() + pause, causeOf(error).code ?? causeOf(error).cause);
        return;
      }
      await handler.gaveUp(job);
    }
    await jobs.done(job.id, worker);
  }

  private failed({ id, kind, attempts }: Job, error: unknown): void {
    this.deps.log.warn("job.failed", { id, kind, attempts, ...causeOf(error) });
  }
}
