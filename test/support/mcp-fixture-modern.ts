import { isRecord, type JsonRecord } from "#core/json/json";
import { type Answer, RpcFault } from "./mcp-fixture-answer.ts";
import { failure, type Message, reply, SERVER_INFO, type Shelf } from "./mcp-fixture-shelf.ts";

const VERSION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const HEADER_MISMATCH = -32020;

type Subscription = {
  readonly id: Message["id"];
  readonly answer: Answer;
  readonly lists: readonly ("tools" | "prompts")[];
  readonly uris: readonly unknown[];
};

/** The 2026-era wire: every request stands for itself and is checked against its headers. */
export class ModernWire {
  readonly #memory = new Map<string, number>();
  readonly #subscriptions = new Set<Subscription>();

  constructor(
    private readonly shelf: Shelf,
    private readonly changeTools: () => void,
    private readonly onCancelled: (message: Message) => void,
  ) {}

  static isMeant(message: Message, request: Request): boolean {
    const version = request.headers.get("mcp-protocol-version") ?? "";
    return version >= VERSION || metaOf(message)[`${PREFIX}protocolVersion`] !== undefined;
  }

  /** As after a restart: nobody listens any more. */
  dropSubscriptions(): void {
    this.#subscriptions.clear();
  }

  get listeners(): number {
    return this.#subscriptions.size;
  }

  announce(list: "tools" | "prompts" = "tools"): void {
    for (const { id, answer, lists } of this.#subscriptions) {
      if (lists.includes(list)) answer.say(tagged(`notifications/${list}/list_changed`, {}, id));
    }
  }

  updated(uri: string): void {
    for (const { id, answer, uris } of this.#subscriptions) {
      if (uris.includes(uri)) answer.say(tagged("notifications/resources/updated", { uri }, id));
    }
  }

  get watched(): readonly unknown[] {
    return [...this.#subscriptions].flatMap(({ uris }) => [...uris]);
  }

  async post(message: Message, request: Request, answer: Answer): Promise<void> {
    try {
      const capabilities = check(message, request);
      if (message.id === undefined) return answer.with(new Response(null, { status: 202 }));
      if (message.method === "subscriptions/listen") return this.#listen(message, answer);
      const result = await this.#result(message, request, answer, capabilities);
      const said = isRecord(result["_meta"]) ? result["_meta"] : {};
      const _meta = { ...said, [`${PREFIX}serverInfo`]: SERVER_INFO };
      answer.end(reply(message.id, { resultType: "complete", ...result, _meta }));
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      answer.end(failure(message.id, fault), fault.status);
    }
  }

  #listen({ id, params }: Message, answer: Answer): void {
    const { notifications } = params;
    if (!isRecord(notifications)) throw new RpcFault(-32602, "notifications has to be a filter");
    const offered = this.shelf.hasOffers ? (["tools", "prompts"] as const) : (["tools"] as const);
    const lists = offered.filter((list) => notifications[`${list}ListChanged`] === true);
    const asked = notifications["resourceSubscriptions"];
    const uris: readonly unknown[] = this.shelf.hasOffers && Array.isArray(asked) ? asked : [];
    const honoured = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    answer.say(tagged("notifications/subscriptions/acknowledged", { notifications: honoured }, id));
    if (lists.length === 0 && uris.length === 0) return;
    const subscription = { id, answer, lists, uris };
    this.#subscriptions.add(subscription);
    answer.gone.addEventListener("abort", () => this.#subscriptions.delete(subscription));
  }

  #result(
    message: Message,
    request: Request,
    answer: Answer,
    capabilities: JsonRecord,
  ): JsonRecord | Promise<JsonRecord> {
    const { method, params } = message;
    const caching = { ttlMs: 0, cacheScope: "private" };
    if (method === "server/discover")
      return {
        supportedVersions: [VERSION],
        capabilities: { tools: { listChanged: true }, ...this.shelf.capabilities },
        ...caching,
      };
    if (method === "tools/list") return { ...this.shelf.page(params["cursor"]), ...caching };
    const offered = this.shelf.offered(method, params);
    if (offered !== null)
      return method === "completion/complete" || method === "prompts/get" ? offered : { ...offered, ...caching };
    if (method !== "tools/call") throw new RpcFault(-32601, "Method not found", undefined, 404);
    this.#checkHeaders(params, request);
    return this.#call(message, answer, capabilities);
  }

