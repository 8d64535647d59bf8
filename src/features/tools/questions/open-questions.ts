import { isRecord, type JsonRecord } from "#core/json/json";
import { isLongerThan } from "#core/json/json-size";
import type { RpcMessage } from "#model/tools/mcp";
import type { CancelSignal } from "#platform/cancellation";
import { isSameSecret } from "#platform/hash";
import { randomText } from "#platform/ids";

/** What a client answered; null for nothing in time. */
export type ClientAnswer = { readonly action: Action; readonly content: JsonRecord | null } | "error" | null;
export type Action = (typeof ACTIONS)[number];
const ACTIONS = ["accept", "decline", "cancel"] as const;

/** What becomes of an answer that came. */
export type Taken = "taken" | "unknown" | "invalid" | "too_large";

/** UTF-16 units of an answer: a form that people fill in has no more. */
const MAX_ANSWER = 65_536;
const MAX_FIELDS = 100;

type Open = { readonly tokenId: string; readonly settle: (answer: ClientAnswer) => void };

/** Questions that clients of the 2025 era were asked on the stream of their call, until they answer. */
export class OpenQuestions {
  private readonly open = new Map<string, Open>();

  /** `process` names this one among those that a caller's answer may reach. */
  constructor(readonly process: string) {}

  /** `send` is given the id of the question. Resolves with null when time is up or the call ends. */
  ask(tokenId: string, waitMs: number, signal: CancelSignal, send: (id: string) => void): Promise<ClientAnswer> {
    // Nobody can guess it; and it is good once, for that token.
    const id = `${this.process}.${randomText()}`;
    const { promise, resolve } = Promise.withResolvers<ClientAnswer>();
    const settle = (answer: ClientAnswer): void => {
      this.open.delete(id);
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      resolve(answer);
    };
    const leave = (): void => settle(null);
    const timer = setTimeout(leave, waitMs);
    this.open.set(id, { tokenId, settle });
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    else send(id);
    return promise;
  }

  /** A question whose answer cannot be taken stays open: its client may answer again. */
  answer(tokenId: string, message: RpcMessage): Taken {
    if (message.kind !== "result" && message.kind !== "error") return "unknown";
    const question = typeof message.id === "string" ? this.open.get(message.id) : undefined;
    if (!question || !isSameSecret(tokenId, question.tokenId)) return "unknown";
    if (message.kind === "error") {
      question.settle("error");
      return "taken";
    }
    const answer = answerOf(message.result);
    if (typeof answer === "string") return answer;
    question.settle(answer);
    return "taken";
  }

  get size(): number {
    return this.open.size;
  }
}

/** The process that holds the call of a question's id or a request's state; null for what no process of a hub gave. */
export const processOf = (id: unknown): string | null =>
  (typeof id === "string" && /^([a-z0-9-]{1,64})\.[\w-]{32,}$/.exec(id)?.[1]) || null;

/** The result of `elicitation/create` as the protocol has it: a flat form of texts, numbers, booleans and lists of texts. */
export const answerOf = (
  result: unknown,
): { readonly action: Action; readonly content: JsonRecord | null } | "invalid" | "too_large" => {
  if (!isRecord(result)) return "invalid";
  if (isLongerThan(result, MAX_ANSWER)) return "too_large";
  const action = ACTIONS.find((known) => known === result["action"]);
  const { content } = result;
  if (action === undefined || !(content === undefined || isRecord(content))) return "invalid";
  if (content === undefined || action !== "accept") return { action, content: null };
  const values = Object.values(content);
  return values.length <= MAX_FIELDS && values.every(isPlain) ? { action, content } : "invalid";
};

const isPlain = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item === "string") : !isRecord(value) && value !== null;
