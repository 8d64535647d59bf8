import { type Static, Type } from "#core/schema";

/*
 * What the automatic restrictions count over. All are of a fixed size, whatever happens, and forget by themselves.
 */

/** `last` is null where nothing was counted. */
export const SumState = Type.Object({
  last: Type.Union([Type.Integer(), Type.Null()]),
  steps: Type.Array(Type.Number()),
});

/** A sum over a sliding span, in equal steps: exact to one step. */
export class SlidingSum {
  private readonly steps: Float64Array;
  private last = Number.NEGATIVE_INFINITY;
  private sum = 0;

  constructor(
    private readonly stepMs: number,
    steps: number,
  ) {
    this.steps = new Float64Array(steps);
  }

  /** To go on from somewhere else, in a sum of the same steps. */
  get state(): Static<typeof SumState> {
    return { last: Number.isFinite(this.last) ? this.last : null, steps: this.sum === 0 ? [] : [...this.steps] };
  }

  resume({ last, steps }: Static<typeof SumState>): void {
    if (steps.length > this.steps.length) return;
    this.steps.fill(0);
    this.steps.set(steps);
    this.last = last ?? Number.NEGATIVE_INFINITY;
    this.sum = steps.reduce((sum, amount) => sum + amount, 0);
  }

  add(now: number, amount: number): void {
    this.turn(now);
    const place = this.last % this.steps.length;
    this.steps[place] = (this.steps[place] ?? 0) + amount;
    this.sum += amount;
  }

  total(now: number): number {
    this.turn(now);
    return this.sum;
  }

  clear(): void {
    this.steps.fill(0);
    this.sum = 0;
  }

  /** A clock that was set back counts on in the step it had; beyond the whole span, all there is becomes of now. */
  private turn(now: number): void {
    const step = Math.floor(now / this.stepMs);
    const { length } = this.steps;
    if (step <= this.last - length) this.gather(step);
    if (step <= this.last) return;
    if (step - this.last >= length) this.clear();
    else {
      for (let gone = this.last + 1; gone <= step; gone += 1) {
        this.sum -= this.steps[gone % length] ?? 0;
        this.steps[gone % length] = 0;
      }
    }
    this.last = step;
  }

  private gather(step: number): void {
    this.steps.fill(0);
    this.steps[step % this.steps.length] = this.sum;
    this.last = step;
  }
}

const Happened = Type.Object({ at: Type.Number(), key: Type.String(), id: Type.String() });
type Happened = Static<typeof Happened>;
export const BurstState = Type.Array(Happened);

/** So many different things within a span: exact, for only that many have to be kept. */
export class Burst {
  private kept: Happened[] = [];

  constructor(
    private readonly most: number,
    private readonly spanMs: number,
  ) {}

  get state(): Happened[] {
    return this.kept;
  }

  resume(kept: readonly Happened[]): void {
    this.kept = kept.slice(-this.most);
  }

  /** True when it makes the number full. What has the same key counts once. */
  note(happened: Happened): boolean {
    if (this.kept.some(({ key }) => key === happened.key)) return false;
    this.kept.push(happened);
    if (this.kept.length > this.most) this.kept.shift();
    const [first] = this.kept;
    return this.kept.length === this.most && first !== undefined && happened.at - first.at < this.spanMs;
  }

  /** What it was made full by. */
  get evidence(): string[] {
    return [...new Set(this.kept.map(({ id }) => id))];
  }

  clear(): void {
    this.kept = [];
  }
}

const WINDOW_MS = 600_000;
const STEP_MS = 60_000;
/** A day of windows in which something happened. */
const MAX_WINDOWS = 144;
/** With fewer there is no saying what is usual. */
const MIN_WINDOWS = 12;

export const BaselineState = Type.Object({
  recent: SumState,
  earlier: Type.Array(Type.Number()),
  window: Type.Integer(),
  inWindow: Type.Number(),
  isOdd: Type.Boolean(),
});

/** An amount in ten minutes, beside what is usual: the 99th percentile of the earlier ten minutes, nearest rank. */
export class UsageBaseline {
  private readonly recent = new SlidingSum(STEP_MS, WINDOW_MS / STEP_MS);
  private earlier: number[] = [];
  private window = 0;
  private inWindow = 0;
  private isOdd = false;
  private ranked: number | null = null;

  get state(): Static<typeof BaselineState> {
    const { recent, earlier, window, inWindow, isOdd } = this;
    return { recent: recent.state, earlier, window, inWindow, isOdd };
  }

  resume({ recent, earlier, window, inWindow, isOdd }: Static<typeof BaselineState>): void {
    this.recent.resume(recent);
    this.earlier = earlier.slice(-MAX_WINDOWS);
    this.ranked = null;
    Object.assign(this, { window, inWindow, isOdd });
  }

  add(now: number, amount: number): void {
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.window) this.close(window);
    this.inWindow += amount;
    this.recent.add(now, amount);
  }

  /** In the last ten minutes. */
  current(now: number): number {
    return this.recent.total(now);
  }

  /** Null while too little is known. */
  get usual(): number | null {
    if (this.earlier.length < MIN_WINDOWS) return null;
    this.ranked ??= this.earlier.toSorted((one, other) => one - other)[Math.ceil(this.earlier.length * 0.99) - 1] ?? 0;
    return this.ranked;
  }

  /** What is counted now was out of the way: it does not become usual. */
  discard(): void {
    this.isOdd = true;
    this.recent.clear();
  }

  private close(window: number): void {
    if (this.inWindow > 0 && !this.isOdd) {
      this.earlier.push(this.inWindow);
      if (this.earlier.length > MAX_WINDOWS) this.earlier.shift();
      this.ranked = null;
    }
    this.window = window;
    this.inWindow = 0;
    this.isOdd = false;
  }
}
