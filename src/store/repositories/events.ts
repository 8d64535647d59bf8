import { asc, eq, gt, inArray, lt, max, notExists, sql } from "drizzle-orm";
import { PAST_EVENT_FACTS, type PastEvent } from "#model/past-event";
import { all, type Db, keptQuery, moment, run } from "#store/db";
import type { OutboxRow, OutboxStore, PastEventStore } from "#store/loop-port";
import type { Polled } from "#store/polled";
import { StoredShape } from "#store/stored";
import { inBatches } from "./batches";

export class PastEvents implements PastEventStore {
  readonly #facts = new StoredShape(PAST_EVENT_FACTS);

  constructor(private readonly db: Db) {}

  async add(events: readonly PastEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.db.tx(function* () {
      for (const event of events) {
        yield* run((q, { pastEvent }) => q.insert(pastEvent).values(event).onConflictDoNothing());
      }
    });
  }

  async byId(id: string): Promise<PastEvent | null> {
    const row = await this.db.one((q, { pastEvent: it }) => q.select().from(it).where(eq(it.id, id)));
    return row && { ...row, facts: this.#facts.read(row.facts, `event ${id}`) };
  }

  dropBefore(at: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { pastEvent: it }) => {
        const some = q.select({ id: it.id }).from(it).where(lt(it.at, at)).limit(atMost);
        return q.delete(it).where(inArray(it.id, some)).returning({ id: it.id });
      });
      return gone.length;
    });
  }
}

/** Longer than any process needs to tell its pages. Milliseconds. */
const KEPT_MS = 60_000;

/** Filled in the transaction of each change. */
export class Outbox implements OutboxStore {
  /** Prepared: asked several times a second, where calls are served. */
  readonly #oldest = keptQuery((q, { outbox, outboxTold }) => {
    const told = q.select({ seq: outboxTold.seq }).from(outboxTold).where(eq(outboxTold.seq, outbox.seq));
    const found = q.select().from(outbox).where(notExists(told));
    return found.orderBy(asc(outbox.seq)).limit(sql.placeholder("most"));
  });

  constructor(
    private readonly db: Db,
    /** Other processes may serve too. */
    private readonly isShared: boolean,
    private readonly polled: Polled | null,
  ) {}

  async pending(most: number): Promise<OutboxRow[]> {
    if (this.polled?.recent?.hasUntold === false) return [];
    return this.db.all(this.#oldest, { most });
  }

  async done(seq: number): Promise<void> {
    const { isShared } = this;
    await this.db.tx(function* () {
      const at = yield* moment();
      yield* run((q, { outbox, outboxTold }) =>
        isShared
          ? q.insert(outboxTold).values({ seq, at }).onConflictDoNothing()
          : q.delete(outbox).where(eq(outbox.seq, seq)),
      );
      const gone = yield* all((q, { outboxTold: it }) => {
        const over = isShared ? lt(it.at, at - KEPT_MS) : undefined;
        return q.delete(it).where(over).returning({ seq: it.seq });
      });
      for (const one of gone) yield* run((q, { outbox }) => q.delete(outbox).where(eq(outbox.seq, one.seq)));
    });
    this.polled?.forget();
  }

  async after(seq: number, most: number): Promise<OutboxRow[]> {
    if ((this.polled?.recent?.newestEvent ?? Number.POSITIVE_INFINITY) <= seq) return [];
    return this.db.all((q, { outbox: it }) =>
      q.select().from(it).where(gt(it.seq, seq)).orderBy(asc(it.seq)).limit(most),
    );
  }

  async newest(): Promise<number> {
    const row = await this.db.one((q, { outbox: it }) => q.select({ seq: max(it.seq) }).from(it));
    return row?.seq ?? 0;
  }
}
