import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import type { LiveEvents } from "#engine/live-events";
import { detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";

type Deps = {
  readonly live: LiveEvents;
  /** Who asks, asked again while the stream goes on. */
  readonly personOf: (request: Request) => Promise<Person | null>;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
};

/** Messages that may wait for a client that reads slowly. */
const MOST_WAITING = 200;

const streamOf = ({ live, personOf }: Deps, person: Person, request: Request): Response => {
  const text = new TextEncoder();
  let leave: (() => void) | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const listener = {
          user: person.user,
          send: (message: string): boolean => {
            if ((controller.desiredSize ?? 0) <= -MOST_WAITING) return false;
            controller.enqueue(text.encode(message));
            return true;
          },
          end: () => controller.close(),
          // Of another role since: what is told depends on it, and the browser comes back by itself.
          isWelcome: async () => {
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
export const eventRoutes = (deps: Deps) =>
  new Elysia({ name: "live-events", prefix: "/api/events" }).use(deps.door).get(
    "",
    ({ person, request }) => {
      deps.keepOpen(request);
      return streamOf(deps, person, request);
    },
    {
      role: "person",
      parse: "none",
      detail: detailOf("Hub", "What happens, as it happens", {
        description:
          "Server-sent events: ids and kinds, never content. A resync says that everything is to be read again.",
        headers: { "last-event-id": Type.String({ description: "Where the stream broke off; browsers send it." }) },
        answers: { 200: { media: "text/event-stream", description: "One event for each change.", example: EXAMPLE } },
        errors: ["rate_limit_exceeded"],
      }),
    },
  );
