/** Tells whether nobody waits for a piece of work any more. An `AbortSignal` is one. */
export type Cancellation = {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

/**
 * A cancellation without a native `AbortController`: of those a call needs one, for what the runtime itself does, and
 * each further one costs a call of a tool several hundredths of its time.
 */
export class Canceller implements Cancellation {
  aborted = false;
  private listeners: (() => void)[] = [];

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.listeners.indexOf(listener);
    if (at >= 0) this.listeners.splice(at, 1);
  }

  /** Listeners are called once, in order. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }
}
