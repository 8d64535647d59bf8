import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { ClientSessions } from "#features/tools/dialect/client-sessions";
import { InFlight } from "#features/tools/dialect/in-flight";
import type {
  CallAnswer,
  CallRequest,
  ListAnswer,
  ListRequest,
  Offers,
  ToolNote,
  Tools,
  ToolWatch,
} from "#features/tools/dialect/port";
import { Subscriptions } from "#features/tools/dialect/subscriptions";
import { OpenQuestions } from "#features/tools/questions/open-questions";
import { toolRoutes } from "#features/tools/routes";
import { OpenCalls } from "#guard/open-calls";
import { ToolList } from "#guard/tools/tool-list";
import { tokenAuth } from "#http/auth/token";
import { FinalResponses, HttpEntry } from "#http/entry";
import { errors } from "#http/errors";
import { HostCheck } from "#http/hosts";
import { methodsAt } from "#http/not-offered";
import { QueryChecks } from "#http/openapi/query-check";
import { OriginCheck } from "#http/origins";
import { insertedMetadataRoutes, resourceMetadataRoutes } from "#http/resource-metadata";
import type { TokenPrincipal } from "#model/principal";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";

export const TOKEN = "token-of-eve";
export const OTHER_TOKEN = "token-of-adam";
export const BODY_BYTES = 100_000;

const NOTE: ToolNote = { action: "allow", eventId: null, overheadMs: 0.25 };

export const SCHEMA = {
  type: "object",
  properties: {
    text: { type: "string" },
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
  },
} as const;

export const TOOLS = ["ask", "broken", "burst", "echo", "fail", "flagged", "news", "unaudited", "wait"].map((name) => ({
  name: `test__${name}`,
  description: `The tool ${name}.`,
  inputSchema: SCHEMA,
}));

const text = (words: string): JsonRecord => ({ content: [{ type: "text", text: words }] });

const callerOf = (name: string): TokenPrincipal => ({
  user: { id: `user-${name}`, email: `${name}@example.com`, name, role: "member", state: "active", created_at: 0 },
  token: {
    id: `token-${name}`,
    hash: "",
    display: "",
    name: null,
    user_id: `user-${name}`,
    agent_id: null,
    state: "active",
    expires_at: null,
    created_at: 0,
  },
  agent: null,
});

/** The other side of the interface, by script: what each tool does is in its name. */
export class ScriptedTools implements Tools {
  readonly calls: { readonly caller: TokenPrincipal; readonly request: CallRequest }[] = [];
  readonly lists: ListRequest[] = [];
  private readonly listed = new ToolList(JSON.stringify(TOOLS));
  readonly watchers = new Set<() => void>();
  /** As whom watchers were told to look anew. */
  readonly looks: TokenPrincipal[] = [];
  /** Signals of calls to `wait` that were aborted, by the argument `text`. */
  readonly aborted: unknown[] = [];
  /** The progress that `burst` reports, all at once. */
  burst: readonly JsonRecord[] = [];
  /** Lets calls to `wait` and `news` go on. */
  release = Promise.withResolvers<void>();

  async list(_caller: TokenPrincipal, request: ListRequest): Promise<ListAnswer> {
    this.lists.push(request);
    return { tools: this.listed, leftOut: [], note: NOTE };
  }

  async call(caller: TokenPrincipal, request: CallRequest): Promise<CallAnswer> {
    this.calls.push({ caller, request });
    const params = isRecord(request.params) ? request.params : {};
    const args = isRecord(params["arguments"]) ? params["arguments"] : {};
    if (typeof params["name"] !== "string") throw new GuardError("invalid_value", "No name.", { param: "params.name" });
    const tool = TOOLS.find(({ name }) => name === params["name"]);
    if (!tool) throw new GuardError("tool_not_found", "There is no such tool.");
    request.checkTool?.(tool, args);
    return this.answer(tool.name.slice("test__".length), args, request);
  }

  watch(_caller: TokenPrincipal, onChange: () => void): ToolWatch {
    this.watchers.add(onChange);
    return { lookAs: (now) => void this.looks.push(now), end: () => void this.watchers.delete(onChange) };
  }

  change(): void {
    for (const watcher of this.watchers) watcher();
  }

  private async answer(tool: string, args: JsonRecord, { signal, onProgress }: CallRequest): Promise<CallAnswer> {
    const result = (content: JsonRecord, note = NOTE): CallAnswer => ({ kind: "result", result: content, note });
    switch (tool) {
      case "ask":
        return result({ resultType: "input_required", inputRequests: {}, requestState: "s" });
      case "broken":
        throw new Error("a fault nobody thought of");
      case "fail":
        return { kind: "error", code: args["code"] === undefined ? -32_010 : Number(args["code"]), ...FAILURE };
      case "flagged":
        return result({ ...text("seen"), resultType: "complete" }, { ...NOTE, action: "flag", eventId: "event-1" });
      case "unaudited":
        throw new GuardError("audit_unavailable", "The record cannot be written.");
      case "burst":
        for (const news of this.burst) onProgress?.(news);
        return result(text("done"));
      case "news":
        return this.news(onProgress, result(text("done")));
      case "wait":
        return this.wait(args["text"], signal, result(text("waited")));
      default:
        return result(text(String(args["text"] ?? "")));
    }
  }

