import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { QueryValues } from "#http/endpoint-input";
import { momentIn } from "#http/openapi/query-check";
import { oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { limitOf } from "#http/page";
import { COST_BASES } from "#model/audit";
import { CALL_CATEGORIES, CALL_DECISIONS, CALL_SORTS, type CallSort } from "#model/call-entry";
import { ANY_MODEL_CALL, MODEL_CALL_KINDS } from "#model/model-api";
import { parsedUsd } from "#model/money";
import { CURSOR } from "#store/audit-merge";
import type { CallFilter, CallOrder, Range } from "#store/call-index-port";
import { RANK_CURSOR } from "#store/call-survey";

/** What an address asks for. */
export type WantedCalls = {
  readonly filter: CallFilter;
  readonly order: CallOrder | undefined;
  readonly before: string | null;
  readonly limit: number;
};

const text = (description: string) => Type.String({ maxLength: 300, description });
/** Empty filters nothing, as a page sends it. */
const number = (description: string, decimals: number) => {
  const rest = decimals === 0 ? "" : `(?:\\.[0-9]{1,${decimals}})?`;
  return Type.String({ pattern: `^(?:[0-9]{1,12}${rest})?$`, description });
};

/** As `parsedUsd` reads them. */
const dollars = (description: string) => Type.String({ pattern: "^(?:[0-9]{1,6}(?:\\.[0-9]{1,9})?)?$", description });

/** All categories, also where an endpoint would ask for calls alone. */
const EVERY_CATEGORY = "all";

/** What calls are filtered by: the parameters of `/api/calls`, the flags of `call list` and what the page has in its address. */
export const CALL_FILTERS = {
  category: oneOf(
    [...CALL_CATEGORIES, EVERY_CATEGORY],
    "call: calls of models and tools, reads of resources and prompts; other: lists, scans and reports; administration: changes.",
  ),
  kind: text(
    `${ANY_MODEL_CALL} for any call of a model, ${MODEL_CALL_KINDS.join(", ")}, tool.call, resource.read, prompt.get, tool.list, guard.scan, or the kind of a change.`,
  ),
  outcome: text("answered, blocked_input, refused …"),
  decision: oneOf(CALL_DECISIONS, "What became of it."),
  flag_type: text("A type of flag, or what it begins with: pii, secret.aws."),
  user_id: text("Id of the caller."),
  agent_id: text("The id of the agent."),
  token_id: text("The id of the token."),
  model: text("The model that was asked for."),
  tool: text("The public name of the tool."),
  conversation_id: text("As sent by the caller."),
  status: Type.String({
    pattern: "^(?:[1-5][0-9]{2}|[1-5]xx)?$",
    description: "HTTP status, or a class of them: 429, 5xx.",
  }),
  min_latency_ms: number("Took so long at least, in milliseconds.", 3),
  max_latency_ms: number("Took so long at most, in milliseconds.", 3),
  min_tokens: number("So many tokens at least.", 0),
  max_tokens: number("So many tokens at most.", 0),
  min_cost_usd: dollars("Cost so much at least, in US dollars."),
  max_cost_usd: dollars("Cost so much at most, in US dollars."),
  cost_basis: oneOf(COST_BASES, "What its cost was computed by; unpriced where the model has no price."),
  since: Type.String({ format: "date-time", description: "Start, inclusive." }),
  until: Type.String({ format: "date-time", description: "End, exclusive." }),
} as const;

/** What each order goes by. */
const ORDERED = { time: "at", latency: "ms", tokens: "tokens", cost: "cost" } as const;

/** The filters of a list; `cursor` here is a place in each log, or in the order that was asked for. */
export const CALL_QUERY = {
  limit: PAGE_QUERY.limit,
  cursor: Type.String({
    pattern: `^$|${CURSOR.source}|${RANK_CURSOR.source}`,
    description: "next_cursor of the previous page, in the same order; empty for the first.",
  }),
  sort: oneOf(CALL_SORTS, "Order; with a minus the largest first. Default: -time, newest first."),
  ...CALL_FILTERS,
  action: oneOf(CALL_DECISIONS, "The same as decision."),
} as const;

/** What all calls that match come to has no pages. */
export const TOTALS_QUERY = { ...CALL_FILTERS, action: CALL_QUERY.action } as const;

type Filters = QueryValues<typeof TOTALS_QUERY>;

const orUndefined = <T>(value: T | "" | undefined): T | undefined => (value === "" ? undefined : value);

const rangeOf = (
  [min, max]: readonly [min: string | undefined, max: string | undefined],
  read: (text: string) => number | null = Number,
): Range | undefined => {
  const [from, to] = [min, max].map((one) => (one === undefined || one === "" ? undefined : (read(one) ?? undefined)));
  return from === undefined && to === undefined ? undefined : { min: from, max: to };
};

const statusIn = (text: string | undefined): Range | undefined => {
  if (text === undefined || text === "") return undefined;
  const first = Number(text.replace("xx", "00"));
  return { min: first, max: text.endsWith("xx") ? first + 99 : first };
};

const TRACE_LIMIT = 200;
/** A conversation is read in larger pages than a list. */
export const TRACE_QUERY = {
  limit: Type.Integer({
    minimum: 1,
    maximum: TRACE_LIMIT,
    default: TRACE_LIMIT,
    description: "Maximum number of calls.",
  }),
  cursor: Type.String({
    pattern: `^$|${CURSOR.source}`,
    description: "next_cursor of the previous page; empty for the first.",
  }),
} as const;

export const wantedTrace = ({ limit, cursor }: QueryValues<typeof TRACE_QUERY>) => ({
  limit: limitOf(limit ?? TRACE_LIMIT),
  before: cursor === undefined || cursor === "" ? null : cursor,
});

/** What is empty filters nothing. Throws `invalid_value`. */
export const callFilterIn = (query: Filters): CallFilter => {
  const { category, decision, action, flag_type, since, until } = query;
  return {
    kind: orUndefined(query.kind),
    category: category === EVERY_CATEGORY ? undefined : category,
    decision: decision ?? action,
    outcome: orUndefined(query.outcome),
    user_id: orUndefined(query.user_id),
    agent_id: orUndefined(query.agent_id),
    token_id: orUndefined(query.token_id),
    model: orUndefined(query.model),
    tool: orUndefined(query.tool),
    conversation_id: orUndefined(query.conversation_id),
    cost_basis: query.cost_basis,
    // `pii` and `pii.` and `pii.*` are the same.
    flag: orUndefined(flag_type)?.replace(/\.?\*?$/, ""),
    status: statusIn(query.status),
    ms: rangeOf([query.min_latency_ms, query.max_latency_ms]),
    tokens: rangeOf([query.min_tokens, query.max_tokens]),
    cost: rangeOf([query.min_cost_usd, query.max_cost_usd], parsedUsd),
    since: momentIn("since", since),
    until: momentIn("until", until),
  };
};

export const orderOf = (sort: CallSort): CallOrder | undefined => {
  if (sort === "-time") return undefined;
  const isAscending = !sort.startsWith("-");
  const by = Object.entries(ORDERED).find(([name]) => name === sort.replace("-", ""))?.[1];
  return by && { by, isAscending };
};

/** Throws `invalid_value`. */
export const wantedCalls = ({
  cursor = "",
  limit,
  sort = "-time",
  ...filters
}: QueryValues<typeof CALL_QUERY>): WantedCalls => {
  const order = orderOf(sort);
  if (cursor !== "" && (order !== undefined) !== RANK_CURSOR.test(cursor)) {
    throw new GuardError("invalid_value", "cursor must be the next_cursor of a page in the same order.", {
      param: "cursor",
    });
  }
  return { filter: callFilterIn(filters), order, before: cursor === "" ? null : cursor, limit: limitOf(limit) };
};

/** Calls of models and tools, unless a category, a kind or what is no call is asked for. */
const usualCategory = ({ category, kind, decision }: Filters): NonNullable<Filters["category"]> =>
  category ?? (orUndefined(kind) === undefined && decision !== "change" ? "call" : EVERY_CATEGORY);

/** What all calls that match are asked for. */
export const callsAlone = (query: Filters): CallFilter => callFilterIn({ ...query, category: usualCategory(query) });
