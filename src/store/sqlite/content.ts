import { asc, eq, inArray, lte, type SQL } from "drizzle-orm";
import type { KeptContent } from "#core/kept-content";
import type { ContentStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { keptContent } = tables;

const columns = {
  id: keptContent.id,
  call_id: keptContent.callId,
  event_id: keptContent.eventId,
  user_id: keptContent.userId,
  agent_id: keptContent.agentId,
  purpose: keptContent.purpose,
  sealed: keptContent.sealed,
  created_at: keptContent.createdAt,
  expires_at: keptContent.expiresAt,
};

export class SqliteContent implements ContentStore {
  constructor(private readonly connection: Connection) {}

  async keep(contents: readonly KeptContent[]): Promise<void> {
    if (contents.length === 0) return;
    await this.connection.writeSoon<void>(() => {
      for (const it of contents) this.connection.queries.insert(keptContent).values(rowOf(it)).run();
    });
  }

  async ofCall(callId: string): Promise<KeptContent[]> {
    return this.#where(eq(keptContent.callId, callId));
  }

  async ofEvent(eventId: string): Promise<KeptContent[]> {
    return this.#where(eq(keptContent.eventId, eventId));
  }

  async remove(callId: string, record: SerialisedRecord): Promise<number> {
    let removed = 0;
    this.connection.change("all", record, () => {
      const removal = this.connection.queries.delete(keptContent).where(eq(keptContent.callId, callId));
      removed = removal.returning({ id: keptContent.id }).all().length;
      return removed > 0;
    });
    return removed;
  }

  async dropExpired(now: number): Promise<number> {
    const { queries } = this.connection;
    const expired = lte(keptContent.expiresAt, now);
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: keptContent.id }).from(keptContent).where(expired).limit(atMost);
      const removal = queries.delete(keptContent).where(inArray(keptContent.id, some));
      return removal.returning({ id: keptContent.id }).all().length;
    });
  }

  #where(condition: SQL): KeptContent[] {
    const found = this.connection.queries.select(columns).from(keptContent).where(condition);
    return found.orderBy(asc(keptContent.createdAt), asc(keptContent.id)).all();
  }
}

const rowOf = (it: KeptContent): typeof keptContent.$inferInsert => ({
  id: it.id,
  callId: it.call_id,
  eventId: it.event_id,
  userId: it.user_id,
  agentId: it.agent_id,
  purpose: it.purpose,
  sealed: it.sealed,
  createdAt: it.created_at,
  expiresAt: it.expires_at,
});
