import { OAuthError } from "#model/oauth/error";
import type { Clock } from "#platform/clock";
import type { OAuthStore } from "#store/oauth-port";

/** Longer than the engine takes on the slowest machine; after that the holder of the turn is taken for dead. */
const TURN_MS = 10_000;
const PATIENCE_MS = 15_000;
const RETRY_MS = 20;
/** More than any program has processes. Beyond that somebody only wants the hub to be busy. */
const MAX_WAITING = 100;

type Line = { last: Promise<unknown>; length: number };

/** One at a time for each code and refresh token, among all processes of the hub. */
export class CrossProcessKeyLock {
  /** Of this process: only the first of each asks the database, so that a crowd costs no more than its turns. */
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly store: Pick<OAuthStore, "acquireTurn" | "endTurn">,
    private readonly now: Clock,
  ) {}

  /** Throws `temporarily_unavailable`. */
  async at<T>(tokenHash: string, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(tokenHash) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= MAX_WAITING) throw tooMany();
    line.length += 1;
    this.lines.set(tokenHash, line);
    const turn = line.last.then(() => this.alone(tokenHash, work));
    // The next caller waits for its end; only its own caller gets its error.
    line.last = turn.catch(() => null);
    try {
      return await turn;
    } finally {
      line.length -= 1;
      if (line.length === 0) this.lines.delete(tokenHash);
    }
  }

  private async alone<T>(tokenHash: string, work: () => Promise<T>): Promise<T> {
    const deadline = this.now() + PATIENCE_MS;
    while (!(await this.store.acquireTurn(tokenHash, this.now(), this.now() + TURN_MS))) {
      if (this.now() > deadline) throw tooMany();
      await Bun.sleep(RETRY_MS);
    }
    try {
      return await work();
    } finally {
      await this.store.endTurn(tokenHash);
    }
  }
}

const tooMany = (): OAuthError =>
  new OAuthError("temporarily_unavailable", "Too many processes use this token at the same time. Try again.");
