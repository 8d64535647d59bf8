import type { GuardError } from "#core/errors";
import { sseNamed } from "#core/sse";
import type { RefusedRequest } from "#guard/apis/api";

/*
 * A block as Anthropic's own stop reason. An error in place of an answer makes its clients ask again; after a refusal
 * they end the turn and show the explanation.
 */

const NO_USAGE = { input_tokens: 0, output_tokens: 0 };

/** How a message ends that was blocked. */
export const refusedDelta = ({ message, extra = {} }: GuardError, output: number) => ({
  type: "message_delta",
  delta: {
    stop_reason: "refusal",
    stop_sequence: null,
    stop_details: { type: "refusal", category: null, explanation: explained(message, extra["event_id"]) },
  },
  usage: { output_tokens: output },
  guardhouse: { event_id: extra["event_id"] ?? null, guard: extra["guard"] ?? null },
});

const explained = (message: string, event: unknown): string =>
  typeof event !== "string" || message.includes(event) ? message : `${message} (event ${event})`;

export const MESSAGE_STOP = sseNamed("message_stop", { type: "message_stop" });

/** A message of which nothing has been said. */
export const emptyMessage = (id: string, model: string) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: NO_USAGE,
});

export const messageStart = (message: object): string => sseNamed("message_start", { type: "message_start", message });

export const refusedMessage = (error: GuardError, { id, model, stream }: RefusedRequest): string => {
  const message = emptyMessage(`msg_${id}`, model);
  const end = refusedDelta(error, 0);
  if (stream) return messageStart(message) + sseNamed(end.type, end) + MESSAGE_STOP;
  return JSON.stringify({ ...message, ...end.delta, guardhouse: end.guardhouse });
};
