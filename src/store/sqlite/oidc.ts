import { and, eq } from "drizzle-orm";
import type { User } from "#core/person";
import type { OidcIdentity, OidcStore } from "#store/oidc-port";
import type { SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { userColumns } from "./users";

const { user, oidcIdentity } = tables;

export class SqliteOidc implements OidcStore {
  constructor(private readonly connection: Connection) {}

  async linked(issuer: string, subject: string): Promise<User | null> {
    const { queries } = this.connection;
    const join = queries.select(userColumns).from(oidcIdentity).innerJoin(user, eq(user.id, oidcIdentity.userId));
    const theirs = and(eq(oidcIdentity.issuer, issuer), eq(oidcIdentity.subject, subject));
    return join.where(theirs).get() ?? null;
  }

  async link(it: OidcIdentity, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const { issuer, subject, user_id: userId, created_at: createdAt } = it;
      const insert = this.connection.queries.insert(oidcIdentity).values({ issuer, subject, userId, createdAt });
      return insert.onConflictDoNothing().returning({ userId: oidcIdentity.userId }).all().length === 1;
    });
  }

  async unlink(userId: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const remove = this.connection.queries.delete(oidcIdentity).where(eq(oidcIdentity.userId, userId));
      return remove.returning({ userId: oidcIdentity.userId }).all().length > 0;
    });
  }
}
