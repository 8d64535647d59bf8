import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { LiveEvents } from "#features/events/live-events";
import { endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import type { Person } from "#model/session";

type EventNeeds = {
  readonly live: LiveEvents;
  /** Who asks, asked again while the stream goes on. */
  readonly personOf: (request: Request) => Promise<Person | null>;
  /** Lifts the server's idle limit from one request. */
  readonly disableIdleTimeout: (request: Request) => void;
};

/** Messages that may wait for a client that reads slowly. */
const MAX_WAITING = 200;

const streamOf = ({ live, personOf }: EventNeeds, person: Person, request: Request): Response => {
  const text = new TextEncoder();
  let leave: (() => void) | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const listener = {
          user: person.user,
          send: (message: string): boolean => {
            if ((controller.desiredSize ?? 0) <= -MAX_WAITING) return false;
            controller.enqueue(text.encode(message));
            return true;
          },
          end: () => controller.close(),
          // Of another role since: what is told depends on it, and the browser comes back by itself.
          isStillAuthorized: async () => {
            const now = await personOf(request);
            return now?.session.id === person.session.id && now.user.role === person.user.role;
          },
        };
        leave = live.listen(listener, lastSeenBy(request));
        if (leave === null) throw tooMany();
      },
      cancel() {
        leave?.();
      },
    },
    new CountQueuingStrategy({ highWaterMark: 1 }),
  );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };
  return new Response(body, { headers });
};

/** What a browser says by itself when it comes back. */
const lastSeenBy = (request: Request): number | null => {
  const text = request.headers.get("last-event-id") ?? "";
  return /^\d{1,16}$/.test(text) ? Number(text) : null;
};

const tooMany = (): GuardError =>
  new GuardError("rate_limit_exceeded", "Too many event streams are open. Close one first.", {
    headers: { "retry-after": "5" },
  });

const EXAMPLE = 'id: 7\nevent: agent.changed\ndata: {"kind":"agent.changed","subject_id":"…"}\n\n';

/** One stream a browser: what changes, by ids, so that it reads again what it shows. */
const eventEndpoints = (needs: EventNeeds) => [
  endpoint("GET /api/events", {
    summary: "Stream events",
    description: "Server-sent events: ids and kinds, never content. After a resync event clients reload all data.",
    headers: { "last-event-id": Type.String({ description: "Last received event id; browsers send it." }) },
    answers: { 200: { media: "text/event-stream", description: "One event for each change.", example: EXAMPLE } },
    errors: ["rate_limit_exceeded"],
    handler: ({ person, request }) => {
      needs.disableIdleTimeout(request);
      return streamOf(needs, person, request);
    },
  }),
];

export const eventRoutes = (needs: EventNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Hub" }, eventEndpoints(needs));
