import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import { Type } from "#core/schema";
import type { Counts, UsageStore } from "#store/governance-port";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import { StoredShape } from "./json-columns";
import { tables } from "./schema";

const { usageHour } = tables;

const columns = { subject_id: usageHour.subjectId, hour: usageHour.hour, counts: usageHour.counts };

type Hour = { readonly subject_id: string; readonly hour: number; readonly counts: Counts };

/* Prepared: a busy hub adds the hours of many agents at once, on the thread that serves calls. */

const one = ({ queries }: Connection) => {
  const here = and(eq(usageHour.subjectId, sql.placeholder("subjectId")), eq(usageHour.hour, sql.placeholder("hour")));
  return queries.select(columns).from(usageHour).where(here).prepare();
};

const put = ({ queries }: Connection) => {
  const row = {
    subjectId: sql.placeholder("subjectId"),
    hour: sql.placeholder("hour"),
    counts: sql.placeholder("counts"),
  };
  const set = { counts: sql`excluded.counts` };
  const insert = queries.insert(usageHour).values(row);
  return insert.onConflictDoUpdate({ target: [usageHour.subjectId, usageHour.hour], set }).prepare();
};

export class SqliteUsage implements UsageStore {
  readonly #counts = new StoredShape(Type.Record(Type.String(), Type.Number()));

  readonly #one: ReturnType<typeof one>;
  readonly #put: ReturnType<typeof put>;

  constructor(private readonly connection: Connection) {
    this.#one = one(connection);
    this.#put = put(connection);
  }

  async add(hours: readonly Hour[]): Promise<void> {
    if (hours.length === 0) return;
    if (hours.some(({ counts }) => !Object.values(counts).every(Number.isFinite))) {
      // JSON would keep it as null, and the hour could not be read again.
      throw new Error("A count of usage is not a finite number");
    }
    await this.connection.writeSoon<void>(() => {
      for (const it of hours) this.#add(it);
    });
  }

  async read(subjectId: string, since: number, until: number): Promise<{ hour: number; counts: Counts }[]> {
    const found = this.connection.queries.select(columns).from(usageHour);
    const here = and(eq(usageHour.subjectId, subjectId), gte(usageHour.hour, since), lt(usageHour.hour, until));
    const rows = found.where(here).orderBy(asc(usageHour.hour)).all();
    return rows.map(this.#checked).map(({ hour, counts }) => ({ hour, counts }));
  }

  async readAll(since: number, until: number): Promise<Hour[]> {
    const found = this.connection.queries.select(columns).from(usageHour);
    const here = and(gte(usageHour.hour, since), lt(usageHour.hour, until));
    return found.where(here).orderBy(asc(usageHour.hour), asc(usageHour.subjectId)).all().map(this.#checked);
  }

  dropBefore(hour: number): Promise<number> {
    const { db } = this.connection;
    const sql = `DELETE FROM usage_hour
      WHERE (subject_id, hour) IN (SELECT subject_id, hour FROM usage_hour WHERE hour < ? LIMIT ?)`;
    return inBatches(this.connection, (atMost) => db.query<unknown, [number, number]>(sql).run(hour, atMost).changes);
  }

  #add({ subject_id: subjectId, hour, counts: more }: Hour): void {
    const row = this.#one.get({ subjectId, hour });
    const counts = sum(row === undefined ? {} : this.#checked(row).counts, more);
    this.#put.run({ subjectId, hour, counts });
  }

  readonly #checked = ({ counts, ...row }: Omit<Hour, "counts"> & { readonly counts: unknown }): Hour => ({
    ...row,
    counts: this.#counts.read(counts, `usage of ${row.subject_id} in hour ${row.hour}`),
  });
}

/** By way of a map, into an ordinary object: names come from outside, and `__proto__` is one of them. */
const sum = (a: Counts, b: Counts): Counts => {
  const total = new Map(Object.entries(a));
  for (const [name, count] of Object.entries(b)) total.set(name, (total.get(name) ?? 0) + count);
  return Object.fromEntries(total);
};
