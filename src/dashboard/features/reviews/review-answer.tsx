import { isRecord } from "#core/json/json";
import { numberOf } from "#dashboard/parts/numbers";
import { Value } from "#dashboard/parts/value";
import { EFFECT_OPTIONS, type Question } from "./review-questions";

const toolWords = (declared: unknown): unknown => {
  if (!isRecord(declared)) return declared;
  const { server, tool, effect } = declared;
  const what = EFFECT_OPTIONS.find(({ value }) => value === effect)?.label ?? effect;
  return `${server ? `${server} › ` : ""}${tool}: ${what}`;
};

/** In the words of the form. */
const worded = (question: Question, value: unknown): unknown => {
  if (question.as === "tools") return Array.isArray(value) ? value.map(toolWords) : value;
  if (question.as === "number") return typeof value === "number" ? numberOf(value) : value;
  if (question.as !== "one" && question.as !== "several") return value;
  const named = (one: unknown) => question.options.find(({ value: known }) => known === one)?.label ?? one;
  return Array.isArray(value) && question.as === "several" ? value.map(named) : named(value);
};

/** An answer to a question of Agent Review, as people read it. */
export const Answer = ({ question, of: value }: { readonly question: Question | undefined; readonly of: unknown }) => (
  <Value of={question ? worded(question, value) : value} />
);
