import { GuardError } from "#core/errors";
import type { Clock } from "#platform/clock";
import type { NodeStore } from "#store/node-port";
import type { SharedStore } from "#store/shared-port";

const WINDOW_MS = 60_000;

/** How often something open to everybody is done in a minute: by one network, and by all together. */
export type Pacer = {
  /** Throws `rate_limit_exceeded`. */
  step(network: string): Promise<void> | void;
};
export type PaceLimit = { readonly each: number; readonly all: number };
/** Makes the pacer of what is named so. */
export type Pacing = (scope: string, most: PaceLimit) => Pacer;

type PacingNeeds = {
  readonly now: Clock;
  readonly shared: Pick<SharedStore, "step">;
  readonly nodes: Pick<NodeStore, "self">;
};

/** Of this process where it serves alone, else of all that serve. */
export const pacing =
  ({ now, shared, nodes }: PacingNeeds): Pacing =>
  (scope, most) =>
    nodes.self?.isAlone === false ? new SharedPacer(shared, scope, most) : new FixedWindowLimiter(now, most);

class SharedPacer implements Pacer {
  constructor(
    private readonly shared: Pick<SharedStore, "step">,
    private readonly scope: string,
    private readonly most: PaceLimit,
  ) {}

  async step(network: string): Promise<void> {
    const { each, all } = this.most;
    const paces = [
      { key: "all", most: all },
      { key: `network ${network}`, most: each },
    ];
    const waitMs = await this.shared.step(this.scope, paces, WINDOW_MS);
    if (waitMs > 0) throw tooMany(waitMs);
  }
}

/** What is remembered is bounded by what all together may do. */
export class FixedWindowLimiter implements Pacer {
  private began = 0;
  private total = 0;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly now: Clock,
    private readonly most: PaceLimit,
  ) {}

  step(network: string): void {
    const now = this.now();
    // A clock that was set back would stand in this window for as long as it was set back.
    if (now < this.began || now - this.began >= WINDOW_MS) {
      this.began = now;
      this.total = 0;
      this.counts.clear();
    }
    const count = this.counts.get(network) ?? 0;
    if (this.total >= this.most.all || count >= this.most.each) throw tooMany(this.began + WINDOW_MS - now);
    this.total += 1;
    this.counts.set(network, count + 1);
  }
}

const tooMany = (waitMs: number): GuardError => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GuardError("rate_limit_exceeded", `Too many requests. Try again in ${seconds} s.`, {
    headers: { "retry-after": `${seconds}` },
  });
};
