import { isRecord, type JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import { LOG_LEVELS, type LogLevel, logLevelOf } from "#model/tools/log-level";
import { META, MODERN_VERSIONS, metaOf, RPC, type RpcMethod, type RpcRequest } from "#model/tools/mcp";
import { slices } from "#platform/slices";
import { answerCall, type CallBeside } from "./call";
import type { ModernMessage } from "./classify";
import { checkEnvelope } from "./envelope";
import {
  accepted,
  callerTraceOfMessage,
  type DialectNeeds,
  INSTRUCTIONS,
  jsonAnswer,
  listMeta,
  noteHeaders,
  type ToolExchange,
  type TypedResult,
} from "./exchange";
import { errorReply, failureReply, listResult, RpcRefusal, type RpcReply, resultText } from "./failure";
import { answerListen } from "./listen";
import { askOffers, isCacheable, isOfferMethod } from "./offers";
import { checkParamHeaders } from "./param-headers";
import { modesOf, NO_MODES } from "./session";

/*
 * Revision 2026-07-28: no handshake, every request says all about itself, and a client that closes the connection
 * has cancelled.
 */

/** How long a client may keep what it was listed without asking. Milliseconds. */
const LIST_TTL_MS = 10_000;
const DISCOVER_TTL_MS = 300_000;

/** Throws `RpcRefusal`. */
export const answerModern = (
  deps: DialectNeeds,
  exchange: ToolExchange,
  message: ModernMessage,
): Response | Promise<Response> => {
  checkEnvelope(message, exchange.request.headers);
  if (message.kind === "notification") return accepted(exchange);
  const asJson = ({ text, status, headers }: RpcReply<string | Blob>) => jsonAnswer(exchange, text, status, headers);
  const answered = (work: (beside: CallBeside) => Promise<RpcReply>) => {
    const wanted = { mayAsk: false, logLevel: wantedLevel(message.params) };
    return answerCall(deps, exchange, message.params, wanted, work);
  };
  switch (message.method) {
    case "server/discover" satisfies RpcMethod:
      return asJson({ text: resultText(message.id, JSON.stringify(discovery(deps))), status: 200 });
    case "tools/list" satisfies RpcMethod:
      return list(deps, exchange, message).then(asJson);
    case "tools/call" satisfies RpcMethod:
      return answered((beside) => call(deps, exchange, message, beside));
    case "subscriptions/listen" satisfies RpcMethod:
      return answerListen(deps, exchange, message);
    default:
      if (isOfferMethod(message.method)) {
        return answered((beside) => offer(deps, exchange, message, beside));
      }
      return asJson(errorReply(message.id, 404, RPC.methodNotFound, "There is no such method here."));
  }
};

/** Throws `RpcRefusal`. */
const wantedLevel = (params: unknown): LogLevel | null => {
  const said = metaOf(params)?.[META.logLevel];
  const level = logLevelOf(said);
  if (said === undefined || level !== null) return level;
  throw new RpcRefusal(RPC.invalidParams, 400, `${META.logLevel} must be one of: ${LOG_LEVELS.join(", ")}.`);
};

/** `private`: what is said depends on the token, and a shared cache would show it to others. */
const cached = ({ serverInfo }: DialectNeeds, ttlMs: number): JsonRecord => ({
  resultType: "complete",
  ttlMs,
  cacheScope: "private",
  _meta: { [META.serverInfo]: serverInfo },
});

const discovery = (deps: DialectNeeds): JsonRecord => ({
  supportedVersions: MODERN_VERSIONS,
  capabilities: {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  },
  instructions: INSTRUCTIONS,
  ...cached(deps, DISCOVER_TTL_MS),
});

const list = async (
  deps: DialectNeeds,
  exchange: ToolExchange,
  message: RpcRequest,
): Promise<RpcReply<string | Blob>> => {
  const { caller, request, id } = exchange;
  try {
    const answer = await deps.service.list(caller, {
      id,
      dialect: "2026",
      signal: request.signal,
      callerTrace: callerTraceOfMessage(request, message.params),
    });
    const { _meta, ...terms } = cached(deps, LIST_TTL_MS);
    const rest = JSON.stringify({ ...terms, _meta: { ...metaOf({ _meta }), ...listMeta(answer) } }).slice(1, -1);
    return { text: listResult(message.id, answer.tools, `,${rest}`), status: 200, headers: noteHeaders(answer.note) };
  } catch (error) {
    return failureReply(message.id, error, deps.log);
  }
};

/** What servers offer beside tools. */
const offer = async (
  deps: DialectNeeds,
  { caller, request, id }: ToolExchange,
  message: RpcRequest,
  { onProgress, log }: CallBeside,
): Promise<RpcReply> => {
  const { offers, isAskable } = deps;
  const { method, params = {} } = message;
  const { signal } = request;
  const callerTrace = callerTraceOfMessage(request, params);
  const conversation = request.headers.get("x-conversation-id");
  const capabilities = metaOf(params)?.[META.clientCapabilities];
  const clientCapabilities = isRecord(capabilities) ? passedOn(capabilities, isAskable) : null;
  const asked = {
    id,
    dialect: "2026",
    signal,
    callerTrace,
    params,
    conversation,
    clientCapabilities,
    questions: { kind: "result", modes: isAskable ? modesOf(capabilities) : NO_MODES },
    onProgress,
    log,
  } as const;
  try {
    const answer = await askOffers(offers, caller, method, asked, (result) => dressed(deps, method, result));
    const headers = noteHeaders(answer.note);
    return answer.kind === "result"
      ? { text: resultText(message.id, answer.text), status: 200, headers }
      : { ...errorReply(message.id, 200, answer.code, answer.message, answer.data), headers };
  } catch (error) {
    return failureReply(message.id, error, deps.log);
  }
};

/** What a client may keep of a resource is its server's to say; of an older server's, nothing. */
const dressed = (deps: DialectNeeds, method: string, result: JsonRecord): JsonRecord => {
  const own = ownResult(result, deps.serverInfo);
  if (!isCacheable(method) || own.resultType !== "complete") return own;
  const { ttlMs } = result;
  const said = typeof ttlMs === "number" && ttlMs >= 0 ? ttlMs : 0;
  return { ...own, ttlMs: method === "resources/read" ? said : LIST_TTL_MS, cacheScope: "private" };
};

const call = async (
  deps: DialectNeeds,
  { caller, request, id }: ToolExchange,
  message: RpcRequest,
  { onProgress, log }: CallBeside,
): Promise<RpcReply> => {
  const { service, serverInfo, isAskable } = deps;
  const capabilities = metaOf(message.params)?.[META.clientCapabilities];
  try {
    const answer = await service.call(caller, {
      id,
      dialect: "2026",
      signal: request.signal,
      callerTrace: callerTraceOfMessage(request, message.params),
      params: message.params,
      conversation: request.headers.get("x-conversation-id"),
      clientCapabilities: isRecord(capabilities) ? passedOn(capabilities, isAskable) : null,
      questions: { kind: "result", modes: isAskable ? modesOf(capabilities) : NO_MODES },
      onProgress,
      log,
      checkTool: (tool, args) => checkParamHeaders(tool.inputSchema, args, request.headers),
    });
    const headers = noteHeaders(answer.note);
    if (answer.kind === "result") {
      const text = jsonText(ownResult(answer.result, serverInfo), () => slices.turn());
      return { text: resultText(message.id, typeof text === "string" ? text : await text), status: 200, headers };
    }
    // The one error of a tool's own server that HTTP is told of: the specification ties it to 400.
    const status = answer.code === RPC.missingCapability ? 400 : 200;
    return { ...errorReply(message.id, status, answer.code, answer.message, answer.data), headers };
  } catch (error) {
    return failureReply(message.id, error, deps.log);
  }
};

/** A server that was told of this extension could answer with a task, and nobody could ask the hub for its result. */
const TASKS = "io.modelcontextprotocol/tasks";

/** What of its client's capabilities a server is told. */
const passedOn = (capabilities: JsonRecord, isAskable: boolean): JsonRecord => {
  const { elicitation, extensions, ...rest } = capabilities;
  const { [TASKS]: _tasks, ...others }: JsonRecord = isRecord(extensions) ? extensions : {};
  return {
    ...rest,
    ...(isAskable && elicitation !== undefined && { elicitation }),
    ...(isRecord(extensions) && { extensions: others }),
  };
};

/** A tool server of the older era sends no `resultType`; and who answers here is the hub. */
const ownResult = (result: TypedResult, serverInfo: DialectNeeds["serverInfo"]): TypedResult => ({
  ...result,
  resultType: result.resultType ?? "complete",
  _meta: { ...metaOf(result), [META.serverInfo]: serverInfo },
});
