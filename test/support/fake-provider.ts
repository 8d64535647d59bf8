import { type RawHandler, RawHttpServer, type RawRequest, type Wire } from "./raw-http.ts";
import { type Plan, type Reply, says } from "./replies.ts";

export * from "./replies.ts";

const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** A chat request as tests read it: the fields they ask for most, and whatever else was sent. */
export type ReceivedBody = {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly [field: string]: unknown;
  }[];
  readonly [field: string]: unknown;
};

/** How a request ended: answered as scripted, cut off as scripted, or left by the client first. */
export type Ending = { readonly how: "answered" | "cut" | "client_gone"; readonly afterMs: number };

/** One request the provider got. */
export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The body parsed; empty when it is no JSON object. */
  readonly body: ReceivedBody;
  /** Fills in when the request is over. */
  readonly ending: Ending | undefined;
  /** Resolves when the request is over. */
  readonly ended: Promise<Ending>;
  /** Writes of the answer's body that have left so far. */
  readonly written: number;
};

/**
 * An OpenAI-compatible provider over real HTTP that answers what it is told to and remembers what it got.
 *
 *     await using provider = await FakeProvider.start();
 *     provider.next(fails(429, { retryAfter: 1 }), says("Hello"));
 */
export class FakeProvider implements AsyncDisposable {
  readonly #queue: Reply[] = [];
  readonly #requests: Entry[] = [];
  readonly #arrivals = new Set<() => void>();
  readonly #faults: unknown[] = [];
  #always: Reply = says("Hello from the fake provider.");
  #server: RawHttpServer | undefined;

  private constructor(private readonly models: readonly string[]) {}

  static async start(models: readonly string[] = ["fake-model"]): Promise<FakeProvider> {
    const provider = new FakeProvider(models);
    const handler: RawHandler = (request, wire) => provider.#serve(request, wire);
    provider.#server = await RawHttpServer.listen(handler, (fault) => provider.#faults.push(fault));
    return provider;
  }

  /** The base URL a client or the hub is given; ends in `/v1`. */
  get url(): string {
    return `http://127.0.0.1:${this.#running.port}/v1`;
  }

  /** Clients connected now. */
  get connections(): number {
    return this.#running.connections;
  }

  /** Scripts the next calls, in order; after them the `always` reply holds again. */
  next(...replies: readonly Reply[]): void {
    this.#queue.push(...replies);
  }

  /** Scripts every call that `next` says nothing about. */
  always(reply: Reply): void {
    this.#always = reply;
  }

  /** Every request, in order of arrival. */
  get requests(): readonly Received[] {
    return this.#requests;
  }

  /** The POST requests, in order of arrival. */
  get calls(): readonly Received[] {
    return this.#requests.filter((request) => request.method === "POST");
  }

  /** The call that came last. Throws when there was none. */
  get lastCall(): Received {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error("the provider was not called");
    return call;
  }

  /** Waits until call number `position` (from 0) has arrived. */
  async call(position: number, withinMs = 60_000): Promise<Received> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const call = this.calls[position];
      if (call !== undefined) return call;
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`call ${position} did not come within ${withinMs} ms`);
      await this.#arrival(left);
    }
  }

  /** Ends every connection. Throws what went wrong inside the fake itself, so that no test passes over it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
    if (this.#faults.length > 0) throw new AggregateError(this.#faults, "the fake provider failed");
  }

  get #running(): RawHttpServer {
    if (this.#server === undefined) throw new Error("the provider is not started");
    return this.#server;
  }

  async #arrival(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#arrivals.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#arrivals.delete(resolve);
  }

  async #serve(request: RawRequest, wire: Wire): Promise<void> {
    const entry = new Entry(request);
    this.#requests.push(entry);
    for (const wake of this.#arrivals) wake();
    if (request.method !== "POST") return this.#serveModels(entry, wire);

    const { model, stream, stream_options } = entry.body;
    const reply = this.#queue.shift() ?? this.#always;
    const asking = {
      model: model ?? "fake-model",
      stream: stream === true,
      includeUsage: stream_options?.include_usage === true,
    };
    await perform(reply(asking), entry, wire, request.gone);
  }

  async #serveModels(entry: Entry, wire: Wire): Promise<void> {
    const known = entry.path.split("?")[0] === "/v1/models";
    const data = this.models.map((id) => ({ id, object: "model", created: 1_750_000_000, owned_by: "fake" }));
    const body = JSON.stringify(known ? { object: "list", data } : { error: { message: "not found" } });
    const head = headOf(known ? 200 : 404, { "content-type": "application/json", "content-length": `${body.length}` });
    await wire.write(Buffer.from(head + body));
    entry.end("answered");
  }
}

class Entry implements Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: ReceivedBody;
  readonly ended: Promise<Ending>;
  ending: Ending | undefined;
  written = 0;
  readonly #began = performance.now();
  readonly #settle: (ending: Ending) => void;

  constructor(request: RawRequest) {
    this.method = request.method;
    this.path = request.target;
    this.headers = request.headers;
    this.text = request.text;
    this.body = parseBody(request.text);
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.#settle = resolve;
  }

  end(how: Ending["how"]): void {
    this.ending = { how, afterMs: performance.now() - this.#began };
    this.#settle(this.ending);
  }
}

function parseBody(text: string): ReceivedBody {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {}; // A test that cares looks at `text`.
  }
}

function isObject(value: unknown): value is ReceivedBody {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function perform(plan: Plan, entry: Entry, wire: Wire, gone: AbortSignal): Promise<void> {
  const how = await play(plan, entry, wire, gone);
  if (how === "cut") {
    if (plan.end === "reset") wire.reset();
    else wire.close();
  }
  entry.end(how);
}

async function play(plan: Plan, entry: Entry, wire: Wire, gone: AbortSignal): Promise<Ending["how"]> {
  await pause(plan.delayMs, gone);
  if (plan.head !== undefined) {
    const { status, headers } = plan.head;
    await wire.write(Buffer.from(headOf(status, { ...headers, "transfer-encoding": "chunked" })));
  }
  for (const [position, bytes] of plan.writes.entries()) {
    if (position > 0) await pause(plan.gapMs, gone);
    if (position === plan.writes.length - 1) await Promise.race([plan.last, aborted(gone)]);
    if (bytes.length === 0) continue;
    if (gone.aborted || !(await wire.write(httpChunk(bytes)))) return "client_gone";
    entry.written += 1;
  }
  if (plan.end === "hang") await aborted(gone);
  if (gone.aborted) return "client_gone";
  if (plan.end !== "complete") return "cut";
  return (await wire.write(LAST_CHUNK)) ? "answered" : "client_gone";
}

function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n`;
}

function httpChunk(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Waits, at least until the event loop has turned, so that writes stay apart; less when the client goes. */
async function pause(ms: number, gone: AbortSignal): Promise<void> {
  // Not setImmediate: while `expect(…).rejects` waits, bun test leaves immediates lying.
  if (ms === 0 || gone.aborted) return Bun.sleep(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const leave = () => resolve();
  gone.addEventListener("abort", leave, { once: true });
  await promise;
  clearTimeout(timer);
  gone.removeEventListener("abort", leave);
}

function aborted(gone: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (gone.aborted) resolve();
  gone.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
