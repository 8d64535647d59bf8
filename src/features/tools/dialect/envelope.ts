import { isRecord, type JsonRecord } from "#core/json/json";
import { META, MODERN_VERSIONS, metaOf, NAMED_BY, RPC } from "#model/tools/mcp";
import { claims, type ModernMessage } from "./classify";
import { mismatch, RpcRefusal } from "./failure";
import { decodeHeader } from "./param-headers";

/** Longer ones are cut where they are repeated. */
const MAX_VERSION_LENGTH = 64;

/**
 * What a request of the 2026 era must say of itself, and must say alike in body and headers: a proxy between
 * reads the headers, and must not be shown another call than the one made. Throws `RpcRefusal`.
 */
export const checkEnvelope = (message: ModernMessage, headers: Headers): void => {
  const version = headers.get("mcp-protocol-version");
  const method = headers.get("mcp-method");
  const meta = metaOf(message.params) ?? {};
  const isRequest = message.kind === "request";
  const claimed = claims(message) ? claimedVersion(meta, isRequest) : null;
  if (claimed === null && isRequest) throw incomplete(META.protocolVersion);
  if (claimed !== null && version !== null && version !== claimed) {
    throw mismatch("MCP-Protocol-Version", "names another version than the body");
  }
  if (method !== null && method !== message.method) throw mismatch("Mcp-Method", "names another method than the body");
  const requested = claimed ?? version ?? "";
  if (!MODERN_VERSIONS.some((known) => known === requested)) {
    throw new RpcRefusal(RPC.unsupportedVersion, 400, "This protocol version is not supported here.", {
      supported: MODERN_VERSIONS,
      requested: requested.slice(0, MAX_VERSION_LENGTH),
    });
  }
  // The protocol asks for headers with requests only.
  if (!isRequest) return;
  if (version === null) throw mismatch("MCP-Protocol-Version", "is missing");
  if (method === null) throw mismatch("Mcp-Method", "is missing");
  checkName(message, headers.get("mcp-name"));
};

const claimedVersion = (meta: JsonRecord, isRequest: boolean): string => {
  const version = meta[META.protocolVersion];
  if (typeof version !== "string") throw incomplete(META.protocolVersion);
  if (!isRequest) return version;
  if (!isRecord(meta[META.clientCapabilities])) throw incomplete(META.clientCapabilities);
  const info = meta[META.clientInfo];
  if (info === undefined) return version;
  if (!isRecord(info) || typeof info["name"] !== "string" || typeof info["version"] !== "string") {
    throw incomplete(META.clientInfo);
  }
  return version;
};

const checkName = ({ method, params }: ModernMessage, header: string | null): void => {
  const field = NAMED_BY.get(method);
  const name = field === undefined ? undefined : params?.[field];
  if (typeof name !== "string") return;
  if (header === null) throw mismatch("Mcp-Name", "is missing");
  if (decodeHeader(header) !== name) throw mismatch("Mcp-Name", `says something else than params.${field}`);
};

const incomplete = (key: string): RpcRefusal =>
  new RpcRefusal(RPC.invalidParams, 400, `params._meta needs ${key} in every request of MCP 2026-07-28.`);
