import type { ErrorCode } from "#core/errors";
import { Type } from "#core/schema";
import { SUGGESTION_STATES } from "#core/tuning/suggestion";
import type { About } from "#http/openapi/about";
import { IDEMPOTENCY_ERRORS } from "#http/openapi/call-errors";
import { IDEMPOTENCY, Id, oneOf, PAGE_QUERY } from "#http/openapi/shapes";
import {
  Application,
  ApprovalRequest,
  NewTuningRule,
  Rejection,
  SuggestionEdit,
  SuggestionTrial,
  TuningDecision,
  TuningRulePatch,
} from "./schema";
import {
  NamedRulePage,
  NamedSuggestionPage,
  ReadSuggestion,
  RulePage,
  ShownApplied,
  ShownRule,
  ShownStatus,
  ShownSuggestion,
  SuggestionPage,
  TuningTrial,
} from "./shown";

/* What is written down about the addresses of tuning: the same for gateway tokens and for people, as far as it is the same. */

const STATES = Type.String({
  description: `One or several of ${SUGGESTION_STATES.join(", ")}, with commas between.`,
  examples: ["proposed,approved"],
});
const MATCH = { types: ["secret.aws_access_key"], value: { text: "AKIAIOSFODNN7EXAMPLE", of: "match" } };
const DECIDING: readonly ErrorCode[] = ["state_conflict", "stale_base", "no_eligible_approver", "invalid_value"];
const APPLYING: readonly ErrorCode[] = [...DECIDING, "approval_required", "below_floor"];
/** In force at once, or waiting for somebody else. */
const OUTCOME: About["answers"] = {
  200: { schema: ShownRule, description: "The rule as it is now." },
  202: { schema: ShownSuggestion, description: "It would loosen something: it waits for somebody else." },
};
const optional = <T>(schema: T) => ({ schema, isOptional: true });

export const KEY = {
  headers: IDEMPOTENCY,
} as const;

export const LIST: About = {
  query: { status: STATES, agent_id: Id, ...PAGE_QUERY },
  answers: { 200: SuggestionPage },
};
export const LIST_BY_PERSON: About = {
  query: { status: STATES, effect: oneOf(["loosen", "tighten"]), agent_id: Id, ...PAGE_QUERY },
  answers: { 200: NamedSuggestionPage },
};
export const READ: About = { answers: { 200: ReadSuggestion } };
export const READ_BY_TOKEN: About = { answers: { 200: ShownSuggestion } };
export const STATUS: About = { answers: { 200: ShownStatus } };
export const REQUEST: About = {
  body: optional(ApprovalRequest),
  answers: { 202: ShownSuggestion },
  errors: DECIDING,
};
export const DECIDE: About = { body: optional(TuningDecision), answers: { 200: ShownSuggestion }, errors: DECIDING };
export const APPLY: About = { body: optional(Application), answers: { 200: ShownApplied }, errors: APPLYING };
export const REJECT: About = { body: Rejection, answers: { 200: ShownSuggestion }, errors: DECIDING };
export const EDIT: About = {
  body: { schema: SuggestionEdit, example: { change: { op: "allow" } } },
  answers: { 200: ShownSuggestion },
  errors: APPLYING,
};
export const TRY: About = {
  body: { schema: SuggestionTrial, example: { change: { op: "allow" } } },
  answers: { 200: TuningTrial },
  errors: ["state_conflict", "invalid_value", "below_floor"],
};
export const RULES: About = { query: PAGE_QUERY, answers: { 200: RulePage } };
export const ALL_RULES: About = { query: { agent_id: Id, ...PAGE_QUERY }, answers: { 200: NamedRulePage } };
export const RULE: About = { answers: { 200: ShownRule } };
export const REVERT: About = { answers: OUTCOME, errors: APPLYING };
export const SET_RULE: About = {
  ...KEY,
  body: {
    schema: NewTuningRule,
    example: { match: MATCH, change: { op: "allow" }, expires_in_days: 30, rationale: "The key of the documentation." },
  },
  answers: {
    201: { schema: ShownRule, description: "It is stricter, and in force." },
    202: { schema: ShownSuggestion, description: "It is looser: it waits for somebody else." },
  },
  errors: [...APPLYING, ...IDEMPOTENCY_ERRORS],
};
export const PATCH_RULE: About = {
  ...KEY,
  body: { schema: TuningRulePatch, example: { mode: "monitor", expires_in_days: 7 } },
  answers: OUTCOME,
  errors: [...APPLYING, ...IDEMPOTENCY_ERRORS],
};
