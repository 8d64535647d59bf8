import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import type { CallRequest, QuestionModes, ResourceWatch } from "#features/tools/dialect/port";
import { LOG_LEVELS, logLevelOf } from "#model/tools/log-level";
import {
  isRpcId,
  LEGACY_VERSIONS,
  RPC,
  type RpcId,
  type RpcMessage,
  type RpcMethod,
  type RpcNotificationMethod,
  type RpcRequest,
} from "#model/tools/mcp";
import type {
  CancelledNotificationParams,
  InitializeRequestParams,
  InitializeResult,
  Unchecked,
} from "#model/tools/mcp-types";
import { slices } from "#platform/slices";
import { answerCall, type CallStream } from "./call";
import { MAX_WATCHED, modesOfSession } from "./client-sessions";
import {
  accepted,
  callerTraceOfMessage,
  type DialectNeeds,
  INSTRUCTIONS,
  jsonAnswer,
  listMeta,
  noteHeaders,
  plainResult,
  type ToolExchange,
} from "./exchange";
import { errorReply, failureReply, listResult, REFUSED, RpcRefusal, type RpcReply, resultText } from "./failure";
import { askOffers, isOfferMethod } from "./offers";
import { capabilitiesOf, modesOf, NO_MODES } from "./session";
import { endUnheard } from "./session-stream";

/*
 * The revisions from 2024-11-05 to 2025-11-25. Calls stand for themselves; a session keeps only what is asked of it.
 * A client that goes away has not cancelled (2025-11-25, transports): only its notice does.
 */

const [NEWEST] = LEGACY_VERSIONS;
const CANCELLED: RpcNotificationMethod = "notifications/cancelled";

/** Throws `RpcRefusal`. */
export const answerLegacy = (
  deps: DialectNeeds,
  exchange: ToolExchange,
  message: RpcMessage,
): Response | Promise<Response> => {
  if (message.kind !== "request") {
    checkVersion(exchange.request);
    heed(deps, exchange, message);
    if (message.kind !== "notification") takeAnswer(deps, exchange, message);
    return accepted(exchange);
  }
  const { id } = exchange;
  if (message.method !== "initialize") checkVersion(exchange.request);
  const isCall = message.method === "tools/call";
  if (isCall || isOfferMethod(message.method)) {
    const { headers } = exchange.request;
    const modes = deps.isAskable ? modesOfSession(headers) : NO_MODES;
    const logLevel = deps.sessions.logLevelOf(exchange.caller.token.id, headers);
    const wanted = { mayAsk: modes.form || modes.url, logLevel };
    const work = isCall ? call : offer;
    return answerCall(deps, exchange, message.params, wanted, ({ stream, ...beside }) =>
      work(deps, exchange, id, message, { ...beside, questions: questionsOn(deps, exchange, modes, stream) }),
    );
  }
  return reply(deps, exchange, id, message).then(({ text, status, headers }) =>
    jsonAnswer(exchange, text, status, headers),
  );
};

/** All at once; answers are in the order of the requests. Progress of calls in a batch has nowhere to go. */
export const answerBatch = async (
  deps: DialectNeeds,
  exchange: ToolExchange,
  messages: readonly RpcMessage[],
): Promise<Response> => {
  checkVersion(exchange.request);
  for (const message of messages) heed(deps, exchange, message);
  const requests = messages.filter((message) => message.kind === "request");
  if (requests.length === 0) return accepted(exchange);
  const replies = requests.map((one, at) => reply(deps, exchange, at === 0 ? exchange.id : deps.ids(), one));
  const texts = (await Promise.all(replies)).map(({ text }) => (typeof text === "string" ? text : text.text()));
  return jsonAnswer(exchange, `[${(await Promise.all(texts)).join(",")}]`);
};

const checkVersion = ({ headers }: Request): void => {
  const version = headers.get("mcp-protocol-version");
  if (version === null || LEGACY_VERSIONS.some((known) => known === version)) return;
  const known = LEGACY_VERSIONS.join(", ");
  throw new RpcRefusal(REFUSED, 400, `MCP-Protocol-Version names no version spoken here in this way: ${known}.`);
};

/** Of what asks for no answer, only a cancellation means anything here. */
const heed = ({ inFlight }: DialectNeeds, { caller }: ToolExchange, message: RpcMessage): void => {
  if (message.kind !== "notification" || message.method !== CANCELLED) return;
  const { requestId }: Unchecked<CancelledNotificationParams> = message.params ?? {};
  if (isRpcId(requestId)) inFlight.cancel(caller.token.id, requestId);
};

