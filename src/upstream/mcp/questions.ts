import type { JsonRecord } from "#core/json/json";
import { RPC, type RpcMethod, type RpcNotificationMethod } from "#model/tools/mcp";
import type { ClientCapabilities } from "#model/tools/mcp-types";
import type { QuestionListener, QuestionReply } from "#upstream/tool-port";

/*
 * What servers of the 2025 era ask people while a call runs (specification 2025-11-25, elicitation).
 */

export const ELICIT = "elicitation/create";
export const ELICITED: RpcNotificationMethod = "notifications/elicitation/complete";

/** Declared in the handshake of a connection that all of a user's callers share: each question finds out who can answer. */
export const ASKABLE: ClientCapabilities = { elicitation: { form: {}, url: {} } };

/** `result` or `error` of the answer to a server's request. */
export const answerOf = async (
  method: string,
  params: JsonRecord | undefined,
  questions: QuestionListener | null,
): Promise<JsonRecord> => {
  if (method === ("ping" satisfies RpcMethod)) return { result: {} };
  if (method !== ELICIT) {
    return { error: { code: RPC.methodNotFound, message: `No method ${method.slice(0, 64)} here` } };
  }
  const reply = await (questions === null ? NOBODY : questions.ask(params ?? {}));
  if (reply.kind === "result") return { result: reply.result };
  const { code, message } = reply;
  return { error: { code, message } };
};

/** 2025-11-25, elicitation, error handling: what a client answers that did not declare the mode. */
const NOBODY: QuestionReply = {
  kind: "error",
  code: RPC.invalidParams,
  message:
    "Nobody can be asked: no call is open, its client does not support elicitation, or several calls are open and the question does not say which it is about.",
};

export const elicitationIdOf = (params: JsonRecord | undefined): string | null => {
  const id = params?.["elicitationId"];
  return typeof id === "string" ? id : null;
};
