/** Says when something is over: an `AbortSignal`, or an object of our own, which costs a part of that. */
export type CancelSignal = {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

/** An end that is told once, to all who listen. */
export class Cancellation implements CancelSignal {
  aborted = false;
  private readonly listeners = new Set<() => void>();

  addEventListener(_: "abort", listener: () => void): void {
    if (!this.aborted) this.listeners.add(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.listeners.delete(listener);
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    const told = [...this.listeners];
    this.listeners.clear();
    for (const listener of told) listener();
  }
}

/** Aborts with whichever of two is first. `end` must be called when nobody listens any more. */
export const eitherOf = (
  one: CancelSignal,
  other: CancelSignal,
): { readonly signal: CancelSignal; readonly end: () => void } => {
  const both = new Cancellation();
  const abort = (): void => both.abort();
  for (const each of [one, other]) {
    each.addEventListener("abort", abort, { once: true });
    if (each.aborted) abort();
  }
  const end = (): void => {
    for (const each of [one, other]) each.removeEventListener("abort", abort);
  };
  return { signal: both, end };
};
