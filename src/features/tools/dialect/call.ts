import type { JsonRecord } from "#core/json/json";
import type { CallRequest } from "#features/tools/dialect/port";
import { isRpcId, metaOf, type RpcId, type RpcNotificationMethod } from "#model/tools/mcp";
import type { ProgressNotificationParams, Unchecked } from "#model/tools/mcp-types";
import { EventStream } from "./event-stream";
import { acceptsEvents, type DialectNeeds, jsonAnswer, type ToolExchange } from "./exchange";
import type { RpcReply } from "./failure";

/** What may be said before the answer, on a stream that is opened then. Null where the client takes none. */
export type CallStream = ((message: JsonRecord) => void) | null;

/** Does the call and never rejects: a failure is a reply too. */
type Work = (onProgress: CallRequest["onProgress"], stream: CallStream) => Promise<RpcReply>;

/**
 * Answers a call: as events when the caller wants progress, takes events, and there is progress; else as JSON. The
 * head of the answer waits until it is known which, so that a call without progress costs no stream.
 */
export const answerCall = (
  { openCalls }: Pick<DialectNeeds, "openCalls">,
  exchange: ToolExchange,
  params: unknown,
  work: Work,
  /** Whether something other than progress may be said before the answer. */
  mayAsk = false,
): Promise<Response> => {
  const token = progressToken(params);
  const asJson = ({ text, status, headers }: RpcReply) => jsonAnswer(exchange, text, status, headers);
  if ((token === null && !mayAsk) || !acceptsEvents(exchange.request)) return work(null, null).then(asJson);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let stream: EventStream | null = null;
  const opened = (): EventStream => {
    if (!stream) {
      stream = new EventStream({ openCalls });
      resolve(stream.response(exchange));
    }
    return stream;
  };
  const onProgress = (progress: Unchecked<ProgressNotificationParams>) => {
    if (token !== null) opened().sendNews(progressText(token, progress));
  };
  const say = (message: JsonRecord) => opened().send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  work(token === null ? null : onProgress, mayAsk ? say : null).then((reply) => {
    if (!stream) return resolve(asJson(reply));
    stream.send(reply.text);
    stream.end();
  }, reject);
  return promise;
};

const progressToken = (params: unknown): RpcId | null => {
  const token = metaOf(params)?.["progressToken"];
  return isRpcId(token) ? token : null;
};

const PROGRESS: RpcNotificationMethod = "notifications/progress";

const progressText = (progressToken: RpcId, progress: Unchecked<ProgressNotificationParams>): string =>
  JSON.stringify({ jsonrpc: "2.0", method: PROGRESS, params: { ...progress, progressToken } });
