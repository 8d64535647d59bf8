import { asc, eq, inArray, lte, type SQL } from "drizzle-orm";
import type { KeptContent } from "#model/kept-content";
import { all, type Db, run } from "#store/db";
import type { ContentStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Tables } from "#store/tables";
import { inBatches } from "./batches";

export class Content implements ContentStore {
  constructor(private readonly db: Db) {}

  async keep(contents: readonly KeptContent[]): Promise<void> {
    if (contents.length === 0) return;
    await this.db.tx(function* () {
      for (const it of contents) yield* run((q, { keptContent }) => q.insert(keptContent).values(it));
    });
  }

  ofCall(callId: string): Promise<KeptContent[]> {
    return this.#where((it) => eq(it.call_id, callId));
  }

  ofEvent(eventId: string): Promise<KeptContent[]> {
    return this.#where((it) => eq(it.event_id, eventId));
  }

  async remove(callId: string, record: SerialisedRecord): Promise<number> {
    let removed = 0;
    await this.db.change("all", record, function* () {
      const gone = yield* all((q, { keptContent: it }) =>
        q.delete(it).where(eq(it.call_id, callId)).returning({ id: it.id }),
      );
      removed = gone.length;
      return removed > 0;
    });
    return removed;
  }

  dropExpired(now: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { keptContent: it }) => {
        const some = q.select({ id: it.id }).from(it).where(lte(it.expires_at, now)).limit(atMost);
        return q.delete(it).where(inArray(it.id, some)).returning({ id: it.id });
      });
      return gone.length;
    });
  }

  #where(condition: (content: Tables["keptContent"]) => SQL): Promise<KeptContent[]> {
    return this.db.all((q, { keptContent: it }) => {
      const order = [asc(it.created_at), asc(it.id)];
      return q
        .select()
        .from(it)
        .where(condition(it))
        .orderBy(...order);
    });
  }
}
