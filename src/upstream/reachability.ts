import { type Clock, hasPassed } from "#platform/clock";

/** How long an answer proves that a host is there. */
const PROOF_MS = 30_000;

/**
 * A connect limit for `fetch`, which has none: while a host has not answered for a while, a bare TCP connection
 * is tried beside the call, and a host that does not accept it in time is given up.
 */
export class Reachability {
  private readonly lastSeen = new Map<string, number>();

  constructor(
    private readonly connectMs: number,
    private readonly now: Clock,
  ) {}

  seen(url: string): void {
    this.lastSeen.set(url, this.now());
  }

  /** Calls `giveUp` when the host of `url` takes no connection within the limit. */
  watch(url: string, giveUp: () => void): { stop(): void } {
    if (!hasPassed(PROOF_MS, this.lastSeen.get(url) ?? 0, this.now())) return NOTHING;
    const { hostname, port, protocol } = new URL(url);
    let open = true;
    const timer = setTimeout(() => open && giveUp(), this.connectMs);
    const settle = () => {
      open = false;
      clearTimeout(timer);
    };
    Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
      socket: {
        open: (socket) => {
          settle();
          socket.end();
        },
        data: () => {},
        // The call itself meets the same refusal and reports it.
        connectError: settle,
        error: settle,
      },
    }).catch(settle);
    return { stop: settle };
  }
}

const NOTHING = { stop: () => {} };
