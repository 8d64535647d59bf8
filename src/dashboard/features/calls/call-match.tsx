import { isModelCall } from "#model/model-api";
import type { ShownCall } from "./call-columns";
import type { CallQuery } from "./call-query";

/** A call as it was told of when it ended. */
type Told = ShownCall & { readonly category: string };

/** What a filter asks for, of a call that is not asked of the hub: as `GET /api/calls` would find it. */
export const isAsked = (call: Told, { values, category }: Pick<CallQuery, "values" | "category">): boolean =>
  (category === "all" || call.category === category) &&
  SAME.every((name) => values[name] === undefined || values[name] === call[name]) &&
  (values.kind === undefined || isOfKind(call.kind, values.kind)) &&
  (values.status === undefined || isOfStatus(call.status, values.status)) &&
  (values.flag_type === undefined || call.flags.some(({ type }) => isBelow(type, values.flag_type ?? ""))) &&
  isWithin(call.total_ms, values.min_latency_ms, values.max_latency_ms) &&
  isWithin(call.total_tokens, values.min_tokens, values.max_tokens) &&
  isWithin(call.cost_usd, values.min_cost_usd, values.max_cost_usd);

const SAME = [
  "decision",
  "outcome",
  "agent_id",
  "user_id",
  "token_id",
  "model",
  "tool",
  "conversation_id",
  "cost_basis",
] as const;

const isBelow = (name: string, wanted: string): boolean => name === wanted || name.startsWith(`${wanted}.`);

const isOfKind = (kind: string, wanted: string): boolean =>
  wanted === "model" ? isModelCall(kind) : isBelow(kind, wanted);

/** `429`, or `4xx` for all that begin so. */
const isOfStatus = (status: number | null, wanted: string): boolean =>
  status !== null && String(status).startsWith(wanted.replace("xx", ""));

const isWithin = (number: number | null, min: string | undefined, max: string | undefined): boolean => {
  if (min === undefined && max === undefined) return true;
  return number !== null && number >= Number(min ?? 0) && number <= Number(max ?? Number.POSITIVE_INFINITY);
};
