import { and, asc, desc, eq, gt, inArray, ne } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import { emailKey, type Role, type User } from "#model/person";
import type { SerialisedRecord, UserPatch, UserStore } from "#store/port";
import { authTables } from "./auth-tables";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { afterId, among } from "./windows";

const { user } = tables;
const { user: mirror, session: browser, oauthAccessToken, oauthRefreshToken } = authTables;

export const userColumns = {
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  state: user.state,
  created_at: user.created_at,
};

const isActiveAdmin = and(eq(user.role, "admin"), eq(user.state, "active"));

/** Every change of a user is made in the identity library's mirror too, in the same transaction. */
export class SqliteUsers implements UserStore {
  constructor(private readonly connection: Connection) {}

  async create(it: User, passwordHash: string | null, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => this.insert(it, passwordHash, changed));
  }

  async createFirstAdmin(
    it: User,
    passwordHash: string,
    record: SerialisedRecord,
  ): Promise<"created" | "taken" | "not_the_first"> {
    let isFirst = false;
    const done = this.connection.change("all", record, (changed) => {
      isFirst = this.connection.queries.select({ id: user.id }).from(user).where(isActiveAdmin).get() === undefined;
      return isFirst && this.insert(it, passwordHash, changed);
    });
    if (done) return "created";
    return isFirst ? "taken" : "not_the_first";
  }

  async update(id: string, patch: UserPatch, record: SerialisedRecord): Promise<"done" | "missing" | "last_admin"> {
    let outcome: "done" | "missing" | "last_admin" = "missing";
    this.connection.change("all", record, (changed) => {
      const before = this.find(id);
      if (!before) return false;
      const after = { ...before, ...patch };
      if (this.isLastAdmin(before) && (after.role !== "admin" || after.state !== "active")) {
        outcome = "last_admin";
        return false;
      }
      const { queries } = this.connection;
      queries.update(user).set({ role: after.role, state: after.state, changed }).where(eq(user.id, id)).run();
      const disabled = after.state === "disabled";
      queries.update(mirror).set({ disabled, updatedAt: new Date() }).where(eq(mirror.id, id)).run();
      if (disabled) this.endAll(id);
      outcome = "done";
      return true;
    });
    return outcome;
  }

  async list(): Promise<User[]> {
    return this.connection.queries.select(userColumns).from(user).orderBy(asc(user.email_key)).all();
  }

  async page(window: PageWindow): Promise<User[]> {
    const found = this.connection.queries.select(userColumns).from(user).where(afterId(user.id, window));
    return found.orderBy(desc(user.id)).limit(window.limit).all();
  }

  async byIds(ids: Iterable<string>): Promise<User[]> {
    return this.connection.queries.select(userColumns).from(user).where(among(user.id, ids)).all();
  }

  async ofRoles(roles: readonly Role[]): Promise<User[]> {
    const found = this.connection.queries.select(userColumns).from(user);
    return found.where(inArray(user.role, [...roles])).all();
  }

  async byId(id: string): Promise<User | null> {
    return this.find(id);
  }

  async byEmail(email: string): Promise<User | null> {
    const found = this.connection.queries
      .select(userColumns)
      .from(user)
      .where(eq(user.email_key, emailKey(email)))
      .get();
    return found ?? null;
  }

  changedAfter(revision: number): User[] {
    return this.connection.queries.select(userColumns).from(user).where(gt(user.changed, revision)).all();
  }

  private find(id: string): User | null {
    return this.connection.queries.select(userColumns).from(user).where(eq(user.id, id)).get() ?? null;
  }

  private insert(it: User, passwordHash: string | null, changed: number): boolean {
    const { queries } = this.connection;
    const { id, name, state } = it;
    const key = emailKey(it.email);
    const row = { ...it, email_key: key, password_hash: passwordHash, changed };
    const insert = queries.insert(user).values(row).onConflictDoNothing({ target: user.email_key });
    if (insert.returning({ id: user.id }).all().length === 0) return false;
    const moment = new Date(it.created_at);
    const mirrored = { id, name: name ?? "", email: key, emailVerified: false, disabled: state === "disabled" };
    queries
      .insert(mirror)
      .values({ ...mirrored, createdAt: moment, updatedAt: moment })
      .run();
    return true;
  }

  private isLastAdmin({ id, role, state }: User): boolean {
    if (role !== "admin" || state !== "active") return false;
    const other = and(isActiveAdmin, ne(user.id, id));
    return this.connection.queries.select({ id: user.id }).from(user).where(other).get() === undefined;
  }

  private endAll(id: string): void {
    const { queries } = this.connection;
    queries.delete(oauthAccessToken).where(eq(oauthAccessToken.userId, id)).run();
    queries.delete(oauthRefreshToken).where(eq(oauthRefreshToken.userId, id)).run();
    queries.delete(browser).where(eq(browser.userId, id)).run();
  }
}