  #checkHeaders(params: JsonRecord, request: Request): void {
    const { inputSchema } = this.shelf.tool(params["name"]).definition;
    const given = isRecord(params["arguments"]) ? params["arguments"] : {};
    const properties = isRecord(inputSchema) && isRecord(inputSchema["properties"]) ? inputSchema["properties"] : {};
    for (const [name, schema] of Object.entries(properties)) {
      const header = isRecord(schema) ? schema["x-mcp-header"] : undefined;
      if (typeof header !== "string" || given[name] === undefined) continue;
      if (decoded(request.headers.get(`mcp-param-${header}`)) === `${given[name]}`) continue;
      throw new RpcFault(HEADER_MISMATCH, `Mcp-Param-${header} is not the argument`);
    }
  }

  #call(message: Message, answer: Answer, capabilities: JsonRecord): Promise<JsonRecord> {
    const { params } = message;
    const { progressToken, [`${PREFIX}logLevel`]: logLevel } = metaOf(message);
    const notify = (method: string, fields: JsonRecord) => answer.say({ jsonrpc: "2.0", method, params: fields });
    answer.gone.addEventListener("abort", () => this.onCancelled(message));
    return this.shelf.run(params["name"], {
      arguments: isRecord(params["arguments"]) ? params["arguments"] : {},
      params,
      era: "2026",
      capabilities,
      memory: this.#memory,
      gone: answer.gone,
      progress: (progress, total, words) => {
        if (progressToken === undefined) return;
        notify("notifications/progress", { progressToken, progress, total, ...(words ? { message: words } : {}) });
      },
      log: (level, data) => {
        if (logLevel !== undefined) notify("notifications/message", { level, data });
      },
      notify,
      ask: () => Promise.reject(new Error("this era has no requests to clients")),
      changeTools: this.changeTools,
    });
  }
}

const metaOf = ({ params }: Message): JsonRecord => (isRecord(params["_meta"]) ? params["_meta"] : {});

const tagged = (method: string, params: JsonRecord, id: Message["id"]) => ({
  jsonrpc: "2.0",
  method,
  params: { ...params, _meta: { [`${PREFIX}subscriptionId`]: id } },
});

/** A header's value; what stands between `=?base64?` and `?=` is decoded, and refused where it cannot be. */
const decoded = (value: string | null): string | null => {
  const inner = value === null ? undefined : /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (inner === undefined) return value;
  const bytes = Buffer.from(inner, "base64");
  if (bytes.toString("base64") !== inner) throw new RpcFault(HEADER_MISMATCH, "A header is not Base64");
  return bytes.toString("utf8");
};

/** What every request of this era has to bring along. Returns the client's capabilities. */
const check = (message: Message, request: Request): JsonRecord => {
  const { method, params } = message;
  const { [`${PREFIX}protocolVersion`]: version, [`${PREFIX}clientCapabilities`]: capabilities } = metaOf(message);
  if (typeof version !== "string" || !isRecord(capabilities))
    throw new RpcFault(-32602, "_meta has to name protocolVersion and clientCapabilities");
  const { headers } = request;
  if (headers.get("mcp-protocol-version") !== version)
    throw new RpcFault(HEADER_MISMATCH, "MCP-Protocol-Version is not that of _meta");
  if (version !== VERSION)
    throw new RpcFault(-32022, "Unsupported protocol version", { supported: [VERSION], requested: version });
  if (headers.get("mcp-method") !== method) throw new RpcFault(HEADER_MISMATCH, "Mcp-Method is not the method");
  if (method === "tools/call" && decoded(headers.get("mcp-name")) !== params["name"])
    throw new RpcFault(HEADER_MISMATCH, "Mcp-Name is not the name");
  return capabilities;
};
