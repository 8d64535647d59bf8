import type { Write } from "./write";

/** How often it is drawn anew. Milliseconds. */
const REDRAW_MS = 500;
/** To the beginning of the line, and what stands there is taken away. */
const CLEAR = "\r\u001b[K";

/** How far something is that may take long, in one line of a terminal that is taken away at the end. */
export class Progress {
  readonly #begun = performance.now();
  #done: number | null = null;

  constructor(
    private readonly what: string,
    private readonly write: Write,
    /** What is counted. */
    private readonly unit = "records",
  ) {}

  /** How many are done so far. */
  readonly count = (done: number): void => {
    this.#done = done;
  };

  async during<T>(work: (count: (done: number) => void) => Promise<T>): Promise<T> {
    await this.write(this.#line());
    const timer = setInterval(() => void this.write(this.#line()), REDRAW_MS);
    try {
      return await work(this.count);
    } finally {
      clearInterval(timer);
      await this.write(CLEAR);
    }
  }

  #line(): string {
    const seconds = Math.round((performance.now() - this.#begun) / 1_000);
    const done = this.#done === null ? "" : `${this.#done} ${this.unit}, `;
    return `${CLEAR}${this.what}: ${done}${seconds} s`;
  }
}
