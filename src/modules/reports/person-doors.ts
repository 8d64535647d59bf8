import { GuardError } from "#core/errors";
import type { User } from "#core/person";
import { type Direction, REPORT_WINDOW_MS, REPORTS_AN_HOUR } from "#core/report";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { recordedConversation } from "#engine/call-notes";
import type { ReportsLeft } from "#engine/report-quota";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import { type Clock, timestamp } from "#platform/clock";
import { CallReport, type ReportQuotaLeft } from "./schema";
import type { ReportService } from "./service";

/** What of a call its report begins with. */
export type ReportedCall = {
  readonly event_id: string | null;
  readonly agent_id: string | null;
  readonly conversation_id: string | null;
};

export type PersonReportDeps = {
  readonly service: Pick<ReportService, "post">;
  readonly answers: GuardAnswers;
  /** One's own, or of an agent of one's own. Throws `not_found` for all others. */
  readonly ownCall: (user: User, id: string) => Promise<ReportedCall>;
  /** Null while nobody knows. */
  readonly leftOf: (userId: string) => ReportsLeft | null;
  readonly bodyBytes: number;
  readonly now: Clock;
};

/** What people's addresses of reports do, without their addresses. */
export class PersonReportDoors {
  private readonly shape = new ShapeCheck(CallReport);

  constructor(private readonly deps: PersonReportDeps) {}

  async post({ user, session }: Person, id: string, direction: Direction, request: Request): Promise<Response> {
    const { answers, service, bodyBytes, ownCall } = this.deps;
    const { event_id, agent_id, conversation_id } = await ownCall(user, id);
    if (direction === "false_positive" && event_id === null) {
      throw new GuardError("not_disputable", "Nothing was blocked or redacted in this call.", { param: "id" });
    }
    const sent = await bodyOf(request, bodyBytes);
    const of = { event_id, agent_id, conversation_id: conversation_id && recordedConversation(conversation_id) };
    const read = () => ({ ...this.shape.check(sent()), ...of });
    const asker = { user, agent: null, token: null, session_id: session.id };
    const key = request.headers.get("idempotency-key");
    return answers.reply(asker, (callId) => service.post(asker, callId, direction, { key, read }));
  }

  quota({ user }: Person): Response {
    const left = this.deps.leftOf(user.id);
    const isFull = left === null || left.remaining === REPORTS_AN_HOUR;
    const quota: ReportQuotaLeft = {
      object: "report.quota",
      limit: REPORTS_AN_HOUR,
      window_seconds: REPORT_WINDOW_MS / 1_000,
      remaining: left?.remaining ?? null,
      next_at: isFull ? null : timestamp(this.deps.now() + left.resetMs),
    };
    return Response.json(quota);
  }
}
