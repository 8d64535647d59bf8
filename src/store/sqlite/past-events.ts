import { eq, inArray, lt } from "drizzle-orm";
import { PAST_EVENT_FACTS, type PastEvent } from "#model/past-event";
import type { PastEventStore } from "#store/loop-port";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import { StoredShape } from "./json-columns";
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
