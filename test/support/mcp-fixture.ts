import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { Answer, RpcFault } from "./mcp-fixture-answer.ts";
import { ASKING_TOOLS } from "./mcp-fixture-inputs.ts";
import { LegacyWire } from "./mcp-fixture-legacy.ts";
import { ModernWire } from "./mcp-fixture-modern.ts";
import { failure, type Message, messageOf, Shelf } from "./mcp-fixture-shelf.ts";
import { type Definition, type Era, type FixtureTool, TOOLS, text, tool } from "./mcp-fixture-tools.ts";
import { heldPort } from "./port.ts";

export { type Definition, type Era, type FixtureTool, text, tool } from "./mcp-fixture-tools.ts";

export type FixtureOptions = {
  /** What it speaks: both eras on one URL unless said. */
  readonly era?: Era | "both";
  /** Asked of every request, as `Authorization: Bearer …`. */
  readonly bearer?: string;
  /** In place of the usual tools. */
  readonly tools?: readonly FixtureTool[];
  /** Whether there are resources and prompts. */
  readonly offers?: boolean;
  /** Tools a page of the list has. */
  readonly pageSize?: number;
};

/** How requests of one method go wrong. */
export type Fault =
  /** No answer, until the client leaves. */
  | { readonly kind: "hang" }
  /** The answer begins and the connection breaks. */
  | { readonly kind: "die" }
  /** 200 and something that is no message. */
  | { readonly kind: "garbage"; readonly body?: string; readonly type?: string }
  /** A result with so many bytes of text. */
  | { readonly kind: "flood"; readonly bytes: number }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "delay"; readonly ms: number }
  /** This result instead of the right one. */
  | { readonly kind: "result"; readonly result: JsonRecord }
  | { readonly kind: "error"; readonly code: number; readonly message: string };

/** One HTTP request the fixture got. */
export type FixtureRequest = {
  readonly http: string;
  readonly era: Era | null;
  readonly headers: Headers;
  /** The method of the message; empty for an answer, for GET and for DELETE. */
  readonly method: string;
  readonly params: JsonRecord;
  /** The body as it came. */
  readonly text: string;
};

/**
 * An MCP server over real HTTP that speaks both eras, fails as it is told to and remembers what it got.
 *
 *     await using fixture = McpFixture.start();
 *     fixture.fault("tools/call", { kind: "hang" });
 */
export class McpFixture implements AsyncDisposable {
  readonly requests: FixtureRequest[] = [];
  /** The names of the tools whose calls clients cancelled; the id of the request where only that is known. */
  readonly cancelled: string[] = [];
  readonly #shelf: Shelf;
  readonly #legacy: LegacyWire;
  readonly #modern: ModernWire;
  readonly #faults = new Map<string, Fault>();
  readonly #hanging = new Set<Answer>();
  readonly #wakes = new Set<() => void>();
  readonly #thrown: unknown[] = [];
  #server: Bun.Server<undefined> | undefined;
  readonly #held = heldPort();
  #port = this.#held?.port ?? 0;
  #changes = 0;

