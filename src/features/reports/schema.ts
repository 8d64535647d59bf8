import { type Static, Type } from "#core/schema";
import { Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { DIRECTIONS, MAX_CONTENT_LENGTH, REPORT_STATUSES, type Report, ReportRequest, VERDICTS } from "#model/report";
import { timestamp } from "#platform/clock";

/** A report as its reporter is shown it: the published fields first. */
export const ReportResponse = Type.Object(
  {
    miss_report_id: Type.String(),
    status: oneOf(REPORT_STATUSES),
    report_direction: oneOf(DIRECTIONS),
    llm_verdict: orNull(oneOf(VERDICTS)),
    llm_confidence: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    llm_reasoning: orNull(Type.String()),
    tuning_suggestion_id: orNull(Type.String()),
    questionnaire_section: Type.String({ description: "Section of the questionnaire." }),
    created_at: Type.String(),
    event_id: orNull(Type.String()),
    agent_id: orNull(Type.String()),
    direction: oneOf(DIRECTIONS),
  },
  { $id: "Report" },
);
export const ReportPage = pageSchema(ReportResponse);
export type ReportPage = Static<typeof ReportPage>;
export type ReportResponse = Static<typeof ReportResponse>;

const { event_id: _, message_content: __, ...EITHER } = ReportRequest.properties;

/* What each kind cannot be without. */
export const DisputeRequest = Type.Object(
  { event_id: Type.String({ maxLength: 100 }), message_content: ReportRequest.properties.message_content, ...EITHER },
  { $id: "DisputeRequest" },
);
export const MissReport = Type.Object(
  {
    message_content: Type.String({ maxLength: MAX_CONTENT_LENGTH }),
    event_id: ReportRequest.properties.event_id,
    ...EITHER,
  },
  { $id: "MissReport" },
);

/** A report of a call that stands in the address: what the call itself says is not sent. */
export const CallReport = Type.Omit(ReportRequest, ["event_id", "agent_id", "conversation_id"], {
  additionalProperties: false,
  $id: "CallReport",
});
export type CallReport = Static<typeof CallReport>;

/** How many reports somebody may still send. `next_at`: when one more is allowed again; null while all of them are. */
export const ReportQuotaLeft = Type.Object(
  {
    object: Type.Literal("report.quota"),
    limit: Type.Integer({ examples: [5] }),
    window_seconds: Type.Integer({ examples: [3_600] }),
    remaining: orNull(Type.Integer({ description: "Null if unknown." })),
    next_at: orNull(Moment),
  },
  { $id: "ReportQuota" },
);
export type ReportQuotaLeft = Static<typeof ReportQuotaLeft>;

export const reportResponse = (report: Report): ReportResponse => ({
  miss_report_id: report.id,
  status: report.status,
  report_direction: report.direction,
  llm_verdict: report.llm_verdict,
  llm_confidence: report.llm_confidence,
  llm_reasoning: report.llm_reasoning,
  tuning_suggestion_id: report.tuning_suggestion_id,
  questionnaire_section: report.questionnaire_section,
  created_at: timestamp(report.created_at),
  event_id: report.event_id,
  agent_id: report.agent_id,
  direction: report.direction,
});
