import { Elysia } from "elysia";
import { ERROR_CATALOGUE, errorBody, GuardError } from "#core/errors";
import { type Ids, systemIds } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import { anthropicError, notOffered } from "./not-offered";

/** The one place that knows what an error looks like on the wire under `/v1` and `/api`. */
export const errorResponse = (error: GuardError, requestId?: string): Response => {
  const { status, retry } = ERROR_CATALOGUE[error.code];
  return new Response(JSON.stringify(errorBody(error)), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(status >= 400 && !retry ? { "x-should-retry": "false" } : {}),
      ...(requestId ? { "x-request-id": requestId } : {}),
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
    if (error instanceof GuardError) return errorResponse(error);
    if (code === "NOT_FOUND") return nothingAt({ request, path, methods: methods(path), ids, page });
    if (code === "PARSE") return errorResponse(new GuardError("invalid_json", "The body is not valid JSON."));
    log.error("http.unexpected", causeOf(error));
    return errorResponse(
      new GuardError("internal_error", "Something went wrong inside the hub. Operators find it in the log."),
    );
  });

type Asked = {
  readonly request: Request;
  readonly path: string;
  readonly methods: readonly string[];
  readonly ids: Ids;
  /** What a person's browser is shown instead; null for programs. */
  readonly page: (request: Request, error: GuardError) => Response | null;
};

/** For a method an address does not take; the methods it takes are none where there is nothing at all. */
const nothingAt = ({ request, path, methods, ids, page }: Asked): Response => {
  if (methods.length > 0) {
    const allow = methods.join(", ");
    return errorResponse(new GuardError("method_not_allowed", `This address takes ${allow}.`, { headers: { allow } }));
  }
  const error = notOffered(path);
  const shown = page(request, error);
  if (shown !== null) return shown;
  const id = ids();
  const answer = errorResponse(error, id);
  const body = anthropicError(path, error, id);
  if (body === null) return answer;
  answer.headers.set("request-id", id);
  return new Response(JSON.stringify(body), answer);
};
