import { and, eq } from "drizzle-orm";
import type { User } from "#model/person";
import { anyRow, type Db } from "#store/db";
import type { SerialisedRecord } from "#store/port";
import type { OidcIdentity, OidcStore } from "#store/sign-in-port";
import { userColumns } from "./users";

export class Oidc implements OidcStore {
  constructor(private readonly db: Db) {}

  linked(issuer: string, subject: string): Promise<User | null> {
    return this.db.one((q, t) => {
      const { user, oidcIdentity: it } = t;
      const join = q.select(userColumns(t)).from(it).innerJoin(user, eq(user.id, it.user_id));
      return join.where(and(eq(it.issuer, issuer), eq(it.subject, subject)));
    });
  }

  link(identity: OidcIdentity, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { oidcIdentity: it }) =>
        q.insert(it).values(identity).onConflictDoNothing().returning({ user_id: it.user_id }),
      ),
    );
  }

  unlink(userId: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { oidcIdentity: it }) =>
        q.delete(it).where(eq(it.user_id, userId)).returning({ user_id: it.user_id }),
      ),
    );
  }
}
