import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Report } from "#model/report";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { Dispute, Job, Opened, ReportFilter, ReportStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { inBatches } from "./batches";
import { strings } from "./columns";
import type { Connection } from "./connection";
import type { SqliteJobs } from "./jobs";
import { tables } from "./schema";
import type { SqliteSuggestions } from "./suggestions";
import { afterMoment, mergedNewest, newestFirst } from "./windows";

const { report } = tables;

const ORDERED = { table: report, at: report.created_at, id: report.id };

/** All of a filter but the statuses. */
const conditionsOf = ({
  user_id,
  agent_id,
  event_id,
  direction,
  questionnaire_section,
  since,
}: ReportFilter): SQL | undefined =>
  and(
    user_id === undefined ? undefined : eq(report.user_id, user_id),
    agent_id === undefined ? undefined : eq(report.agent_id, agent_id),
    event_id === undefined ? undefined : eq(report.event_id, event_id),
    direction === undefined ? undefined : eq(report.direction, direction),
    questionnaire_section === undefined ? undefined : eq(report.questionnaire_section, questionnaire_section),
    since === undefined ? undefined : gte(report.created_at, since),
  );

/** What may change: what is said once stays. */
const changing = ({
  id: _id,
  direction: _direction,
  user_id: _user,
  token_id: _token,
  agent_id: _agent,
  event_id: _event,
  created_at: _created,
  ...rest
}: Report) => rest;

type Raw = Omit<Report, "flag_types"> & { readonly flag_types: unknown };

const checked = ({ flag_types: types, ...row }: Raw): Report => ({
  ...row,
  flag_types: strings(types, `flag types of report ${row.id}`),
});

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
      this.connection.queries.insert(report).values(it).run();
      if (job !== null) this.jobs.put(job);
      return true;
    });
    return instead ?? made;
  }

  async recent(userId: string, since: number): Promise<number[]> {
    return this.#recent(userId, since);
  }

  async recentOfAll(since: number): Promise<{ user_id: string; at: number }[]> {
    const found = this.connection.queries.select({ user_id: report.user_id, at: report.created_at }).from(report);
    return found.where(gt(report.created_at, since)).orderBy(asc(report.created_at)).all();
  }

  async byId(id: string): Promise<Report | null> {
    return this.#where(eq(report.id, id))[0] ?? null;
  }

  async list(filter: ReportFilter): Promise<Report[]> {
    const { statuses } = filter;
    return this.#where(
      conditionsOf(filter),
      statuses === undefined ? undefined : inArray(report.status, [...statuses]),
    );
  }

  async page(filter: ReportFilter, window: PageWindow): Promise<Report[]> {
    const { statuses } = filter;
    const here = and(conditionsOf(filter), afterMoment(this.connection, ORDERED, window));
    const inStatus = statuses?.map((status) => eq(report.status, status)) ?? [undefined];
    const found = inStatus.map((status) => {
      const rows = this.connection.queries.select().from(report).where(and(here, status));
      return rows
        .orderBy(...newestFirst(ORDERED))
        .limit(window.limit)
        .all()
        .map(checked);
    });
    return [...mergedNewest(found, window.limit)];
  }

  async disputes({ user_id, since }: Parameters<ReportStore["disputes"]>[0]): Promise<Dispute[]> {
    return this.connection.queries
      .select({
        flag_types: report.flag_types,
        status: report.status,
        decision: report.decision,
        llm_verdict: report.llm_verdict,
      })
      .from(report)
      .where(conditionsOf({ user_id, since, direction: "false_positive" }))
      .all()
      .map(({ flag_types, ...rest }) => ({ ...rest, flag_types: strings(flag_types, "flag types of a report") }));
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
    const due = and(isNotNull(report.sealed_content), lt(report.closed_at, closedBefore));
    // With a new revision: who read it before cannot write the content back.
    const set = { sealed_content: null, revision: sql`${report.revision} + 1` };
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id: report.id }).from(report).where(due).limit(atMost);
      const update = queries.update(report).set(set).where(inArray(report.id, some));
      return update.returning({ id: report.id }).all().length;
    });
  }

  #same(it: Report): Opened | null {
    if (it.event_id === null) return null;
    const said = and(eq(report.event_id, it.event_id), eq(report.direction, it.direction));
    const [known] = this.#where(eq(report.user_id, it.user_id), said);
    return known === undefined ? null : { kind: "known", report: known };
  }

  #overLimit(it: Report, { most, since }: Limit): Opened | null {
    const windowMs = it.created_at - since;
    // Later than a whole window from now: made while the clock was ahead.
    const times = this.#recent(it.user_id, since).filter((at) => at < it.created_at + windowMs);
    if (times.length < most) return null;
    // The report whose age frees a place: the oldest, unless more were allowed before.
    const leaving = times.at(-most) ?? it.created_at;
    return { kind: "over_limit", until: leaving + windowMs };
  }

  #recent(userId: string, since: number): number[] {
    const here = and(eq(report.user_id, userId), gt(report.created_at, since));
    const found = this.connection.queries.select({ at: report.created_at }).from(report).where(here);
    return found
      .orderBy(asc(report.created_at))
      .all()
      .map(({ at }) => at);
  }

  #where(...conditions: (SQL | undefined)[]): Report[] {
    const found = this.connection.queries
      .select()
      .from(report)
      .where(and(...conditions));
    const newest = [desc(report.created_at), desc(report.id)];
    return found
      .orderBy(...newest)
      .all()
      .map(checked);
  }
}
