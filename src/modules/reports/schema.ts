import { GuardError } from "#core/errors";
import {
  DIRECTIONS,
  type Direction,
  LONGEST_CONTENT,
  REPORT_STATUSES,
  ReportRequest,
  type ReportStatus,
  VERDICTS,
} from "#core/report";
import { type Static, Type } from "#core/schema";
import { Moment, oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/** A report as its reporter is shown it: the published fields first. */
export const ShownReport = Type.Object(
  {
    miss_report_id: Type.String(),
    status: oneOf(REPORT_STATUSES),
    report_direction: oneOf(DIRECTIONS),
    llm_verdict: orNull(oneOf(VERDICTS)),
    llm_confidence: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    llm_reasoning: orNull(Type.String()),
    tuning_suggestion_id: orNull(Type.String()),
    questionnaire_section: Type.String({ description: "Of the nine sections of Agent Review." }),
    created_at: Type.String(),
    event_id: orNull(Type.String()),
    agent_id: orNull(Type.String()),
    direction: oneOf(DIRECTIONS),
  },
  { $id: "Report" },
);
export const ReportPage = pageSchema(ShownReport);
export type ShownReport = Static<typeof ShownReport>;

const { event_id: _, message_content: __, ...EITHER } = ReportRequest.properties;

/* What each kind cannot be without, for the document. What is missing is told of in words of its own. */
export const DisputeRequest = Type.Object(
  { event_id: Type.String({ maxLength: 100 }), message_content: ReportRequest.properties.message_content, ...EITHER },
  { $id: "DisputeRequest" },
);
export const MissReport = Type.Object(
  {
    message_content: Type.String({ maxLength: LONGEST_CONTENT }),
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
    remaining: orNull(Type.Integer({ description: "Null while nobody knows." })),
    next_at: orNull(Moment),
  },
  { $id: "ReportQuota" },
);
export type ReportQuotaLeft = Static<typeof ReportQuotaLeft>;

/** The query of the list, as it came. */
export type ListQuery = {
  readonly direction?: string | undefined;
  readonly status?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
};

/** Throws `invalid_value`. */
export const directionOf = (text: string | undefined): Direction | undefined => wordOf("direction", DIRECTIONS, text);

/** Throws `invalid_value`. */
export const statusOf = (text: string | undefined): ReportStatus | undefined => wordOf("status", REPORT_STATUSES, text);

const wordOf = <W extends string>(param: string, words: readonly W[], text: string | undefined): W | undefined => {
  const word = words.find((one) => one === text);
  if (text === undefined || word !== undefined) return word;
  throw new GuardError("invalid_value", `${param} must be one of ${words.join(", ")}.`, { param });
};
