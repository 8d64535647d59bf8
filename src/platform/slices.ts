/** Milliseconds that long work keeps the event loop before it lets others go on. */
const SLICE_MS = 2;

/** Null while the slice is not over; otherwise what to wait for before going on. */
export type Pause = () => Promise<void> | null;

/**
 * Lets long pieces of work on the event loop take turns: one slice of one of them in each turn of the loop, the others
 * wait in line. However many there are, whatever else arrives waits for one slice.
 */
export class Slices {
  private readonly waiting: (() => void)[] = [];
  private isAwake = false;

  constructor(
    private readonly sliceMs = SLICE_MS,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** For one piece of work. Its first slice begins now. */
  begin(): Pause {
    let until = this.now() + this.sliceMs;
    return () => {
      if (this.now() < until) return null;
      return this.turn().then(() => {
        until = this.now() + this.sliceMs;
      });
    };
  }

  /** Resolves when it is this caller's turn. For work that counts its slices by itself. */
  turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push(resolve);
    if (!this.isAwake) {
      this.isAwake = true;
      setImmediate(this.wake);
    }
    return promise;
  }

  private readonly wake = (): void => {
    this.waiting.shift()?.();
    this.isAwake = this.waiting.length > 0;
    if (this.isAwake) setImmediate(this.wake);
  };
}

/** Does work that comes step by step, in one piece. */
export const runSteps = <T>(work: Generator<undefined, T>): T => {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
};

/** The same in slices. */
export const runStepsSliced = async <T>(work: Generator<undefined, T>, pause: Pause): Promise<T> => {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    const wait = pause();
    if (wait) await wait;
  }
};

/** One for the process: slices of all long work on this thread take turns with each other. */
export const slices = new Slices();

/**
 * Work that holds the event loop for a while, one piece at a time: whatever else is ready in between goes first.
 * Twenty servers that tell their lists at once would otherwise hold up every call, and each other.
 */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private open = 0;

  /** Whether nothing is under way or waiting. */
  get isIdle(): boolean {
    return this.open === 0;
  }

  /** What the work comes to. Pieces are done in the order they were asked for. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.open += 1;
    const over = () => {
      this.open -= 1;
    };
    const turn = this.last.then(yielded).then(work).finally(over);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const yielded = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
