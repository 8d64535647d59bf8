import { resolve } from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { asTransport } from "#test/support/mcp-transport";

/** What a row asks of a client, whichever it is. A refusal is thrown. */
export type Driver = {
  /** What the gateway says it offers; null where the dialect has no way to say so. */
  readonly offers: JsonRecord | null;
  /** Whether a tool server's question reaches it; it answers with `ANSWER`. */
  readonly isAsked: boolean;
  /** Watches a resource; says how often it heard that it has changed. Null where the client has no word for it. */
  readonly watch: ((uri: string) => Promise<() => number>) | null;
  /** Every method that the client has a word for, by the protocol's name. */
  ask(method: string, params: JsonRecord, onProgress?: (told: number) => void): Promise<JsonRecord>;
  close(): Promise<void>;
};

/** Where the gateway is, and whose token is sent. */
export type Place = { readonly url: string; readonly token: string; readonly home: string };

export type ClientKind = {
  readonly client: string;
  readonly dialect: "minimal" | "2025" | "2026";
  open(place: Place): Promise<Driver>;
};

/** What the user answers whatever is asked. */
export const ANSWER = { action: "accept" as const, content: { name: "Grace", check: true } };
/** Said by clients that can show a form. */
const CAPABILITIES = { elicitation: { form: {} } };

const INFO = { name: "guardhouse-simulation", version: "1.0.0" };
const VERSION = "2026-07-28";
const MCP_REMOTE = resolve(import.meta.dir, "../../../node_modules/.bin/mcp-remote");
const WAIT = { timeout: 60_000 };

const nothing = async (): Promise<void> => {};

/** The body in which an answer stands: of a stream of events the last one, of whose progress is told. */
const bodyIn = (text: string, onProgress: (told: number) => void): JsonRecord => {
  const events = [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => parseJson(data));
  for (const event of events) {
    const params = isRecord(event) && event["method"] === "notifications/progress" ? event["params"] : null;
    if (isRecord(params)) onProgress(Number(params["progress"]));
  }
  const body = events.length > 0 ? events.at(-1) : parseJson(text);
  return isRecord(body) ? body : {};
};

/** One run of curl: the address, the token and the body, as anybody would type them. */
const curl = async ({ url, token }: Place, body: JsonRecord, headers: JsonRecord = {}): Promise<string> => {
  const lines = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream", ...headers };
  const flags = Object.entries(lines).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const child = Bun.spawn(["curl", "-sN", url, ...flags, "--data-binary", "@-"], {
    stdin: new Blob([JSON.stringify(body)]),
    stdout: "pipe",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("curl failed");
  return text;
};

const refused = (error: unknown): Error => new Error(isRecord(error) ? `${error["message"]}` : "an error");

const minimalCurl = async (place: Place): Promise<Driver> => ({
  offers: null,
  isAsked: false,
  watch: null,
  ask: async (method, params) => {
    const body = bodyIn(await curl(place, { method, params }), () => {});
    if ("error" in body) throw refused(body["error"]);
    return body;
  },
  close: nothing,
});

const rpcCurl = async (place: Place, isModern: boolean): Promise<Driver> => {
  const ask: Driver["ask"] = async (method, params, onProgress = () => {}) => {
    const common = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
      "io.modelcontextprotocol/clientInfo": INFO,
    };
    const _meta = { progressToken: 1, ...(isModern ? common : {}) };
    const name = params["name"] ?? params["uri"];
    const headers = {
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    };
    const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
    const body = bodyIn(await curl(place, message, isModern ? headers : {}), onProgress);
    const { result } = body;
    if (!isRecord(result)) throw refused(body["error"]);
    return result["resultType"] === "input_required"
      ? ask(method, { ...params, ...answersTo(result) }, onProgress)
      : result;
  };
  const hello = isModern
    ? await ask("server/discover", {})
    : await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO });
  const offers = isRecord(hello["capabilities"]) ? hello["capabilities"] : {};
  // In the 2025 era the question comes on the open stream, and its answer takes a second request: curl does one.
  return { offers, isAsked: isModern, watch: null, ask, close: nothing };
};

/** How a call goes on that asked back (2026-07-28, multi round-trip requests). */
const answersTo = ({ inputRequests, requestState }: JsonRecord): JsonRecord => {
  const keys = isRecord(inputRequests) ? Object.keys(inputRequests) : [];
  return { inputResponses: Object.fromEntries(keys.map((key) => [key, ANSWER])), requestState };
};

