import { and, asc, gt, inArray, isNull, lt, lte, ne, notInArray, or, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { all, type Db, run, type Steps } from "#store/db";
import type { Dropped, Ended, RetentionStore } from "#store/port";
import type { Tables } from "#store/tables";
import { inSlices } from "./batches";

type Keyed = SQLiteTable & { readonly id: SQLiteColumn };
type Over = (tables: Tables) => readonly [Keyed, SQL | undefined];

/** Which of those that are over may really go. */
type Among = (ids: string[]) => Steps<string[]>;

export class Retention implements RetentionStore {
  constructor(private readonly db: Db) {}

  async drop({ governance: before, holds }: Ended): Promise<Dropped> {
    return {
      holds: await this.#drop(({ hold }) => [hold, lt(hold.expires_at, holds)]),
      restrictions: await this.#drop(({ restriction: it }) => [
        it,
        or(lt(it.lifted_at, before), lt(it.expires_at, before)),
      ]),
      kill_switches: await this.#drop(({ killSwitch }) => [killSwitch, lt(killSwitch.lifted_at, before)]),
      // One that led to a suggestion is why a rule is, or is not, in force.
      reports: await this.#drop(({ report }) => [
        report,
        and(lt(report.closed_at, before), isNull(report.tuning_suggestion_id)),
      ]),
      // What nobody could do in all that time: work for a model or a receiver that is gone.
      jobs: await this.#drop(({ job }) => [job, lt(job.run_at, before)]),
      tokens: await this.#drop(
        ({ token }) => [token, and(lt(token.expires_at, before), ne(token.state, "disabled"))],
        unreported,
      ),
      sessions: await this.#drop(({ session }) => [session, lt(session.expires_at, before)]),
    };
  }

  /**
   * Goes through the whole table in the order of its key, so that no slice looks at more rows than it may, whatever
   * few of them are over.
   */
  async #drop(over: Over, among: Among | null = null): Promise<number> {
    let [total, after] = [0, ""];
    await inSlices(this.db, function* (atMost) {
      const window = yield* all((q, t) => {
        const [table] = over(t);
        return q.select({ id: table.id }).from(table).where(gt(table.id, after)).orderBy(asc(table.id)).limit(atMost);
      });
      const last = String(window.at(-1)?.id ?? "");
      if (last === "") return false;
      const found = yield* all((q, t) => {
        const [table, isOver] = over(t);
        const here = and(gt(table.id, after), lte(table.id, last), isOver);
        return q.select({ id: table.id }).from(table).where(here);
      });
      const ids = found.map((row) => String(row.id));
      const gone = among === null ? ids : yield* among(ids);
      if (gone.length > 0) {
        yield* run((q, t) => {
          const [table] = over(t);
          return q.delete(table).where(inArray(table.id, gone));
        });
      }
      total += gone.length;
      after = last;
      return window.length >= atMost;
    });
    return total;
  }
}

/** A token that was reported with stays as long as the report. */
function* unreported(ids: string[]): Steps<string[]> {
  const reported = yield* all((q, { report }) =>
    q.select({ id: report.token_id }).from(report).where(inArray(report.token_id, ids)),
  );
  const kept = reported.flatMap(({ id }) => id ?? []);
  yield* run((q, { tokenUse }) => {
    const gone = and(inArray(tokenUse.token_id, ids), notInArray(tokenUse.token_id, kept));
    return q.delete(tokenUse).where(gone);
  });
  return ids.filter((id) => !kept.includes(id));
}
