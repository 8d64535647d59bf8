import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import type { ToolFetch } from "#upstream/mcp/port";
import { StreamableHttpUpstream } from "#upstream/mcp/streamable-http";
import { OlderServers } from "#upstream/mcp/streamable-http-eras";
import { ToolFailure, type UpstreamToolCall } from "#upstream/tool-port";

/** One request a scripted server got. */
export type Got = {
  readonly verb: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  /** Its JSON-RPC message; empty when there is none. */
  readonly message: JsonRecord;
  readonly params: JsonRecord;
  /** Aborts when the client goes away before the answer is complete. */
  readonly gone: AbortSignal;
};

export type Reply = (got: Got) => Response | Promise<Response>;
/** By JSON-RPC method, or HTTP method where there is no message, or `response` for the client's own answers. */
export type Script = Readonly<Record<string, Reply>>;

/** An MCP server over real HTTP that answers what it is told to and remembers what it got. */
export class ScriptedMcp implements AsyncDisposable {
  readonly got: Got[] = [];
  private readonly arrivals = new Set<() => void>();
  private server: Bun.Server<undefined>;

  constructor(
    public script: Script,
    port = 0,
  ) {
    this.server = this.listen(port);
  }

  get port(): number {
    return Number(this.server.port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** The methods of what came, in order. */
  get methods(): string[] {
    return this.got.map(keyOf);
  }

  of(method: string): Got[] {
    return this.got.filter((one) => keyOf(one) === method);
  }

  /** Waits until `count` requests of a method have come. */
  async until(method: string, count = 1): Promise<Got> {
    for (;;) {
      const found = this.of(method)[count - 1];
      if (found) return found;
      await new Promise<void>((resolve) => this.arrivals.add(resolve));
    }
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private listen(port: number): Bun.Server<undefined> {
    return Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 0, fetch: (request) => this.answer(request) });
  }

  private async answer(request: Request): Promise<Response> {
    const text = await request.text();
    const parsed = parseJson(text);
    const message = isRecord(parsed) ? parsed : {};
    const params = isRecord(message["params"]) ? message["params"] : {};
    const { pathname: path } = new URL(request.url);
    const got: Got = {
      verb: request.method,
      path,
      headers: request.headers,
      text,
      message,
      params,
      gone: request.signal,
    };
    this.got.push(got);
    for (const arrived of this.arrivals) arrived();
    this.arrivals.clear();
    const reply = this.script[keyOf(got)];
    if (reply) return reply(got);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    return message["method"] === undefined || message["id"] === undefined
      ? new Response(null, { status: 202 })
      : fails(got, -32601, "no such method");
  }
}

const keyOf = ({ verb, message }: Got): string => {
  if (verb !== "POST") return verb;
  return typeof message["method"] === "string" ? message["method"] : "response";
};

const jsonRpc = (got: Got, body: JsonRecord): JsonRecord => ({ jsonrpc: "2.0", id: got.message["id"], ...body });

/** A result, as JSON. */
export const answers = (got: Got, result: unknown, init: ResponseInit = {}): Response =>
  Response.json(jsonRpc(got, { result }), init);

/** An error, as JSON. */
export const fails = (got: Got, code: number, message: string, status = 200, data?: unknown): Response =>
  Response.json(jsonRpc(got, { error: { code, message, ...(data !== undefined && { data }) } }), { status });

export const said = (text: string): JsonRecord => ({ content: [{ type: "text", text }] });

/** One server-sent event with a message. */
export const event = (message: JsonRecord, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
export const resultEvent = (got: Got, result: JsonRecord, id?: string): string =>
  event({ id: got.message["id"], result }, id);

/** A stream of these pieces, each sent when it is there; it ends after the last, or never when that never comes. */
export const streams = (pieces: Iterable<string> | AsyncIterable<string>): Response => {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for await (const piece of pieces) controller.enqueue(encoder.encode(piece));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

/** Pieces, and then silence for ever. */
export async function* andHangs(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
  await new Promise(() => {});
}

/** A 2025-era server: its handshake. */
export const legacy = (session: string | null = null, capabilities: JsonRecord = { tools: {} }): Script => ({
  initialize: (got) =>
    answers(
      got,
      {
        protocolVersion: "2025-11-25",
        capabilities,
        serverInfo: { name: "old", version: "1" },
        instructions: "be kind",
      },
      session === null ? {} : { headers: { "mcp-session-id": session } },
    ),
});

/** A 2026-07-28 server. */
export const modern = (capabilities: JsonRecord = { tools: {} }): Script => ({
  "server/discover": (got) =>
    answers(got, {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities,
      instructions: "be kind",
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "2" } },
    }),
});

export type Overrides = {
  readonly fetch?: ToolFetch;
  readonly headers?: () => Promise<Record<string, string>>;
  readonly refused?: (response: Response) => Promise<boolean>;
  readonly connectMs?: number;
  readonly listMs?: number;
  readonly resultBytes?: number;
  readonly onListChanged?: () => void;
  readonly now?: () => number;
  readonly older?: OlderServers;
};

/** The hub's side, as the product assembles it. */
export const upstreamTo = (url: string, overrides: Overrides = {}): StreamableHttpUpstream =>
  new StreamableHttpUpstream({
    slug: "notes",
    version: "0.0.0",
    url,
    fetch: overrides.fetch ?? ((to, init) => fetch(to, init)),
    authorization: {
      headers: overrides.headers ?? (async () => ({})),
      refused: overrides.refused ?? (async () => false),
    },
    limits: {
      connectMs: overrides.connectMs ?? 10_000,
      handshakeMs: overrides.connectMs ?? 10_000,
      listMs: overrides.listMs ?? 10_000,
      resultBytes: overrides.resultBytes ?? 1_000_000,
    },
    events: { onListChanged: overrides.onListChanged ?? (() => {}) },
    now: overrides.now ?? (() => Date.now()),
    older: overrides.older ?? new OlderServers(overrides.now ?? (() => Date.now())),
  });

export const callOf = (overrides: Partial<UpstreamToolCall> = {}): UpstreamToolCall => ({
  name: "echo",
  arguments: { text: "hello" },
  extra: {},
  meta: {},
  clientCapabilities: null,
  inputSchema: { type: "object" },
  silenceMs: 20_000,
  signal: new AbortController().signal,
  onProgress: null,
  ...overrides,
});

/** The failure a promise ends with. Throws when it ends otherwise. */
export const failureIn = async (promise: Promise<unknown>): Promise<ToolFailure> => {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome && outcome.error instanceof ToolFailure) return outcome.error;
  throw new Error(`no ToolFailure, but ${Bun.inspect(outcome)}`);
};

export const never = new AbortController().signal;
