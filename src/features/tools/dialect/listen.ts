import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { ResourceWatch, ToolNews } from "#features/tools/dialect/port";
import { changeFilter, LIST_CHANGES, type ListChange, META, RPC, type RpcRequest } from "#model/tools/mcp";
import { ChangeStream } from "./change-stream";
import { callerTraceOfMessage, type DialectNeeds, jsonAnswer, type ToolExchange } from "./exchange";
import { errorReply, resultText } from "./failure";

/** Resources one stream may watch. */
const MAX_RESOURCES = 32;

/**
 * `subscriptions/listen`: the answer stays open and says when what the caller is listed may have changed, and when a
 * resource it watches has. It ends with the client, with its token, or with the hub; only in the last two cases there is
 * somebody to be told.
 */
export const answerListen = async (
  deps: DialectNeeds,
  exchange: ToolExchange,
  { id, params }: RpcRequest,
): Promise<Response> => {
  const refuse = (code: number, message: string) => {
    const { text, status } = errorReply(id, 200, code, message);
    return jsonAnswer(exchange, text, status);
  };
  const wanted = wantedOf(params);
  if (wanted === null) {
    const problem = `params.notifications is required, with at most ${MAX_RESOURCES} resourceSubscriptions.`;
    return refuse(RPC.invalidParams, problem);
  }
  const tagged = (method: string, rest: JsonRecord): string =>
    JSON.stringify({ jsonrpc: "2.0", method, params: { ...rest, _meta: { [META.subscriptionId]: id } } });
  let watched: readonly ResourceWatch[] = [];
  const stream = ChangeStream.open(deps, exchange, {
    changes: wanted.changes,
    messageOf: ({ method }) => tagged(method, {}),
    onLook: (now) => {
      for (const watch of watched) watch.lookAs(now);
    },
    onEnd: (isGone) => {
      if (!isGone) stream?.send(resultText(id, JSON.stringify(closedBy(deps, id))));
      for (const watch of watched) watch.end();
    },
  });
  if (!stream) return refuse(RPC.internalError, "This token holds as many subscriptions open as it may.");
  const updated = (uri: string) => stream.tell(tagged("notifications/resources/updated", { uri }));
  watched = await watchedOf(deps, exchange, params, wanted.uris, updated);
  const response = stream.response();
  const uris = watched.map(({ uri }) => uri);
  const agreed = { ...changeFilter(wanted.changes), ...(uris.length > 0 && { resourceSubscriptions: uris }) };
  stream.send(tagged("notifications/subscriptions/acknowledged", { notifications: agreed }));
  // Nothing of what was asked for exists here: then there is nothing to wait for either.
  if (wanted.changes.length === 0 && uris.length === 0) stream.end();
  // It may have ended while servers were asked.
  if (stream.isEnded) for (const watch of watched) watch.end();
  return response;
};

const closedBy = ({ serverInfo }: DialectNeeds, id: RpcRequest["id"]): JsonRecord => ({
  resultType: "complete",
  _meta: { [META.subscriptionId]: id, [META.serverInfo]: serverInfo },
});

/** Those that the caller may watch: each is a call of its own. What was refused is left out of what is agreed to. */
const watchedOf = async (
  { offers, ids }: DialectNeeds,
  { caller, request }: ToolExchange,
  params: JsonRecord | undefined,
  uris: readonly string[],
  onUpdated: (uri: string) => void,
): Promise<readonly ResourceWatch[]> => {
  const asked = {
    dialect: "2026",
    signal: request.signal,
    callerTrace: callerTraceOfMessage(request, params),
    conversation: request.headers.get("x-conversation-id"),
    clientCapabilities: null,
    questions: { kind: "none" },
    onProgress: null,
    log: null,
  } as const;
  const each = uris.map(async (uri): Promise<ResourceWatch | null> => {
    try {
      const news: ToolNews = { onUpdated: () => onUpdated(uri), onEnded: () => {} };
      return (await offers.subscribe(caller, { ...asked, id: ids(), params: { uri } }, news)).watch;
    } catch (error) {
      if (error instanceof GuardError) return null;
      throw error;
    }
  });
  return (await Promise.all(each)).filter((watch) => watch !== null);
};

/** Null when the request does not say what it wants. */
const wantedOf = (
  params: JsonRecord | undefined,
): { readonly changes: readonly ListChange[]; readonly uris: readonly string[] } | null => {
  const asked = params?.["notifications"];
  if (!isRecord(asked)) return null;
  const isSaid = ({ filter }: ListChange): boolean => typeof (asked[filter] ?? false) === "boolean";
  const uris = urisIn(asked["resourceSubscriptions"] ?? []);
  if (uris === null || !LIST_CHANGES.every(isSaid)) return null;
  return { changes: LIST_CHANGES.filter(({ filter }) => asked[filter] === true), uris };
};

const urisIn = (value: unknown): readonly string[] | null => {
  if (!Array.isArray(value) || value.length > MAX_RESOURCES) return null;
  const uris = value.filter((uri) => typeof uri === "string");
  return uris.length === value.length ? [...new Set(uris)] : null;
};
