import { and, desc, eq, gt, inArray, lte, ne, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { User } from "#model/person";
import type { SerialisedRecord } from "#store/port";
import type { BrowserSession, Invitation, SignInStore } from "#store/sign-in-port";
import { authTables } from "./auth-tables";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { userColumns } from "./users";

const { user, session: key, invitation } = tables;
const { session: browser, verification } = authTables;

export class SqliteSignIn implements SignInStore {
  constructor(private readonly connection: Connection) {}

  async passwordHash(userId: string): Promise<string | null> {
    const columns = { hash: user.password_hash };
    return this.connection.queries.select(columns).from(user).where(eq(user.id, userId)).get()?.hash ?? null;
  }

  async setPassword(userId: string, hash: string, keep: string | null, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => this.replace(userId, hash, keep, changed));
  }

  async browsers(userId: string, now: number): Promise<BrowserSession[]> {
    const rows = this.connection.queries
      .select({
        id: browser.id,
        user_id: browser.userId,
        user_agent: browser.userAgent,
        ip_address: browser.ipAddress,
        created: browser.createdAt,
        expires: browser.expiresAt,
      })
      .from(browser)
      .where(and(eq(browser.userId, userId), gt(browser.expiresAt, new Date(now))))
      .orderBy(desc(browser.createdAt), desc(browser.id))
      .all();
    return rows.map(({ created, expires, ...row }) => ({
      ...row,
      created_at: created.getTime(),
      expires_at: expires.getTime(),
    }));
  }

  async confirmBrowser(userId: string, id: string, at: number, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const theirs = and(eq(browser.id, id), eq(browser.userId, userId));
      const update = this.connection.queries
        .update(browser)
        .set({ confirmedAt: new Date(at) })
        .where(theirs);
      return update.returning({ id: browser.id }).all().length === 1;
    });
  }

  async endBrowser(userId: string, id: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const theirs = and(eq(browser.id, id), eq(browser.userId, userId));
      return this.connection.queries.delete(browser).where(theirs).returning({ id: browser.id }).all().length === 1;
    });
  }

  async invite(it: Invitation, record: SerialisedRecord): Promise<void> {
    this.connection.change("all", record, () => {
      const { queries } = this.connection;
      queries.delete(invitation).where(eq(invitation.user_id, it.user_id)).run();
      queries.insert(invitation).values(it).run();
      return true;
    });
  }

  async invited(tokenHash: string, now: number): Promise<User | null> {
    return this.invitedNow(tokenHash, now);
  }

  async accept(
    tokenHash: string,
    now: number,
    hash: string,
    record: (user: User) => SerialisedRecord,
  ): Promise<User | null> {
    let accepted: User | null = null;
    this.connection.changeAs("all", (changed) => {
      accepted = this.invitedNow(tokenHash, now);
      if (accepted === null) return null;
      this.replace(accepted.id, hash, null, changed);
      return record(accepted);
    });
    return accepted;
  }

  async sweep(now: number): Promise<void> {
    const moment = new Date(now);
    await this.drop(invitation, lte(invitation.expires_at, now));
    await this.drop(browser, lte(browser.expiresAt, moment));
    await this.drop(verification, lte(verification.expiresAt, moment));
  }

  private drop(table: SQLiteTable & { readonly id: SQLiteColumn }, over: SQL): Promise<number> {
    const { queries } = this.connection;
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: table.id }).from(table).where(over).limit(atMost);
      return queries.delete(table).where(inArray(table.id, some)).returning({ id: table.id }).all().length;
    });
  }

  private invitedNow(tokenHash: string, now: number): User | null {
    const good = and(eq(invitation.token_hash, tokenHash), gt(invitation.expires_at, now), eq(user.state, "active"));
    const { queries } = this.connection;
    const join = queries.select(userColumns).from(invitation).innerJoin(user, eq(user.id, invitation.user_id));
    return join.where(good).get() ?? null;
  }

  private replace(userId: string, passwordHash: string, keep: string | null, changed: number): boolean {
    const { queries } = this.connection;
    const update = queries.update(user).set({ password_hash: passwordHash, changed }).where(eq(user.id, userId));
    if (update.returning({ id: user.id }).all().length === 0) return false;
    // No id is empty: nothing is kept then.
    const kept = keep ?? "";
    queries
      .delete(browser)
      .where(and(eq(browser.userId, userId), ne(browser.id, kept)))
      .run();
    const others = and(eq(key.user_id, userId), eq(key.state, "active"), ne(key.id, kept));
    queries.update(key).set({ state: "revoked", changed }).where(others).run();
    queries.delete(invitation).where(eq(invitation.user_id, userId)).run();
    return true;
  }
}
