import { type Clock, hasPassed } from "#platform/clock";

export type Issued<T> = {
  readonly value: T;
  /** Unix milliseconds; infinity for what does not end. */
  readonly expiresAt: number;
};

export type RenewedOptions<T> = {
  /** Asks for a new one. Has its own limits: no caller's signal ends what others wait for. */
  readonly issue: () => Promise<Issued<T>>;
  readonly now: Clock;
};

/** It is asked for again when so much is left of it, as the SDKs of the clouds do. Milliseconds. */
const MARGIN_MS = 300_000;
/** Between two tries while the one at hand is still good, and before one that was refused is given up. */
const PAUSE_MS = 10_000;

/** Something that ends and is then asked for again: once for all who wait, and before its end with nobody waiting. */
export class Renewed<T> {
  private current: (Issued<T> & { readonly since: number }) | null = null;
  private running: Promise<T> | null = null;
  private triedAt = 0;

  constructor(private readonly options: RenewedOptions<T>) {}

  /** At once where there is one that is good. Throws what `issue` throws, and the signal's reason. */
  get(signal: AbortSignal): T | Promise<T> {
    const now = this.options.now();
    const { current } = this;
    if (current === null || current.expiresAt <= now) return unless(this.issue(), signal);
    if (current.expiresAt - now < MARGIN_MS && this.running === null && hasPassed(PAUSE_MS, this.triedAt, now)) {
      // The one at hand is good until its end: only then does a failure matter to anybody.
      this.issue().catch(() => {});
    }
    return current.value;
  }

  /** False when it is so new that another would be refused as well: keeps a wrong credential from flooding its issuer. */
  drop(): boolean {
    if (this.current !== null && !hasPassed(PAUSE_MS, this.current.since, this.options.now())) return false;
    this.current = null;
    return true;
  }

  /** What is at hand, good or not. */
  get latest(): T | null {
    return this.current?.value ?? null;
  }

  private issue(): Promise<T> {
    if (this.running !== null) return this.running;
    this.triedAt = this.options.now();
    const running = this.options
      .issue()
      .then((issued) => {
        this.current = { ...issued, since: this.options.now() };
        return issued.value;
      })
      .finally(() => {
        this.running = null;
      });
    this.running = running;
    return running;
  }
}

/** The value, or the signal's reason as soon as it aborts. */
const unless = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  if (signal.aborted) {
    promise.catch(() => {});
    throw signal.reason;
  }
  const ended = Promise.withResolvers<never>();
  const onEnd = () => ended.reject(signal.reason);
  signal.addEventListener("abort", onEnd, { once: true });
  try {
    return await Promise.race([promise, ended.promise]);
  } finally {
    signal.removeEventListener("abort", onEnd);
  }
};
