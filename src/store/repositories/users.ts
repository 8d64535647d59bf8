import { and, asc, desc, eq, gt, inArray, ne, or } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import { emailKey, type Role, type User } from "#model/person";
import { all, anyRow, type Db, one, run, type Steps } from "#store/db";
import type { SerialisedRecord, UserPatch, UserStore } from "#store/port";
import type { Tables } from "#store/tables";
import { afterId } from "./windows";

export const userColumns = ({ user }: Tables) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  state: user.state,
  created_at: user.created_at,
});

const isActiveAdmin = ({ user }: Tables) => and(eq(user.role, "admin"), eq(user.state, "active"));

/** Every change of a user is made in the identity library's mirror too, in the same transaction. */
export class Users implements UserStore {
  constructor(private readonly db: Db) {}

  create(it: User, passwordHash: string | null, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) => this.#insert(it, passwordHash, changed));
  }

  async createFirstAdmin(
    it: User,
    passwordHash: string,
    record: SerialisedRecord,
  ): Promise<"created" | "taken" | "not_the_first"> {
    let isFirst = false;
    const users = this;
    const done = await this.db.change("all", record, function* (changed) {
      isFirst = !(yield* anyRow((q, t) => q.select({ id: t.user.id }).from(t.user).where(isActiveAdmin(t)).limit(1)));
      return isFirst && (yield* users.#insert(it, passwordHash, changed));
    });
    if (done) return "created";
    return isFirst ? "taken" : "not_the_first";
  }

  async update(id: string, patch: UserPatch, record: SerialisedRecord): Promise<"done" | "missing" | "last_admin"> {
    let outcome: "done" | "missing" | "last_admin" = "missing";
    const users = this;
    await this.db.change("all", record, function* (changed) {
      outcome = yield* users.#change(id, patch, changed);
      return outcome === "done";
    });
    return outcome;
  }

  list(): Promise<User[]> {
    return this.db.all((q, t) => q.select(userColumns(t)).from(t.user).orderBy(asc(t.user.email_key)));
  }

  page(window: PageWindow, words = ""): Promise<User[]> {
    return this.db.all((q, t, { holds }) => {
      const sought = words === "" ? undefined : or(holds(t.user.email, words), holds(t.user.name, words));
      const found = q
        .select(userColumns(t))
        .from(t.user)
        .where(and(sought, afterId(t.user.id, window)));
      return found.orderBy(desc(t.user.id)).limit(window.limit);
    });
  }

  byIds(ids: Iterable<string>): Promise<User[]> {
    return this.db.all((q, t, words) => q.select(userColumns(t)).from(t.user).where(words.among(t.user.id, ids)));
  }

  ofRoles(roles: readonly Role[]): Promise<User[]> {
    return this.db.all((q, t) =>
      q
        .select(userColumns(t))
        .from(t.user)
        .where(inArray(t.user.role, [...roles])),
    );
  }

  byId(id: string): Promise<User | null> {
    return this.db.one((q, t) => q.select(userColumns(t)).from(t.user).where(eq(t.user.id, id)));
  }

  byEmail(email: string): Promise<User | null> {
    return this.db.one((q, t) =>
      q
        .select(userColumns(t))
        .from(t.user)
        .where(eq(t.user.email_key, emailKey(email))),
    );
  }

  *changedAfter(revision: number): Steps<User[]> {
    return yield* all((q, t) => q.select(userColumns(t)).from(t.user).where(gt(t.user.changed, revision)));
  }

  *#insert(it: User, passwordHash: string | null, changed: number): Steps<boolean> {
    const { id, name, state } = it;
    const key = emailKey(it.email);
    const row = { ...it, email_key: key, password_hash: passwordHash, changed };
    const isNew = yield* anyRow((q, { user }) =>
      q.insert(user).values(row).onConflictDoNothing({ target: user.email_key }).returning({ id: user.id }),
    );
    if (!isNew) return false;
    const moment = new Date(it.created_at);
    const mirrored = { id, name: name ?? "", email: key, emailVerified: false, disabled: state === "disabled" };
    yield* run((q, { auth }) => q.insert(auth.user).values({ ...mirrored, createdAt: moment, updatedAt: moment }));
    return true;
  }

  *#change(id: string, patch: UserPatch, changed: number): Steps<"done" | "missing" | "last_admin"> {
    const before = yield* one((q, t) => q.select(userColumns(t)).from(t.user).where(eq(t.user.id, id)));
    if (before === null) return "missing";
    const { role, state } = { ...before, ...patch };
    if ((role !== "admin" || state !== "active") && (yield* this.#isLastAdmin(before))) return "last_admin";
    yield* run((q, { user }) => q.update(user).set({ role, state, changed }).where(eq(user.id, id)));
    const disabled = state === "disabled";
    yield* run((q, { auth: { user } }) =>
      q.update(user).set({ disabled, updatedAt: new Date() }).where(eq(user.id, id)),
    );
    if (disabled) yield* this.#endAll(id);
    return "done";
  }

  *#isLastAdmin({ id, role, state }: User): Steps<boolean> {
    if (role !== "admin" || state !== "active") return false;
    return !(yield* anyRow((q, t) => {
      const other = and(isActiveAdmin(t), ne(t.user.id, id));
      return q.select({ id: t.user.id }).from(t.user).where(other).limit(1);
    }));
  }

  *#endAll(id: string): Steps<void> {
    yield* run((q, { auth: { oauthAccessToken: it } }) => q.delete(it).where(eq(it.userId, id)));
    yield* run((q, { auth: { oauthRefreshToken: it } }) => q.delete(it).where(eq(it.userId, id)));
    yield* run((q, { auth: { session: it } }) => q.delete(it).where(eq(it.userId, id)));
  }
}
