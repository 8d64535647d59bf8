import { GuardError } from "#core/errors";
import type { SignInThrottle } from "#identity/login-throttle";
import type { Browser } from "#identity/port";
import { type Actor, changeRecord, personActor } from "#model/change";
import { type OidcProblem, type OidcRefusal, type OidcRules, problemOf, provedAt } from "#model/oidc";
import type { User } from "#model/person";
import type { Person } from "#model/session";
import type { Clock } from "#platform/clock";
import { secretHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { SignInStore } from "#store/sign-in-port";
import { type OidcClaims, OidcFailure, type OidcProvider } from "#upstream/oidc-port";
import { MAX_QUERY_LENGTH, type OidcAttempt, type OidcAttempts } from "./oidc-attempts";
import { type OidcPeople, OidcRefused } from "./oidc-people";
import { BY_OIDC, type Cookies } from "./service";

type OidcSignInNeeds = {
  readonly provider: OidcProvider;
  readonly rules: OidcRules;
  readonly people: OidcPeople;
  readonly attempts: OidcAttempts;
  readonly tries: SignInThrottle;
  readonly store: Pick<SignInStore, "confirmBrowser">;
  readonly redirectUri: () => string;
  /** Where browsers come back to after signing out at the provider; null where they are not led there. */
  readonly signedOutUri: (() => string) | null;
  /** Opens the session and records it. */
  readonly enter: (user: User, browser: Browser, how: string, provedAt: number) => Promise<Cookies>;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly log: Log;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Longest wait for the provider's document while somebody signs out, milliseconds. */
const SIGN_OUT_MS = 3_000;

/** Where a browser goes from here. `query` is of the client's request it came from. */
export type Onward =
  | { readonly kind: "provider"; readonly url: string; readonly sealed: string }
  | { readonly kind: "in"; readonly query: string; readonly cookies: Cookies }
  | { readonly kind: "out"; readonly query: string; readonly problem: OidcProblem };

/** The answer as it came back, and what the browser brought with it. */
export type Returned = {
  readonly answer: URLSearchParams;
  readonly sealed: string;
  readonly person: Person | null;
  readonly browser: Browser;
};

/** How people come in by an OpenID provider. Every way in leaves a record, and so does every refusal. */
export class OidcSignIn {
  constructor(private readonly deps: OidcSignInNeeds) {}

  /** `person` confirms that it is still them; null for a sign-in. */
  async begin(query: string, person: Person | null): Promise<Onward> {
    const { provider, attempts, redirectUri } = this.deps;
    // Too long for the cookie that brings it back.
    if (query.length > MAX_QUERY_LENGTH) return { kind: "out", query: "", problem: "failed" };
    const attempt = attempts.begin(query, person?.user.id ?? null);
    try {
      const url = await provider.addressFor(attempt, redirectUri(), person !== null);
      return { kind: "provider", url, sealed: await attempts.seal(attempt) };
    } catch (error) {
      const refused = refusedBy(error);
      this.note(refused);
      return { kind: "out", query, problem: problemOf(refused.refusal) };
    }
  }

  async finish(returned: Returned): Promise<Onward> {
    const { answer, sealed, browser } = returned;
    const { tries, attempts } = this.deps;
    const state = answer.get("state") ?? "";
    const account = secretHash(state);
    try {
      await tries.begin(account, browser.address);
    } catch (error) {
      if (error instanceof GuardError) return { kind: "out", query: "", problem: "busy" };
      throw error;
    }
    const attempt = await attempts.consume(sealed, state);
    try {
      if (!attempt) throw new OidcRefused("no_attempt");
      const cookies = await this.settle(attempt, returned);
      await tries.succeeded(account, browser.address);
      return { kind: "in", query: attempt.query, cookies };
    } catch (error) {
      const refused = refusedBy(error);
      this.note(refused);
      await this.recordRefusal(refused, browser);
      return { kind: "out", query: attempt?.query ?? "", problem: problemOf(refused.refusal) };
    }
  }

  /** Where a browser ends its session at the provider; null where it offers nothing for that, or does not answer. */
  async signOutAddress(): Promise<string | null> {
    const { provider, signedOutUri } = this.deps;
    if (signedOutUri === null) return null;
    try {
      return await within(SIGN_OUT_MS, provider.signOutAddress(signedOutUri()));
    } catch (error) {
      this.note(refusedBy(error));
      return null;
    }
  }

  /** Throws `Refused` and `OidcFailure`. */
  private async settle(attempt: OidcAttempt, { answer, person, browser }: Returned): Promise<Cookies> {
    const { provider, people, redirectUri, enter, now } = this.deps;
    const claims = await provider.claimsOf(answer, attempt, redirectUri());
    const at = provedAt(claims.all, now());
    if (attempt.confirms !== null) return this.confirm(attempt.confirms, claims, person, at);
    return enter(await people.enter(claims), browser, BY_OIDC, at);
  }

  /** The session that is there becomes fresh, if it is the same person's. */
  private async confirm(userId: string, claims: OidcClaims, person: Person | null, at: number): Promise<Cookies> {
    const { people, store, now, ids } = this.deps;
    const user = await people.linked(claims);
    if (!person || person.user.id !== userId || user?.id !== userId) throw new OidcRefused("other_user", user);
    const { session } = person;
    const detail = { user_id: userId, how: "oidc" };
    const change = { kind: "session.confirm", by: personActor(person), subject: "session", subject_id: session.id };
    const record = changeRecord({ ...change, detail }, { id: ids(), at: now() });
    await store.confirmBrowser(userId, session.id, at, record);
    return [];
  }

  /** For the operator: what to look into at the provider. Nothing of what anybody sent. */
  private note({ refusal, fault }: OidcRefused): void {
    if (fault !== "") this.deps.log.warn("oidc.failed", { reason: refusal, fault });
  }

  private recordRefusal({ refusal, user }: OidcRefused, { address }: Browser): Promise<void> {
    const { rules, writeRecord, now, ids } = this.deps;
    const by: Actor = { via: "system", user_id: user?.id ?? null, agent_id: null, token_id: null };
    const detail = { reason: refusal, how: "oidc", issuer: rules.issuer, address };
    const change = { kind: "auth.sign_in_failed", by, subject: "user", subject_id: user?.id ?? "unknown", detail };
    return writeRecord(changeRecord(change, { id: ids(), at: now() }));
  }
}

/** What is no refusal is a fault of ours and thrown on. */
const refusedBy = (error: unknown): OidcRefused => {
  if (error instanceof OidcRefused) return error;
  if (error instanceof OidcFailure) return new OidcRefused(refusalIn(error.reason), null, error.fault);
  throw error;
};

const refusalIn = (reason: OidcFailure["reason"]): OidcRefusal => reason;

/** Rejects when it takes longer. */
const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new OidcFailure("unreachable", "too_slow")), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};
