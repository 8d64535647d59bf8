import { isRecord, type JsonRecord } from "#core/json/json";
import type { AuditRecord, CallFacts, ToolFacts } from "#model/audit";
import { World, type WorldOptions } from "#test/support/world";

export const EVE = "eve@example.com";
export const BOB = "bob@example.com";
export const WHOAMI = "guardhouse__whoami";
const VERSION = "2026-07-28";

export type ToolWorldOptions = Omit<WorldOptions, "seeds">;

export type AskOptions = {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type CallRecord = AuditRecord & { readonly call: CallFacts & { readonly tool: ToolFacts } };

/** The result of a tool call as tests read it. */
export type Result = {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [field: string]: unknown }[];
  readonly isError?: boolean;
  readonly [field: string]: unknown;
};

/** A hub with tool servers, and one user's token. */
export class ToolWorld extends World {
  readonly token = this.tokenOf("eve");

  /** Looks at lists often, so that tests see changes soon, unless `env` says otherwise. */
  static override async open({ env, ...options }: ToolWorldOptions = {}): Promise<ToolWorld> {
    const seeds = { users: { eve: {} }, tokens: { eve: { user: "eve" } } };
    const often = { GUARDHOUSE_TOOL_GATEWAY__LIST_FRESH_MS: "100", ...env };
    return new ToolWorld(await World.made({ ...options, seeds, env: often }));
  }

  get url(): string {
    return `${this.hub.url}/mcp/gateway`;
  }

  /** One POST to the gateway, whatever the dialect. */
  ask(json: unknown, { token = this.token, headers = {}, signal }: AskOptions = {}): Promise<Response> {
    const accept = { accept: "application/json, text/event-stream" };
    return this.hub.fetch("/mcp/gateway", {
      token,
      json,
      headers: { ...accept, ...headers },
      ...(signal ? { signal } : {}),
    });
  }

  /** The minimal dialect. */
  async minimal(method: string, params?: JsonRecord, options?: AskOptions): Promise<Answer> {
    return Answer.of(await this.ask(params === undefined ? { method } : { method, params }, options));
  }

  /** A request of the 2025 era, without a handshake before it: the gateway keeps nothing of one. */
  async legacy(method: string, params: JsonRecord = {}, options?: AskOptions): Promise<Answer> {
    return Answer.of(await this.ask({ jsonrpc: "2.0", id: 1, method, params }, options));
  }

  /** A request of the 2026 era with all that belongs to it. */
  async modern(method: string, params: JsonRecord = {}, options: AskOptions = {}): Promise<Answer> {
    return Answer.of(await this.askModern(method, params, options));
  }

  askModern(method: string, params: JsonRecord = {}, options: AskOptions = {}): Promise<Response> {
    const { _meta, ...rest } = params;
    const meta = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientCapabilities": {},
      ...(isRecord(_meta) ? _meta : {}),
    };
    const headers = {
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
      ...options.headers,
    };
    return this.ask({ jsonrpc: "2.0", id: 1, method, params: { ...rest, _meta: meta } }, { ...options, headers });
  }

  /** What the caller is listed, as it is listed. */
  async tools(options?: AskOptions): Promise<JsonRecord[]> {
    const { status, body } = await this.minimal("tools/list", undefined, options);
    if (status !== 200 || !Array.isArray(body["tools"])) throw new Error(`no list: ${status} ${JSON.stringify(body)}`);
    return body["tools"].filter(isRecord);
  }

  /** The names of the caller's tools without the hub's own. */
  async names(token?: string): Promise<string[]> {
    const tools = await this.tools(token === undefined ? {} : { token });
    return tools.map(({ name }) => `${name}`).filter((name) => name !== WHOAMI);
  }

  /** Lists until the list is as wanted; while there is none, it counts as empty. */
  async listed(isSo: (names: readonly string[]) => boolean, token?: string): Promise<string[]> {
    return until(() => this.names(token).catch(() => []), isSo);
  }

  /** One call in the minimal dialect that ends with a result, failed or not. */
  async call(name: string, args: JsonRecord = {}, options?: AskOptions): Promise<Result> {
    const { status, body } = await this.minimal("tools/call", { name, arguments: args }, options);
    if (status !== 200 || !isResult(body)) throw new Error(`no result: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** The text of a call's first part. */
  async text(name: string, args?: JsonRecord, options?: AskOptions): Promise<string> {
    return (await this.call(name, args, options)).content[0]?.text ?? "";
  }

  /** Records of the tool gateway, newest first. */
  async records(): Promise<CallRecord[]> {
    const { code, stderr, json } = await this.hub.cli("audit", "tail", "-n", "1000");
    if (code !== 0) throw new Error(stderr);
    const records = json();
    if (!Array.isArray(records)) throw new Error("audit tail gave no list");
    return records.filter(isCallRecord);
  }

  /** The final record of the call with this `x-request-id`. */
  async recordOf({ requestId }: Answer): Promise<CallRecord> {
    const isFinal = ({ call_id, phase }: CallRecord) => call_id === requestId && phase === "final";
    const found = await until(
      () => this.records(),
      (records) => records.some(isFinal),
    );
    const record = found.find(isFinal);
    if (record === undefined) throw new Error("no final record");
    return record;
  }

  async cli(...args: readonly string[]): Promise<unknown> {
    const { code, stderr, json } = await this.hub.cli(...args);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return json();
  }
}

/** An answer of the gateway, whole: JSON, or the messages of an event stream. */
export class Answer {
  private constructor(
    readonly status: number,
    readonly headers: Headers,
    /** The last message, which is the answer itself. */
    readonly body: JsonRecord,
    /** What was said before it. */
    readonly news: readonly JsonRecord[],
    readonly raw: string,
  ) {}

  static async of(response: Response): Promise<Answer> {
    const raw = await response.text();
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const messages = isStream ? eventsOf(raw) : raw === "" ? [] : [JSON.parse(raw)];
    const records = messages.filter(isRecord);
    return new Answer(response.status, response.headers, records.at(-1) ?? {}, records.slice(0, -1), raw);
  }

  get requestId(): string {
    return this.headers.get("x-request-id") ?? "";
  }

  /** The result of a JSON-RPC answer. */
  get result(): Result {
    const { result } = this.body;
    if (!isResult(result)) throw new Error(`no result of a call: ${this.raw}`);
    return result;
  }

  get error(): JsonRecord {
    const { error } = this.body;
    if (!isRecord(error)) throw new Error(`no error: ${this.raw}`);
    return error;
  }
}

const eventsOf = (stream: string): unknown[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice(5)));

const isResult = (value: unknown): value is Result => isRecord(value) && Array.isArray(value["content"]);

const isCallRecord = (value: unknown): value is CallRecord =>
  isRecord(value) && isRecord(value["call"]) && isRecord(value["call"]["tool"]);

/** Asks again until the answer is as wanted. */
export const until = async <T>(
  ask: () => Promise<T> | T,
  isSo: (answer: T) => boolean,
  withinMs = 60_000,
): Promise<T> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer)?.slice(0, 500)}`);
    await Bun.sleep(20);
  }
};