/** Never rejects. */
const reply = async (
  deps: DialectNeeds,
  exchange: ToolExchange,
  id: string,
  message: RpcRequest,
): Promise<RpcReply<string | Blob>> => {
  switch (message.method) {
    case "initialize" satisfies RpcMethod:
      return {
        text: resultText(message.id, JSON.stringify(handshake(deps, message))),
        status: 200,
        headers: deps.sessions.headers(deps.isAskable ? modesOf(message.params?.["capabilities"]) : NO_MODES),
      };
    case "ping" satisfies RpcMethod:
      return { text: resultText(message.id, "{}"), status: 200 };
    case "tools/list" satisfies RpcMethod:
      return list(deps, exchange, id, message);
    case "tools/call" satisfies RpcMethod:
      return call(deps, exchange, id, message, NOTHING_BESIDE);
    case "logging/setLevel" satisfies RpcMethod:
      return setLevel(deps, exchange, message);
    case "resources/subscribe" satisfies RpcMethod:
      return watch(deps, exchange, id, message);
    case "resources/unsubscribe" satisfies RpcMethod:
      return unwatch(deps, exchange, id, message);
    default:
      if (isOfferMethod(message.method)) return offer(deps, exchange, id, message, NOTHING_BESIDE);
      return errorReply(message.id, 200, RPC.methodNotFound, "There is no such method here.");
  }
};

/** What comes beside a call: in a batch there is nowhere to say it. */
type Beside = Pick<CallRequest, "onProgress" | "log" | "questions">;
const NOTHING_BESIDE: Beside = { onProgress: null, log: null, questions: { kind: "none" } };

/** From now on the session's calls bring what their servers log, from this level on. Without it they bring nothing. */
const setLevel = ({ sessions }: DialectNeeds, { caller, request }: ToolExchange, message: RpcRequest): RpcReply => {
  const level = logLevelOf(message.params?.["level"]);
  if (level === null) {
    return errorReply(message.id, 200, RPC.invalidParams, `params.level must be one of: ${LOG_LEVELS.join(", ")}.`);
  }
  const session = sessions.of(caller.token.id, request.headers);
  if (session === null) return noSession(message.id);
  session.logLevel = level;
  return { text: resultText(message.id, "{}"), status: 200 };
};

/** The session hears of it on its own stream, which it may open a moment later. */
const watch = async (
  deps: DialectNeeds,
  exchange: ToolExchange,
  id: string,
  message: RpcRequest,
): Promise<RpcReply> => {
  const { sessions, offers, log } = deps;
  const { caller, request } = exchange;
  const session = sessions.of(caller.token.id, request.headers);
  if (session === null) return noSession(message.id);
  const uri = String(message.params?.["uri"]);
  if (!session.watched.has(uri) && session.watched.size + session.beginning >= MAX_WATCHED) {
    const problem = `A session watches at most ${MAX_WATCHED} resources. Unsubscribe from another one.`;
    return errorReply(message.id, 200, RPC.invalidParams, problem);
  }
  session.beginning += 1;
  try {
    let isOver = false;
    const ended = (): void => {
      isOver = true;
      if (session.watched.get(uri) === begun) session.watched.delete(uri);
    };
    const news = { onUpdated: () => session.stream?.tell(uri), onEnded: ended };
    let begun: ResourceWatch | undefined;
    const { watch: made, note } = await offers.subscribe(caller, asked(exchange, id, message), news);
    begun = made;
    if (session.isEnded) made.end();
    if (isOver) throw new GuardError("upstream_error", "The resource is not watched.");
    session.watched.get(uri)?.end();
    session.watched.set(uri, made);
    endUnheard(session);
    return { text: resultText(message.id, "{}"), status: 200, headers: noteHeaders(note) };
  } catch (error) {
    return failureReply(message.id, error, log);
  } finally {
    session.beginning -= 1;
  }
};

const unwatch = async (
  { sessions, offers, log }: DialectNeeds,
  exchange: ToolExchange,
  id: string,
  message: RpcRequest,
): Promise<RpcReply> => {
  const { caller, request } = exchange;
  const session = sessions.of(caller.token.id, request.headers);
  if (session === null) return noSession(message.id);
  try {
    session.watched.get(String(message.params?.["uri"]))?.end();
    const note = await offers.unsubscribe(caller, asked(exchange, id, message));
    return { text: resultText(message.id, "{}"), status: 200, headers: noteHeaders(note) };
  } catch (error) {
    return failureReply(message.id, error, log);
  }
};

/** A request that its client cannot take back. */
const asked = ({ request }: ToolExchange, id: string, { params = {} }: RpcRequest) => ({
  ...NOTHING_BESIDE,
  id,
  dialect: "2025" as const,
  signal: request.signal,
  callerTrace: callerTraceOfMessage(request, params),
  params,
  conversation: request.headers.get("x-conversation-id"),
  clientCapabilities: null,
});

/** 2025-11-25, transports, session management: the client begins a new session. */
const noSession = (id: RpcId): RpcReply =>
  errorReply(id, 404, REFUSED, "This needs the session that initialize begins. Send initialize again.");

