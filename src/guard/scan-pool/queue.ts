/** How much may wait: UTF-16 units of text, and calls. */
export type QueueLimits = {
  readonly units: number;
  readonly unitsPerCaller: number;
  readonly calls: number;
  readonly callsPerCaller: number;
};

/** The queue is full. `whose`: the caller's own share, or all of it. */
export class ScanQueueFull extends Error {
  override readonly name = "ScanQueueFull";

  constructor(readonly whose: "caller" | "all") {
    super("the scan queue is full");
  }
}

type Lane<Job> = { readonly key: string; readonly jobs: Job[]; calls: number; units: number };

/**
 * Jobs that wait for a thread, a lane for each caller. Lanes take turns: a caller with a thousand jobs delays another's
 * first by one job.
 */
export class FairQueue<Job> {
  private readonly lanes = new Map<string, Lane<Job>>();
  /** Lanes with jobs, the next one first. */
  private turns: Lane<Job>[] = [];
  private calls = 0;
  private units = 0;
  private jobs = 0;

  constructor(private readonly limits: QueueLimits) {}

  get waitingJobs(): number {
    return this.jobs;
  }
  get admittedCalls(): number {
    return this.calls;
  }
  get admittedUnits(): number {
    return this.units;
  }

  /**
   * Reserves space for a call's texts until the returned function is called. A caller's only call is always admitted:
   * how large one call may be is for others to say. Throws `ScanQueueFull` for what may be refused.
   */
  enter(key: string, units: number, isRefusable: boolean): () => void {
    const { limits } = this;
    const known = this.lanes.get(key);
    if (isRefusable && known && (known.calls >= limits.callsPerCaller || known.units + units > limits.unitsPerCaller)) {
      throw new ScanQueueFull("caller");
    }
    if (isRefusable && this.calls > 0 && (this.calls >= limits.calls || this.units + units > limits.units)) {
      throw new ScanQueueFull("all");
    }
    const lane = known ?? { key, jobs: [], calls: 0, units: 0 };
    this.lanes.set(key, lane);
    this.count(lane, 1, units);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.count(lane, -1, -units);
      if (lane.calls === 0 && lane.jobs.length === 0) this.lanes.delete(key);
    };
  }

  private count(lane: Lane<Job>, calls: number, units: number): void {
    lane.calls += calls;
    lane.units += units;
    this.calls += calls;
    this.units += units;
  }

  /** `key` must have been admitted. */
  push(key: string, job: Job): void {
    const lane = this.lanes.get(key);
    if (!lane) throw new Error("a job of a call that was not admitted");
    lane.jobs.push(job);
    this.jobs += 1;
    if (lane.jobs.length === 1) this.turns.push(lane);
  }

  /** The next job that fits: of each lane only its first is asked about. */
  next(fits: (job: Job) => boolean): Job | null {
    const at = this.turns.findIndex(({ jobs: [first] }) => first !== undefined && fits(first));
    const [lane] = at < 0 ? [] : this.turns.splice(at, 1);
    const job = lane?.jobs.shift();
    if (!lane || job === undefined) return null;
    this.jobs -= 1;
    if (lane.jobs.length > 0) this.turns.push(lane);
    return job;
  }

  /** Whether it still waited. */
  drop(key: string, job: Job): boolean {
    const lane = this.lanes.get(key);
    const at = lane?.jobs.indexOf(job) ?? -1;
    if (!lane || at < 0) return false;
    lane.jobs.splice(at, 1);
    this.jobs -= 1;
    if (lane.jobs.length === 0) this.turns = this.turns.filter((one) => one !== lane);
    return true;
  }

  /** All that wait, and none waits any more. */
  clear(): Job[] {
    const jobs = this.turns.flatMap((lane) => lane.jobs.splice(0));
    this.turns = [];
    this.jobs = 0;
    return jobs;
  }
}
