import { GuardError } from "#core/errors";
import type { SignInThrottle } from "#identity/login-throttle";
import type { Browser, Identity } from "#identity/port";
import { type Actor, changeRecord, personActor } from "#model/change";
import { emailKey, goodPassword, type User } from "#model/person";
import { linkInvalid } from "#model/session";
import type { Clock } from "#platform/clock";
import { hashPassword, isPassword, secretHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import type { UserStore } from "#store/port";
import type { SignInStore } from "#store/sign-in-port";
import type { FirstRun } from "./first-run";
import type { Acceptance, Credentials, FirstAdmin, Invitee } from "./schema";

type SignInServiceNeeds = {
  readonly users: Pick<UserStore, "byEmail">;
  readonly store: Pick<SignInStore, "passwordHash" | "invited" | "accept">;
  readonly identity: () => Promise<Identity>;
  readonly firstRun: FirstRun;
  readonly attempts: SignInThrottle;
  /** Whether people sign in by password. */
  readonly byPassword: boolean;
  /** Where a session that began at the OpenID provider is ended there; null for nowhere. Never throws. */
  readonly providerSignOut: () => Promise<string | null>;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What is kept of the name browsers give themselves. */
const MAX_AGENT_LENGTH = 256;

/** The `Set-Cookie` headers of an answer. */
export type Cookies = readonly string[];

/** `provider`: where the browser goes on to end its session at the OpenID provider; null for nowhere. */
export type SignOutResult = { readonly cookies: Cookies; readonly provider: string | null };

/** How a sign-in at the OpenID provider is recorded. */
export const BY_OIDC = "oidc";

/** How people come in with a browser, and go. Every way in leaves a record, and so does every failure. */
export class SignInService {
  constructor(private readonly deps: SignInServiceNeeds) {}

  /** Throws `sign_in_failed`, whatever the reason was, `rate_limit_exceeded` and `password_sign_in_off`. */
  async signIn({ email, password }: Credentials, browser: Browser): Promise<Cookies> {
    const { attempts, users, store, byPassword } = this.deps;
    if (!byPassword) throw passwordsOff();
    await attempts.begin(emailKey(email), browser.address);
    const user = await users.byEmail(email.trim());
    const hash = user && (await store.passwordHash(user.id));
    const isTheirs = await isPassword(password, hash);
    if (!user || !isTheirs || user.state !== "active") {
      await this.recordFailure(user, reasonOf(user, hash, isTheirs), browser);
      throw new GuardError("sign_in_failed", "The e-mail address or the password is wrong.");
    }
    await attempts.succeeded(emailKey(email), browser.address);
    return this.enter(user, browser, "password", this.deps.now());
  }

  /**
   * Ends the browser's session. What is signed in elsewhere stays, and so do clients with grants of their own. Where the
   * session began at the OpenID provider, the browser is told the address that ends it there.
   */
  async signOut(cookie: string): Promise<SignOutResult> {
    const identity = await this.deps.identity();
    const session = await identity.sessionOf(cookie);
    const cookies = await identity.signOut(cookie);
    if (!session) return { cookies, provider: null };
    const by: Actor = {
      via: "session",
      user_id: session.user_id,
      agent_id: null,
      token_id: null,
      session_id: session.id,
    };
    await this.record(by, "auth.sign_out", session.user_id, {});
    // Asked for last: a provider that is slow or down keeps nobody signed in here.
    const provider = session.signed_in_by === BY_OIDC ? await this.deps.providerSignOut() : null;
    return { cookies, provider };
  }

  /** The first administrator, signed in at once. */
  async setUp(wanted: FirstAdmin, browser: Browser): Promise<Cookies> {
    const user = await this.deps.firstRun.complete(wanted, browser.address);
    await this.deps.onChanged();
    return this.enter(user, browser, "setup", this.deps.now());
  }

  /** Whom a link is for. Throws `link_invalid`. */
  async invited(token: string, address: string | null): Promise<Invitee> {
    const user = await this.invitedUser(token, address);
    return { email: user.email, name: user.name };
  }

  /** Sets the password, ends all the user was signed in with, and signs this browser in. Throws `link_invalid`. */
  async accept({ token, password }: Acceptance, browser: Browser): Promise<Cookies> {
    goodPassword(password);
    await this.invitedUser(token, browser.address);
    const { store, now, ids } = this.deps;
    const user = await store.accept(secretHash(token), now(), await hashPassword(password), ({ id }) => {
      const by: Actor = { via: "system", user_id: id, agent_id: null, token_id: null };
      const detail = { by: "invitation" };
      return changeRecord(
        { kind: "user.password", by, subject: "user", subject_id: id, detail },
        { id: ids(), at: now() },
      );
    });
    if (!user) throw linkInvalid();
    await this.deps.onChanged();
    return this.enter(user, browser, "invitation", this.deps.now());
  }

  /** Looked at before anything is hashed: made-up links shall cost their makers more than us. */
  private async invitedUser(token: string, address: string | null): Promise<User> {
    const { attempts, store, now } = this.deps;
    const hash = secretHash(token);
    await attempts.begin(hash, address);
    const user = await store.invited(hash, now());
    if (!user) throw linkInvalid();
    await attempts.succeeded(hash, address);
    return user;
  }

  /** `provedAt`: when they proved who they are, Unix milliseconds. */
  async enter(user: User, { address, userAgent }: Browser, how: string, provedAt: number): Promise<Cookies> {
    const identity = await this.deps.identity();
    const agent = userAgent?.slice(0, MAX_AGENT_LENGTH) ?? null;
    const { session, cookies } = await identity.signIn(user.id, { address, userAgent: agent }, { how, provedAt });
    const detail = { how, address, expires_at: new Date(session.expires_at).toISOString() };
    await this.record(personActor({ user, session }), "auth.sign_in", user.id, detail);
    return cookies;
  }

  private async recordFailure(user: User | null, reason: string, { address }: Browser): Promise<void> {
    const by: Actor = { via: "system", user_id: user?.id ?? null, agent_id: null, token_id: null };
    // Nothing of what a stranger typed: it may be a password in the wrong field.
    await this.record(by, "auth.sign_in_failed", user?.id ?? "unknown", { reason, address });
  }

  private record(by: Actor, kind: string, userId: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const { now, ids, writeRecord } = this.deps;
    const change = { kind, by, subject: "user", subject_id: userId, detail };
    return writeRecord(changeRecord(change, { id: ids(), at: now() }));
  }
}

const passwordsOff = (): GuardError =>
  new GuardError("password_sign_in_off", "Password sign-in is off. Sign in by the provider on the sign-in page.");

const reasonOf = (user: User | null, hash: string | null, isTheirs: boolean): string => {
  if (!user) return "unknown_user";
  if (hash === null) return "no_password";
  return isTheirs ? "disabled" : "wrong_password";
};
