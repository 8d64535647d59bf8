import { ERROR_CATALOGUE, errorBody, GuardError } from "#core/errors";
import { canonicalJson } from "#core/json/json";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import { causeOf, type Log } from "#platform/log";
import type { IdempotencyStore, Replay } from "#store/loop-port";

/** An answer as it goes out: its status, and its body as JSON. */
export class Reply implements Replay {
  constructor(
    readonly status: number,
    readonly body: string,
    /** It was given before. */
    readonly isReplayed = false,
  ) {}
}

export const jsonReply = (status: number, value: unknown): Reply => new Reply(status, JSON.stringify(value));

/** A request that may come again. */
export type Repeatable = {
  /** Who asks, and for what: the same key of somebody else, or at another address, is another key. */
  readonly scope: string;
  /** The `Idempotency-Key` header; null for a request that is not to be repeated. */
  readonly key: string | null;
  readonly body: unknown;
};

type IdempotencyNeeds = { readonly store: IdempotencyStore; readonly now: Clock; readonly log: Log };

/** Visible ASCII, as header values that are keys have it. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Requests that change something are done once for each `Idempotency-Key` of their caller within a day; who sends one
 * again is given the same answer. What may come out otherwise the next time is not remembered: our own faults, limits
 * and conflicts.
 */
export class Idempotency {
  constructor(private readonly deps: IdempotencyNeeds) {}

  /** Throws what `work` throws, `idempotency_mismatch`, `idempotency_in_flight`, and `invalid_value` for a key that is none. */
  async once({ scope, key: sent, body }: Repeatable, work: () => Promise<Reply>): Promise<Reply> {
    if (sent === null) return work();
    if (!KEY.test(sent)) throw new GuardError("invalid_value", BAD_KEY, { param: "Idempotency-Key" });
    const { store, now } = this.deps;
    // Callers put what they like into it: it is only ever compared.
    const key = sha256Hex(sent);
    const claim = await store.claim(scope, key, sha256Hex(canonicalJson(body)), now());
    if (claim.kind === "replay") return new Reply(claim.replay.status, claim.replay.body, true);
    if (claim.kind !== "fresh") throw refusal(claim.kind);
    try {
      const reply = await work();
      await this.finish(scope, key, { status: reply.status, body: reply.body });
      return reply;
    } catch (error) {
      await this.finish(scope, key, isLasting(error) ? replayOf(error) : null);
      throw error;
    }
  }

  /** The answer stands, whether or not it can be remembered: an unfinished claim is forgotten by itself. */
  private async finish(scope: string, key: string, replay: Replay | null): Promise<void> {
    try {
      await this.deps.store.finish(scope, key, replay);
    } catch (error) {
      this.deps.log.error("idempotency.not_remembered", causeOf(error));
    }
  }
}

const BAD_KEY = "Idempotency-Key must be 1 to 255 visible ASCII characters.";

const refusal = (claim: "mismatch" | "running"): GuardError =>
  claim === "mismatch"
    ? new GuardError("idempotency_mismatch", "This Idempotency-Key was used for another request. Use a new key.")
    : new GuardError(
        "idempotency_in_flight",
        "The first request with this Idempotency-Key is still open. Wait, then send it again.",
      );

const isLasting = (error: unknown): error is GuardError =>
  error instanceof GuardError && error.status < 499 && error.status !== 409 && error.status !== 429;

const replayOf = (error: GuardError): Replay => ({
  status: ERROR_CATALOGUE[error.code].status,
  body: JSON.stringify(errorBody(error)),
});
