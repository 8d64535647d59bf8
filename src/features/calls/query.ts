import { Type } from "#core/schema";
import type { QueryValues } from "#http/endpoint-input";
import { momentIn } from "#http/openapi/query-check";
import { oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { limitOf } from "#http/page";
import { CALL_DECISIONS } from "#model/call-entry";
import { ANY_MODEL_CALL, MODEL_CALL_KINDS } from "#model/model-api";
import { CURSOR } from "#store/audit-merge";
import type { CallFilter } from "#store/call-index-port";

/** What an address asks for. */
export type WantedCalls = { readonly filter: CallFilter; readonly before: string | null; readonly limit: number };

const text = (description: string) => Type.String({ maxLength: 300, description });

/** The filters, for the document; `cursor` here is a place in each log. */
export const CALL_QUERY = {
  limit: PAGE_QUERY.limit,
  cursor: Type.String({
    pattern: `^$|${CURSOR.source}`,
    description: "next_cursor of the previous page; empty for the first.",
  }),
  kind: text(
    `${ANY_MODEL_CALL} for any call of a model, ${MODEL_CALL_KINDS.join(", ")}, tool.call, tool.list, guard.scan, or the kind of a change.`,
  ),
  outcome: text("answered, blocked_input, refused …"),
  decision: oneOf(CALL_DECISIONS, "What became of it."),
  action: oneOf(CALL_DECISIONS, "The same as decision."),
  flag_type: text("A type of flag, or what it begins with: pii, secret.aws."),
  user_id: text("Id of the caller."),
  agent_id: text("The id of the agent."),
  token_id: text("The id of the token."),
  model: text("The model that was asked for."),
  tool: text("The public name of the tool."),
  conversation_id: text("As sent by the caller."),
  since: Type.String({ format: "date-time", description: "Start, inclusive." }),
  until: Type.String({ format: "date-time", description: "End, exclusive." }),
} as const;

const { limit: _limit, cursor: _cursor, ...filters } = CALL_QUERY;
/** Sums have no pages. */
export const TOTALS_QUERY = filters;

type CallQuery = QueryValues<typeof CALL_QUERY>;

/** What is empty filters nothing. Throws `invalid_value`. */
export const wantedCalls = (query: CallQuery): WantedCalls => {
  const { cursor, limit, decision, action, flag_type, since, until, ...named } = query;
  const filter: CallFilter = {
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== "")),
    decision: decision ?? action,
    // `pii` and `pii.` and `pii.*` are the same.
    flag: flag_type === "" ? undefined : flag_type?.replace(/\.?\*?$/, ""),
    since: momentIn("since", since),
    until: momentIn("until", until),
  };
  return { filter, before: cursor === undefined || cursor === "" ? null : cursor, limit: limitOf(limit) };
};
