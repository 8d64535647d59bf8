import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import { type Dialect, OFFER_LISTS, type OfferRequest, type Offers, type ToolNote } from "#features/tools/dialect/port";
import type { TokenPrincipal } from "#model/principal";
import { slices } from "#platform/slices";

/** What is asked for beside tools, in any dialect. */
const METHODS = {
  "resources/read": "read",
  "prompts/get": "prompt",
  "completion/complete": "complete",
} as const satisfies Record<string, keyof Offers>;

const isCall = (method: string): method is keyof typeof METHODS => Object.hasOwn(METHODS, method);
const listOf = (method: string) => OFFER_LISTS.find((list) => list === method);

export const isOfferMethod = (method: unknown): method is string =>
  typeof method === "string" && (isCall(method) || listOf(method) !== undefined);

/** Whether an answer may be kept by its client (2026-07-28, caching). */
export const isCacheable = (method: string): boolean => listOf(method) !== undefined || method === "resources/read";

export type OfferAnswer =
  /** The result's JSON. */
  | { readonly kind: "result"; readonly text: string; readonly note: ToolNote }
  /** A JSON-RPC error of the server's own, scanned. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
      readonly note: ToolNote;
    };

/** `dressed` makes of a result what the dialect sends. Throws what `Offers` throws. */
export const askOffers = async (
  offers: Offers,
  caller: TokenPrincipal,
  method: string,
  request: OfferRequest,
  dressed: (result: JsonRecord) => JsonRecord,
): Promise<OfferAnswer> => {
  const list = listOf(method);
  if (list !== undefined) {
    const { field, items, nextCursor, note } = await offers.list(caller, request, list);
    const rest = JSON.stringify(dressed(nextCursor === null ? {} : { nextCursor }));
    const members = rest === "{}" ? "}" : `,${rest.slice(1)}`;
    return { kind: "result", text: `{${JSON.stringify(field)}:[${items.join(",")}]${members}`, note };
  }
  if (!isCall(method)) throw new GuardError("invalid_value", "There is no such method here.", { param: "method" });
  const answer = await offers[METHODS[method]](caller, request);
  if (answer.kind === "error") return answer;
  const text = await jsonText(dressed(answered(answer.result, request.dialect)), () => slices.turn());
  return { kind: "result", text, note: answer.note };
};

/** Without what only callers of 2026-07-28 know. */
const answered = (whole: JsonRecord, dialect: Dialect): JsonRecord => {
  if (dialect === "2026") return whole;
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result } = whole;
  return result;
};
