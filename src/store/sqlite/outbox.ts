import { asc, eq, sql } from "drizzle-orm";
import type { OutboxStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import type { Connection } from "./connection";
import { tables } from "./schema";

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
