import { and, asc, desc, eq, gt, gte, lt, or, sql } from "drizzle-orm";
import { Type } from "#core/schema";
import type { StorageSample } from "#model/storage-trend";
import type { Counts, UsageStore } from "#store/governance-port";
import type { StorageHistory } from "#store/port";
import { inBatches } from "./batches";
import { StoredShape } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { usageDay, usageHour } = tables;

const DAY_MS = 86_400_000;

type Hour = { readonly subject_id: string; readonly hour: number; readonly counts: Counts };

/* Prepared: a busy hub adds the hours of many agents at once, on the thread that serves calls. */

const one = ({ queries }: Connection) => {
  const here = and(
    eq(usageHour.subject_id, sql.placeholder("subject_id")),
    eq(usageHour.hour, sql.placeholder("hour")),
  );
  return queries.select().from(usageHour).where(here).prepare();
};

const newest = ({ queries }: Connection) => {
  const found = queries
    .select()
    .from(usageHour)
    .where(eq(usageHour.subject_id, sql.placeholder("subject_id")));
  return found.orderBy(desc(usageHour.hour)).limit(1).prepare();
};

const between = ({ queries }: Connection) => {
  const found = queries.select().from(usageHour);
  const here = and(
    eq(usageHour.subject_id, sql.placeholder("subject_id")),
    gte(usageHour.hour, sql.placeholder("since")),
    lt(usageHour.hour, sql.placeholder("until")),
  );
  return found.where(here).orderBy(asc(usageHour.hour)).prepare();
};

const put = ({ queries }: Connection) => {
  const row = {
    subject_id: sql.placeholder("subject_id"),
    hour: sql.placeholder("hour"),
    counts: sql.placeholder("counts"),
  };
  const set = { counts: sql`excluded.counts` };
  const insert = queries.insert(usageHour).values(row);
  return insert.onConflictDoUpdate({ target: [usageHour.subject_id, usageHour.hour], set }).prepare();
};

const putDay = ({ queries }: Connection) => {
  const row = {
    day: sql.placeholder("day"),
    subject_id: sql.placeholder("subject_id"),
    requests: sql.placeholder("requests"),
    tokens: sql.placeholder("tokens"),
  };
  const set = {
    requests: sql`${usageDay.requests} + excluded.requests`,
    tokens: sql`${usageDay.tokens} + excluded.tokens`,
  };
  const insert = queries.insert(usageDay).values(row);
  return insert.onConflictDoUpdate({ target: [usageDay.day, usageDay.subject_id], set }).prepare();
};

export class SqliteUsage implements UsageStore {
  readonly #counts = new StoredShape(Type.Record(Type.String(), Type.Number()));

  readonly #one: ReturnType<typeof one>;
  readonly #put: ReturnType<typeof put>;
  readonly #day: ReturnType<typeof putDay>;
  readonly #newest: ReturnType<typeof newest>;
  readonly #between: ReturnType<typeof between>;

  constructor(private readonly connection: Connection) {
    this.#one = one(connection);
    this.#put = put(connection);
    this.#day = putDay(connection);
    this.#newest = newest(connection);
    this.#between = between(connection);
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
    const rows = this.#between.all({ subject_id: subjectId, since, until });
    return rows.map(this.#checked).map(({ hour, counts }) => ({ hour, counts }));
  }

  async readAll(since: number, until: number): Promise<Hour[]> {
    const found = this.connection.queries.select().from(usageHour);
    const here = and(gte(usageHour.hour, since), lt(usageHour.hour, until));
    return found.where(here).orderBy(asc(usageHour.hour), asc(usageHour.subject_id)).all().map(this.#checked);
  }

  async newest(subjectId: string): Promise<{ hour: number; counts: Counts } | null> {
    const row = this.#newest.get({ subject_id: subjectId });
    return row === undefined ? null : this.#checked(row);
  }

  async ofDay(day: number): Promise<{ subject_id: string; requests: number; tokens: number }[]> {
    const { subject_id, requests, tokens } = usageDay;
    const found = this.connection.queries.select({ subject_id, requests, tokens }).from(usageDay);
    return found.where(eq(usageDay.day, day)).all();
  }

  async ofHour(hour: number, after: string | null, limit: number): Promise<Hour[]> {
    const here = and(eq(usageHour.hour, hour), after === null ? undefined : gt(usageHour.subject_id, after));
    const found = this.connection.queries.select().from(usageHour).where(here);
    return found.orderBy(asc(usageHour.subject_id)).limit(limit).all().map(this.#checked);
  }

  dropBefore(hour: number): Promise<number> {
    const { db, queries } = this.connection;
    queries
      .delete(usageDay)
      .where(lt(usageDay.day, hour - DAY_MS))
      .run();
    const sql = `DELETE FROM usage_hour
      WHERE (subject_id, hour) IN (SELECT subject_id, hour FROM usage_hour WHERE hour < ? LIMIT ?)`;
    return inBatches(this.connection, (atMost) => db.query<unknown, [number, number]>(sql).run(hour, atMost).changes);
  }

  #add({ subject_id, hour, counts: more }: Hour): void {
    const row = this.#one.get({ subject_id, hour });
    const counts = sum(row === undefined ? {} : this.#checked(row).counts, more);
    this.#put.run({ subject_id, hour, counts });
    // Counts are whole numbers, and the column takes no others.
    const requests = Math.round((more["calls"] ?? 0) + (more["tool_calls"] ?? 0));
    const tokens = Math.round(more["tokens"] ?? 0);
    if (requests > 0 || tokens > 0) this.#day.run({ day: hour - (hour % DAY_MS), subject_id, requests, tokens });
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

const { storageSample } = tables;

export class SqliteStorageHistory implements StorageHistory {
  constructor(private readonly connection: Connection) {}

  async add(sample: StorageSample): Promise<void> {
    const { at: _at, ...set } = sample;
    await this.connection.writeSoon<void>(() => {
      const insert = this.connection.queries.insert(storageSample).values(sample);
      insert.onConflictDoUpdate({ target: storageSample.at, set }).run();
    });
  }

  async list(): Promise<StorageSample[]> {
    return this.connection.queries.select().from(storageSample).orderBy(asc(storageSample.at)).all();
  }

  async keepOnly(since: number, until: number): Promise<void> {
    const outside = or(lt(storageSample.at, since), gte(storageSample.at, until));
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.delete(storageSample).where(outside).run();
    });
  }
}
