import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import type { EncryptedContent } from "#guard/content/encrypted-content";
import { type Names, namesFor } from "#identity/names";
import { type Actor, changeRecord } from "#model/change";
import type { KeptText } from "#model/kept-content";
import { likeGroups, reportLikeness } from "#model/likeness";
import { READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import type { Report, ReportStatus } from "#model/report";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import { assertMayDecide, changedSinceRead } from "#policy/approval/decisions";
import { rulingOnReport } from "#policy/approval/matters";
import { decidingOf, REPORT_ROLES, type Ruling } from "#policy/approval/ruling";
import type { Dispute, ReportFilter, ReportStore } from "#store/loop-port";
import type { AgentStore, UserStore } from "#store/port";
import type { AssigneeStore } from "#store/triage-port";
import type { LongMask, Mask } from "./reviewer/mask";
import type { DisputeRate, OpenedReport, ReportDecision, ReportView } from "./schema";

/** Who does it, and how they were known. */
export type ReportReviewActor = { readonly user: User; readonly by: Actor };

type ReportReviewServiceNeeds = {
  readonly reports: Pick<ReportStore, "byId" | "disputes" | "page" | "save" | "waiting">;
  readonly assignees: Pick<AssigneeStore, "of">;
  readonly users: Pick<UserStore, "byIds" | "ofRoles">;
  readonly agents: Pick<AgentStore, "byIds">;
  readonly content: Pick<EncryptedContent, "ofReport">;
  /** Takes secrets and personal data out of what is shown to others. */
  readonly mask: Mask | LongMask;
  /** Makes what follows from a verdict, now or soon; the report with it. */
  readonly followUp: (report: Report) => Promise<Report>;
  /** Leaves that to a job. */
  readonly followUpLater: (report: Report) => Promise<Report>;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Of those that wait, the oldest, as in the inbox. */
const MAX_COMPARED = 2_000;

const DECIDABLE: readonly ReportStatus[] = ["submitted", "reviewing", "reviewed", "needs_human"];

/** Reports as people look at them and decide on them, whatever a model has said. */
export class ReportReviewService {
  constructor(private readonly deps: ReportReviewServiceNeeds) {}

  /** Newest first: one's own, or all for who looks after them. */
  async page(user: User, filter: ReportFilter, window: PageWindow): Promise<ReportView[]> {
    const whose = READING_ROLES.includes(user.role) ? {} : { user_id: user.id };
    return this.all({ ...filter, ...whose }, window);
  }

  /** Everybody's, for who stands at the machine itself. */
  async all(filter: ReportFilter, window: PageWindow): Promise<ReportView[]> {
    const reports = await this.deps.reports.page(filter, window);
    return this.shownAll(reports);
  }

  /** Reports like one that waits, oldest first, the one itself first; nothing where it waits no more. */
  async like(id: string): Promise<string[]> {
    const groups = likeGroups(await this.deps.reports.waiting(MAX_COMPARED), reportLikeness);
    const group = groups.find((one) => one.some((report) => report.id === id.toLowerCase())) ?? [];
    return group.map((report) => report.id).toSorted((one, other) => Number(other === id) - Number(one === id));
  }

  /** As they are told, with who took them up. */
  private async shownAll(reports: readonly Report[]): Promise<ReportView[]> {
    const taken = await this.deps.assignees.of(
      "report",
      reports.map(({ id }) => id),
    );
    const assignees = new Map(taken.map(({ subject_id, user_id }) => [subject_id, user_id]));
    const names = await this.names(reports, assignees.values());
    return reports.map((report) => shown(report, names, assignees.get(report.id) ?? null));
  }

  /** Of disputes since then: one's own, or all for who looks after them. */
  async rates(user: User, since: number): Promise<DisputeRate[]> {
    const whose = READING_ROLES.includes(user.role) ? {} : { user_id: user.id };
    return ratesOf(await this.deps.reports.disputes({ ...whose, since }));
  }

  /** With its content: in full for reviewers, audited each time; masked for the reporter. Throws `not_found`. */
  async open(acting: ReportReviewActor, id: string): Promise<OpenedReport> {
    const report = await this.visible(acting.user, id);
    const isReader = REPORT_ROLES.includes(acting.user.role);
    const opened = {
      ...(await this.shownOne(report)),
      deciding: decidingOf(await this.ruling(acting.user, report)),
    };
    if (report.sealed_content === null || !(isReader || report.user_id === acting.user.id)) {
      return { ...opened, content: null, is_masked: false };
    }
    // That somebody looks is on disk before they see anything.
    if (isReader) await this.deps.writeRecord(this.record("report.read", acting.by, report, {}));
    const texts = this.deps.content.ofReport(report)?.texts;
    const content = texts ? (isReader ? [...texts] : await this.masked(texts)) : null;
    return { ...opened, content, is_masked: !isReader };
  }

  /**
   * A person's word, which closes the report. Throws `not_found`, `insufficient_scope`; `approval_required` where a sole
   * administrator gives no reason; `state_conflict` for what is closed.
   */
  async decide(acting: ReportReviewActor, id: string, decision: ReportDecision): Promise<ReportView> {
    const closed = await this.closed(acting, id, decision);
    return this.shownOne(await this.deps.followUp(closed));
  }

  /** The same as one of many decisions: what follows from it is made soon, not while somebody waits. */
  async decideOneOfMany(acting: ReportReviewActor, id: string, decision: ReportDecision): Promise<void> {
    await this.deps.followUpLater(await this.closed(acting, id, decision));
  }

  /** Throws what a decision would throw, and decides nothing. */
  async decidable(acting: ReportReviewActor, id: string, { comment }: ReportDecision) {
    const report = await this.visible(acting.user, id);
    const alone = assertMayDecide(await this.ruling(acting.user, report));
    if (alone && comment === undefined) {
      throw new GuardError("approval_required", "A decision on your own report requires a reason.", {
        param: "comment",
      });
    }
    if (!DECIDABLE.includes(report.status)) throw over(report.status);
    return { report, alone };
  }

  private async closed(acting: ReportReviewActor, id: string, decision: ReportDecision): Promise<Report> {
    const { report, alone } = await this.decidable(acting, id, decision);
    const { verdict, comment } = decision;
    const at = this.deps.now();
    const next: Report = {
      ...report,
      status: "closed",
      decision: verdict,
      decided_by: acting.user.id,
      decided_at: at,
      closed_at: at,
      updated_at: at,
      revision: report.revision + 1,
    };
    const record = this.record("report.decide", acting.by, report, { verdict, comment: comment ?? null, alone });
    if (!(await this.deps.reports.save(next, report.revision, { record }))) throw changedSinceRead();
    return next;
  }

  /** Whether they may decide, and whether alone on what they reported themselves. */
  private async ruling(user: User, report: Report): Promise<Ruling> {
    return rulingOnReport(user, report, await this.deps.users.ofRoles(REPORT_ROLES));
  }

  private async shownOne(report: Report): Promise<ReportView> {
    const [view] = await this.shownAll([report]);
    if (!view) throw new Error("a report is shown as one");
    return view;
  }

  private names(reports: readonly Report[], assignees: Iterable<string>): Promise<Names> {
    const users = [...assignees, ...reports.flatMap(({ user_id, decided_by }) => [user_id, decided_by])];
    return namesFor(this.deps, { users, agents: reports.map(({ agent_id }) => agent_id) });
  }

  /** Somebody else's answers as one that does not exist. */
  private async visible(user: User, id: string): Promise<Report> {
    const report = isUuid(id) ? await this.deps.reports.byId(id.toLowerCase()) : null;
    if (report && (report.user_id === user.id || READING_ROLES.includes(user.role))) return report;
    throw new GuardError("not_found", "There is no such report.", { param: "id" });
  }

  private async masked(texts: readonly KeptText[]): Promise<KeptText[]> {
    const shown: KeptText[] = [];
    for (const text of texts) {
      const masked = await this.deps.mask(text.text);
      if (masked !== null) shown.push({ ...text, text: masked });
    }
    return shown;
  }

  private record(kind: string, by: Actor, report: Report, more: object): string {
    const { id, agent_id, direction } = report;
    const change = { kind, by, subject: "report", subject_id: id, detail: { ...more, agent_id, direction } };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const over = (status: ReportStatus): GuardError => new GuardError("state_conflict", `The report is already ${status}.`);

const shown = (
  { sealed_content: _, token_id: __, fingerprint: ___, ...report }: Report,
  names: Names,
  assignee: string | null,
): ReportView => {
  const { created_at, updated_at, closed_at, decided_at } = report;
  return {
    ...report,
    reporter: names.user(report.user_id),
    agent: report.agent_id && names.agent(report.agent_id),
    assignee: assignee && names.user(assignee),
    decider: report.decided_by && names.user(report.decided_by),
    flag_types: [...report.flag_types],
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
    closed_at: closed_at === null ? null : timestamp(closed_at),
    decided_at: decided_at === null ? null : timestamp(decided_at),
  };
};

/** Of each flag type that was disputed, most disputes first. A person's word counts more than the model's. */
export const ratesOf = (disputes: readonly Dispute[]): DisputeRate[] => {
  const byType = Map.groupBy(
    disputes
      .filter(({ status }) => status !== "withdrawn")
      .flatMap((report) => report.flag_types.map((type) => ({ type, word: report.decision ?? report.llm_verdict }))),
    ({ type }) => type,
  );
  const rates = [...byType].map(([flag_type, all]): DisputeRate => {
    const of = (word: string | null) => all.filter((one) => one.word === word).length;
    const [wrong, right] = [of("false_positive"), of("true_positive")];
    return {
      flag_type,
      disputes: all.length,
      false_positive: wrong,
      true_positive: right,
      inconclusive: of("inconclusive"),
      open: of(null),
      rate: wrong + right === 0 ? null : wrong / (wrong + right),
    };
  });
  return rates.toSorted((one, other) => other.disputes - one.disputes || (one.flag_type < other.flag_type ? -1 : 1));
};
