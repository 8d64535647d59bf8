import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, lt, notInArray, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Report } from "#model/report";
import type { Suggestion } from "#policy/tuning/suggestion";
import { all, anyRow, type Db, type Queries, run, type Steps } from "#store/db";
import type { Dispute, Job, Opened, ReportFilter, ReportStore, WaitingReport } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { strings } from "#store/stored";
import type { Tables } from "#store/tables";
import { inBatches } from "./batches";
import type { Jobs } from "./jobs";
import type { Suggestions } from "./suggestions";
import { afterMoment, mergedNewest, newestFirst, type Ordered, startOf } from "./windows";

type ReportTable = Tables["report"];
type Where = (report: ReportTable) => SQL | undefined;

const ordered = ({ report }: Tables): Ordered => ({ table: report, at: report.created_at, id: report.id });

/** All of a filter but the statuses. */
const conditionsOf =
  ({ user_id, agent_id, event_id, direction, questionnaire_section, since }: ReportFilter): Where =>
  (report) =>
    and(
      user_id === undefined ? undefined : eq(report.user_id, user_id),
      agent_id === undefined ? undefined : eq(report.agent_id, agent_id),
      event_id === undefined ? undefined : eq(report.event_id, event_id),
      direction === undefined ? undefined : eq(report.direction, direction),
      questionnaire_section === undefined ? undefined : eq(report.questionnaire_section, questionnaire_section),
      since === undefined ? undefined : gte(report.created_at, since),
    );

/** Whether the wanted user, or nobody, has taken it up. */
const takenUp = (q: Queries, { report, assignee: it }: Tables, { assignee }: ReportFilter): SQL | undefined => {
  if (assignee === undefined) return undefined;
  const isTheirs = assignee === null ? undefined : eq(it.user_id, assignee);
  const ids = q
    .select({ id: it.subject_id })
    .from(it)
    .where(and(eq(it.kind, "report"), isTheirs));
  return assignee === null ? notInArray(report.id, ids) : inArray(report.id, ids);
};

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

export class Reports implements ReportStore {
  constructor(
    private readonly db: Db,
    private readonly jobs: Jobs,
    private readonly suggestions: Suggestions,
  ) {}

  async open(it: Report, limit: Limit, job: Job | null, record: SerialisedRecord): Promise<Opened> {
    const made: Opened = { kind: "created", report: it };
    let instead: Opened | null = null;
    const { jobs } = this;
    await this.db.change("all", record, function* () {
      instead = (yield* same(it)) ?? (yield* overLimit(it, limit));
      if (instead !== null) return false;
      yield* run((q, { report }) => q.insert(report).values(it));
      if (job !== null) yield* jobs.put(job);
      return true;
    });
    return instead ?? made;
  }

  async recent(userId: string, since: number): Promise<number[]> {
    return (await this.db.all(recentOf(userId, since))).map(({ at }) => at);
  }

  recentOfAll(since: number): Promise<{ user_id: string; at: number }[]> {
    return this.db.all((q, { report }) =>
      q
        .select({ user_id: report.user_id, at: report.created_at })
        .from(report)
        .where(gt(report.created_at, since))
        .orderBy(asc(report.created_at)),
    );
  }

  async byId(id: string): Promise<Report | null> {
    return (await this.#list((report) => eq(report.id, id)))[0] ?? null;
  }

  list(filter: ReportFilter): Promise<Report[]> {
    const { statuses } = filter;
    return this.#list((report) =>
      and(conditionsOf(filter)(report), statuses === undefined ? undefined : inArray(report.status, [...statuses])),
    );
  }

  async page(filter: ReportFilter, window: PageWindow): Promise<Report[]> {
    const inStatus: readonly Where[] = filter.statuses?.map((status) => (it) => eq(it.status, status)) ?? [
      () => undefined,
    ];
    const lists = await this.db.read(function* () {
      const start = yield* startOf(ordered, window);
      const found: Raw[][] = [];
      for (const here of inStatus) {
        const rows = yield* all((q, t) =>
          q
            .select()
            .from(t.report)
            .where(
              and(
                conditionsOf(filter)(t.report),
                takenUp(q, t, filter),
                afterMoment(ordered(t), start),
                here(t.report),
              ),
            )
            .orderBy(...newestFirst(ordered(t)))
            .limit(window.limit),
        );
        found.push(rows);
      }
      return found;
    });
    return mergedNewest(lists, window.limit).map(checked);
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.db.all((q, { report }) =>
      q.select({ rows: count() }).from(report).where(eq(report.status, "needs_human")),
    );
    return row?.rows ?? 0;
  }

