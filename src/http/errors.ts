import { Elysia } from "elysia";
import { anthropicErrorBody, REQUEST_ID } from "#core/anthropic-error";
import { ERROR_CATALOGUE, errorBody, GuardError } from "#core/errors";
import { type Ids, systemIds } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import { notOffered } from "./not-offered";

/** How an API that has a shape of its own words an error. */
type ErrorShape = { readonly body: unknown; readonly headers: Readonly<Record<string, string>> };

/** Addresses whose clients read errors in Anthropic's shape, behind any base path. */
const MESSAGES = /\/v1\/messages(?:\/|$)/;
/** Addresses that clients of both shapes ask. */
const MODELS = /\/v1\/models(?:\/|$)/;
/** What every client of Anthropic's sends. */
const VERSION = "anthropic-version";

type HeaderOf = (name: string) => string | null;

/** Whether a client of Anthropic's asks for models. */
export const wantsAnthropicModels = (header: HeaderOf): boolean => header(VERSION) !== null;

/** An error as the clients of Anthropic's API read it; null where the caller is none of them. */
const anthropicShape = (path: string, header: HeaderOf, error: GuardError, id: string): ErrorShape | null => {
  if (!MESSAGES.test(path) && !(MODELS.test(path) && wantsAnthropicModels(header))) return null;
  return { body: anthropicErrorBody(error, id), headers: { [REQUEST_ID]: id } };
};

/** The one place that knows what an error looks like on the wire under `/v1` and `/api`. */
export const errorResponse = (error: GuardError, requestId?: string, shape: ErrorShape | null = null): Response => {
  const { status, retry } = ERROR_CATALOGUE[error.code];
  return new Response(JSON.stringify(shape?.body ?? errorBody(error)), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(status >= 400 && !retry ? { "x-should-retry": "false" } : {}),
      ...(requestId ? { "x-request-id": requestId } : {}),
      ...shape?.headers,
      ...error.headers,
    },
  });
};

/** Must be used before any route: it covers only what comes after it. `methods` tells what an address takes. */
export const errors = (
  log: Log,
  methods: (path: string) => readonly string[],
  ids: Ids = systemIds,
  page: (request: Request, error: GuardError) => Response | null = () => null,
) =>
  new Elysia({ name: "errors" }).onError({ as: "global" }, ({ error, code, path, request }) => {
    const answer = (known: GuardError): Response => shapedResponse(known, request, path, ids);
    if (error instanceof GuardError) return answer(error);
    if (code === "NOT_FOUND") return nothingAt({ request, path, methods: methods(path), answer, page });
    if (code === "PARSE") return answer(new GuardError("invalid_json", "The body is not valid JSON."));
    log.error("http.unexpected", causeOf(error));
    return answer(
      new GuardError("internal_error", "Internal error of the hub. Operators find it in the log by x-request-id."),
    );
  });

/** In the shape of the API that was called, though the call never reached what speaks it. */
export const shapedResponse = (error: GuardError, request: Request, path: string, ids: Ids): Response => {
  const id = ids();
  const shape = anthropicShape(path, (name) => request.headers.get(name), error, id);
  return shape === null ? errorResponse(error) : errorResponse(error, id, shape);
};

type Asked = {
  readonly request: Request;
  readonly path: string;
  readonly methods: readonly string[];
  readonly answer: (error: GuardError) => Response;
  /** What a person's browser is shown instead; null for programs. */
  readonly page: (request: Request, error: GuardError) => Response | null;
};

/** For a method an address does not take; the methods it takes are none where there is nothing at all. */
const nothingAt = ({ request, path, methods, answer, page }: Asked): Response => {
  if (methods.length > 0) {
    const allow = methods.join(", ");
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      const what = `This address has no WebSocket. It supports ${allow} over HTTP.`;
      return answer(new GuardError("websocket_not_offered", what, { headers: { upgrade: "HTTP/1.1", allow } }));
    }
    return answer(new GuardError("method_not_allowed", `This address supports ${allow} only.`, { headers: { allow } }));
  }
  const error = notOffered(path);
  return page(request, error) ?? answer(error);
};
