import { asc, eq, gt } from "drizzle-orm";
import type { User } from "#core/person";
import type { SerialisedRecord, UserStore } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { user } = tables;

const columns = { id: user.id, email: user.email, name: user.name, role: user.role, created_at: user.createdAt };

/** The form in which addresses are compared. */
const fold = (email: string): string => email.normalize("NFC").toLowerCase();

export class SqliteUsers implements UserStore {
  constructor(private readonly connection: Connection) {}

  async create(it: User, passwordHash: string | null, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const row = {
        id: it.id,
        email: it.email,
        emailKey: fold(it.email),
        name: it.name,
        role: it.role,
        passwordHash,
        createdAt: it.created_at,
        changed,
      };
      const insert = this.connection.queries.insert(user).values(row);
      return insert.onConflictDoNothing({ target: user.emailKey }).returning({ id: user.id }).all().length === 1;
    });
  }

  async list(): Promise<User[]> {
    return this.connection.queries.select(columns).from(user).orderBy(asc(user.emailKey)).all();
  }

  async byEmail(email: string): Promise<User | null> {
    const found = this.connection.queries
      .select(columns)
      .from(user)
      .where(eq(user.emailKey, fold(email)))
      .get();
    return found ?? null;
  }

  changedAfter(revision: number): User[] {
    return this.connection.queries.select(columns).from(user).where(gt(user.changed, revision)).all();
  }
}
