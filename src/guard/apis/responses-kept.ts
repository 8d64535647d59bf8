import type { JsonRecord } from "#core/json/json";
import type { ModelApi } from "#guard/apis/api";
import { OPENAI_ERRORS } from "#guard/apis/openai-errors";
import { RESPONSES } from "#guard/apis/responses";
import { ResponsesStream } from "#guard/apis/responses-stream";
import type { ModelCallKind } from "#model/model-api";
import { responseUsage } from "#model/responses";
import type { UpstreamMethod } from "#upstream/port";

/** What a provider takes in the query of such a call, and which values. */
export type QueryRules = Readonly<Record<string, RegExp>>;

/** A call about a response that its provider keeps, by its id. */
export type KeptApi = ModelApi & {
  readonly method: UpstreamMethod;
  /** What stands behind the id in the address. */
  readonly rest: string;
  readonly query: QueryRules;
  /** Whether it uses what is kept: callers that may not have any may still have it ended and deleted. */
  readonly isUse: boolean;
};

const NOTHING_USED = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Tokens of a response in the background are told here alone; those of others were counted when they were made. */
const usageOf = (answer: JsonRecord) => (answer["background"] === true ? responseUsage(answer) : NOTHING_USED);

const INCLUDE = /^[a-z_.]{1,128}$/;
const ITEM_ID = /^[\w-]{1,256}$/;
const BOOLEAN = /^(?:true|false)$/;
const SEQUENCE_NUMBER = /^\d{1,9}$/;

type Kept = Pick<KeptApi, "rest" | "query" | "isUse" | "answer" | "stream">;

const kept = (
  kind: ModelCallKind,
  method: UpstreamMethod,
  { rest = "", query = {}, isUse = false, answer, stream = null }: Partial<Kept> = {},
): KeptApi => ({
  ...RESPONSES,
  kind,
  answer: answer ?? { ...RESPONSES.answer, usageOf },
  // A block as an answer would be taken for what the provider keeps.
  errors: { ...OPENAI_ERRORS, refusalOf: null },
  stream,
  method,
  rest,
  query,
  isUse,
});

export const RETRIEVE = kept("responses.retrieve", "GET", {
  query: { include: INCLUDE, include_obfuscation: BOOLEAN, stream: BOOLEAN, starting_after: SEQUENCE_NUMBER },
  isUse: true,
  stream: (wish) => new ResponsesStream(wish, usageOf),
});
export const DELETE = kept("responses.delete", "DELETE");
export const CANCEL = kept("responses.cancel", "POST", { rest: "/cancel" });
export const INPUT_ITEMS = kept("responses.input_items", "GET", {
  rest: "/input_items",
  isUse: true,
  query: { include: INCLUDE, limit: /^\d{1,4}$/, order: /^(?:asc|desc)$/, after: ITEM_ID, before: ITEM_ID },
  answer: { ...RESPONSES.answer, keptIds: () => [], usageOf: () => NOTHING_USED, finishReasonsOf: () => [] },
});

/** The part of an address that names what is kept. */
export const keptPath = ({ path, rest }: KeptApi, id: string): string => `${path}/${encodeURIComponent(id)}${rest}`;
