import type { JsonRecord } from "#core/json/json";
import { RPC, type RpcMethod, type RpcNotificationMethod, type ServerMethod } from "#model/tools/mcp";
import type { ClientCapabilities } from "#model/tools/mcp-types";
import type { QuestionListener, QuestionReply } from "#upstream/tool-port";

/*
 * What servers of the 2025 era ask people while a call runs (specification 2025-11-25, elicitation).
 */

export const ELICIT = "elicitation/create";
export const ELICITED: RpcNotificationMethod = "notifications/elicitation/complete";

/** Declared in the handshake of a connection that all of a user's callers share: each question finds out who can answer. */
export const ASKABLE: ClientCapabilities = { elicitation: { form: {}, url: {} } };

/** A caller waits for these as for a call, and can be asked nothing meanwhile. */
const UNASKABLE: readonly ServerMethod[] = ["resources/read", "prompts/get", "completion/complete"];

/** Who answers what a server asks during a request that is no call; nothing for what the hub asks of its own accord. */
export const questionsOf = (method: ServerMethod): { readonly questions?: null } =>
  UNASKABLE.includes(method) ? { questions: null } : {};

/** The calls open on one connection, for questions that do not say which call they are about. */
export class OpenCallListeners {
  private readonly open = new Set<{ readonly questions: QuestionListener | null }>();

  /** `leave` must be called when the call has ended. */
  join(questions: QuestionListener | null): { readonly leave: () => void } {
    const entry = { questions };
    this.open.add(entry);
    return { leave: () => this.open.delete(entry) };
  }

  /** Of the only call that is open; null where there is none, where it cannot be asked, or where there are several. */
  get only(): QuestionListener | null {
    const [first, ...others] = this.open;
    return others.length === 0 ? (first?.questions ?? null) : null;
  }
}

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

/** The same listener, with something else stopped while a question is open. */
export const pausing = (
  { ask, completed }: QuestionListener,
  timer: { suspend(): void; resume(): void },
): QuestionListener => ({
  ask: (question) => {
    timer.suspend();
    return ask(question).finally(() => timer.resume());
  },
  completed,
});