/** The user is asked on the stream that answers the call (2025-11-25, transports, "Sending Messages to the Server"). */
const questionsOn = (
  { questions }: DialectNeeds,
  { caller }: ToolExchange,
  modes: QuestionModes,
  stream: CallStream,
): CallRequest["questions"] => {
  if (stream === null) return { kind: "none" };
  return {
    kind: "stream",
    modes,
    ask: async (params, waitMs, signal) => {
      let requestId = "";
      const answer = await questions.ask(caller.token.id, waitMs, signal, (id) => {
        requestId = id;
        stream({ id, method: "elicitation/create", params });
      });
      // Nobody waits for it any more: the client may take its form away.
      if (answer === null) stream({ method: CANCELLED, params: { requestId } });
      return answer;
    },
    completed: (elicitationId) => stream({ method: ELICITED, params: { elicitationId } }),
  };
};

/**
 * What answers nothing that this token was asked is dropped without a word, so that ids cannot be tried. Throws `RpcRefusal`
 * for an answer that cannot be taken.
 */
const takeAnswer = (
  { questions }: DialectNeeds,
  { caller }: ToolExchange,
  message: Extract<RpcMessage, { kind: "result" | "error" }>,
): void => {
  const taken = questions.answer(caller.token.id, message);
  if (taken === "too_large") throw new RpcRefusal(REFUSED, 413, "The answer is too long. Answer again with less.");
  if (taken === "invalid") throw new RpcRefusal(RPC.invalidParams, 400, "This is no result of elicitation/create.");
};

const ELICITED: RpcNotificationMethod = "notifications/elicitation/complete";

const handshake = ({ serverInfo }: DialectNeeds, message: RpcRequest): InitializeResult => {
  const params: Unchecked<InitializeRequestParams> = message.params ?? {};
  const asked = params.protocolVersion;
  return {
    protocolVersion: LEGACY_VERSIONS.find((known) => known === asked) ?? NEWEST,
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    serverInfo,
    instructions: INSTRUCTIONS,
  };
};

const list = async (
  deps: DialectNeeds,
  exchange: ToolExchange,
  id: string,
  message: RpcRequest,
): Promise<RpcReply<string | Blob>> => {
  const { caller, request } = exchange;
  try {
    const answer = await deps.service.list(caller, {
      id,
      dialect: "2025",
      signal: request.signal,
      callerTrace: callerTraceOfMessage(request, message.params),
    });
    const meta = listMeta(answer);
    const rest = meta === null ? "" : `,"_meta":${JSON.stringify(meta)}`;
    return { text: listResult(message.id, answer.tools, rest), status: 200, headers: noteHeaders(answer.note) };
  } catch (error) {
    return failureReply(message.id, error, deps.log);
  }
};

/** What servers are told that the client can do. */
const toldOf = ({ questions }: Beside): JsonRecord | null =>
  questions.kind === "none" ? null : capabilitiesOf(questions.modes);

/** What servers offer beside tools. */
const offer = async (
  { offers, inFlight, log }: DialectNeeds,
  { caller, request }: ToolExchange,
  id: string,
  message: RpcRequest,
  beside: Beside,
): Promise<RpcReply> => {
  const { signal, end } = inFlight.begin(caller.token.id, message.id);
  const callerTrace = callerTraceOfMessage(request, message.params);
  const conversation = request.headers.get("x-conversation-id");
  const asked = { id, dialect: "2025", signal, callerTrace, params: message.params ?? {}, ...beside } as const;
  try {
    const whole = { ...asked, conversation, clientCapabilities: toldOf(beside) };
    const answer = await askOffers(offers, caller, message.method, whole, (result) => result);
    const headers = noteHeaders(answer.note);
    return answer.kind === "result"
      ? { text: resultText(message.id, answer.text), status: 200, headers }
      : { ...errorReply(message.id, 200, answer.code, answer.message, answer.data), headers };
  } catch (error) {
    return failureReply(message.id, error, log);
  } finally {
    end();
  }
};

const call = async (
  { service, inFlight, log }: DialectNeeds,
  { caller, request }: ToolExchange,
  id: string,
  message: RpcRequest,
  beside: Beside,
): Promise<RpcReply> => {
  const { signal, end } = inFlight.begin(caller.token.id, message.id);
  try {
    const answer = await service.call(caller, {
      id,
      dialect: "2025",
      signal,
      callerTrace: callerTraceOfMessage(request, message.params),
      params: message.params,
      conversation: request.headers.get("x-conversation-id"),
      clientCapabilities: toldOf(beside),
      ...beside,
      checkTool: null,
    });
    const headers = noteHeaders(answer.note);
    if (answer.kind === "result") {
      const text = jsonText(plainResult(answer.result), () => slices.turn());
      return { text: resultText(message.id, typeof text === "string" ? text : await text), status: 200, headers };
    }
    return { ...errorReply(message.id, 200, answer.code, answer.message, answer.data), headers };
  } catch (error) {
    return failureReply(message.id, error, log);
  } finally {
    end();
  }
};
