import { isRecord } from "#core/json/json";
import type { AnswerTo } from "#dashboard/api/client";
import { Value } from "#dashboard/parts/differences";
import { numberOf } from "#dashboard/parts/numbers";
import type { Answers, DraftAnswers, Section } from "#policy/review/questionnaire";
import type { Risk } from "#policy/review/review";
import { riskOf } from "#policy/review/risk";
import { EFFECT_OPTIONS, QUESTIONS, type Question, SECTIONS } from "./review-questions";

export type ReviewData = AnswerTo<"GET /api/reviews/:id">;

type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (answers: DraftAnswers, section: Section): Fields => answers[section] ?? {};

const isAnswered = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** The answers with another one in place; without it, for nothing. */
export const answered = (answers: DraftAnswers, section: Section, name: string, value: unknown): DraftAnswers => {
  const { [name]: _before, ...others } = fieldsOf(answers, section);
  return { ...answers, [section]: isAnswered(value) ? { ...others, [name]: value } : others };
};

export type AnswerProgress = { readonly answered: number; readonly of: number; readonly missing: readonly string[] };

/** How far a section is. Only questions that must be answered are missing. */
export const progressOf = (answers: DraftAnswers, section: Section): AnswerProgress => {
  const fields = fieldsOf(answers, section);
  const questions = QUESTIONS[section];
  return {
    answered: questions.filter(({ name }) => isAnswered(fields[name])).length,
    of: questions.length,
    missing: questions.filter(({ name, required }) => required && !isAnswered(fields[name])).map(({ label }) => label),
  };
};

export const missingIn = (answers: DraftAnswers): readonly Section[] =>
  SECTIONS.filter((section) => progressOf(answers, section).missing.length > 0);

/** As the hub takes them: without the rows of tools nobody has named yet. */
export const sendable = (answers: DraftAnswers): DraftAnswers => {
  const { tools: rows = [], ...others } = answers.tools ?? {};
  const named = rows.filter(({ tool }) => tool !== "");
  if (named.length === rows.length) return answers;
  // Rows without a name are no answer; no rows at all are one.
  return { ...answers, tools: named.length === 0 ? others : { ...others, tools: named } };
};

/** What is submitted has all nine sections, also those in which nothing must be answered and nothing was. */
export const withAllSections = (answers: DraftAnswers): DraftAnswers => ({
  ...Object.fromEntries(SECTIONS.map((section) => [section, {}])),
  ...answers,
});

/** A list of hosts stands for the allow-list; the form asks for the two one after the other. */
export const asAsked = (answers: DraftAnswers): DraftAnswers => {
  const security = answers.secrets_security;
  if (!Array.isArray(security?.egress)) return answers;
  return { ...answers, secrets_security: { ...security, egress: "allow_list", egress_hosts: security.egress } };
};

/** What the points are given for, and the questions that decide it. */
const DECIDED_BY: Readonly<Record<string, (answers: DraftAnswers) => boolean>> = {
  autonomy: ({ oversight }) => oversight?.autonomy !== undefined,
  audience: ({ purpose }) => purpose?.audience !== undefined,
  data: ({ data_privacy }) => data_privacy?.data_classes !== undefined,
  tools: ({ tools, secrets_security }) => tools?.tools !== undefined || secrets_security?.code_execution === true,
  egress: () => true,
};

type RiskSoFar = Risk & { readonly open: readonly string[] };

/** The tier as far as it can be told: what is not answered yet counts nothing, and is named. */
export const riskSoFar = (answers: DraftAnswers): RiskSoFar => {
  const { purpose, data_privacy, tools, secrets_security, oversight } = answers;
  const whole: Answers = {
    ownership: {},
    purpose: { intended_use: "", audience: "self", ...purpose },
    data_privacy: { data_classes: [], ...data_privacy },
    models: { models: [] },
    tools: { tools: [], ...tools },
    input_trust: { sources: [] },
    secrets_security: { ...secrets_security },
    oversight: { autonomy: "suggest", ...oversight },
    monitoring: {},
  };
  const risk = riskOf(whole);
  const open = risk.parts.map(({ name }) => name).filter((name) => !(DECIDED_BY[name]?.(answers) ?? true));
  return { ...risk, open };
};

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