  private async news(onProgress: CallRequest["onProgress"], answer: CallAnswer): Promise<CallAnswer> {
    onProgress?.({ progress: 1, total: 3, message: "one" });
    await this.release.promise;
    onProgress?.({ progress: 2, total: 3 });
    onProgress?.({ progress: 3, total: 3 });
    return answer;
  }

  private async wait(mark: unknown, signal: CallRequest["signal"], answer: CallAnswer): Promise<CallAnswer> {
    const gone = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => {
      this.aborted.push(mark);
      gone.reject(new GuardError("client_closed", "The client closed the connection."));
    });
    await Promise.race([this.release.promise, gone.promise]);
    return answer;
  }
}

const FAILURE = { message: "The tool's own server says no.", data: { why: "because" }, note: NOTE };

export type McpEndpointOptions = { readonly basePath?: string; readonly allowedOrigins?: readonly string[] };

/** Nothing is offered beside tools. */
const refuse = async (): Promise<never> => {
  throw new GuardError("not_found", "There is no such resource for you.");
};
const NO_OFFERS: Offers = {
  list: refuse,
  read: refuse,
  prompt: refuse,
  complete: refuse,
  subscribe: refuse,
  unsubscribe: refuse,
  isStopped: () => false,
  watch: () => ({ lookAs: () => undefined, end: () => undefined }),
};

/** The routes behind the real HTTP entry and a real server. */
export class McpEndpoint implements AsyncDisposable {
  readonly tools = new ScriptedTools();
  readonly openCalls = new OpenCalls();
  readonly inFlight = new InFlight();
  readonly subscriptions = new Subscriptions();
  readonly logs: string[] = [];
  refusals = 0;
  /** Called when the server notices that a client has gone. */
  onAbort = () => {};
  /** Valid tokens. */
  readonly tokens = new Map([
    [TOKEN, callerOf("eve")],
    [OTHER_TOKEN, callerOf("adam")],
  ]);
  private readonly server: Bun.Server<undefined>;
  private readonly timer: Timer;
  readonly publicUrl: string;
  readonly url: string;

  constructor({ basePath = "", allowedOrigins = [] }: McpEndpointOptions = {}) {
    const log = jsonLog("debug", (line) => void this.logs.push(line), systemClock);
    const finalResponses = new FinalResponses();
    const authenticate = (token: string) => this.tokens.get(token) ?? null;
    const onRefused = () => {
      this.refusals += 1;
    };
    const publicUrl = () => this.publicUrl;
    const auth = tokenAuth(authenticate, onRefused, new QueryChecks(() => []));
    const routes = toolRoutes({
      service: this.tools,
      offers: NO_OFFERS,
      ids: systemIds,
      log,
      openCalls: this.openCalls,
      inFlight: this.inFlight,
      questions: new OpenQuestions("hub"),
      sessions: new ClientSessions("hub"),
      isAskable: true,
      relay: null,
      subscriptions: this.subscriptions,
      serverInfo: { name: "guardhouse", version: "0.0.1" },
      authenticate,
      onRefused,
      origins: new OriginCheck(publicUrl, allowedOrigins),
      publicUrl,
      finalResponses,
      bodyBytes: BODY_BYTES,
      disableIdleTimeout: (request) => this.server.timeout(request, 0),
    });
    const inside = new Elysia({ prefix: basePath }).use(routes).use(resourceMetadataRoutes({ auth, publicUrl }));
    const web = new Elysia()
      .use(
        errors(
          log,
          methodsAt(() => inside.routes),
        ),
      )
      .use(inside);
    if (basePath !== "") web.use(insertedMetadataRoutes(basePath, { auth, publicUrl }));
    const outside = new HttpEntry({
      finalResponses,
      hosts: new HostCheck("http://localhost", []),
      handle: (request) => web.fetch(request),
      ids: systemIds,
      log,
    });
    this.server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        request.signal.addEventListener("abort", () => this.onAbort());
        return outside.answer(request);
      },
    });
    this.publicUrl = `http://127.0.0.1:${this.server.port}${basePath}`;
    this.url = `${this.publicUrl}/mcp/gateway`;
    this.timer = setInterval(() => this.openCalls.tick(performance.now()), 20);
  }

  /** A POST with a good token. */
  post(body: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal: signal ?? null,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.subscriptions.close();
    this.tools.release.resolve();
    await this.server.stop(true);
  }
}

/** Resolves once it holds. What it is, the test's own time limit tells. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await Bun.sleep(5);
};

export const MODERN = "2026-07-28";

/** Headers and body of a request of the 2026 era. */
export const modern = (method: string, params: JsonRecord = {}, id: string | number = 1) => ({
  headers: {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
    accept: "application/json, text/event-stream",
  },
  body: {
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        ...(isRecord(params["_meta"]) ? params["_meta"] : {}),
      },
    },
  },
});

export const rpc = (method: string, params?: JsonRecord, id: string | number = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params ? { params } : {}),
});
