import type { TracedCall } from "#guard/call-trace";

/** Calls that wait to be exported, at most so many: what comes then is left out and counted. */
export class CallQueue {
  private calls: TracedCall[] = [];
  private taken = 0;
  private left = 0;

  constructor(
    private readonly most: number,
    /** Called when so many wait that they fill a request. */
    private readonly full: { readonly calls: number; readonly tell: () => void },
  ) {}

  get size(): number {
    return this.calls.length - this.taken;
  }

  /** Calls that were left out. */
  get refused(): number {
    return this.left;
  }

  add(call: TracedCall): void {
    if (this.size >= this.most) {
      this.left += 1;
      return;
    }
    this.calls.push(call);
    if (this.size === this.full.calls) this.full.tell();
  }

  /** The oldest, no longer in the queue. */
  take(most: number): readonly TracedCall[] {
    const first = this.calls.slice(this.taken, this.taken + most);
    this.taken += first.length;
    // What was taken is let go once nothing is behind it, or it is the larger part.
    if (this.taken * 2 >= this.calls.length) {
      this.calls = this.calls.slice(this.taken);
      this.taken = 0;
    }
    return first;
  }
}
