import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { signedIn } from "#http/auth";
import { longBodyOf } from "#http/body";
import type { Finished } from "#http/door";
import { errorResponse } from "#http/errors";
import { COMPLETE } from "#modules/chat/about";
import type { ChatResult } from "#modules/chat/result";
import type { ChatService } from "#modules/chat/service";
import type { Ids } from "#platform/ids";

type Deps = {
  readonly service: ChatService;
  readonly door: ReturnType<typeof signedIn>;
  readonly finished: Finished;
  readonly ids: Ids;
  readonly bodyBytes: number;
  /** Lifts the server's idle limit from a call that may take minutes to answer. */
  readonly keepOpen: (request: Request) => void;
};

export const chatRoutes = ({ service, door, finished, ids, bodyBytes, keepOpen }: Deps) =>
  new Elysia({ name: "chat" }).use(door).post(
    "/v1/chat/completions",
    async ({ request, headers, caller }) => {
      const id = ids();
      const body = await longBodyOf(request, bodyBytes);
      keepOpen(request);
      try {
        const result = await service.complete(caller, {
          id,
          body,
          length: Number(headers["content-length"] ?? Number.NaN),
          conversation: headers["x-conversation-id"] ?? null,
          clientRetry: retryCount(headers["x-stainless-retry-count"]),
          signal: request.signal,
        });
        return finished.add(respond(result, id));
      } catch (error) {
        if (error instanceof GuardError) return errorResponse(error, id);
        throw error;
      }
    },
    { role: "caller", parse: "none", detail: COMPLETE },
  );

/** A small number or none: it is recorded, so it is no place for anything else. */
const retryCount = (header: string | undefined): number => (/^\d{1,3}$/.test(header ?? "") ? Number(header) : 0);

const respond = (result: ChatResult, id: string): Response => {
  const { note } = result;
  const headers: Record<string, string> = {
    "content-type": result.kind === "whole" ? "application/json" : "text/event-stream; charset=utf-8",
    "cache-control": result.kind === "whole" ? "no-store" : "no-cache, no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": id,
    "x-guard-action": note.action,
    "x-guard-overhead-ms": note.overheadMs.toFixed(3),
    ...note.limits,
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
