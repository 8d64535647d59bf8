import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { jsonText } from "#core/json/json-writer";
import { bearerToken, invalidToken, oneToken } from "#http/auth/token";
import { longBodyOf } from "#http/body";
import type { FinalResponses } from "#http/entry";
import { errorResponse } from "#http/errors";
import { corsHeaders, isPreflight, type OriginCheck, preflightHeaders } from "#http/origins";
import { challenge, urlFor } from "#http/resource-metadata";
import { GATEWAY_PATH } from "#model/oauth/authorization";
import type { TokenPrincipal } from "#model/principal";
import type { RpcMessage } from "#model/tools/mcp";
import { slices } from "#platform/slices";
import type { ProcessRelay } from "#upstream/tool-port";
import { type Classified, classify } from "./dialect/classify";
import { idOf } from "./dialect/client-sessions";
import { acceptsEvents, type DialectNeeds, jsonAnswer, type ToolExchange } from "./dialect/exchange";
import { failureReply } from "./dialect/failure";
import { answerBatch, answerLegacy } from "./dialect/legacy";
import { answerMinimal } from "./dialect/minimal";
import { answerModern } from "./dialect/modern";
import { answerSessionStream } from "./dialect/session-stream";
import { processOf } from "./questions/open-questions";
import { GATEWAY, TOOL_SECURITY } from "./route-docs";

export type ToolRouteNeeds = DialectNeeds & {
  /** Whose token it is; null for an invalid one. */
  readonly authenticate: (token: string) => TokenPrincipal | null | Promise<TokenPrincipal | null>;
  /** Called with every refusal, for the record. */
  readonly onRefused: () => void;
  readonly origins: OriginCheck;
  readonly publicUrl: () => string;
  readonly finalResponses: FinalResponses;
  /** The other processes of this hub; null for one that serves alone, and for what one of them passed on. */
  readonly relay: ProcessRelay | null;
  readonly bodyBytes: number;
  /** Lifts the server's idle limit from a call that may take minutes to answer. */
  readonly disableIdleTimeout: (request: Request) => void;
};

/**
 * The tool gateway's one address, in all its dialects. It authenticates by itself, since tool clients are told where to
 * sign in before anything else about their request is looked at: whatever the method, whatever they accept.
 */
export const toolRoutes = (deps: ToolRouteNeeds) =>
  new Elysia({ name: "tools" }).all(GATEWAY_PATH, ({ request }) => answerRequest(deps, request), {
    parse: "none",
    detail: { ...GATEWAY, security: TOOL_SECURITY },
  });

export const answerRequest = async (deps: ToolRouteNeeds, request: Request): Promise<Response> => {
  const id = deps.ids();
  let cors: Readonly<Record<string, string>> = {};
  try {
    cors = corsHeaders(deps.origins.check(request));
    if (isPreflight(request)) {
      return new Response(null, {
        status: 204,
        headers: { ...cors, ...preflightHeaders(request, "POST, GET, DELETE") },
      });
    }
    const caller = await callerOf(deps, request);
    if (request.method !== "POST" && !isOfSession(request)) throw onlyPost();
    const body = request.method === "POST" ? await longBodyOf(request, deps.bodyBytes) : null;
    deps.disableIdleTimeout(request);
    const headers = {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": id,
      ...cors,
    };
    const callerNow = () => deps.authenticate(tokenOf(request));
    const exchange = { request, caller, id, headers, callerNow };
    return deps.finalResponses.add(await (body ? answerBody(deps, exchange, body) : answerSession(deps, exchange)));
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    const answer = errorResponse(error, id);
    for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
    return answer;
  }
};

/** `GET` and `DELETE` are of a session of the 2025 era, which its header names. */
const isOfSession = ({ method, headers }: Request): boolean =>
  (method === "GET" || method === "DELETE") && idOf(headers) !== null;

