import type { JsonRecord } from "#core/json/json";
import type { CallRequest } from "#features/tools/dialect/port";
import type { LogLevel } from "#model/tools/log-level";
import { isRpcId, metaOf, type RpcId, type RpcNotificationMethod } from "#model/tools/mcp";
import type { LoggingMessageNotificationParams, ProgressNotificationParams, Unchecked } from "#model/tools/mcp-types";
import { EventStream } from "./event-stream";
import { acceptsEvents, type DialectNeeds, jsonAnswer, type ToolExchange } from "./exchange";
import type { RpcReply } from "./failure";

/** What may be said before the answer, on a stream that is opened then. Null where the client takes none. */
export type CallStream = ((message: JsonRecord) => void) | null;

/** What a call says before its answer: each null where its client wants none. */
export type CallBeside = Pick<CallRequest, "onProgress" | "log"> & { readonly stream: CallStream };
const NOTHING_BESIDE: CallBeside = { onProgress: null, log: null, stream: null };

/** Does the call and never rejects: a failure is a reply too. */
type Work = (beside: CallBeside) => Promise<RpcReply>;

type Wanted = {
  /** Whether the client's user may be asked something. */
  readonly mayAsk: boolean;
  /** The least severe log messages it wants; null for none. */
  readonly logLevel: LogLevel | null;
};

/**
 * Answers a call: as events when the caller wants progress or log messages, takes events, and there are any; else as
 * JSON. The head of the answer waits until it is known which, so that a call without them costs no stream.
 */
export const answerCall = (
  { openCalls }: Pick<DialectNeeds, "openCalls">,
  exchange: ToolExchange,
  params: unknown,
  { mayAsk, logLevel }: Wanted,
  work: Work,
): Promise<Response> => {
  const token = progressToken(params);
  const asJson = ({ text, status, headers }: RpcReply) => jsonAnswer(exchange, text, status, headers);
  const isPlain = token === null && !mayAsk && logLevel === null;
  if (isPlain || !acceptsEvents(exchange.request)) return work(NOTHING_BESIDE).then(asJson);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let stream: EventStream | null = null;
  let isOver = false;
  /** Null once the call is answered: nobody reads on. */
  const opened = (): EventStream | null => {
    if (isOver || stream) return stream;
    stream = new EventStream({ openCalls });
    resolve(stream.response(exchange));
    return stream;
  };
  const onProgress = (progress: Unchecked<ProgressNotificationParams>) => {
    if (token !== null) opened()?.sendNews(notice(PROGRESS, { ...progress, progressToken: token }));
  };
  const tell = (message: Unchecked<LoggingMessageNotificationParams>) => opened()?.sendNews(notice(LOGGED, message));
  const say = (message: JsonRecord) => opened()?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const beside: CallBeside = {
    onProgress: token === null ? null : onProgress,
    log: logLevel && { level: logLevel, tell },
    stream: mayAsk ? say : null,
  };
  work(beside).then((reply) => {
    isOver = true;
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
const LOGGED: RpcNotificationMethod = "notifications/message";

const notice = (method: RpcNotificationMethod, params: JsonRecord): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });
