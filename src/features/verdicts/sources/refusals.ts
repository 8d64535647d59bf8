import type { RefusalLog } from "#audit/refusal-log";
import { GuardError } from "#core/errors";
import { networkOf } from "#identity/login-throttle";
import type { Clock } from "#platform/clock";
import type { Network } from "./admission";

const WINDOW_MS = 60_000;
/** Refusals of one network in a minute that are answered as what they are. */
const MAX_REFUSALS = 60;
/** Networks that are counted; one that comes later waits for the next minute. */
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

  /** Where a frame comes from, to be asked before it is read. */
  networkOf(request: Request): Network {
    this.turn();
    const name = networkOf(this.needs.addressOf(request));
    return { name, isRefused: (this.counts.get(name) ?? 0) > MAX_REFUSALS };
  }

  /** Counts what was not let in; whether there was too much of it. */
  count({ name }: Network): boolean {
    this.needs.log.note();
    this.turn();
    const count = (this.counts.get(name) ?? 0) + 1;
    const isFull = this.counts.size >= MAX_NETWORKS && !this.counts.has(name);
    if (!isFull) this.counts.set(name, count);
    return isFull || count > MAX_REFUSALS;
  }

  /** Throws `rate_limit_exceeded` where there were too many. */
  note(network: Network): void {
    if (!this.count(network)) return;
    const seconds = Math.max(1, Math.ceil((this.began + WINDOW_MS - this.needs.now()) / 1_000));
    throw new GuardError("rate_limit_exceeded", `Too many requests of no source. Try again in ${seconds} s.`, {
      headers: { "retry-after": `${seconds}` },
    });
  }

  private turn(): void {
    const at = this.needs.now();
    if (at >= this.began && at - this.began < WINDOW_MS) return;
    this.began = at;
    this.counts.clear();
  }
}
