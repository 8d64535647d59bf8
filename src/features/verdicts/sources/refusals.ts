import type { RefusalLog } from "#audit/refusal-log";
import { GuardError } from "#core/errors";
import { networkOf } from "#identity/login-throttle";
import type { Clock } from "#platform/clock";

const WINDOW_MS = 60_000;
/** Refusals of one network in a minute that are answered as what they are. */
const MOST = 60;
/** Networks that are counted; whoever comes later waits for the next minute. */
const MAX_NETWORKS = 10_000;

type RefusalNeeds = {
  readonly log: Pick<RefusalLog, "note">;
  readonly addressOf: (request: Request) => string | null;
  readonly now: Clock;
};

/** Frames of no source: recorded in number, without content, and slowed down by the network they come from. */
export class FrameRefusals {
  private began = 0;
  private readonly counts = new Map<string, number>();

  constructor(private readonly needs: RefusalNeeds) {}

  /** Counts what could not even be read to its end. */
  count(): void {
    this.needs.log.note();
  }

  /** Throws `rate_limit_exceeded` where there were too many. */
  note(request: Request): void {
    const { addressOf, now } = this.needs;
    this.count();
    const at = now();
    if (at < this.began || at - this.began >= WINDOW_MS) {
      this.began = at;
      this.counts.clear();
    }
    const network = networkOf(addressOf(request));
    const count = (this.counts.get(network) ?? 0) + 1;
    const isFull = this.counts.size >= MAX_NETWORKS && !this.counts.has(network);
    if (!isFull) this.counts.set(network, count);
    if (!isFull && count <= MOST) return;
    const seconds = Math.max(1, Math.ceil((this.began + WINDOW_MS - at) / 1_000));
    throw new GuardError("rate_limit_exceeded", `Too many requests of no source. Try again in ${seconds} s.`, {
      headers: { "retry-after": `${seconds}` },
    });
  }
}
