import { and, asc, desc, eq, gt, gte, lt, sql } from "drizzle-orm";
import { Type } from "#core/schema";
import { all, type Db, keptCommand, keptQuery, one, run, type Steps } from "#store/db";
import type { Counts, UsageStore } from "#store/governance-port";
import { StoredShape } from "#store/stored";
import { inBatches } from "./batches";

const DAY_MS = 86_400_000;

type Hour = { readonly subject_id: string; readonly hour: number; readonly counts: Counts };

/** Prepared: a busy hub adds the hours of many agents at once, where calls are served. */
class Statements {
  readonly one = keptQuery((q, { usageHour: it }) => {
    const here = and(eq(it.subject_id, sql.placeholder("subject_id")), eq(it.hour, sql.placeholder("hour")));
    return q.select().from(it).where(here);
  });

  readonly newest = keptQuery((q, { usageHour: it }) =>
    q
      .select()
      .from(it)
      .where(eq(it.subject_id, sql.placeholder("subject_id")))
      .orderBy(desc(it.hour))
      .limit(1),
  );

  readonly between = keptQuery((q, { usageHour: it }) => {
    const here = and(
      eq(it.subject_id, sql.placeholder("subject_id")),
      gte(it.hour, sql.placeholder("since")),
      lt(it.hour, sql.placeholder("until")),
    );
    return q.select().from(it).where(here).orderBy(asc(it.hour));
  });

  readonly put = keptCommand((q, { usageHour: it }) => {
    const row = {
      subject_id: sql.placeholder("subject_id"),
      hour: sql.placeholder("hour"),
      counts: sql.placeholder("counts"),
    };
    const set = { counts: sql`excluded.counts` };
    return q
      .insert(it)
      .values(row)
      .onConflictDoUpdate({ target: [it.subject_id, it.hour], set });
  });

  readonly putDay = keptCommand((q, { usageDay: it }) => {
    const row = {
      day: sql.placeholder("day"),
      subject_id: sql.placeholder("subject_id"),
      requests: sql.placeholder("requests"),
      tokens: sql.placeholder("tokens"),
    };
    const set = { requests: sql`${it.requests} + excluded.requests`, tokens: sql`${it.tokens} + excluded.tokens` };
    return q
      .insert(it)
      .values(row)
      .onConflictDoUpdate({ target: [it.day, it.subject_id], set });
  });
}

export class Usage implements UsageStore {
  readonly #counts = new StoredShape(Type.Record(Type.String(), Type.Number()));
  readonly #statements = new Statements();

  constructor(private readonly db: Db) {}

  async add(hours: readonly Hour[]): Promise<void> {
    if (hours.length === 0) return;
    if (hours.some(({ counts }) => !Object.values(counts).every(Number.isFinite))) {
      // JSON would keep it as null, and the hour could not be read again.
      throw new Error("A count of usage is not a finite number");
    }
    const usage = this;
    const add = function* () {
      for (const it of hours) yield* usage.#add(it);
    };
    await this.db.tx(add, "usage");
  }

  async read(subjectId: string, since: number, until: number): Promise<{ hour: number; counts: Counts }[]> {
    const rows = await this.db.all(this.#statements.between, { subject_id: subjectId, since, until });
    return rows.map(this.#checked).map(({ hour, counts }) => ({ hour, counts }));
  }

  async readAll(since: number, until: number): Promise<Hour[]> {
    const rows = await this.db.all((q, { usageHour: it }) => {
      const here = and(gte(it.hour, since), lt(it.hour, until));
      return q.select().from(it).where(here).orderBy(asc(it.hour), asc(it.subject_id));
    });
    return rows.map(this.#checked);
  }

  async newest(subjectId: string): Promise<{ hour: number; counts: Counts } | null> {
    const row = await this.db.one(this.#statements.newest, { subject_id: subjectId });
    return row && this.#checked(row);
  }

  ofDay(day: number): Promise<{ subject_id: string; requests: number; tokens: number }[]> {
    return this.db.all((q, { usageDay: it }) =>
      q.select({ subject_id: it.subject_id, requests: it.requests, tokens: it.tokens }).from(it).where(eq(it.day, day)),
    );
  }

  async ofHour(hour: number, after: string | null, limit: number): Promise<Hour[]> {
    const rows = await this.db.all((q, { usageHour: it }) => {
      const here = and(eq(it.hour, hour), after === null ? undefined : gt(it.subject_id, after));
      return q.select().from(it).where(here).orderBy(asc(it.subject_id)).limit(limit);
    });
    return rows.map(this.#checked);
  }

  async dropBefore(hour: number): Promise<number> {
    await this.db.run((q, { usageDay: it }) => q.delete(it).where(lt(it.day, hour - DAY_MS)));
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { usageHour: it }) => {
        const key = { subject_id: it.subject_id, hour: it.hour };
        const some = q.select(key).from(it).where(lt(it.hour, hour)).limit(atMost);
        return q.delete(it).where(sql`(${it.subject_id}, ${it.hour}) in ${some}`).returning({ hour: it.hour });
      });
      return gone.length;
    });
  }

  *#add({ subject_id, hour, counts: more }: Hour): Steps<void> {
    const row = yield* one(this.#statements.one, { subject_id, hour });
    const counts = sum(row === null ? {} : this.#checked(row).counts, more);
    yield* run(this.#statements.put, { subject_id, hour, counts });
    // Counts are whole numbers, and the column takes no others.
    const requests = Math.round((more["calls"] ?? 0) + (more["tool_calls"] ?? 0));
    const tokens = Math.round(more["tokens"] ?? 0);
    if (requests <= 0 && tokens <= 0) return;
    yield* run(this.#statements.putDay, { day: hour - (hour % DAY_MS), subject_id, requests, tokens });
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
