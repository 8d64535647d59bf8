import { and, desc, eq, inArray, lt } from "drizzle-orm";
import type { Assignee } from "#model/triage";
import { all, anyRow, type Db, run } from "#store/db";
import type { SerialisedRecord } from "#store/record";
import type { Tables } from "#store/tables";
import type { AssigneeStore } from "#store/triage-port";
import { inBatches } from "./batches";

type Named = Pick<Assignee, "kind" | "subject_id">;

const named = ({ assignee: it }: Tables, { kind, subject_id }: Named) =>
  and(eq(it.kind, kind), eq(it.subject_id, subject_id));

export class Assignees implements AssigneeStore {
  constructor(private readonly db: Db) {}

  list(most: number): Promise<Assignee[]> {
    return this.db.all((q, { assignee: it }) => q.select().from(it).orderBy(desc(it.at)).limit(most));
  }

  of(kind: Assignee["kind"], ids: Iterable<string>): Promise<Assignee[]> {
    return this.db.all((q, { assignee: it }, { among }) =>
      q
        .select()
        .from(it)
        .where(and(eq(it.kind, kind), among(it.subject_id, ids))),
    );
  }

  put(assignee: Assignee, record: SerialisedRecord): Promise<boolean> {
    const { user_id, at } = assignee;
    return this.db.change("all", record, function* () {
      yield* run((q, { assignee: it }) =>
        q
          .insert(it)
          .values(assignee)
          .onConflictDoUpdate({ target: [it.kind, it.subject_id], set: { user_id, at } }),
      );
      return true;
    });
  }

  remove(of: Named, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, t) => q.delete(t.assignee).where(named(t, of)).returning({ id: t.assignee.subject_id })),
    );
  }

  dropBefore(at: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { assignee: it }) => {
        const some = q.select({ id: it.subject_id }).from(it).where(lt(it.at, at)).limit(atMost);
        return q
          .delete(it)
          .where(and(lt(it.at, at), inArray(it.subject_id, some)))
          .returning({ id: it.subject_id });
      });
      return gone.length;
    });
  }
}