  async waiting(most: number): Promise<WaitingReport[]> {
    const rows = await this.db.all((q, { report }) => {
      const { id, direction, user_id, agent_id, flag_types, fingerprint, created_at } = report;
      return q
        .select({ id, direction, user_id, agent_id, flag_types, fingerprint, created_at })
        .from(report)
        .where(eq(report.status, "needs_human"))
        .orderBy(asc(report.created_at), asc(report.id))
        .limit(most);
    });
    return rows.map(({ flag_types, ...row }) => ({
      ...row,
      flag_types: strings(flag_types, `flag types of report ${row.id}`),
    }));
  }

  async disputes({ user_id, since }: Parameters<ReportStore["disputes"]>[0]): Promise<Dispute[]> {
    const rows = await this.db.all((q, { report }) => {
      const { flag_types, status, decision, llm_verdict } = report;
      const here = conditionsOf({ user_id, since, direction: "false_positive" });
      return q.select({ flag_types, status, decision, llm_verdict }).from(report).where(here(report));
    });
    return rows.map(({ flag_types, ...rest }) => ({
      ...rest,
      flag_types: strings(flag_types, "flag types of a report"),
    }));
  }

  async save(
    it: Report,
    expected: number,
    { suggestion, record }: { readonly suggestion?: Suggestion; readonly record: SerialisedRecord },
  ): Promise<boolean> {
    // Two writers that both keep the number would both believe that they were first.
    if (it.revision <= expected) throw new Error(`Report ${it.id} is to be saved with its old revision`);
    const { suggestions } = this;
    return this.db.change("all", record, function* () {
      const isSaved = yield* anyRow((q, { report }) => {
        const asRead = and(eq(report.id, it.id), eq(report.revision, expected));
        return q.update(report).set(changing(it)).where(asRead).returning({ id: report.id });
      });
      if (isSaved && suggestion !== undefined) yield* suggestions.put(suggestion);
      return isSaved;
    });
  }

  dropContent(closedBefore: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const rows = yield* all((q, { report }) => {
        const due = and(isNotNull(report.sealed_content), lt(report.closed_at, closedBefore));
        // With a new revision: who read it before cannot write the content back.
        const set = { sealed_content: null, fingerprint: null, revision: sql`${report.revision} + 1` };
        const some = q.select({ id: report.id }).from(report).where(due).limit(atMost);
        return q.update(report).set(set).where(inArray(report.id, some)).returning({ id: report.id });
      });
      return rows.length;
    });
  }

  async #list(where: Where): Promise<Report[]> {
    return (await this.db.all(reportsOf(where))).map(checked);
  }
}

const reportsOf =
  (where: Where) =>
  (q: Queries, { report }: Tables) =>
    q.select().from(report).where(where(report)).orderBy(desc(report.created_at), desc(report.id));

const recentOf =
  (userId: string, since: number) =>
  (q: Queries, { report }: Tables) => {
    const here = and(eq(report.user_id, userId), gt(report.created_at, since));
    return q.select({ at: report.created_at }).from(report).where(here).orderBy(asc(report.created_at));
  };

function* same(it: Report): Steps<Opened | null> {
  const { event_id: event } = it;
  if (event === null) return null;
  const [known] = yield* all(
    reportsOf((report) =>
      and(eq(report.user_id, it.user_id), eq(report.event_id, event), eq(report.direction, it.direction)),
    ),
  );
  return known === undefined ? null : { kind: "known", report: checked(known) };
}

function* overLimit(it: Report, { most, since }: Limit): Steps<Opened | null> {
  const windowMs = it.created_at - since;
  const recent = yield* all(recentOf(it.user_id, since));
  // Later than a whole window from now: made while the clock was ahead.
  const times = recent.map(({ at }) => at).filter((at) => at < it.created_at + windowMs);
  if (times.length < most) return null;
  // The report whose age frees a place: the oldest, unless more were allowed before.
  const leaving = times.at(-most) ?? it.created_at;
  return { kind: "over_limit", until: leaving + windowMs };
}
