import { and, eq, inArray, isNull, lt, ne, notExists, or, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Dropped, Ended, RetentionStore } from "#store/retention-port";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { hold, job, killSwitch, report, restriction, session, token, tokenUse } = tables;

type Keyed = SQLiteTable & { readonly id: SQLiteColumn };

export class SqliteRetention implements RetentionStore {
  constructor(private readonly connection: Connection) {}

  async drop({ governance: before, holds }: Ended): Promise<Dropped> {
    const { queries } = this.connection;
    const reported = queries.select({ id: report.id }).from(report).where(eq(report.tokenId, token.id));
    return {
      holds: await this.#drop(hold, lt(hold.expiresAt, holds)),
      restrictions: await this.#drop(
        restriction,
        or(lt(restriction.liftedAt, before), lt(restriction.expiresAt, before)),
      ),
      kill_switches: await this.#drop(killSwitch, lt(killSwitch.liftedAt, before)),
      // One that led to a suggestion is why a rule is, or is not, in force.
      reports: await this.#drop(report, and(lt(report.closedAt, before), isNull(report.tuningSuggestionId))),
      // What nobody could do in all that time: work for a model or a receiver that is gone.
      jobs: await this.#drop(job, lt(job.runAt, before)),
      tokens: await this.#drop(
        token,
        and(lt(token.expiresAt, before), ne(token.state, "disabled"), notExists(reported)),
        (ids) => queries.delete(tokenUse).where(inArray(tokenUse.tokenId, ids)).run(),
      ),
      sessions: await this.#drop(session, lt(session.expiresAt, before)),
    };
  }

  #drop(table: Keyed, over: SQL | undefined, first: (ids: string[]) => void = () => undefined): Promise<number> {
    const { queries } = this.connection;
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: table.id }).from(table).where(over).limit(atMost).all();
      const ids = some.map(({ id }) => String(id));
      if (ids.length === 0) return 0;
      first(ids);
      queries.delete(table).where(inArray(table.id, ids)).run();
      return ids.length;
    });
  }
}
