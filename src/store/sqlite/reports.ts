import { and, asc, desc, eq, gt, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { Report } from "#core/report";
import type { Suggestion } from "#core/tuning/suggestion";
import type { Job, Opened, ReportStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import type { SqliteJobs } from "./jobs";
import { changing, checked, columns, rowOf } from "./report-rows";
import { tables } from "./schema";
import type { SqliteSuggestions } from "./suggestions";

const { report } = tables;

type Limit = { readonly most: number; readonly since: number };

export class SqliteReports implements ReportStore {
  constructor(
    private readonly connection: Connection,
    private readonly jobs: SqliteJobs,
    private readonly suggestions: SqliteSuggestions,
  ) {}

  async open(it: Report, limit: Limit, job: Job | null, record: SerialisedRecord): Promise<Opened> {
    const made: Opened = { kind: "created", report: it };
    let instead: Opened | null = null;
    // The write lock is taken before anything is read: no other process can count what we count.
    this.connection.change("all", record, () => {
      instead = this.#same(it) ?? this.#overLimit(it, limit);
      if (instead !== null) return false;
      this.connection.queries.insert(report).values(rowOf(it)).run();
      if (job !== null) this.jobs.put(job);
      return true;
    });
    return instead ?? made;
  }

  async recent(userId: string, since: number): Promise<number[]> {
    return this.#recent(userId, since);
  }

  async recentOfAll(since: number): Promise<{ user_id: string; at: number }[]> {
    const found = this.connection.queries.select({ user_id: report.userId, at: report.createdAt }).from(report);
    return found.where(gt(report.createdAt, since)).orderBy(asc(report.createdAt)).all();
  }

  async byId(id: string): Promise<Report | null> {
    return this.#where(eq(report.id, id))[0] ?? null;
  }

  async list(filter: Parameters<ReportStore["list"]>[0]): Promise<Report[]> {
    const { user_id: user, agent_id: agent, direction, statuses } = filter;
    return this.#where(
      user === undefined ? undefined : eq(report.userId, user),
      agent === undefined ? undefined : eq(report.agentId, agent),
      direction === undefined ? undefined : eq(report.direction, direction),
      statuses === undefined ? undefined : inArray(report.status, [...statuses]),
    );
  }

  async save(
    it: Report,
    expected: number,
    { suggestion, record }: { readonly suggestion?: Suggestion; readonly record: SerialisedRecord },
  ): Promise<boolean> {
    // Two writers that both keep the number would both believe that they were first.
    if (it.revision <= expected) throw new Error(`Report ${it.id} is to be saved with its old revision`);
    return this.connection.change("all", record, () => {
      const asRead = and(eq(report.id, it.id), eq(report.revision, expected));
      const update = this.connection.queries.update(report).set(changing(it)).where(asRead);
      if (update.returning({ id: report.id }).all().length === 0) return false;
      if (suggestion !== undefined) this.suggestions.put(suggestion);
      return true;
    });
  }

  async dropContent(closedBefore: number): Promise<number> {
    const { queries } = this.connection;
    const due = and(isNotNull(report.sealedContent), lt(report.closedAt, closedBefore));
    // With a new revision: who read it before cannot write the content back.
    const set = { sealedContent: null, revision: sql`${report.revision} + 1` };
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: report.id }).from(report).where(due).limit(atMost);
      const update = queries.update(report).set(set).where(inArray(report.id, some));
      return update.returning({ id: report.id }).all().length;
    });
  }

  #same(it: Report): Opened | null {
    if (it.event_id === null) return null;
    const said = and(eq(report.eventId, it.event_id), eq(report.direction, it.direction));
    const [known] = this.#where(eq(report.userId, it.user_id), said);
    return known === undefined ? null : { kind: "known", report: known };
  }

  #overLimit(it: Report, { most, since }: Limit): Opened | null {
    const windowMs = it.created_at - since;
    // Later than a whole window from now: made while the clock was ahead.
    const times = this.#recent(it.user_id, since).filter((at) => at < it.created_at + windowMs);
    if (times.length < most) return null;
    // Once this one has left, there is room: the oldest, unless more were allowed before.
    const leaving = times.at(-most) ?? it.created_at;
    return { kind: "over_limit", until: leaving + windowMs };
  }

  #recent(userId: string, since: number): number[] {
    const here = and(eq(report.userId, userId), gt(report.createdAt, since));
    const found = this.connection.queries.select({ at: report.createdAt }).from(report).where(here);
    return found
      .orderBy(asc(report.createdAt))
      .all()
      .map(({ at }) => at);
  }

  #where(...conditions: (SQL | undefined)[]): Report[] {
    const found = this.connection.queries
      .select(columns)
      .from(report)
      .where(and(...conditions));
    const newest = [desc(report.createdAt), desc(report.id)];
    return found
      .orderBy(...newest)
      .all()
      .map(checked);
  }
}
