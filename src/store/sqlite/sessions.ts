import { and, asc, eq, getTableColumns, gt } from "drizzle-orm";
import type { Session } from "#model/session";
import type { SerialisedRecord, SessionStore } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { session } = tables;

const { changed: _changed, ...columns } = getTableColumns(session);

export class SqliteSessions implements SessionStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Session, record: SerialisedRecord): Promise<void> {
    this.connection.change("all", record, (changed) => {
      this.connection.queries
        .insert(session)
        .values({ ...it, changed })
        .run();
      return true;
    });
  }

  async list(): Promise<Session[]> {
    return this.connection.queries
      .select(columns)
      .from(session)
      .orderBy(asc(session.created_at), asc(session.id))
      .all();
  }

  async revoke(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(session.id, id), eq(session.state, "active"));
      const update = this.connection.queries.update(session).set({ state: "revoked", changed }).where(here);
      return update.returning({ id: session.id }).all().length === 1;
    });
  }

  changedAfter(revision: number): Session[] {
    return this.connection.queries.select(columns).from(session).where(gt(session.changed, revision)).all();
  }
}
