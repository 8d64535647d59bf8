import { isRecord, type JsonRecord } from "#core/json/json";
import { type ExactNumber, numberOf } from "#core/json/json-number";
import type {
  ClientNotification,
  ClientRequest,
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
  ServerNotification,
  Unchecked,
} from "./mcp-types";

/*
 * The words of the Model Context Protocol that both sides of the hub speak: to callers (modules/tools/dialect) and
 * to tool servers (upstream/mcp). Source: specification 2025-11-25 and 2026-07-28.
 */

/** Revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Revisions in which every request stands for itself. */
export const MODERN_VERSIONS = ["2026-07-28"] as const;

export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Parameters that are repeated in `Mcp-Name`, by method (2026-07-28, Streamable HTTP, standard request headers). */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Methods and notifications of the SDK's types, and those that revision 2026-07-28 adds. */
export type RpcMethod = ClientRequest["method"] | "server/discover" | "subscriptions/listen";
export type RpcNotificationMethod = ClientNotification["method"] | ServerNotification["method"];

/** What servers say when a list has changed, by what they announce it under; and how one asks to be told. */
export const LIST_CHANGES = [
  { capability: "tools", method: "notifications/tools/list_changed", filter: "toolsListChanged" },
  { capability: "prompts", method: "notifications/prompts/list_changed", filter: "promptsListChanged" },
  { capability: "resources", method: "notifications/resources/list_changed", filter: "resourcesListChanged" },
] as const satisfies readonly { capability: string; method: RpcNotificationMethod; filter: string }[];
export type ListChange = (typeof LIST_CHANGES)[number];

export const isListChange = (method: string): boolean => LIST_CHANGES.some((change) => change.method === method);

/** What of its lists a server announces changes of. */
export const announcedChanges = (capabilities: JsonRecord): readonly ListChange[] =>
  LIST_CHANGES.filter(({ capability }) => {
    const said = capabilities[capability];
    return isRecord(said) && said["listChanged"] === true;
  });

/** As `notifications` of `subscriptions/listen`. */
export const changeFilter = (changes: readonly ListChange[]): JsonRecord =>
  Object.fromEntries(changes.map(({ filter }) => [filter, true]));

/** What the hub asks tool servers beside lists and calls of tools. */
export const SERVER_METHODS = [
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
] as const satisfies readonly RpcMethod[];
export type ServerMethod = (typeof SERVER_METHODS)[number];

/** A caller's own number may be longer than a double; it is repeated as it came. */
export type RpcId = RequestId | ExactNumber;
export type RpcError = Readonly<JSONRPCErrorResponse["error"]>;

export type RpcRequest = { readonly id: RpcId; readonly method: string; readonly params: JsonRecord | undefined };
export type RpcMessage =
  | ({ readonly kind: "request" } & RpcRequest)
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonRecord | undefined }
  | { readonly kind: "result"; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RpcId | null; readonly error: RpcError };

/** A parsed JSON value as a JSON-RPC 2.0 message; null for what is none. */
export const rpcMessage = (value: unknown): RpcMessage | null => {
  if (!isRecord(value)) return null;
  const message: Unchecked<JSONRPCRequest> = value;
  if (message.jsonrpc !== "2.0") return null;
  return typeof message.method === "string" ? asked(message, message.method) : answered(value);
};

const asked = ({ id, params }: Unchecked<JSONRPCRequest | JSONRPCNotification>, method: string): RpcMessage | null => {
  if (params !== undefined && !isRecord(params)) return null;
  if (id === undefined) return { kind: "notification", method, params };
  return isRpcId(id) ? { kind: "request", id, method, params } : null;
};

const answered = (value: Unchecked<JSONRPCResultResponse & JSONRPCErrorResponse>): RpcMessage | null => {
  const { error, result } = value;
  // It answers a number that we gave.
  const id = numberOf(value.id) ?? value.id;
  if (error === undefined) return isRpcId(id) && "result" in value ? { kind: "result", id, result } : null;
  const known = rpcError(error);
  if (!known || !(id === undefined || id === null || isRpcId(id))) return null;
  return { kind: "error", id: id ?? null, error: known };
};

const rpcError = (value: unknown): RpcError | null => {
  if (!isRecord(value)) return null;
  const { message, data }: Unchecked<RpcError> = value;
  const code = numberOf(value["code"]);
  if (code === undefined || typeof message !== "string") return null;
  return data === undefined ? { code, message } : { code, message, data };
};

export const isRpcId = (value: unknown): value is RpcId =>
  typeof value === "string" || Number.isFinite(numberOf(value));

/*
 * Arguments that are repeated in `Mcp-Param-*` headers (specification 2026-07-28, Streamable HTTP, custom headers):
 * what both legs of a call must agree on.
 */

/** Undefined for what is not there. */
export const argumentAt = (args: JsonRecord, path: readonly string[]): unknown => {
  let value: unknown = args;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
};

/** As a header says it; null for what has no form as one. Whole numbers beyond 2^53 are not the same on both sides. */
export const headerForm = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const number = numberOf(value);
  if (number === undefined || !Number.isFinite(number)) return null;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? null : String(number);
};

/** `_meta` of a request's parameters, or of a result. */
export const metaOf = (params: unknown): JsonRecord | null => {
  const meta = isRecord(params) ? params["_meta"] : undefined;
  return isRecord(meta) ? meta : null;
};
