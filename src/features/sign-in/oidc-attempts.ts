import { isRecord, parseJson } from "#core/json/json";
import type { Clock } from "#platform/clock";
import { openSecret, sealSecret, UnsealFailed } from "#platform/sealing";
import type { OidcSecrets } from "#upstream/oidc-port";

/** One person on their way to the provider and back. */
export type OidcAttempt = OidcSecrets & {
  /** The parameters of a client's authorization request that goes on afterwards; empty for none. */
  readonly query: string;
  /** Who confirms that it is still them; null for a sign-in. */
  readonly confirms: string | null;
  /** Unix milliseconds. */
  readonly expires_at: number;
};

export const ATTEMPT_MS = 10 * 60_000;
/** A cookie takes 4,096 bytes, sealed and with its name. */
export const MAX_QUERY_LENGTH = 2_000;
const PURPOSE = "oidc_attempt";
const RANDOM_BYTES = 32;

type OidcAttemptsNeeds = {
  readonly key: () => Promise<Uint8Array>;
  readonly now: Clock;
  /** False when it was used before, at whichever process. It is remembered until then. */
  readonly useOnce: (state: string, until: number) => Promise<boolean>;
};

/**
 * What must come back from the provider travels in a sealed cookie: it is bound to the browser that began, needs no
 * memory that strangers could fill, and each one is good once.
 */
export class OidcAttempts {
  constructor(private readonly deps: OidcAttemptsNeeds) {}

  begin(query: string, confirms: string | null): OidcAttempt {
    const [state, nonce, verifier] = [random(), random(), random()];
    return { state, nonce, verifier, query, confirms, expires_at: this.deps.now() + ATTEMPT_MS };
  }

  async seal(attempt: OidcAttempt): Promise<string> {
    return sealSecret(await this.deps.key(), PURPOSE, JSON.stringify(attempt));
  }

  /** The attempt of this browser that the answer is to. Null for none, one that is over, and one that was used. */
  async consume(sealed: string, state: string): Promise<OidcAttempt | null> {
    const attempt = attemptOf(await this.open(sealed));
    const now = this.deps.now();
    if (attempt === null || attempt.state !== state || now >= attempt.expires_at) return null;
    return (await this.deps.useOnce(state, attempt.expires_at)) ? attempt : null;
  }

  private async open(sealed: string): Promise<unknown> {
    try {
      return parseJson(openSecret(await this.deps.key(), PURPOSE, sealed));
    } catch (error) {
      // Made up, of another hub, or of one whose secret was lost: as good as none.
      if (error instanceof UnsealFailed) return null;
      throw error;
    }
  }
}

const random = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString("base64url");

/** Sealed by us, so only its form is looked at. */
const attemptOf = (value: unknown): OidcAttempt | null => {
  if (!isRecord(value)) return null;
  const { state, nonce, verifier, query, confirms, expires_at } = value;
  if (typeof state !== "string" || typeof nonce !== "string" || typeof verifier !== "string") return null;
  if (typeof query !== "string" || typeof expires_at !== "number") return null;
  return { state, nonce, verifier, query, expires_at, confirms: typeof confirms === "string" ? confirms : null };
};
