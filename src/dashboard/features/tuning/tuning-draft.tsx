import { ApiError, type Input } from "#dashboard/api/client";
import { ORIGIN_WORDS, type PolicyOrigin } from "#dashboard/features/policy/policy-words";
import type { OpenSuggestion } from "./tuning-words";

type Edit = Input<"POST /api/tuning/:id/dry-run">["body"];
type Given = { readonly match: NonNullable<Edit["match"]>; readonly change: NonNullable<Edit["change"]> };
type Action = "allow" | Stricter;

type Op = Given["change"]["op"];
export type Stricter = "flag" | "redact" | "block";

export const ALL_ORIGINS = Object.keys(ORIGIN_WORDS).filter((word): word is PolicyOrigin => word in ORIGIN_WORDS);

/** A change as it stands in the form: what belongs to another kind of change is kept, so that trying kinds loses nothing. */
export type TuningForm = {
  readonly op: Op;
  /** One a line. */
  readonly types: string;
  readonly origins: readonly PolicyOrigin[];
  /** Which value: none in particular, the one that is there, or another. */
  readonly value: "any" | "kept" | "new";
  readonly text: string;
  readonly of: "match" | "text";
  readonly pattern: string;
  readonly context: string;
  /** One a line. */
  readonly keywords: string;
  readonly action: Stricter;
  readonly score: string;
  readonly from: Action;
  readonly to: Action;
};

export const draftOf = ({ match, change }: Pick<OpenSuggestion, "match" | "change">): TuningForm => ({
  op: change.op === "amend" ? "allow" : change.op,
  types: match.types.join("\n"),
  origins: match.origins ?? ALL_ORIGINS,
  value: match.value ? "kept" : "any",
  text: "",
  of: match.value?.of ?? "match",
  pattern: match.pattern ?? "",
  context: match.context ?? "",
  keywords: match.keywords?.join("\n") ?? "",
  action: change.op === "threshold" || change.op === "detect" ? change.action : "redact",
  score: change.op === "threshold" ? String(change.to) : "0.8",
  from: change.op === "action" ? change.from : "block",
  to: change.op === "action" ? change.to : "flag",
});

const linesOf = (text: string): string[] => text.split(/[\n,]+/).flatMap((line) => line.trim() || []);

/** What is sent of it: only what belongs to its kind. */
export const givenOf = (
  draft: TuningForm,
  { match: { value: kept, types }, change: before }: OpenSuggestion,
): Given => {
  const { op, origins, pattern, context } = draft;
  const narrowed = { ...(pattern !== "" && { pattern }) };
  const where = origins.length < ALL_ORIGINS.length ? { origins: [...origins] } : {};
  const match = { types: linesOf(draft.types), ...where };
  if (op === "allow") {
    const value =
      draft.value === "new"
        ? { value: { text: draft.text, of: draft.of } }
        : draft.value === "kept" && kept && { value: kept };
    return { match: { ...match, ...value, ...narrowed, ...(context !== "" && { context }) }, change: { op } };
  }
  if (op === "detect") {
    const keywords = linesOf(draft.keywords);
    const change = { op, action: draft.action };
    // A pattern of one's own is a type of its own; the hub names it.
    const found = { types: before.op === "detect" ? [...types] : [], ...where };
    return { match: { ...found, ...narrowed, ...(keywords.length > 0 && { keywords }) }, change };
  }
  if (op === "threshold") return { match, change: { op, action: draft.action, to: Number(draft.score) } };
  return { match, change: { op, from: draft.from, to: draft.to } };
};

/** The same for who reads it: in the words a suggestion is shown in. `from` is known only once the hub was asked. */
export const shownOf = (draft: TuningForm, it: OpenSuggestion): Pick<OpenSuggestion, "match" | "change"> => {
  const { match, change } = givenOf(draft, it);
  const { types = [], value, ...rest } = match;
  const from =
    it.change.op === "threshold" && change.op === "threshold" && it.change.action === change.action
      ? it.change.from
      : null;
  return {
    match: { ...rest, types, ...(value && { value: { hash: value.hash ?? "", of: value.of } }) },
    change: change.op === "threshold" ? { ...change, from } : change,
  };
};

/** Places of a request, and the field that shows what is wrong there. */
const FIELDS: readonly (readonly [param: string, field: keyof TuningForm])[] = [
  ["match.types", "types"],
  ["match.origins", "origins"],
  ["match.value", "text"],
  ["match.pattern", "pattern"],
  ["match.context", "context"],
  ["match.keywords", "keywords"],
  ["change.action", "action"],
  ["change.from", "from"],
  ["change.to", "to"],
  ["match", "value"],
  ["change", "op"],
];

export type DraftFaults = Partial<Readonly<Record<keyof TuningForm, string>>>;

/** What the hub says against a draft, at the field it is about; nothing where it is about no field of it. */
export const faultsOf = (error: Error | null, { op }: TuningForm): DraftFaults => {
  if (!(error instanceof ApiError) || error.param === null) return {};
  const { param, message } = error;
  const [, field] =
    FIELDS.find(([at]) => param === at || param.startsWith(`${at}.`) || param.startsWith(`${at}[`)) ?? [];
  if (!field) return {};
  if (field === "to" && op === "threshold") return { score: message };
  // What narrows an exception is no matter of the other kinds.
  return { [field === "value" && op !== "allow" ? "types" : field]: message };
};
