import { and, asc, gt, inArray, isNull, lt, lte, ne, notInArray, or, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Dropped, Ended, RetentionStore } from "#store/port";
import { inSlices } from "./batches";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { hold, job, killSwitch, report, restriction, session, token, tokenUse } = tables;

type Keyed = SQLiteTable & { readonly id: SQLiteColumn };

export class SqliteRetention implements RetentionStore {
  constructor(private readonly connection: Connection) {}

  async drop({ governance: before, holds }: Ended): Promise<Dropped> {
    const isOver = or(lt(restriction.lifted_at, before), lt(restriction.expires_at, before));
    return {
      holds: await this.#drop(hold, lt(hold.expires_at, holds)),
      restrictions: await this.#drop(restriction, isOver),
      kill_switches: await this.#drop(killSwitch, lt(killSwitch.lifted_at, before)),
      // One that led to a suggestion is why a rule is, or is not, in force.
      reports: await this.#drop(report, and(lt(report.closed_at, before), isNull(report.tuning_suggestion_id))),
      // What nobody could do in all that time: work for a model or a receiver that is gone.
      jobs: await this.#drop(job, lt(job.run_at, before)),
      tokens: await this.#dropTokens(before),
      sessions: await this.#drop(session, lt(session.expires_at, before)),
    };
  }

  /** A token that was reported with stays as long as the report. */
  #dropTokens(before: number): Promise<number> {
    const { queries } = this.connection;
    return this.#drop(token, and(lt(token.expires_at, before), ne(token.state, "disabled")), (ids) => {
      const reported = queries.select({ id: report.token_id }).from(report).where(inArray(report.token_id, ids)).all();
      const kept = reported.flatMap(({ id }) => id ?? []);
      const gone = and(inArray(tokenUse.token_id, ids), notInArray(tokenUse.token_id, kept));
      queries.delete(tokenUse).where(gone).run();
      return ids.filter((id) => !kept.includes(id));
    });
  }

  /**
   * Goes through the whole table in the order of its key, so that no slice looks at more rows than it may, whatever
   * few of them are over. `among` says which of those that are over may really go.
   */
  async #drop(table: Keyed, over: SQL | undefined, among: (ids: string[]) => string[] = (ids) => ids): Promise<number> {
    const { queries } = this.connection;
    const { id } = table;
    let [total, after] = [0, ""];
    await inSlices(this.connection, (atMost) => {
      const window = queries.select({ id }).from(table).where(gt(id, after)).orderBy(asc(id)).limit(atMost).all();
      const last = String(window.at(-1)?.id ?? "");
      if (last === "") return false;
      const here = and(gt(id, after), lte(id, last), over);
      const gone = among(
        queries
          .select({ id })
          .from(table)
          .where(here)
          .all()
          .map((row) => String(row.id)),
      );
      if (gone.length > 0) queries.delete(table).where(inArray(id, gone)).run();
      total += gone.length;
      after = last;
      return window.length >= atMost;
    });
    return total;
  }
}
