import { asc, eq, inArray, lt, sql } from "drizzle-orm";
import { PAST_EVENT_FACTS, type PastEvent } from "#model/past-event";
import type { OutboxStore, PastEventStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { inBatches } from "./batches";
import { StoredShape } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { pastEvent } = tables;

export class SqlitePastEvents implements PastEventStore {
  readonly #facts = new StoredShape(PAST_EVENT_FACTS);

  constructor(private readonly connection: Connection) {}

  async add(events: readonly PastEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { queries } = this.connection;
    await this.connection.writeSoon<void>(() => {
      for (const event of events) queries.insert(pastEvent).values(event).onConflictDoNothing().run();
    });
  }

  async byId(id: string): Promise<PastEvent | null> {
    const row = this.connection.queries.select().from(pastEvent).where(eq(pastEvent.id, id)).get();
    if (row === undefined) return null;
    return { ...row, facts: this.#facts.read(row.facts, `event ${id}`) };
  }

  dropBefore(at: number): Promise<number> {
    const { queries } = this.connection;
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: pastEvent.id }).from(pastEvent).where(lt(pastEvent.at, at)).limit(atMost);
      const removal = queries.delete(pastEvent).where(inArray(pastEvent.id, some));
      return removal.returning({ id: pastEvent.id }).all().length;
    });
  }
}

const { outbox } = tables;

/** Prepared: asked several times a second, on the thread that serves calls. */
const oldest = ({ queries }: Connection) =>
  queries.select().from(outbox).orderBy(asc(outbox.seq)).limit(sql.placeholder("most")).prepare();

/** Filled by `Connection`, in the transaction of each change. */
export class SqliteOutbox implements OutboxStore {
  readonly #oldest: ReturnType<typeof oldest>;

  constructor(private readonly connection: Connection) {
    this.#oldest = oldest(connection);
  }

  async pending(most: number): Promise<{ seq: number; record: SerialisedRecord }[]> {
    return this.#oldest.all({ most });
  }

  async done(seq: number): Promise<void> {
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.delete(outbox).where(eq(outbox.seq, seq)).run();
    });
  }
}
