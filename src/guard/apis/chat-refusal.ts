import type { GuardError } from "#core/errors";
import { SSE_DONE, sseData } from "#core/sse";
import type { RefusedRequest } from "#guard/apis/api";

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * A block as a completion without content, for clients that take any 4xx for a fault of the connection. The refusal says
 * what an error would have said.
 */
export const chatRefusal = (error: GuardError, { id, model, stream, wantsUsage, created }: RefusedRequest): string => {
  const base = { id: `chatcmpl-${id}`, created, model };
  const refusal = error.message;
  const guardhouse = { event_id: error.extra?.["event_id"] ?? null, guard: error.extra?.["guard"] ?? null };
  if (!stream) {
    const message = { role: "assistant", content: null, refusal };
    const choices = [{ index: 0, message, finish_reason: "content_filter", logprobs: null }];
    return JSON.stringify({ ...base, object: "chat.completion", choices, usage: NO_USAGE, guardhouse });
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  const delta = { role: "assistant", content: null, refusal };
  const events = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }], guardhouse },
    ...(wantsUsage ? [{ ...chunk, choices: [], usage: NO_USAGE }] : []),
  ];
  return `${events.map(sseData).join("")}${SSE_DONE}`;
};
