import { and, asc, eq, getTableColumns, gt } from "drizzle-orm";
import type { Session } from "#model/session";
import { all, anyRow, type Db, run, type Steps } from "#store/db";
import type { SerialisedRecord, SessionStore } from "#store/port";
import type { Tables } from "#store/tables";

const shown = ({ session }: Tables) => {
  const { changed: _changed, ...columns } = getTableColumns(session);
  return columns;
};

export class Sessions implements SessionStore {
  constructor(private readonly db: Db) {}

  async create(it: Session, record: SerialisedRecord): Promise<void> {
    await this.db.change("all", record, function* (changed) {
      yield* run((q, { session }) => q.insert(session).values({ ...it, changed }));
      return true;
    });
  }

  list(): Promise<Session[]> {
    return this.db.all((q, t) => {
      const order = [asc(t.session.created_at), asc(t.session.id)];
      return q
        .select(shown(t))
        .from(t.session)
        .orderBy(...order);
    });
  }

  revoke(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { session }) => {
        const here = and(eq(session.id, id), eq(session.state, "active"));
        return q.update(session).set({ state: "revoked", changed }).where(here).returning({ id: session.id });
      }),
    );
  }

  *changedAfter(revision: number): Steps<Session[]> {
    return yield* all((q, t) => q.select(shown(t)).from(t.session).where(gt(t.session.changed, revision)));
  }
}
