import { KEY_RANDOM_BYTES } from "#core/checksums";
import { GuardError } from "#core/errors";
import { type Actor, changeRecord } from "#model/change";
import type { User } from "#model/person";
import { mintSessionKey, type Session } from "#model/session";
import type { Clock } from "#platform/clock";
import { secretHash } from "#platform/hash";
import { type Ids, isUuid } from "#platform/ids";
import type { SessionStore } from "#store/port";

/** A working day. Milliseconds. */
export const SESSION_LIFETIME_MS = 8 * 3_600_000;
const MAX_LIFETIME_MS = 30 * 86_400_000;

type SessionServiceNeeds = {
  readonly sessions: SessionStore;
  readonly now: Clock;
  readonly ids: Ids;
};

/** The key is shown once and kept nowhere. */
export type OpenedSession = { readonly session: Session; readonly key: string };

/** People signed in to `/api`. Every change writes its audit record in the same step. */
export class SessionService {
  constructor(private readonly deps: SessionServiceNeeds) {}

  /** Throws `invalid_value` for a lifetime that is no session's. */
  async create(by: Actor, user: User, lifetimeMs: number): Promise<OpenedSession> {
    if (lifetimeMs < 1 || lifetimeMs > MAX_LIFETIME_MS) {
      throw new GuardError("invalid_value", "A session lasts at most 30 days", { param: "expires_in" });
    }
    const key = mintSessionKey(crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)));
    const now = this.deps.now();
    const session: Session = {
      id: this.deps.ids(),
      hash: secretHash(key),
      user_id: user.id,
      state: "active",
      expires_at: now + lifetimeMs,
      created_at: now,
    };
    const detail = { user_id: user.id, expires_at: new Date(session.expires_at).toISOString() };
    await this.deps.sessions.create(session, this.record(by, "session.create", session.id, detail));
    return { session, key };
  }

  /** Newest first. */
  async list(): Promise<Session[]> {
    return (await this.deps.sessions.list()).toSorted((a, b) => b.created_at - a.created_at);
  }

  /** Final. Revoking a revoked one is no change. Throws `not_found`. */
  async revoke(by: Actor, id: string): Promise<Session> {
    const wanted = isUuid(id) ? id.toLowerCase() : null;
    const session = (await this.deps.sessions.list()).find((candidate) => candidate.id === wanted);
    if (!session) throw new GuardError("not_found", `There is no session ${id}`, { param: "id" });
    const record = this.record(by, "session.revoke", session.id, { user_id: session.user_id });
    if (session.state === "active") await this.deps.sessions.revoke(session.id, record);
    return { ...session, state: "revoked" };
  }

  private record(by: Actor, kind: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind, by, subject: "session", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}
