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
