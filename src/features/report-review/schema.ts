import { type Static, Type } from "#core/schema";
import { oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { KeptText } from "#model/kept-content";
import { DIRECTIONS, REPORT_STATUSES, VERDICTS } from "#model/report";

/** A report as people are shown it. */
export const ReportView = Type.Object(
  {
    id: Type.String(),
    direction: oneOf(DIRECTIONS),
    status: oneOf(REPORT_STATUSES),
    user_id: Type.String(),
    reporter: Type.String({ description: "E-mail address of the reporter." }),
    agent_id: orNull(Type.String()),
    agent: orNull(Type.String({ description: "Name." })),
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
    assignee: orNull(Type.String({ description: "E-mail address of the user it is assigned to." })),
    decision: orNull(oneOf(VERDICTS)),
    decided_by: orNull(Type.String()),
    decider: orNull(Type.String({ description: "E-mail address of the decider." })),
    decided_at: orNull(Type.String()),
    created_at: Type.String(),
    updated_at: Type.String(),
    closed_at: orNull(Type.String()),
    revision: Type.Integer(),
  },
  { $id: "DeskReport" },
);
export type ReportView = Static<typeof ReportView>;
export const ReportViewPage = pageSchema(ReportView);

export const OpenedReport = Type.Composite(
  [
    ReportView,
    Type.Object({
      content: orNull(Type.Array(KeptText, { description: "Null when nothing is stored, or you may not view it." })),
      deciding: Type.Object(
        { allowed: Type.Boolean(), alone: Type.Boolean(), why: orNull(Type.String()) },
        { description: "Whether the current user may decide; `alone` requires a comment." },
      ),
      is_masked: Type.Boolean({ description: "Secrets and personal data are replaced by their type." }),
    }),
  ],
  { $id: "OpenedReport" },
);
export type OpenedReport = Static<typeof OpenedReport>;

export const ReportDecision = Type.Object(
  {
    verdict: Type.Union(
      VERDICTS.map((verdict) => Type.Literal(verdict)),
      { description: "Verdict." },
    ),
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: "Reason." })),
  },
  { additionalProperties: false, $id: "ReportDecision" },
);
export type ReportDecision = Static<typeof ReportDecision>;

export const ReviewerResume = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 2_000, description: "Why the reviewer model is trusted again." }) },
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
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Share of false positives in decided disputes; null without any.",
      }),
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
    model: orNull(Type.String({ description: "Null if not configured." })),
    provider: orNull(Type.String()),
    is_paused: Type.Boolean({ description: "The model failed a canary; people decide." }),
    reviews: Type.Integer(),
    canaries: Type.Integer({ description: "Canaries the model was tested with." }),
    readings_today: Type.Integer(),
    daily_budget: Type.Integer(),
  },
  { $id: "ReviewerState" },
);
export type ReviewerState = Static<typeof ReviewerState>;
