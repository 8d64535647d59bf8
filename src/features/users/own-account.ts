import { GuardError } from "#core/errors";
import type { SignInThrottle } from "#identity/login-throttle";
import { type Change, changeRecord, personActor } from "#model/change";
import { emailKey, goodPassword } from "#model/person";
import { freshUntil, isOpen, type Person } from "#model/session";
import type { Clock } from "#platform/clock";
import { hashPassword, isPassword } from "#platform/hash";
import { type Ids, isUuid } from "#platform/ids";
import type { SessionStore } from "#store/port";
import type { SignInStore } from "#store/sign-in-port";
import type { Confirmation, Me, PasswordChange, SessionResponse } from "./schema";
import { userResponse } from "./service";

type OwnAccountNeeds = {
  readonly store: Pick<SignInStore, "passwordHash" | "setPassword" | "browsers" | "endBrowser" | "confirmBrowser">;
  readonly keys: SessionStore;
  readonly attempts: SignInThrottle;
  /** Whether people sign in by password. */
  readonly byPassword: boolean;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What people do about their own account. */
export class OwnAccount {
  constructor(private readonly deps: OwnAccountNeeds) {}

  me({ user, session }: Person): Me {
    const until = freshUntil(session);
    const fresh_until = until === null ? null : new Date(until).toISOString();
    const expires_at = new Date(session.expires_at).toISOString();
    return { user: userResponse(user), session: { id: session.id, expires_at, fresh_until } };
  }

  /**
   * Makes the session fresh again. Throws `invalid_value` for a wrong password, and `rate_limit_exceeded`: who finds a
   * browser left open must not guess it there either.
   */
  async confirm(person: Person, { password }: Confirmation, address: string | null): Promise<void> {
    const { store, attempts, now, writeRecord, byPassword } = this.deps;
    const { user, session } = person;
    if (!byPassword) {
      throw new GuardError("password_sign_in_off", "Password sign-in is off. Confirm at the OpenID provider.");
    }
    await attempts.begin(emailKey(user.email), address);
    if (!(await isPassword(password, await store.passwordHash(user.id)))) {
      const detail = { user_id: user.id, reason: "wrong_password", address };
      await writeRecord(this.record(person, "session.confirm_failed", "session", session.id, detail));
      throw new GuardError("invalid_value", "The password is wrong.", { param: "password" });
    }
    await attempts.succeeded(emailKey(user.email), address);
    const record = this.record(person, "session.confirm", "session", session.id, { user_id: user.id, how: "password" });
    await store.confirmBrowser(user.id, session.id, now(), record);
  }

  /**
   * Ends everything the person is signed in with but what they ask with. Throws `invalid_value` when the current
   * password is another, and `rate_limit_exceeded`: who holds a stolen session must not guess it.
   */
  async changePassword(person: Person, wanted: PasswordChange, address: string | null): Promise<void> {
    const { store, attempts } = this.deps;
    const { user, session } = person;
    goodPassword(wanted.new_password, "new_password");
    await attempts.begin(emailKey(user.email), address);
    if (!(await isPassword(wanted.current_password, await store.passwordHash(user.id)))) {
      throw new GuardError("invalid_value", "The current password is wrong.", { param: "current_password" });
    }
    await attempts.succeeded(emailKey(user.email), address);
    const record = this.record(person, "user.password", "user", user.id, { by: "own" });
    await store.setPassword(user.id, await hashPassword(wanted.new_password), session.id, record);
  }

  /** Newest first. */
  async sessions({ user, session }: Person): Promise<SessionResponse[]> {
    const now = this.deps.now();
    const browsers = (await this.deps.store.browsers(user.id, now)).map((it) => ({ ...it, kind: "browser" as const }));
    const keys = (await this.deps.keys.list())
      .filter((it) => it.user_id === user.id && isOpen(it, now))
      .map((it) => ({ ...it, kind: "key" as const, user_agent: null, ip_address: null }));
    return [...browsers, ...keys]
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .map(({ id, kind, user_agent, ip_address, created_at, expires_at }) => ({
        object: "session",
        id,
        kind,
        current: id === session.id,
        user_agent,
        ip_address,
        created_at: new Date(created_at).toISOString(),
        expires_at: new Date(expires_at).toISOString(),
      }));
  }

  /** Throws `not_found`, for somebody else's too. */
  async endSession(person: Person, id: string): Promise<void> {
    const wanted = isUuid(id) ? id.toLowerCase() : "";
    const found = (await this.sessions(person)).find((it) => it.id === wanted);
    if (!found) throw new GuardError("not_found", "There is no such session.", { param: "id" });
    const record = this.record(person, "session.revoke", "session", wanted, { user_id: person.user.id });
    if (found.kind === "browser") await this.deps.store.endBrowser(person.user.id, wanted, record);
    else await this.deps.keys.revoke(wanted, record);
  }

  private record(person: Person, kind: string, subject: string, subject_id: string, detail: Change["detail"]): string {
    const { ids, now } = this.deps;
    const change = { kind, by: personActor(person), subject, subject_id, detail };
    return changeRecord(change, { id: ids(), at: now() });
  }
}
