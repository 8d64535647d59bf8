import { asc, eq } from "drizzle-orm";
import type { OutboxStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { outbox } = tables;

/** Filled by `Connection`, in the transaction of each change. */
export class SqliteOutbox implements OutboxStore {
  constructor(private readonly connection: Connection) {}

  async pending(most: number): Promise<{ seq: number; record: SerialisedRecord }[]> {
    return this.connection.queries.select().from(outbox).orderBy(asc(outbox.seq)).limit(most).all();
  }

  async done(seq: number): Promise<void> {
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.delete(outbox).where(eq(outbox.seq, seq)).run();
    });
  }
}
