import { isRecord, type JsonRecord } from "#core/json/json";
import { isRpcId, META, MODERN_VERSIONS, metaOf, RPC, type RpcId, type RpcMessage, rpcMessage } from "#model/tools/mcp";
import { RpcRefusal } from "./failure";

/** JSON-RPC requests and notifications of the 2026 era; nothing else is posted in it. */
export type ModernMessage = Extract<RpcMessage, { readonly kind: "request" | "notification" }>;

export type Classified =
  | { readonly kind: "minimal"; readonly body: JsonRecord }
  | { readonly kind: "legacy"; readonly message: RpcMessage }
  | { readonly kind: "batch"; readonly messages: readonly RpcMessage[] }
  | { readonly kind: "modern"; readonly message: ModernMessage }
  /** Belongs to no dialect; `id` is that of the request, as far as it could be read. */
  | { readonly kind: "refused"; readonly id: RpcId | null; readonly refusal: RpcRefusal };

const MAX_BATCH = 100;
const DATED = /^\d{4}-\d{2}-\d{2}$/;
const [FIRST_MODERN] = MODERN_VERSIONS;

export const isModern = (version: string): boolean => DATED.test(version) && version >= FIRST_MODERN;

/**
 * Which dialect a body speaks. What it says of itself decides; the version header only where it says nothing. Never
 * throws. `Mcp-Method` is no sign of an era: mcp-remote sends it with 2025-era requests too.
 */
export const classify = (body: unknown, versionHeader: string | null): Classified => {
  if (Array.isArray(body)) return classifyBatch(body);
  if (!isRecord(body)) return { kind: "minimal", body: {} };
  if (!Object.hasOwn(body, "jsonrpc")) return { kind: "minimal", body };
  const message = rpcMessage(body);
  if (!message) return refused(body, RPC.invalidRequest, "This is no JSON-RPC 2.0 message.");
  if (message.kind === "result" || message.kind === "error") return { kind: "legacy", message };
  const hasModernHeader = versionHeader !== null && isModern(versionHeader);
  if (message.method !== "initialize") {
    return claims(message) || hasModernHeader ? { kind: "modern", message } : { kind: "legacy", message };
  }
  // A handshake is 2025-era by definition, unless all about it says otherwise; then there is no such method.
  if (isModernClaim(message)) return { kind: "modern", message };
  return hasModernHeader
    ? refused(body, RPC.headerMismatch, "There is no initialize in the version that MCP-Protocol-Version names.")
    : { kind: "legacy", message };
};

/** Batches were in the protocol once (2025-03-26). One wrong message spoils all: none of them is begun. */
const classifyBatch = (body: readonly unknown[]): Classified => {
  const messages: RpcMessage[] = [];
  for (const one of body.slice(0, MAX_BATCH)) {
    const message = rpcMessage(one);
    if (!message)
      return refused(null, RPC.invalidRequest, "The batch holds something that is no JSON-RPC 2.0 message.");
    if (isMethod(message) && (claims(message) || message.method === "initialize")) {
      return refused(null, RPC.invalidRequest, "Batches hold neither initialize nor requests of MCP 2026-07-28.");
    }
    messages.push(message);
  }
  if (messages.length === 0 || body.length > MAX_BATCH) {
    return refused(null, RPC.invalidRequest, `A batch holds 1 to ${MAX_BATCH} messages.`);
  }
  return { kind: "batch", messages };
};

const isMethod = (message: RpcMessage): message is ModernMessage =>
  message.kind === "request" || message.kind === "notification";

/** Whether the message names its own protocol version, as only those of the 2026 era do. */
export const claims = ({ params }: ModernMessage): boolean => metaOf(params)?.[META.protocolVersion] !== undefined;

const isModernClaim = ({ params }: ModernMessage): boolean => {
  const meta = metaOf(params);
  const version = meta?.[META.protocolVersion];
  return typeof version === "string" && isModern(version) && isRecord(meta?.[META.clientCapabilities]);
};

const refused = (body: JsonRecord | null, code: number, message: string): Classified => {
  const { id, method } = body ?? {};
  const known = typeof method === "string" && isRpcId(id) ? id : null;
  return { kind: "refused", id: known, refusal: new RpcRefusal(code, 400, message) };
};
