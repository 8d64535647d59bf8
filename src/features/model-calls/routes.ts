import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { ModelApi } from "#guard/apis/api";
import type { tokenAuth } from "#http/auth/token";
import { longBodyOf } from "#http/body";
import type { FinalResponses } from "#http/entry";
import { errorResponse } from "#http/errors";
import { RequestCheck } from "#http/request-check";
import type { Ids } from "#platform/ids";
import type { KeptEndpoint, ModelEndpoint } from "./endpoints";
import type { CallResult } from "./result";
import type { ModelCall, ModelCallService } from "./service";

type ModelCallRoutesNeeds = {
  readonly endpoints: readonly ModelEndpoint[];
  readonly kept: readonly KeptEndpoint[];
  readonly service: ModelCallService;
  readonly auth: ReturnType<typeof tokenAuth>;
  readonly finalResponses: FinalResponses;
  readonly ids: Ids;
  readonly bodyBytes: number;
  /** Lifts the server's idle limit from a call that may take minutes to answer. */
  readonly disableIdleTimeout: (request: Request) => void;
};

export const modelCallRoutes = (needs: ModelCallRoutesNeeds) => {
  const { endpoints, kept, service, auth, bodyBytes } = needs;
  const answered = answering(needs);
  const app = new Elysia({ name: "model-calls" }).use(auth);
  for (const { path, api, detail } of endpoints) {
    const check = new RequestCheck(api.request);
    app.post(
      path,
      async ({ request, headers, caller }) => {
        const body = await longBodyOf(request, bodyBytes);
        const length = Number(headers["content-length"] ?? Number.NaN);
        return answered(api, request, headers, (call) =>
          service.complete(caller, { api, check }, { ...call, body, length }),
        );
      },
      { role: "caller", parse: "none", detail: { ...detail } },
    );
  }
  for (const { api, detail } of kept) {
    app.route(
      api.method,
      `/v1/responses/:id${api.rest}`,
      ({ request, headers, params, caller }) => {
        const query = new URL(request.url).searchParams;
        const responseId = params.id ?? "";
        return answered(api, request, headers, (call) => service.kept(caller, api, { ...call, responseId, query }));
      },
      { role: "caller", parse: "none", detail: { ...detail } },
    );
  }
  return app;
};

type CameIn = Pick<ModelCall, "id" | "header" | "clientRetry" | "signal">;
type ClientHeaders = Readonly<Record<string, string | undefined>>;

/** Answers a call as its API does, whatever comes of it. */
const answering =
  ({ finalResponses, ids, disableIdleTimeout }: ModelCallRoutesNeeds) =>
  async (
    { errors }: Pick<ModelApi, "errors">,
    request: Request,
    headers: ClientHeaders,
    work: (call: CameIn) => Promise<CallResult>,
  ): Promise<Response> => {
    const id = ids();
    disableIdleTimeout(request);
    const ofApi = errors.headersOf(id);
    try {
      const result = await work({
        id,
        header: (name) => headers[name] ?? null,
        clientRetry: retryCount(headers["x-stainless-retry-count"]),
        signal: request.signal,
      });
      return finalResponses.add(respond(result, id, ofApi));
    } catch (error) {
      if (!(error instanceof GuardError)) throw error;
      return errorResponse(error, id, { body: errors.bodyOf(error, id), headers: ofApi });
    }
  };

/** A small number or none: it is recorded, so it is no place for anything else. */
const retryCount = (header: string | undefined): number => (/^\d{1,3}$/.test(header ?? "") ? Number(header) : 0);

const respond = (result: CallResult, id: string, ofApi: Readonly<Record<string, string>>): Response => {
  const { note } = result;
  const headers: Record<string, string> = {
    "content-type": result.kind === "whole" ? "application/json" : "text/event-stream; charset=utf-8",
    "cache-control": result.kind === "whole" ? "no-store" : "no-cache, no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": id,
    "x-guard-action": note.action,
    "x-guard-overhead-ms": note.overheadMs.toFixed(3),
    ...note.limits,
    ...note.budgets,
    ...ofApi,
  };
  if (note.eventId) headers["x-guard-event-id"] = note.eventId;
  if (result.kind === "whole") {
    if (result.status >= 400) headers["x-should-retry"] = "false";
    return new Response(result.text, { status: result.status, headers });
  }
  // Proxies that buffer would turn a stream into one late lump.
  headers["x-accel-buffering"] = "no";
  return new Response(result.body, { headers });
};
