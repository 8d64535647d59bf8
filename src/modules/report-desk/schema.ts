import { KeptText } from "#core/kept-content";
import { DIRECTIONS, REPORT_STATUSES, VERDICTS } from "#core/report";
import { type Static, Type } from "#core/schema";
import { oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/** A report as people are shown it. */
export const DeskReport = Type.Object(
  {
    id: Type.String(),
    direction: oneOf(DIRECTIONS),
    status: oneOf(REPORT_STATUSES),
    user_id: Type.String(),
    reporter: Type.String({ description: "The e-mail address of who sent it." }),
    agent_id: orNull(Type.String()),
    agent: orNull(Type.String({ description: "Its name." })),
    event_id: orNull(Type.String()),
    flag_types: Type.Array(Type.String()),
    user_reason: orNull(Type.String()),
    severity_estimate: orNull(Type.String()),
    reporter_confidence: orNull(Type.String()),
    conversation_id: orNull(Type.String()),
    share_content: Type.Boolean(),
    questionnaire_section: Type.String(),
    llm_verdict: orNull(oneOf(VERDICTS)),
    llm_confidence: orNull(Type.Number()),
    llm_reasoning: orNull(Type.String({ description: "Plain text, written by a model." })),
    tuning_suggestion_id: orNull(Type.String()),
    decision: orNull(oneOf(VERDICTS)),
    decided_by: orNull(Type.String()),
    decider: orNull(Type.String({ description: "The e-mail address of who decided." })),
    decided_at: orNull(Type.String()),
    created_at: Type.String(),
    updated_at: Type.String(),
    closed_at: orNull(Type.String()),
    revision: Type.Integer(),
  },
  { $id: "DeskReport" },
);
export type DeskReport = Static<typeof DeskReport>;
export const DeskPage = pageSchema(DeskReport);

export const OpenedReport = Type.Composite(
  [
    DeskReport,
    Type.Object({
      content: orNull(Type.Array(KeptText, { description: "Null when nothing is kept, or it is not yours to read." })),
      deciding: Type.Object(
        { allowed: Type.Boolean(), alone: Type.Boolean(), why: orNull(Type.String()) },
        { description: "Whether the reader may decide; `alone` takes a comment." },
      ),
      is_masked: Type.Boolean({ description: "Secrets and personal data in it are replaced by their kind." }),
    }),
  ],
  { $id: "OpenedReport" },
);
export type OpenedReport = Static<typeof OpenedReport>;

export const ReportDecision = Type.Object(
  {
    verdict: Type.Union(
      VERDICTS.map((verdict) => Type.Literal(verdict)),
      { description: "What the report is found to be." },
    ),
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: "Why, in some words." })),
  },
  { additionalProperties: false, $id: "ReportDecision" },
);
export type ReportDecision = Static<typeof ReportDecision>;

export const ReviewerResume = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 2_000, description: "Why it is trusted again." }) },
  { additionalProperties: false, $id: "ReviewerResume" },
);
export type ReviewerResume = Static<typeof ReviewerResume>;

/** How often what the scanner did about a flag type was disputed, and what came of it. */
export const DisputeRate = Type.Object(
  {
    flag_type: Type.String({ examples: ["secret.aws_access_key"] }),
    disputes: Type.Integer(),
    false_positive: Type.Integer(),
    true_positive: Type.Integer(),
    inconclusive: Type.Integer(),
    open: Type.Integer(),
    rate: orNull(
      Type.Number({ minimum: 0, maximum: 1, description: "False positives of all told apart; null where none was." }),
    ),
  },
  { $id: "DisputeRate" },
);
export type DisputeRate = Static<typeof DisputeRate>;

export const DisputeRates = Type.Object(
  { object: Type.Literal("list"), days: Type.Integer(), data: Type.Array(DisputeRate) },
  { $id: "DisputeRates" },
);
export type DisputeRates = Static<typeof DisputeRates>;

/** The reviewing model, and how it does. */
export const ReviewerState = Type.Object(
  {
    model: orNull(Type.String({ description: "Null where none is configured." })),
    provider: orNull(Type.String()),
    is_paused: Type.Boolean({ description: "It got a known case wrong; people judge." }),
    reviews: Type.Integer(),
    canaries: Type.Integer({ description: "Known cases it was tried with." }),
    readings_today: Type.Integer(),
    daily_budget: Type.Integer(),
  },
  { $id: "ReviewerState" },
);
export type ReviewerState = Static<typeof ReviewerState>;
