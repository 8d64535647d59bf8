import { asc, eq, inArray, lte, type SQL } from "drizzle-orm";
import type { KeptContent } from "#model/kept-content";
import type { ContentStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { keptContent } = tables;

export class SqliteContent implements ContentStore {
  constructor(private readonly connection: Connection) {}

  async keep(contents: readonly KeptContent[]): Promise<void> {
    if (contents.length === 0) return;
    await this.connection.writeSoon<void>(() => {
      for (const it of contents) this.connection.queries.insert(keptContent).values(it).run();
    });
  }

  async ofCall(callId: string): Promise<KeptContent[]> {
    return this.#where(eq(keptContent.call_id, callId));
  }

  async ofEvent(eventId: string): Promise<KeptContent[]> {
    return this.#where(eq(keptContent.event_id, eventId));
  }

  async remove(callId: string, record: SerialisedRecord): Promise<number> {
    let removed = 0;
    this.connection.change("all", record, () => {
      const removal = this.connection.queries.delete(keptContent).where(eq(keptContent.call_id, callId));
      removed = removal.returning({ id: keptContent.id }).all().length;
      return removed > 0;
    });
    return removed;
  }

  async dropExpired(now: number): Promise<number> {
    const { queries } = this.connection;
    const expired = lte(keptContent.expires_at, now);
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: keptContent.id }).from(keptContent).where(expired).limit(atMost);
      const removal = queries.delete(keptContent).where(inArray(keptContent.id, some));
      return removal.returning({ id: keptContent.id }).all().length;
    });
  }

  #where(condition: SQL): KeptContent[] {
    const found = this.connection.queries.select().from(keptContent).where(condition);
    return found.orderBy(asc(keptContent.created_at), asc(keptContent.id)).all();
  }
}
