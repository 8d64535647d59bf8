import { and, eq } from "drizzle-orm";
import type { User } from "#model/person";
import type { SerialisedRecord } from "#store/port";
import type { OidcIdentity, OidcStore } from "#store/sign-in-port";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { userColumns } from "./users";

const { user, oidcIdentity } = tables;

export class SqliteOidc implements OidcStore {
  constructor(private readonly connection: Connection) {}

  async linked(issuer: string, subject: string): Promise<User | null> {
    const { queries } = this.connection;
    const join = queries.select(userColumns).from(oidcIdentity).innerJoin(user, eq(user.id, oidcIdentity.user_id));
    const theirs = and(eq(oidcIdentity.issuer, issuer), eq(oidcIdentity.subject, subject));
    return join.where(theirs).get() ?? null;
  }

  async link(it: OidcIdentity, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const insert = this.connection.queries.insert(oidcIdentity).values(it);
      return insert.onConflictDoNothing().returning({ user_id: oidcIdentity.user_id }).all().length === 1;
    });
  }

  async unlink(userId: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const remove = this.connection.queries.delete(oidcIdentity).where(eq(oidcIdentity.user_id, userId));
      return remove.returning({ user_id: oidcIdentity.user_id }).all().length > 0;
    });
  }
}
