import { type Static, Type } from "#core/schema";
import type { KeptText, KeptTexts } from "./kept-content";

/*
 * What callers say about the scanner: a block that was wrong (a dispute), or something it missed. Field names and values
 * of the wire are the published interface's (§2.2).
 */

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export const CONFIDENCES = ["unlikely", "possible", "likely", "certain"] as const;
export const DIRECTIONS = ["false_positive", "false_negative"] as const;
export const VERDICTS = ["false_positive", "true_positive", "inconclusive"] as const;
export type DisputeVerdict = (typeof VERDICTS)[number];
export type Direction = (typeof DIRECTIONS)[number];

/** `submitted → reviewing → reviewed → closed`, or `submitted → needs_human → closed`; `withdrawn` by who reported. */
export const REPORT_STATUSES = ["submitted", "reviewing", "reviewed", "needs_human", "closed", "withdrawn"] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Optional(nullable(schema));

/** The longest content a report may carry, in UTF-16 units. */
export const MAX_CONTENT_LENGTH = 65_536;

/** What is sent. Fields beside these are left alone, so that next year's clients work. */
export const ReportRequest = Type.Object(
  {
    event_id: optional(Type.String({ maxLength: 100 })),
    user_reason: optional(Type.String({ maxLength: 4_000 })),
    message_content: optional(Type.String({ maxLength: MAX_CONTENT_LENGTH })),
    conversation_id: optional(Type.String({ maxLength: 200 })),
    agent_id: optional(Type.String({ maxLength: 100 })),
    flag_types: optional(
      Type.Array(Type.String({ pattern: "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$", maxLength: 100 }), { maxItems: 20 }),
    ),
    severity_estimate: optional(Type.Union(SEVERITIES.map((word) => Type.Literal(word)))),
    reporter_confidence: optional(Type.Union(CONFIDENCES.map((word) => Type.Literal(word)))),
    share_content: optional(Type.Boolean()),
  },
  { $id: "ReportRequest" },
);
export type ReportRequest = Static<typeof ReportRequest>;

/** One report as it is kept. Times are Unix milliseconds. */
export type Report = {
  readonly id: string;
  readonly direction: Direction;
  readonly status: ReportStatus;
  readonly user_id: string;
  readonly token_id: string | null;
  readonly agent_id: string | null;
  /** The blocked scan event; null for a miss that names none. */
  readonly event_id: string | null;
  readonly flag_types: readonly string[];
  readonly user_reason: string | null;
  readonly severity_estimate: (typeof SEVERITIES)[number] | null;
  readonly reporter_confidence: (typeof CONFIDENCES)[number] | null;
  readonly conversation_id: string | null;
  readonly share_content: boolean;
  /** Of the nine sections of Agent Review. */
  readonly questionnaire_section: string;
  /** Sealed: what was shared, or what of the blocked text was still there. Null when there is none, and once it is deleted. */
  readonly sealed_content: string | null;
  /** See `model/fingerprint.ts`. Null where nothing was known of the text. */
  readonly fingerprint: string | null;
  readonly llm_verdict: DisputeVerdict | null;
  /** 0 to 1. */
  readonly llm_confidence: number | null;
  readonly llm_reasoning: string | null;
  readonly tuning_suggestion_id: string | null;
  /** A person's word, which counts more than the model's. */
  readonly decision: DisputeVerdict | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly revision: number;
};

/** Accepted reports of one user in an hour, over all tokens and both directions. */
export const REPORTS_AN_HOUR = 5;
export const REPORT_WINDOW_MS = 3_600_000;

/** What a report's content is sealed for: it opens nowhere else. Inside are `KeptTexts`, as JSON. */
export const reportPurpose = (id: string): string => `report ${id}`;

/** A text that was sent with a report, and where it stood, as far as that is known. */
export const sentContent = (text: string, place: Omit<KeptText, "text"> | null): KeptTexts => ({
  texts: [{ ...(place ?? { stage: "input", param: "message_content", origin: "user" }), text }],
  cut: false,
});

/**
 * Which of Agent Review's nine sections a report is about: that of its most severe flag type. In order of severity:
 * what leaks cannot be taken back, and who is spoken to by an attacker does the rest.
 */
const SECTION_OF: readonly (readonly [prefix: string, section: string])[] = [
  ["secret", "secrets_security"],
  ["egress", "secrets_security"],
  ["injection", "input_trust"],
  ["tool", "tools"],
  ["pii", "data_privacy"],
  ["policy.model", "models"],
  ["policy.limit", "oversight"],
  ["policy.human_approval", "oversight"],
];

/** All sections a report can be of. */
export const REPORT_SECTIONS: readonly string[] = [
  ...new Set([...SECTION_OF.map(([, section]) => section), "monitoring"]),
];

/** Where everything else belongs: somebody has to look. */
const REST = "monitoring";

export const sectionOf = (flagTypes: readonly string[]): string => {
  const isOf = (prefix: string) => flagTypes.some((type) => type === prefix || type.startsWith(`${prefix}.`));
  return SECTION_OF.find(([prefix]) => isOf(prefix))?.[1] ?? REST;
};
