import type { DevHub } from "./dev-hub";

const EVENTS = "/.dev/events";
const SCRIPT = "/.dev/reload.js";
/** A file and no text in the page: the hub's content security policy stays as it is. */
const RELOADING = `new EventSource("${EVENTS}").onmessage = () => location.reload();\n`;
const TAG = `<script src="${SCRIPT}"></script>`;

/**
 * The address that developers open. It passes everything on to the hub, whichever is running, waits while one starts,
 * says what is wrong when none does, and has pages reloaded.
 */
export class DevPage {
  readonly #pages = new Set<ReadableStreamDefaultController<string>>();
  readonly #server: Bun.Server<undefined>;

  constructor(
    port: number,
    private readonly hub: () => Pick<DevHub, "settled">,
  ) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port,
      // Streams are open for long, and silent.
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return this.#server.url.href.replace(/\/$/, "");
  }

  reload(): void {
    for (const page of this.#pages) page.enqueue("data: reload\n\n");
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (pathname === SCRIPT) return new Response(RELOADING, { headers: { "content-type": "text/javascript" } });
    if (pathname === EVENTS) return this.#events();
    const state = await this.hub().settled();
    if (state.kind === "failed") return unavailable(request, state.output);
    return forwarded(request, `${state.url}${pathname}${search}`);
  }

  #events(): Response {
    let page: ReadableStreamDefaultController<string> | null = null;
    const stream = new ReadableStream<string>({
      start: (controller) => {
        page = controller;
        this.#pages.add(controller);
        controller.enqueue("retry: 500\n\n");
      },
      cancel: () => {
        if (page !== null) this.#pages.delete(page);
      },
    });
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    return new Response(stream.pipeThrough(new TextEncoderStream()), { headers });
  }
}

const isPage = (headers: Headers, name: "accept" | "content-type"): boolean =>
  headers.get(name)?.includes("text/html") === true;

const unavailable = (request: Request, output: string): Response => {
  const message = "The hub does not run. It is started again at the next change.";
  if (!isPage(request.headers, "accept")) return Response.json({ error: { message, output } }, { status: 503 });
  const body = `<!doctype html><title>Guardhouse</title>${TAG}<p>${message}</p><pre>${Bun.escapeHTML(output)}</pre>`;
  return new Response(body, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
};

const forwarded = async (request: Request, url: string): Promise<Response> => {
  const headers = new Headers(request.headers);
  // So that a script can be put into pages, and nothing is compressed on one machine.
  headers.set("accept-encoding", "identity");
  const answer = await fetch(url, {
    method: request.method,
    headers,
    body: request.body,
    redirect: "manual",
    signal: request.signal,
    // A stream may last longer than the runtime's limit on calls.
    timeout: false,
  });
  if (!isPage(answer.headers, "content-type")) return answer;
  const kept = new Headers(answer.headers);
  kept.delete("content-length");
  const page = (await answer.text()).replace(/(?=<body)|$/, TAG);
  return new Response(page, { status: answer.status, headers: kept });
};
