/**
 * The bench's upstream: an OpenAI-compatible provider without latency. The model's name says how it answers:
 * `bench-json` whole · `bench-stream` 64 tokens at once · `bench-paced` 64 tokens, 2 ms apart ·
 * `bench-open` four tokens a second until the client goes.
 */
import { serveParent } from "./child.ts";
import { answerOf, markerIn, tokensOf } from "./prose.ts";

export const TOKENS = 64;
const PACE_MS = 2;
const OPEN_MS = 250;
const encoder = new TextEncoder();
const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

function whole(marker: string): Response {
  const text = answerOf(marker);
  return new Response(
    `{"id":"chatcmpl-${marker}","object":"chat.completion","created":1750000000,"model":"bench-json","choices":[` +
      `{"index":0,"message":{"role":"assistant","content":"${text}","refusal":null},"logprobs":null,` +
      `"finish_reason":"stop"}],"usage":{"prompt_tokens":92,"completion_tokens":64,"total_tokens":156},` +
      `"system_fingerprint":"fp_bench"}`,
    { headers: { "content-type": "application/json" } },
  );
}

const event = (marker: string, delta: string, finish: string): string =>
  `data: {"id":"chatcmpl-${marker}","object":"chat.completion.chunk","created":1750000000,"model":"bench-stream",` +
  `"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;

const tokenEvent = (marker: string, token: string): string => event(marker, `{"content":"${token}"}`, "null");

function eventsOf(marker: string): string[] {
  return [
    event(marker, '{"role":"assistant","content":""}', "null"),
    ...tokensOf(marker, TOKENS).map((token) => tokenEvent(marker, token)),
    event(marker, "{}", '"stop"'),
    "data: [DONE]\n\n",
  ];
}

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
function unpaced(marker: string): Response {
  const events = eventsOf(marker);
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
  const [role = "", first = "", ...events] = eventsOf(marker);
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
  yield event(marker, '{"role":"assistant","content":""}', "null");
  for (let at = 0; ; at = (at + 1) % tokens.length) {
    yield tokenEvent(marker, tokens[at] ?? "");
    await Bun.sleep(OPEN_MS);
  }
}

async function answer(request: Request): Promise<Response> {
  const body = await request.text();
  const marker = markerIn(body);
  if (marker === "") return new Response("no marker in the request", { status: 400 });
  if (body.includes('"bench-json"')) return whole(marker);
  if (body.includes('"bench-stream"')) return unpaced(marker);
  if (body.includes('"bench-paced"')) return stream(paced(marker));
  return stream(open(marker));
}

if (import.meta.main) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
  serveParent(`http://127.0.0.1:${server.port}`);
}
