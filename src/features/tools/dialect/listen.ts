import { isRecord, type JsonRecord } from "#core/json/json";
import type { ToolWatch } from "#features/tools/dialect/port";
import type { TokenPrincipal } from "#model/principal";
import { changeFilter, LIST_CHANGES, type ListChange, META, RPC, type RpcRequest } from "#model/tools/mcp";
import { EventStream } from "./event-stream";
import { type DialectNeeds, jsonAnswer, type ToolExchange } from "./exchange";
import { errorReply, resultText } from "./failure";

/**
 * `subscriptions/listen`: the answer stays open and says when what the caller is listed may have changed. It ends with the
 * client, with its token, or with the hub; only in the last two cases there is somebody to be told.
 */
export const answerListen = (deps: DialectNeeds, exchange: ToolExchange, { id, params }: RpcRequest): Response => {
  const { openCalls, subscriptions, serverInfo } = deps;
  const { caller, request } = exchange;
  const refuse = (code: number, message: string) => {
    const { text, status } = errorReply(id, 200, code, message);
    return jsonAnswer(exchange, text, status);
  };
  const wanted = wantedChanges(params);
  if (wanted === null) return refuse(RPC.invalidParams, "params.notifications is required.");

  const closed: JsonRecord = {
    resultType: "complete",
    _meta: { [META.subscriptionId]: id, [META.serverInfo]: serverInfo },
  };
  const tagged = (method: string, rest: JsonRecord): string =>
    JSON.stringify({ jsonrpc: "2.0", method, params: { ...rest, _meta: { [META.subscriptionId]: id } } });
  let watches: ToolWatch[] = [];
  const leave = () => {
    subscriptions.remove(caller.token.id, finish);
    for (const watch of watches) watch.end();
    watches = [];
  };
  const finish = () => {
    stream?.send(resultText(id, JSON.stringify(closed)));
    gone();
  };
  const gone = () => {
    leave();
    stream?.end();
    stream = null;
  };
  const seen = (now: TokenPrincipal | null) => {
    if (now) for (const watch of watches) watch.lookAs(now);
    else finish();
  };
  let stream: EventStream | null = null;
  if (!subscriptions.add(caller.token.id, finish)) {
    return refuse(RPC.internalError, "This token holds as many subscriptions open as it may.");
  }
  stream = new EventStream({
    openCalls,
    onGone: gone,
    onCutOff: finish,
    onTick: () => {
      const now = exchange.callerNow();
      if (now instanceof Promise) now.then(seen, finish);
      else seen(now);
    },
  });
  const response = stream.response(exchange);
  stream.send(tagged("notifications/subscriptions/acknowledged", { notifications: changeFilter(wanted) }));
  // Nothing of what was asked for exists here: then there is nothing to wait for either.
  if (wanted.length === 0) finish();
  watches = wanted.map((change) => watchOf(deps, caller, change, () => stream?.sendNews(tagged(change.method, {}))));
  request.signal.addEventListener("abort", gone, { once: true });
  return response;
};

const watchOf = (
  { service, offers }: DialectNeeds,
  caller: TokenPrincipal,
  { capability }: ListChange,
  onChange: () => void,
): ToolWatch => (capability === "tools" ? service.watch(caller, onChange) : offers.watch(caller, capability, onChange));

/** Null when the request does not say what it wants. */
const wantedChanges = (params: JsonRecord | undefined): readonly ListChange[] | null => {
  const asked = params?.["notifications"];
  if (!isRecord(asked)) return null;
  const isSaid = ({ filter }: ListChange): boolean => typeof (asked[filter] ?? false) === "boolean";
  return LIST_CHANGES.every(isSaid) ? LIST_CHANGES.filter(({ filter }) => asked[filter] === true) : null;
};
