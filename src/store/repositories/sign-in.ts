import { and, desc, eq, gt, inArray, lte, ne, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { User } from "#model/person";
import { all, anyRow, type Db, one, type Queries, run, type Steps } from "#store/db";
import type { SerialisedRecord } from "#store/port";
import type { BrowserSession, Invitation, SignInStore } from "#store/sign-in-port";
import type { Tables } from "#store/tables";
import { inBatches } from "./batches";
import { userColumns } from "./users";

type Keyed = SQLiteTable & { readonly id: SQLiteColumn };

export class SignIn implements SignInStore {
  constructor(private readonly db: Db) {}

  async passwordHash(userId: string): Promise<string | null> {
    const row = await this.db.one((q, { user }) =>
      q.select({ hash: user.password_hash }).from(user).where(eq(user.id, userId)),
    );
    return row?.hash ?? null;
  }

  setPassword(userId: string, hash: string, keep: string | null, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) => replace(userId, hash, keep, changed));
  }

  async browsers(userId: string, now: number): Promise<BrowserSession[]> {
    const rows = await this.db.all((q, { auth: { session: it } }) =>
      q
        .select({
          id: it.id,
          user_id: it.userId,
          user_agent: it.userAgent,
          ip_address: it.ipAddress,
          created: it.createdAt,
          expires: it.expiresAt,
        })
        .from(it)
        .where(and(eq(it.userId, userId), gt(it.expiresAt, new Date(now))))
        .orderBy(desc(it.createdAt), desc(it.id)),
    );
    return rows.map(({ created, expires, ...row }) => ({
      ...row,
      created_at: created.getTime(),
      expires_at: expires.getTime(),
    }));
  }

  confirmBrowser(userId: string, id: string, at: number, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { auth: { session: it } }) =>
        q
          .update(it)
          .set({ confirmedAt: new Date(at) })
          .where(and(eq(it.id, id), eq(it.userId, userId)))
          .returning({ id: it.id }),
      ),
    );
  }

  endBrowser(userId: string, id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { auth: { session: it } }) =>
        q
          .delete(it)
          .where(and(eq(it.id, id), eq(it.userId, userId)))
          .returning({ id: it.id }),
      ),
    );
  }

  async invite(invitation: Invitation, record: SerialisedRecord): Promise<void> {
    await this.db.change("all", record, function* () {
      yield* run((q, { invitation: it }) => q.delete(it).where(eq(it.user_id, invitation.user_id)));
      yield* run((q, { invitation: it }) => q.insert(it).values(invitation));
      return true;
    });
  }

  invited(tokenHash: string, now: number): Promise<User | null> {
    return this.db.one(invitedBy(tokenHash, now));
  }

  async accept(
    tokenHash: string,
    now: number,
    hash: string,
    record: (user: User) => SerialisedRecord,
  ): Promise<User | null> {
    let accepted: User | null = null;
    await this.db.changeAs("all", function* (changed) {
      accepted = yield* one(invitedBy(tokenHash, now));
      if (accepted === null) return null;
      yield* replace(accepted.id, hash, null, changed);
      return record(accepted);
    });
    return accepted;
  }

  async sweep(now: number): Promise<void> {
    const moment = new Date(now);
    await this.#drop(({ invitation: it }) => [it, lte(it.expires_at, now)]);
    await this.#drop(({ auth: { session: it } }) => [it, lte(it.expiresAt, moment)]);
    await this.#drop(({ auth: { verification: it } }) => [it, lte(it.expiresAt, moment)]);
  }

  #drop(what: (tables: Tables) => readonly [Keyed, SQL]): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, t) => {
        const [table, over] = what(t);
        const some = q.select({ id: table.id }).from(table).where(over).limit(atMost);
        return q.delete(table).where(inArray(table.id, some)).returning({ id: table.id });
      });
      return gone.length;
    });
  }
}

const invitedBy = (tokenHash: string, now: number) => (q: Queries, t: Tables) => {
  const { invitation, user } = t;
  const good = and(eq(invitation.token_hash, tokenHash), gt(invitation.expires_at, now), eq(user.state, "active"));
  const join = q.select(userColumns(t)).from(invitation).innerJoin(user, eq(user.id, invitation.user_id));
  return join.where(good);
};

/** Of a password; everything that was opened with the old one ends. */
function* replace(userId: string, hash: string, keep: string | null, changed: number): Steps<boolean> {
  const isKnown = yield* anyRow((q, { user }) =>
    q.update(user).set({ password_hash: hash, changed }).where(eq(user.id, userId)).returning({ id: user.id }),
  );
  if (!isKnown) return false;
  // No id is empty: nothing is kept then.
  const kept = keep ?? "";
  yield* run((q, { auth: { session: it } }) => q.delete(it).where(and(eq(it.userId, userId), ne(it.id, kept))));
  yield* run((q, { session: key }) => {
    const others = and(eq(key.user_id, userId), eq(key.state, "active"), ne(key.id, kept));
    return q.update(key).set({ state: "revoked", changed }).where(others);
  });
  yield* run((q, { invitation: it }) => q.delete(it).where(eq(it.user_id, userId)));
  return true;
}
