import { type Actor, changeRecord } from "#core/change";
import { GuardError } from "#core/errors";
import type { KeptText } from "#core/kept-content";
import { READING_ROLES } from "#core/ownership";
import type { Window } from "#core/page";
import type { Role, User } from "#core/person";
import type { Report, ReportStatus } from "#core/report";
import type { Mask } from "#core/reviewer/mask";
import { type Names, namesFor } from "#engine/names";
import type { SealedTexts } from "#engine/sealed-texts";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { ReportFilter, ReportStore } from "#store/loop-port";
import type { AgentStore, UserStore } from "#store/port";
import { ratesOf } from "./rates";
import type { DeskReport, DisputeRate, OpenedReport, ReportDecision } from "./schema";

/** Who does it, and how they were known. */
export type Acting = { readonly user: User; readonly by: Actor };

type Deps = {
  readonly reports: Pick<ReportStore, "byId" | "disputes" | "page" | "save">;
  readonly users: Pick<UserStore, "byIds" | "ofRoles">;
  readonly agents: Pick<AgentStore, "byIds">;
  readonly content: Pick<SealedTexts, "ofReport">;
  /** Takes secrets and personal data out of what is shown to others. */
  readonly mask: Mask;
  /** Makes what follows from a verdict, now or soon; the report with it. */
  readonly followUp: (report: Report) => Promise<Report>;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** `why` not; null where they may. */
type Ruling = { readonly why: string } | { readonly why: null; readonly alone: boolean };

/** Who reads what was reported, and says what it is. */
const DESK_ROLES: readonly Role[] = ["admin", "reviewer", "analyst"];
const DECIDABLE: readonly ReportStatus[] = ["submitted", "reviewing", "reviewed", "needs_human"];

/** Reports as people look at them and decide on them, whatever a model has said. */
export class ReportDesk {
  constructor(private readonly deps: Deps) {}

  /** Newest first: one's own, or all for who looks after them. */
  async page(user: User, filter: ReportFilter, window: Window): Promise<DeskReport[]> {
    const whose = READING_ROLES.includes(user.role) ? {} : { user_id: user.id };
    return this.all({ ...filter, ...whose }, window);
  }

  /** Everybody's, for who stands at the machine itself. */
  async all(filter: ReportFilter, window: Window): Promise<DeskReport[]> {
    const reports = await this.deps.reports.page(filter, window);
    const names = await this.names(reports);
    return reports.map((report) => shown(report, names));
  }

  /** Of disputes since then: one's own, or all for who looks after them. */
  async rates(user: User, since: number): Promise<DisputeRate[]> {
    const whose = READING_ROLES.includes(user.role) ? {} : { user_id: user.id };
    return ratesOf(await this.deps.reports.disputes({ ...whose, since }));
  }

  /** With its content: whole for the desk, each look on record; masked for the reporter. Throws `not_found`. */
  async open(acting: Acting, id: string): Promise<OpenedReport> {
    const report = await this.visible(acting.user, id);
    const isDesk = DESK_ROLES.includes(acting.user.role);
    const opened = {
      ...shown(report, await this.names([report])),
      deciding: decidingOf(await this.ruling(acting.user, report)),
    };
    if (report.sealed_content === null || !(isDesk || report.user_id === acting.user.id)) {
      return { ...opened, content: null, is_masked: false };
    }
    // That somebody looks is on disk before they see anything.
    if (isDesk) await this.deps.writeRecord(this.record("report.read", acting.by, report, {}));
    const texts = this.deps.content.ofReport(report)?.texts;
    const content = texts ? (isDesk ? [...texts] : this.masked(texts)) : null;
    return { ...opened, content, is_masked: !isDesk };
  }

  /**
   * A person's word, which closes the report. Throws `not_found`, `insufficient_scope`; `approval_required` where a sole
   * administrator gives no reason; `state_conflict` for what is closed.
   */
  async decide(acting: Acting, id: string, { verdict, comment }: ReportDecision): Promise<DeskReport> {
    const report = await this.visible(acting.user, id);
    const alone = mustBeAllowed(await this.ruling(acting.user, report), comment);
    if (!DECIDABLE.includes(report.status)) throw over(report.status);
    const at = this.deps.now();
    const next: Report = {
      ...report,
      status: "closed",
      decision: verdict,
      decided_by: acting.user.id,
      ...{ decided_at: at, closed_at: at, updated_at: at },
      revision: report.revision + 1,
    };
    const record = this.record("report.decide", acting.by, report, { verdict, comment: comment ?? null, alone });
    if (!(await this.deps.reports.save(next, report.revision, { record }))) {
      throw new GuardError("stale_base", "The report has changed meanwhile. Look at it again.");
    }
    return shown(await this.deps.followUp(next), await this.names([next]));
  }

  /** Whether they may decide, and whether alone on what they reported themselves. */
  private async ruling(user: User, { user_id }: Report): Promise<Ruling> {
    if (!DESK_ROLES.includes(user.role)) return { why: `This takes the role ${DESK_ROLES.join(" or ")}.` };
    if (user_id !== user.id) return { why: null, alone: false };
    const others = (await this.deps.users.ofRoles(DESK_ROLES)).filter(
      ({ id, state }) => id !== user.id && state === "active",
    );
    if (user.role !== "admin" || others.length > 0) return { why: "Who reported it does not decide on it." };
    return { why: null, alone: true };
  }

  private names(reports: readonly Report[]): Promise<Names> {
    const users = reports.flatMap(({ user_id, decided_by }) => [user_id, decided_by]);
    return namesFor(this.deps, { users, agents: reports.map(({ agent_id }) => agent_id) });
  }

  /** Somebody else's answers as one that does not exist. */
  private async visible(user: User, id: string): Promise<Report> {
    const report = isUuid(id) ? await this.deps.reports.byId(id.toLowerCase()) : null;
    if (report && (report.user_id === user.id || READING_ROLES.includes(user.role))) return report;
    throw new GuardError("not_found", "There is no such report.", { param: "id" });
  }

  private masked(texts: readonly KeptText[]): KeptText[] {
    return texts.flatMap((text) => {
      const masked = this.deps.mask(text.text);
      return masked === null ? [] : [{ ...text, text: masked }];
    });
  }

  private record(kind: string, by: Actor, report: Report, more: object): string {
    const { id, agent_id, direction } = report;
    const change = { kind, by, subject: "report", subject_id: id, detail: { ...more, agent_id, direction } };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

/** Whether they decide alone. Throws `insufficient_scope`; `approval_required` for who does and gives no reason. */
const mustBeAllowed = (ruling: Ruling, comment: string | undefined): boolean => {
  if (ruling.why !== null) throw new GuardError("insufficient_scope", ruling.why);
  if (ruling.alone && comment === undefined) {
    throw new GuardError("approval_required", "Deciding alone on one's own report takes a reason.", {
      param: "comment",
    });
  }
  return ruling.alone;
};

const decidingOf = (ruling: Ruling): OpenedReport["deciding"] =>
  ruling.why === null
    ? { allowed: true, alone: ruling.alone, why: null }
    : { allowed: false, alone: false, why: ruling.why };

const over = (status: ReportStatus): GuardError =>
  new GuardError("state_conflict", `The report is ${status}: nothing is left to decide.`);

const shown = ({ sealed_content: _, token_id: __, ...report }: Report, names: Names): DeskReport => {
  const { created_at, updated_at, closed_at, decided_at } = report;
  return {
    ...report,
    reporter: names.user(report.user_id),
    agent: report.agent_id && names.agent(report.agent_id),
    decider: report.decided_by && names.user(report.decided_by),
    flag_types: [...report.flag_types],
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
    closed_at: closed_at === null ? null : timestamp(closed_at),
    decided_at: decided_at === null ? null : timestamp(decided_at),
  };
};
