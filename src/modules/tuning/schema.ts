import { GuardError } from "#core/errors";
import { type Static, Type } from "#core/schema";
import { GivenChange, GivenMatch } from "#core/tuning/shape";
import { SUGGESTION_STATES, type SuggestionState } from "#core/tuning/suggestion";

const closed = { additionalProperties: false } as const;
const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const mode = Type.Optional(
  Type.Union([Type.Literal("monitor"), Type.Literal("enforce")], {
    description: "monitor changes nothing, and records what it would have changed.",
  }),
);
const days = Type.Integer({ minimum: 1, maximum: 365, description: "A whole number of days from 1 to 365." });

export const ApprovalRequest = Type.Object(
  { note: orNull(text(1_000, "At most 1000 characters.")) },
  { ...closed, $id: "TuningApprovalRequest" },
);

export const Application = Type.Object(
  { mode, expires_in_days: Type.Optional(days) },
  { ...closed, $id: "TuningApplication" },
);

export const Rejection = Type.Object(
  { reason: text(200, "Why: at most 200 characters."), comment: orNull(text(4_000, "At most 4000 characters.")) },
  { ...closed, $id: "TuningRejection" },
);

export const TuningDecision = Type.Object(
  {
    reason: orNull(text(4_000, "Why: at most 4000 characters.")),
    comment: orNull(text(4_000, "The same under another name.")),
    content_hash: Type.Optional(text(64, "content_hash of the change that was read.")),
  },
  { ...closed, $id: "TuningDecision" },
);

export const SuggestionEdit = Type.Object(
  {
    match: Type.Optional(GivenMatch),
    change: Type.Optional(GivenChange),
    note: orNull(text(1_000, "Why, for who approves: at most 1000 characters.")),
  },
  { ...closed, $id: "SuggestionEdit" },
);
export type SuggestionEdit = Static<typeof SuggestionEdit>;

export const SuggestionTrial = Type.Object(
  { match: Type.Optional(GivenMatch), change: Type.Optional(GivenChange) },
  { ...closed, $id: "SuggestionTrial" },
);
export type SuggestionTrial = Static<typeof SuggestionTrial>;

export const NewTuningRule = Type.Object(
  {
    match: GivenMatch,
    change: GivenChange,
    mode,
    expires_in_days: Type.Optional(days),
    rationale: Type.Optional(text(1_000, "At most 1000 characters.")),
  },
  { ...closed, $id: "NewTuningRule" },
);

export const TuningRulePatch = Type.Object(
  {
    match: Type.Optional(GivenMatch),
    change: Type.Optional(GivenChange),
    mode,
    expires_in_days: orNull(days),
  },
  { ...closed, $id: "TuningRulePatch" },
);

export type Query = Readonly<Record<string, string | undefined>>;

const isState = (word: string): word is SuggestionState => SUGGESTION_STATES.some((state) => state === word);

/** `?status=proposed,approved`; null for all. Throws `invalid_value`. */
export const statesIn = (given: string | undefined): readonly SuggestionState[] | null => {
  if (given === undefined) return null;
  const words = given.split(",");
  const states = words.filter(isState);
  if (states.length === words.length) return states;
  throw new GuardError("invalid_value", `status is one or several of ${SUGGESTION_STATES.join(", ")}.`, {
    param: "status",
  });
};