  private constructor(private readonly options: FixtureOptions) {
    this.#shelf = new Shelf(options.tools ?? [...TOOLS, ...ASKING_TOOLS], options.pageSize ?? 1000, options.offers);
    if (options.offers) {
      this.#shelf.set(
        tool("test_trigger_prompt_change", () => {
          this.#shelf.hasExtraPrompt = !this.#shelf.hasExtraPrompt;
          this.#legacy.announce("prompts");
          this.#modern.announce("prompts");
          return text("The prompts have changed");
        }),
      );
    }
    const change = () => this.#change();
    const cancelled = ({ params }: Message) => {
      this.cancelled.push(`${params["name"] ?? params["requestId"]}`);
      this.#wake();
    };
    this.#legacy = new LegacyWire(this.#shelf, change, cancelled);
    this.#modern = new ModernWire(this.#shelf, change, cancelled);
  }

  static start(options: FixtureOptions = {}): McpFixture {
    const fixture = new McpFixture(options);
    fixture.up();
    return fixture;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** Listens; after the first time on the same port, as after a restart: no session is known any more. */
  up(): void {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: this.#port,
      idleTimeout: 0,
      development: false,
      fetch: (request) => this.#serve(request),
    });
    this.#port = this.#server.port ?? 0;
  }

  /** Breaks every connection and refuses new ones. */
  async down(): Promise<void> {
    this.#legacy.dropSessions();
    this.#modern.dropSubscriptions();
    await this.#server?.stop(true);
    this.#server = undefined;
  }

  /** Sessions end as if the server had been started anew; connections stay. */
  dropSessions(): void {
    this.#legacy.dropSessions();
  }

  get sessions(): number {
    return this.#legacy.sessions;
  }

  /** Clients that would hear of a changed list. */
  get listeners(): number {
    return this.#legacy.listeners + this.#modern.listeners;
  }

  get definitions(): readonly Definition[] {
    return this.#shelf.definitions;
  }

  /** Adds a tool, or puts it in place of the one of this name, and says that the list has changed. */
  set(...tools: readonly FixtureTool[]): void {
    for (const each of tools) this.#shelf.set(each);
    this.announce();
  }

  remove(...names: readonly string[]): void {
    for (const name of names) this.#shelf.remove(name);
    this.announce();
  }

  /** Says to who watches it that a resource has changed. */
  updated(uri: string): void {
    this.#legacy.updated(uri);
    this.#modern.updated(uri);
  }

  get watched(): readonly unknown[] {
    return [...this.#legacy.watched, ...this.#modern.watched];
  }

  announce(): void {
    this.#legacy.announce();
    this.#modern.announce();
  }

  /** From now on requests of this method go wrong, whatever their era; `*` for all. */
  fault(method: string, fault: Fault): void {
    this.#faults.set(method, fault);
  }

  /** Nothing goes wrong any more, and what still hangs is cut off. */
  heal(): void {
    this.#faults.clear();
    for (const answer of this.#hanging) answer.cut();
    this.#hanging.clear();
  }

  of(method: string): readonly FixtureRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  /** Calls of one tool, in order of arrival. */
  calls(name: string): readonly FixtureRequest[] {
    return this.of("tools/call").filter(({ params }) => params["name"] === name);
  }

  /** Waits until something is so; looked at again with every request and cancellation. */
  async until(isSo: () => boolean, withinMs = 60_000): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`not so within ${withinMs} ms`);
      const { promise, resolve } = Promise.withResolvers<void>();
      // Not everything that may be asked about wakes: looked at from time to time, too.
      const timer = setTimeout(resolve, 50);
      this.#wakes.add(resolve);
      await promise;
      clearTimeout(timer);
      this.#wakes.delete(resolve);
    }
  }

  /** Throws what went wrong inside the fixture itself, so that no test passes over it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    this.#held?.[Symbol.dispose]();
    if (this.#thrown.length > 0) throw new AggregateError(this.#thrown, "the MCP fixture failed");
  }

  #change(): void {
    this.#changes += 1;
    const name = "test_comes_and_goes";
    if (this.#changes % 2 === 0) this.remove(name);
    else this.set(tool(name, () => text("I am here")));
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
  }

  async #serve(request: Request): Promise<Response> {
    const strange = [request.headers.get("host"), hostOf(request.headers.get("origin"))].some(isElsewhere);
    if (strange) return new Response("not an address of this server", { status: 403 });
    const { bearer } = this.options;
    const isKnown = bearer === undefined || request.headers.get("authorization") === `Bearer ${bearer}`;
    const body = request.method === "POST" ? await request.text() : "";
    const parsed = parseJson(body);
    const message = messageOf(isRecord(parsed) ? parsed : {});
    const era = request.method !== "POST" || !ModernWire.isMeant(message, request) ? "2025" : "2026";
    const { method, params } = message;
    this.requests.push({ http: request.method, era, headers: request.headers, method, params, text: body });
    this.#wake();
    if (!isKnown) return new Response("no", { status: 401, headers: { "www-authenticate": "Bearer" } });
    const allowed = this.options.era ?? "both";
    if (request.method !== "POST") return this.#listenOrEnd(request, allowed);
    if (!isRecord(parsed)) return Response.json(failure(null, new RpcFault(-32700, "Parse error")), { status: 400 });
    const answer = new Answer(request);
    if (allowed !== "both" && allowed !== era) refuse(message, request, answer, allowed);
    else void this.#answer(message, request, answer, era);
    return answer.response;
  }

  #listenOrEnd(request: Request, allowed: Era | "both"): Response {
    if (allowed === "2026" || (request.method !== "GET" && request.method !== "DELETE"))
      return new Response("no such method", { status: 405, headers: { allow: "POST" } });
    return request.method === "GET" ? this.#legacy.listen(request) : this.#legacy.end(request);
  }

  async #answer(message: Message, request: Request, answer: Answer, era: Era): Promise<void> {
    const fault = this.#faults.get(message.method) ?? this.#faults.get("*");
    try {
      if (fault !== undefined && (await this.#fail(fault, message, answer))) return;
      await (era === "2026" ? this.#modern : this.#legacy).post(message, request, answer);
    } catch (thrown) {
      this.#thrown.push(thrown);
      answer.with(new Response("the fixture failed", { status: 500 }));
    }
  }

  /** True when nothing more is to be answered. */
  async #fail(fault: Fault, { id, params }: Message, answer: Answer): Promise<boolean> {
    switch (fault.kind) {
      case "delay":
        await Bun.sleep(fault.ms);
        return false;
      case "hang":
        this.#hanging.add(answer);
        answer.gone.addEventListener("abort", () => {
          this.#hanging.delete(answer);
          this.cancelled.push(`${params["name"] ?? id}`);
          this.#wake();
        });
        return true;
      case "die":
        answer.cut();
        return true;
      case "garbage": {
        const headers = { "content-type": fault.type ?? "text/html" };
        answer.with(new Response(fault.body ?? "<html>It works!</html>", { headers }));
        return true;
      }
      case "status":
        answer.with(new Response("as told", { status: fault.status }));
        return true;
      case "flood":
        answer.end({ jsonrpc: "2.0", id, result: { ...text("x".repeat(fault.bytes)), resultType: "complete" } });
        return true;
      case "result":
        answer.end({ jsonrpc: "2.0", id, result: fault.result });
        return true;
      case "error":
        answer.end(failure(id, new RpcFault(fault.code, fault.message)), 200);
        return true;
    }
  }
}

/** What a server of one era says to a client of the other. */
const refuse = ({ id }: Message, request: Request, answer: Answer, allowed: Era): void => {
  const requested = request.headers.get("mcp-protocol-version") ?? "";
  const fault =
    allowed === "2025"
      ? new RpcFault(-32000, `Unsupported protocol version: ${requested}`)
      : new RpcFault(-32022, "Unsupported protocol version", { supported: ["2026-07-28"], requested });
  answer.end(failure(id, fault), 400);
};

const hostOf = (origin: string | null): string | null => (origin === null ? null : (URL.parse(origin)?.host ?? origin));
const isElsewhere = (host: string | null): boolean =>
  host !== null && !/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
