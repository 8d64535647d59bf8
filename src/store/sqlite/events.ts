import { asc, eq, gt, inArray, lt, max, notExists, sql } from "drizzle-orm";
import { PAST_EVENT_FACTS, type PastEvent } from "#model/past-event";
import type { OutboxRow, OutboxStore, PastEventStore } from "#store/loop-port";
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

const { outbox, outboxTold } = tables;

/** Prepared: asked several times a second, on the thread that serves calls. */
const oldest = ({ queries }: Connection) => {
  const told = queries.select().from(outboxTold).where(eq(outboxTold.seq, outbox.seq));
  const found = queries.select().from(outbox).where(notExists(told));
  return found.orderBy(asc(outbox.seq)).limit(sql.placeholder("most")).prepare();
};

/** Longer than any process needs to tell its pages. Milliseconds. */
const KEPT_MS = 60_000;

/** Filled by `Connection`, in the transaction of each change. */
export class SqliteOutbox implements OutboxStore {
  readonly #oldest: ReturnType<typeof oldest>;

  constructor(
    private readonly connection: Connection,
    /** Other processes may serve too. */
    private readonly isShared: boolean,
    private readonly now: () => number,
  ) {
    this.#oldest = oldest(connection);
  }

  async pending(most: number): Promise<OutboxRow[]> {
    return this.#oldest.all({ most });
  }

  async done(seq: number): Promise<void> {
    const { queries } = this.connection;
    const row = { seq, at: this.now() };
    const over = this.isShared ? lt(outboxTold.at, row.at - KEPT_MS) : undefined;
    await this.connection.writeSoon<void>(() => {
      if (this.isShared) queries.insert(outboxTold).values(row).onConflictDoNothing().run();
      else queries.delete(outbox).where(eq(outbox.seq, seq)).run();
      const gone = queries.delete(outboxTold).where(over).returning({ seq: outboxTold.seq }).all();
      for (const one of gone) queries.delete(outbox).where(eq(outbox.seq, one.seq)).run();
    });
  }

  async after(seq: number, most: number): Promise<OutboxRow[]> {
    const found = this.connection.queries.select().from(outbox).where(gt(outbox.seq, seq));
    return found.orderBy(asc(outbox.seq)).limit(most).all();
  }

  async newest(): Promise<number> {
    return (
      this.connection.queries
        .select({ seq: max(outbox.seq) })
        .from(outbox)
        .get()?.seq ?? 0
    );
  }
}
