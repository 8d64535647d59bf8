import { parseExactInTurns } from "#core/json/json-reader";
import type { SseEvent } from "#core/sse";
import { type RpcError, type RpcId, type RpcMessage, rpcMessage } from "#model/tools/mcp";
import { slices } from "#platform/slices";
import { type ByteBudget, isEventStream, readText, SseReader } from "./http-body.ts";

export type RpcAnswer = Extract<RpcMessage, { kind: "result" | "error" }>;

/** Whether a message answers the request with this id. */
export const isAnswerTo = (message: RpcMessage, id: RpcId): message is RpcAnswer =>
  (message.kind === "result" || message.kind === "error") && message.id === id;

/** The messages in a text. Empty for what is none. Those of a long text come as a promise, read in slices. */
export const messagesIn = (text: string): readonly RpcMessage[] | Promise<readonly RpcMessage[]> => {
  const value = parseExactInTurns(text, () => slices.turn());
  return value instanceof Promise ? value.then(messagesOf) : messagesOf(value);
};

const messagesOf = (value: unknown): readonly RpcMessage[] => {
  // Only 2025-03-26 had batches; a server of that time may answer with one.
  if (Array.isArray(value)) return value.map(rpcMessage).filter((message) => message !== null);
  const message = rpcMessage(value);
  return message === null ? [] : [message];
};

/** The messages of a server's event streams, and where the last of them stopped (WHATWG HTML §9.2.6). */
export class MessageStream {
  /** From here a stream can be resumed; null when the server does not offer it. */
  lastId: string | null = null;
  /** How long the server wants to be left alone before, milliseconds. */
  retryMs: number | null = null;
  /** Whether something came that is no MCP. */
  heldNonsense = false;

  constructor(private readonly budget: ByteBudget) {}

  /** Of one body, to its end. Throws as `SseReader` does. */
  async *messages(body: ReadableStream<Uint8Array> | null): AsyncGenerator<RpcMessage> {
    if (!body) return;
    const reader = new SseReader(body, this.budget);
    try {
      for (let events = await reader.next(); events !== null; events = await reader.next()) {
        for (const event of events) {
          const messages = this.accept(event);
          yield* messages instanceof Promise ? await messages : messages;
        }
      }
    } finally {
      reader.finish();
    }
  }

  private accept({ data, beside }: SseEvent): readonly RpcMessage[] | Promise<readonly RpcMessage[]> {
    if (beside !== "") this.note(beside);
    // An event without data only names a place to resume from.
    if (data === null || data === "") return [];
    const messages = messagesIn(data);
    return messages instanceof Promise ? messages.then((read) => this.noted(read)) : this.noted(messages);
  }

  private noted(messages: readonly RpcMessage[]): readonly RpcMessage[] {
    if (messages.length === 0) this.heldNonsense = true;
    return messages;
  }

  private note(fields: string): void {
    const id = /^id:[ ]?([^\0\n]*)$/m.exec(fields)?.[1];
    if (id !== undefined && HEADER_SAFE.test(id)) this.lastId = id;
    const retry = /^retry:[ ]?(\d{1,9})$/m.exec(fields)?.[1];
    if (retry !== undefined) this.retryMs = Number(retry);
  }
}

/** Ids go back in a header. */
const HEADER_SAFE = /^[\x20-\x7e]{1,1024}$/;

/** The answer with this id, in a body or a stream in which nothing else matters; null for none. */
export const answerIn = async (response: Response, id: RpcId, budget: ByteBudget): Promise<RpcAnswer | null> => {
  if (isEventStream(response)) {
    for await (const message of new MessageStream(budget).messages(response.body)) {
      if (isAnswerTo(message, id)) return message;
    }
    return null;
  }
  return (await messagesIn(await readText(response, budget))).find((message) => isAnswerTo(message, id)) ?? null;
};

/** The JSON-RPC error in a refusal's body; null for none. Servers that could not read a request cannot name its id. */
export const refusalOf = async (response: Response, budget: ByteBudget): Promise<RpcError | null> =>
  refusalIn(await readText(response, budget));

/** The same, of a body that was read. */
export const refusalIn = async (text: string): Promise<RpcError | null> => {
  const [message] = await messagesIn(text);
  return message?.kind === "error" ? message.error : null;
};
