/**
 * Work that holds the event loop for a while, one piece at a time: whatever else is ready in between goes first.
 * Twenty servers that tell their lists at once would otherwise hold up every call, and each other.
 */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** What the work comes to. Pieces are done in the order they were asked for. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(yielded).then(work);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const yielded = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
