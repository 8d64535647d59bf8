import { and, asc, desc, eq, getTableColumns, inArray, isNull, lte, or, type SQLWrapper, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import { all, anyRow, type Db, keptQuery, run, type Steps } from "#store/db";
import type { Job, JobStore, SeenJob } from "#store/loop-port";
import type { Polled } from "#store/polled";
import type { Tables } from "#store/tables";
import { afterId } from "./windows";

type JobTable = Tables["job"];

const shown = (job: JobTable) => {
  const { worker: _worker, leased_until: _leased_until, error: _error, ...columns } = getTableColumns(job);
  return columns;
};

const dueBy = (job: JobTable, kind: SQLWrapper | Job["kind"], now: SQLWrapper | number) =>
  and(eq(job.kind, kind), lte(job.run_at, now), or(isNull(job.leased_until), lte(job.leased_until, now)));

/** A summary of what is still to be done, not a change of governance: what is done has its own record. */
export class Jobs implements JobStore {
  /** Prepared: asked several times a second, where calls are served. */
  readonly #anyDue = keptQuery((q, { job }) => {
    const due = dueBy(job, sql.placeholder("kind"), sql.placeholder("now"));
    return q.select({ id: job.id }).from(job).where(due).limit(1);
  });

  constructor(
    private readonly db: Db,
    private readonly polled: Polled | null,
  ) {}

  async add(it: Job): Promise<void> {
    await this.db.tx(() => this.put(it));
    this.polled?.forget();
  }

  page(window: PageWindow): Promise<SeenJob[]> {
    return this.db.all((q, { job }) => {
      const seen = { ...shown(job), leased_until: job.leased_until, error: job.error };
      return q.select(seen).from(job).where(afterId(job.id, window)).orderBy(desc(job.id)).limit(window.limit);
    });
  }

  async lease(kind: Job["kind"], worker: string, now: number, leasedUntil: number, most: number): Promise<Job[]> {
    if (this.polled?.recent?.hasDueJobs === false) return [];
    // Most looks find nothing, and need no write lock for that.
    if ((await this.db.one(this.#anyDue, { kind, now })) === null) return [];
    const take = (): Steps<Job[]> =>
      all((q, { job }) => {
        const earliest = [asc(job.run_at), asc(job.id)];
        const some = q
          .select({ id: job.id })
          .from(job)
          .where(dueBy(job, kind, now))
          .orderBy(...earliest)
          .limit(most);
        // Counted when it is begun: work that kills its process each time must come to an end too.
        const set = { worker, leased_until: leasedUntil, attempts: sql`${job.attempts} + 1` };
        return q.update(job).set(set).where(inArray(job.id, some)).returning(shown(job));
      });
    const leased = await this.db.tx(take, "jobs");
    return leased.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  }

  done(id: string, worker: string): Promise<boolean> {
    return this.#own(() =>
      anyRow((q, { job }) =>
        q
          .delete(job)
          .where(leasedBy(job, id, worker))
          .returning({ id: job.id }),
      ),
    );
  }

  retry(id: string, worker: string, runAt: number, error: string): Promise<boolean> {
    const set = { run_at: runAt, error, worker: null, leased_until: null };
    return this.#own(() =>
      anyRow((q, { job }) =>
        q
          .update(job)
          .set(set)
          .where(leasedBy(job, id, worker))
          .returning({ id: job.id }),
      ),
    );
  }

  async #own(work: () => Steps<boolean>): Promise<boolean> {
    const isOwn = await this.db.tx(work);
    this.polled?.forget();
    return isOwn;
  }

  /** Within a transaction. */
  put(it: Job): Steps<void> {
    this.polled?.forget();
    return run((q, { job }) => q.insert(job).values(it));
  }
}

/** A lease that ran out holds until somebody else is given the job. */
const leasedBy = (job: JobTable, id: string, worker: string) => and(eq(job.id, id), eq(job.worker, worker));
