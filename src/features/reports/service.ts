import { GuardError } from "#core/errors";
import type { CallGate } from "#guard/call-gate";
import { auditedCall } from "#guard/endpoints/audited-call";
import { type Idempotency, jsonReply, type Reply } from "#guard/endpoints/idempotency";
import type { ReportQuota } from "#guard/endpoints/report-quota";
import type { GuardNeeds } from "#guard/guard-needs";
import { readPage } from "#http/page";
import { changeRecord } from "#model/change";
import { actorOf, type Principal, type TokenPrincipal } from "#model/principal";
import {
  type Direction,
  REPORT_WINDOW_MS,
  REPORTS_AN_HOUR,
  type Report,
  type ReportRequest,
  type ReportStatus,
} from "#model/report";
import { isUuid } from "#platform/ids";
import type { Job, ReportStore } from "#store/loop-port";
import { type IntakeNeeds, ReportIntake } from "./intake";
import type { ReportPage, ReportResponse } from "./schema";
import { reportResponse } from "./schema";

type ReportServiceNeeds = IntakeNeeds & {
  readonly guard: GuardNeeds;
  readonly reports: Pick<ReportStore, "open" | "page" | "byId" | "save">;
  readonly quota: ReportQuota;
  readonly idempotency: Idempotency;
};

/** A report as it is sent: `read` parses the body, or throws what is wrong with it. */
type SentReport = { readonly key: string | null; readonly read: () => ReportRequest };

type ListQuery = {
  readonly direction?: Direction;
  readonly status?: ReportStatus;
  readonly limit?: number;
  readonly cursor?: string;
};

const KINDS = { false_positive: "guard.dispute", false_negative: "guard.miss_report" } as const;

/** What callers say about the scanner, for themselves. Every method is audited as a call and throws only `GuardError`s. */
export class ReportService {
  private readonly intake: ReportIntake;

  constructor(private readonly deps: ReportServiceNeeds) {
    this.intake = new ReportIntake(deps);
  }

  /** 201, or 200 with the same report from before. */
  post(caller: Principal, id: string, direction: Direction, { key, read }: SentReport): Promise<Reply> {
    const kind = KINDS[direction];
    return auditedCall(this.deps.guard, { caller, kind, id }, async ({ gate }) => {
      gate.assertNotStopped();
      const body = read();
      const scope = `${caller.user.id} ${caller.agent?.id ?? "-"} ${kind}`;
      return this.deps.idempotency.once({ scope, key, body }, () => this.open(gate, caller, direction, body));
    });
  }

  list(caller: TokenPrincipal, id: string, { direction, status, limit, cursor }: ListQuery): Promise<ReportPage> {
    return auditedCall(this.deps.guard, { caller, kind: "guard.reports", id }, async () => {
      const filter = {
        user_id: caller.user.id,
        agent_id: caller.agent?.id,
        direction,
        statuses: status && [status],
      };
      const page = await readPage({ limit, cursor }, (window) => this.deps.reports.page(filter, window));
      return { ...page, data: page.data.map(reportResponse) };
    });
  }

  read(caller: TokenPrincipal, id: string, reportId: string): Promise<ReportResponse> {
    return auditedCall(this.deps.guard, { caller, kind: "guard.reports", id }, async () =>
      reportResponse(await this.own(caller, reportId)),
    );
  }

  /** Forgets what was told. It still counts. What was decided stays decided. */
  withdraw(caller: TokenPrincipal, id: string, reportId: string): Promise<ReportResponse> {
    return auditedCall(this.deps.guard, { caller, kind: "guard.report_withdrawal", id }, async () => {
      if (caller.agent) {
        // What a person has reported of an agent is not the agent's to take back.
        throw new GuardError("insufficient_scope", "Withdraw the report with a user's token, not an agent's.");
      }
      return reportResponse(await this.forget(caller, reportId));
    });
  }

  private async open(gate: CallGate, caller: Principal, direction: Direction, body: ReportRequest): Promise<Reply> {
    const { reports, quota } = this.deps;
    const report = await this.intake.accept(gate, caller, direction, body);
    const limit = { most: REPORTS_AN_HOUR, since: report.created_at - REPORT_WINDOW_MS };
    const opened = await reports.open(report, limit, this.jobOf(report), this.record("report.create", caller, report));
    if (opened.kind === "over_limit") {
      await quota.refresh();
      throw this.overLimit(opened.until);
    }
    if (opened.kind === "created") quota.note(report.user_id, report.created_at);
    return jsonReply(opened.kind === "created" ? 201 : 200, reportResponse(opened.report));
  }

  /** The review is also who leaves a report to people. */
  private jobOf({ id, created_at }: Report): Job {
    return { id: this.deps.ids(), kind: "report.review", ref: id, run_at: created_at, attempts: 0 };
  }

  private overLimit(until: number): GuardError {
    const seconds = Math.max(1, Math.ceil((until - this.deps.now()) / 1_000));
    const message = `A user can send ${REPORTS_AN_HOUR} reports in an hour, over all tokens. The next is accepted in ${seconds} s.`;
    return new GuardError("report_limit_exceeded", message, { headers: { "retry-after": String(seconds) } });
  }

  /** Throws `not_found`, for another's too. An agent is shown what is about itself. */
  private async own({ user, agent }: TokenPrincipal, id: string): Promise<Report> {
    const report = isUuid(id) ? await this.deps.reports.byId(id.toLowerCase()) : null;
    if (report?.user_id === user.id && (!agent || report.agent_id === agent.id)) return report;
    throw new GuardError("not_found", "There is no such report.", { param: "id" });
  }

  private async forget(caller: TokenPrincipal, id: string): Promise<Report> {
    const { reports, now } = this.deps;
    for (;;) {
      const report = await this.own(caller, id);
      const next: Report = {
        ...report,
        status: report.status === "closed" ? "closed" : "withdrawn",
        sealed_content: null,
        fingerprint: null,
        user_reason: null,
        conversation_id: null,
        llm_reasoning: null,
        closed_at: report.closed_at ?? now(),
        updated_at: now(),
        revision: report.revision + 1,
      };
      if (report.status === "withdrawn") return report;
      // False when the review was quicker: what it wrote is taken in, and forgotten.
      const record = this.record("report.withdraw", caller, next);
      if (await reports.save(next, report.revision, { record })) return next;
    }
  }

  private record(kind: string, caller: Principal, report: Report): string {
    const by = actorOf(caller);
    const { id, direction, status, event_id, agent_id, share_content, questionnaire_section } = report;
    const detail = { direction, status, event_id, agent_id, share_content, questionnaire_section };
    const change = { kind, by, subject: "report", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}