/** The methods of the SDKs that carry a request out; both generations have the same ones. */
type Words = {
  listTools(params: JsonRecord): Promise<unknown>;
  callTool(params: JsonRecord, onProgress: (told: number) => void): Promise<unknown>;
  listResources(params: JsonRecord): Promise<unknown>;
  listResourceTemplates(params: JsonRecord): Promise<unknown>;
  readResource(params: JsonRecord): Promise<unknown>;
  listPrompts(params: JsonRecord): Promise<unknown>;
  getPrompt(params: JsonRecord): Promise<unknown>;
  complete(params: JsonRecord): Promise<unknown>;
};

const METHODS: Readonly<Record<string, keyof Words>> = {
  "tools/list": "listTools",
  "tools/call": "callTool",
  "resources/list": "listResources",
  "resources/templates/list": "listResourceTemplates",
  "resources/read": "readResource",
  "prompts/list": "listPrompts",
  "prompts/get": "getPrompt",
  "completion/complete": "complete",
};

const driverOf = (offers: unknown, words: Words, watch: Driver["watch"], close: () => Promise<void>): Driver => ({
  offers: isRecord(offers) ? offers : {},
  isAsked: true,
  watch,
  ask: async (method, params, onProgress = () => {}) => {
    const word = METHODS[method];
    if (word === undefined) throw new Error(`no word for ${method}`);
    const result = await words[word](params, onProgress);
    return isRecord(result) ? result : {};
  },
  close,
});

/** What a row asks with is made for the protocol, not for the types of one SDK. */
const loose = <T>(params: JsonRecord): T => params as T;

const sdk1 = (client: Client): Driver =>
  driverOf(
    client.getServerCapabilities(),
    {
      listTools: (params) => client.listTools(params),
      callTool: (params, onProgress) =>
        client.callTool(loose(params), undefined, { ...WAIT, onprogress: ({ progress }) => onProgress(progress) }),
      listResources: (params) => client.listResources(params),
      listResourceTemplates: (params) => client.listResourceTemplates(params),
      readResource: (params) => client.readResource(loose(params)),
      listPrompts: (params) => client.listPrompts(params),
      getPrompt: (params) => client.getPrompt(loose(params)),
      complete: (params) => client.complete(loose(params)),
    },
    async (uri) => {
      const counted = counter();
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => counted.add(params.uri === uri));
      await client.subscribeResource({ uri });
      return counted.count;
    },
    () => client.close(),
  );

const counter = () => {
  let heard = 0;
  const add = (isIt: boolean): void => {
    heard += Number(isIt);
  };
  return { add, count: () => heard };
};

const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const askedClient = (): Client => {
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  return client;
};

const openSdk1 = async ({ url, token }: Place): Promise<Driver> => {
  const client = askedClient();
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: requestInit(token) });
  await client.connect(asTransport(transport), WAIT);
  return sdk1(client);
};

const openRemote = async ({ url, token, home }: Place): Promise<Driver> => {
  const client = askedClient();
  const args = [url, "--header", `Authorization:Bearer ${token}`];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const transport = new StdioClientTransport({ command: MCP_REMOTE, args, env, stderr: "ignore" });
  await client.connect(transport, WAIT);
  return sdk1(client);
};

const openSdk2 = async ({ url, token }: Place, mode: "legacy" | { pin: string }): Promise<Driver> => {
  const client = new ModernClient(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", () => ANSWER);
  await client.connect(new ModernTransport(new URL(url), { requestInit: requestInit(token) }));
  return driverOf(
    client.getServerCapabilities(),
    {
      listTools: (params) => client.listTools(params),
      callTool: (params, onProgress) =>
        client.callTool(loose(params), { ...WAIT, onprogress: ({ progress }) => onProgress(progress) }),
      listResources: (params) => client.listResources(params),
      listResourceTemplates: (params) => client.listResourceTemplates(params),
      readResource: (params) => client.readResource(loose(params)),
      listPrompts: (params) => client.listPrompts(params),
      getPrompt: (params) => client.getPrompt(loose(params)),
      complete: (params) => client.complete(loose(params)),
    },
    // What subscribes is a request of the 2025 era.
    mode === "legacy"
      ? async (uri) => {
          const counted = counter();
          client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
            counted.add(params.uri === uri),
          );
          await client.subscribeResource({ uri });
          return counted.count;
        }
      : null,
    () => client.close(),
  );
};

export const CLIENTS: readonly ClientKind[] = [
  { client: "curl", dialect: "minimal", open: minimalCurl },
  { client: "curl", dialect: "2025", open: (place) => rpcCurl(place, false) },
  { client: "curl", dialect: "2026", open: (place) => rpcCurl(place, true) },
  { client: "SDK 1.x", dialect: "2025", open: openSdk1 },
  { client: "SDK 2.x", dialect: "2025", open: (place) => openSdk2(place, "legacy") },
  { client: "SDK 2.x", dialect: "2026", open: (place) => openSdk2(place, { pin: VERSION }) },
  { client: "mcp-remote", dialect: "2025", open: openRemote },
];
