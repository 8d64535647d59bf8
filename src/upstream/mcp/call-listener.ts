import type { RpcNotificationMethod, ServerMethod } from "#model/tools/mcp";
import type { LoggingMessageNotificationParams, Unchecked } from "#model/tools/mcp-types";
import type { LogListener, QuestionListener, UpstreamToolCall } from "#upstream/tool-port";
import { ELICITED, elicitationIdOf } from "./questions.ts";

/** Who hears what a server says or asks beside its answer to one call; null for nobody. */
export type CallListener = { readonly questions: QuestionListener | null; readonly log: LogListener | null };

export const LOGGED: RpcNotificationMethod = "notifications/message";

export const listenerOf = ({ questions, log }: Pick<UpstreamToolCall, "questions" | "log">): CallListener => ({
  questions: questions ?? null,
  log: log ?? null,
});

/** What a caller waits for, beside calls of tools; the hub asks the rest of its own accord. */
const OF_CALLERS: readonly ServerMethod[] = ["resources/read", "prompts/get", "completion/complete"];
export const isOfCaller = (method: ServerMethod): boolean => OF_CALLERS.includes(method);

/** Passes a notification on that belongs to a call; what nobody waits for is dropped. */
export const hearNotification = (
  method: string,
  params: Unchecked<LoggingMessageNotificationParams> | undefined,
  listener: CallListener | null,
): void => {
  if (method === LOGGED) listener?.log?.tell(params ?? {});
  const completed = method === ELICITED ? elicitationIdOf(params) : null;
  if (completed !== null) listener?.questions?.completed(completed);
};

/** How long a server may still speak of a call that was given up and whose answer does not come. Milliseconds. */
const UNANSWERED_MS = 5_000;

/** The calls open on one connection, for what does not say which call it is about. */
export class OpenCallListeners {
  private readonly open = new Set<CallListener>();
  /** The ids of calls that were given up, and until when their server may still speak of them; the oldest first. */
  private readonly unanswered = new Map<number, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** One of both must be called when the call has ended. */
  join(id: number, listener: CallListener): { readonly leave: () => void; readonly giveUp: () => void } {
    this.open.add(listener);
    const leave = () => void this.open.delete(listener);
    const giveUp = () => {
      leave();
      this.forget();
      this.unanswered.set(id, this.now() + UNANSWERED_MS);
    };
    return { leave, giveUp };
  }

  /** The late answer of a call that was given up has come. */
  answered(id: number): void {
    this.unanswered.delete(id);
  }

  /** Of the only call that its server can speak of; null where there is none, or where there are several. */
  get only(): CallListener | null {
    this.forget();
    if (this.unanswered.size > 0) return null;
    const [first, ...others] = this.open;
    return others.length === 0 ? (first ?? null) : null;
  }

  private forget(): void {
    const now = this.now();
    for (const [id, until] of this.unanswered) {
      if (until > now) return;
      this.unanswered.delete(id);
    }
  }
}

/** The same listener, with something else stopped while a question is open. */
export const pausing = (
  { questions, log }: CallListener,
  timer: { suspend(): void; resume(): void },
): CallListener => ({
  log,
  questions: questions && {
    ask: (question) => {
      timer.suspend();
      return questions.ask(question).finally(() => timer.resume());
    },
    completed: questions.completed,
  },
});
