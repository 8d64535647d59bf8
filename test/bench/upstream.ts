/**
 * The bench's upstream: a provider of each API, without latency. The model's name says how it answers:
 * `bench-json` whole · `bench-stream` 64 tokens at once · `bench-paced` 64 tokens, 2 ms apart ·
 * `bench-open` four tokens a second until the client goes.
 */
import { CHAT_WIRE } from "./chat-wire.ts";
import { serveParent } from "./child.ts";
import { answerOf, markerIn, tokensOf } from "./prose.ts";
import type { Wire } from "./wire.ts";
import { WIRES } from "./wires.ts";

export const TOKENS = 64;
const PACE_MS = 2;
const OPEN_MS = 250;
const encoder = new TextEncoder();
const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

const eventsOf = (wire: Wire, marker: string): string[] => {
  const tokens = tokensOf(marker, TOKENS);
  return [
    ...wire.begin(marker),
    ...tokens.map((token, at) => wire.token(marker, token, at)),
    ...wire.end(marker, tokens.join("")),
  ];
};

/** A body of these pieces; each is waited for before it is sent. Ends early when the client goes. */
function stream(pieces: AsyncGenerator<string>): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** Everything at once, eight events to a piece. */
function unpaced(wire: Wire, marker: string): Response {
  const events = eventsOf(wire, marker);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < events.length; at += 8) {
        controller.enqueue(encoder.encode(events.slice(at, at + 8).join("")));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** A token every 2 ms; the role goes out with the first, the end with the last. */
async function* paced(marker: string): AsyncGenerator<string> {
  const [role = "", first = "", ...events] = eventsOf(CHAT_WIRE, marker);
  yield role + first;
  const end = events.splice(TOKENS - 2);
  for (const event of events) {
    await Bun.sleep(PACE_MS);
    yield event;
  }
  await Bun.sleep(PACE_MS);
  yield end.join("");
}

async function* open(marker: string): AsyncGenerator<string> {
  const tokens = tokensOf(marker, TOKENS);
  yield CHAT_WIRE.begin(marker).join("");
  for (let at = 0; ; at = (at + 1) % tokens.length) {
    yield CHAT_WIRE.token(marker, tokens[at] ?? "", at);
    await Bun.sleep(OPEN_MS);
  }
}

async function answer(request: Request): Promise<Response> {
  const body = await request.text();
  const marker = markerIn(body);
  if (marker === "") return new Response("no marker in the request", { status: 400 });
  const { pathname } = new URL(request.url);
  const wire = Object.values(WIRES).find(({ path }) => path === pathname);
  if (wire === undefined) return new Response("no such API", { status: 404 });
  if (body.includes('"bench-json"')) {
    return new Response(wire.whole(marker, answerOf(marker)), { headers: { "content-type": "application/json" } });
  }
  if (body.includes('"bench-stream"')) return unpaced(wire, marker);
  if (body.includes('"bench-paced"')) return stream(paced(marker));
  return stream(open(marker));
}

if (import.meta.main) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
  serveParent(`http://127.0.0.1:${server.port}`);
}
