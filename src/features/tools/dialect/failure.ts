import { type ErrorCode, GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import type { ListAnswer } from "#features/tools/dialect/port";
import { RPC, type RpcId } from "#model/tools/mcp";
import { causeOf, type Log } from "#platform/log";

/** A finished JSON-RPC message, and the HTTP status it goes out with. */
export type RpcReply<Text = string> = {
  readonly text: Text;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** JSON-RPC leaves -32000 to -32099 to servers; this one is what MCP's own implementations use for HTTP's errors. */
export const REFUSED = -32_000;

/** What the protocol itself refuses, with a code and a status of its own. An ordinary wrong request to the service. */
export class RpcRefusal extends GuardError {
  constructor(
    readonly rpcCode: number,
    readonly rpcStatus: number,
    message: string,
    readonly data?: JsonRecord,
  ) {
    super("invalid_value", message);
  }
}

/** Names the header and never a value of the body. */
export const mismatch = (header: string, what: string): RpcRefusal =>
  new RpcRefusal(RPC.headerMismatch, 400, `Headers and body disagree: ${header} ${what}.`, { header });

/** Everything that is not here is nothing the caller could put right: an internal error, with our code in `data`. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: RPC.parseError,
  invalid_value: RPC.invalidParams,
  parameter_not_allowed: RPC.invalidParams,
  // Unknown and forbidden look alike (docs/spec/tool-gateway.md).
  tool_not_found: RPC.invalidParams,
  not_found: RPC.invalidParams,
  request_too_large: REFUSED,
};

export const resultText = (id: RpcId, result: string): string => `${resultBegin(id)}${result}}`;

const resultBegin = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

/** A result with the tools first and what else there is after them: members of an object, or nothing. */
export const listResult = (id: RpcId, tools: ListAnswer["tools"], rest = ""): Blob =>
  tools.within(`${resultBegin(id)}{"tools":`, `${rest}}}`);

export const errorText = (id: RpcId | null, error: { code: number; message: string; data?: unknown }): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error });

export const errorReply = (
  id: RpcId | null,
  status: number,
  code: number,
  message: string,
  data?: unknown,
): RpcReply => ({
  text: errorText(id, data === undefined ? { code, message } : { code, message, data }),
  status,
});

/** What was thrown, as the JSON-RPC error it is. What nobody threw on purpose is logged and says nothing. */
export const failureReply = (id: RpcId | null, error: unknown, log: Log): RpcReply => {
  if (error instanceof RpcRefusal) return errorReply(id, error.rpcStatus, error.rpcCode, error.message, error.data);
  const known = error instanceof GuardError ? error : unexpected(error, log);
  const { code, message, param, extra } = known;
  const data = { code, ...(param === undefined ? {} : { param }), ...extra };
  // The message is the answer here; HTTP itself has not failed.
  return { ...errorReply(id, 200, RPC_CODES[code] ?? RPC.internalError, message, data), headers: known.headers };
};

const unexpected = (error: unknown, log: Log): GuardError => {
  log.error("http.unexpected", causeOf(error));
  return new GuardError("internal_error", "Internal error of the hub. Operators find it in the log by x-request-id.");
};
