import { and, asc, desc, eq, getTableColumns, inArray, isNull, lte, or, type SQLWrapper, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Job, JobStore, SeenJob } from "#store/loop-port";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { afterId } from "./windows";

const { job } = tables;

const { worker: _worker, leased_until: _leased_until, error: _error, ...columns } = getTableColumns(job);

const dueBy = (kind: SQLWrapper | Job["kind"], now: SQLWrapper | number) =>
  and(eq(job.kind, kind), lte(job.run_at, now), or(isNull(job.leased_until), lte(job.leased_until, now)));

/** Prepared: asked several times a second, on the thread that serves calls. */
const anyDue = ({ queries }: Connection) =>
  queries
    .select({ id: job.id })
    .from(job)
    .where(dueBy(sql.placeholder("kind"), sql.placeholder("now")))
    .limit(1)
    .prepare();

/** A summary of what is still to be done, not a change of governance: what is done has its own record. */
export class SqliteJobs implements JobStore {
  readonly #anyDue: ReturnType<typeof anyDue>;

  constructor(private readonly connection: Connection) {
    this.#anyDue = anyDue(connection);
  }

  async add(it: Job): Promise<void> {
    await this.connection.writeSoon<void>(() => this.put(it));
  }

  async page(window: PageWindow): Promise<SeenJob[]> {
    const seen = { ...columns, leased_until: job.leased_until, error: job.error };
    const found = this.connection.queries.select(seen).from(job).where(afterId(job.id, window));
    return found.orderBy(desc(job.id)).limit(window.limit).all();
  }

  async lease(kind: Job["kind"], worker: string, now: number, leasedUntil: number, most: number): Promise<Job[]> {
    // Most looks find nothing, and need no write lock for that.
    if (this.#anyDue.get({ kind, now }) === undefined) return [];
    const { queries } = this.connection;
    const earliest = [asc(job.run_at), asc(job.id)];
    // Counted when it is begun: work that kills its process each time must come to an end too.
    const set = { worker, leased_until: leasedUntil, attempts: sql`${job.attempts} + 1` };
    const leased = await this.connection.writeSoon<Job[]>(() => {
      const some = queries
        .select({ id: job.id })
        .from(job)
        .where(dueBy(kind, now))
        .orderBy(...earliest)
        .limit(most);
      return queries.update(job).set(set).where(inArray(job.id, some)).returning(columns).all();
    });
    return leased.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  }

  async done(id: string, worker: string): Promise<boolean> {
    return this.connection.writeSoon<boolean>(() => {
      const removal = this.connection.queries.delete(job).where(leasedBy(id, worker));
      return removal.returning({ id: job.id }).all().length === 1;
    });
  }

  async retry(id: string, worker: string, runAt: number, error: string): Promise<boolean> {
    const set = { run_at: runAt, error, worker: null, leased_until: null };
    return this.connection.writeSoon<boolean>(() => {
      const update = this.connection.queries.update(job).set(set).where(leasedBy(id, worker));
      return update.returning({ id: job.id }).all().length === 1;
    });
  }

  /** Within a transaction. */
  put(it: Job): void {
    this.connection.queries.insert(job).values(it).run();
  }
}

/** A lease that ran out holds until somebody else is given the job. */
const leasedBy = (id: string, worker: string) => and(eq(job.id, id), eq(job.worker, worker));
