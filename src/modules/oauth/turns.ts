import { OAuthError } from "#core/oauth/error";
import type { Clock } from "#platform/clock";
import type { OAuthStore } from "#store/oauth-port";

/** Longer than the engine takes on the slowest machine; after that whoever had the turn is taken for dead. */
const TURN_MS = 10_000;
const PATIENCE_MS = 15_000;
const RETRY_MS = 20;

/** One at a time for each code and refresh token, among all processes of the hub. */
export class Turns {
  constructor(
    private readonly store: Pick<OAuthStore, "takeTurn" | "endTurn">,
    private readonly now: Clock,
  ) {}

  async at<T>(tokenHash: string, work: () => Promise<T>): Promise<T> {
    const deadline = this.now() + PATIENCE_MS;
    while (!(await this.store.takeTurn(tokenHash, this.now(), this.now() + TURN_MS))) {
      if (this.now() > deadline) throw new OAuthError("temporarily_unavailable", "Too many are at this token.");
      await Bun.sleep(RETRY_MS);
    }
    try {
      return await work();
    } finally {
      await this.store.endTurn(tokenHash);
    }
  }
}