const answerSession = async (deps: ToolRouteNeeds, exchange: ToolExchange): Promise<Response> => {
  const { relay, sessions } = deps;
  const { request, caller, headers } = exchange;
  const home = processOf(idOf(request.headers));
  if (relay !== null && home !== null && home !== sessions.process) {
    const answer = await relay.forward(home, request, null);
    if (answer) return new Response(answer.body, { status: answer.status, headers: answer.headers });
  }
  if (request.method === "DELETE") {
    sessions.end(caller.token.id, request.headers);
    return new Response(null, { status: 204, headers });
  }
  if (!acceptsEvents(request)) throw onlyPost();
  const session = sessions.of(caller.token.id, request.headers);
  if (session) return answerSessionStream(deps, exchange, session);
  throw new GuardError("not_found", "This session has ended. Send initialize to begin a new one.");
};

const callerOf = async (
  { authenticate, onRefused, publicUrl }: ToolRouteNeeds,
  request: Request,
): Promise<TokenPrincipal> => {
  const token = tokenOf(request);
  const caller = await authenticate(token);
  if (caller) return caller;
  onRefused();
  throw invalidToken({ "www-authenticate": challenge(urlFor(publicUrl(), request), token !== "") });
};

const tokenOf = ({ headers }: Request): string =>
  oneToken(bearerToken(headers.get("authorization") ?? ""), (name) => headers.get(name));

const answerBody = async (
  deps: ToolRouteNeeds,
  exchange: ToolExchange,
  parse: () => unknown | Promise<unknown>,
): Promise<Response> => {
  let body: unknown;
  try {
    const parsed = parse();
    body = parsed instanceof Promise ? await parsed : parsed;
  } catch (error) {
    if (!(error instanceof GuardError) || !looksLikeRpc(exchange.request)) throw error;
    return jsonAnswer(exchange, failureReply(null, error, deps.log).text, error.status);
  }
  const said = classify(body, exchange.request.headers.get("mcp-protocol-version"));
  const elsewhere = await passedOn(deps, exchange.request, said, body);
  if (elsewhere) return elsewhere;
  if (said.kind === "minimal") return answerMinimal(deps, exchange, said.body);
  try {
    if (said.kind === "refused") throw said.refusal;
    if (said.kind === "batch") return await answerBatch(deps, exchange, said.messages);
    return await (said.kind === "legacy"
      ? answerLegacy(deps, exchange, said.message)
      : answerModern(deps, exchange, said.message));
  } catch (error) {
    const { text, status } = failureReply(rpcIdOf(said), error, deps.log);
    return jsonAnswer(exchange, text, status);
  }
};

/** The answer of the process that holds the call which the message is about; null where that is this one, or none. */
const passedOn = async (
  { relay, questions }: ToolRouteNeeds,
  request: Request,
  said: Classified,
  body: unknown,
): Promise<Response | null> => {
  const holder = relay && holderOf(said, request);
  if (relay === null || holder === null || holder === questions.process) return null;
  const answer = await relay.forward(holder, request, await jsonText(body, () => slices.turn()));
  return answer && new Response(answer.body, { status: answer.status, headers: answer.headers });
};

const holderOf = (said: Classified, { headers }: Request): string | null => {
  if (said.kind !== "legacy" && said.kind !== "modern") return null;
  // What a session asked for is kept by the process that began it.
  return processMeant(said.message) ?? (said.kind === "legacy" ? processOf(idOf(headers)) : null);
};

const processMeant = (message: RpcMessage): string | null => {
  if (message.kind === "result" || message.kind === "error") return processOf(message.id);
  return message.kind === "request" ? processOf(message.params?.["requestState"]) : null;
};

/** Of a body that could not be read: what its client most likely understands. */
const looksLikeRpc = (request: Request): boolean =>
  request.headers.has("mcp-protocol-version") || acceptsEvents(request);

/** The id an answer repeats; null where there is no single one. */
const rpcIdOf = (said: ReturnType<typeof classify>) => {
  if (said.kind === "refused") return said.id;
  const isMessage = said.kind === "legacy" || said.kind === "modern";
  return isMessage && said.message.kind === "request" ? said.message.id : null;
};

const onlyPost = (): GuardError =>
  new GuardError(
    "method_not_allowed",
    "The tool gateway answers POST; GET opens the event stream of a session and DELETE ends one, by its Mcp-Session-Id.",
    { headers: { allow: "POST" } },
  );
