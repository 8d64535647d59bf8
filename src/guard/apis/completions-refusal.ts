import type { GuardError } from "#core/errors";
import { SSE_DONE, sseData } from "#core/sse";
import type { RefusedRequest } from "#guard/apis/api";

const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A block as a completion without text, for clients that take any 4xx for a fault of the connection. */
export const completionRefusal = (
  error: GuardError,
  { id, model, stream, wantsUsage, created }: RefusedRequest,
): string => {
  const base = { id: `cmpl-${id}`, object: "text_completion", created, model };
  const { event_id = null, guard = null } = error.extra ?? {};
  const choices = [{ index: 0, text: "", logprobs: null, finish_reason: "content_filter" }];
  const guardhouse = { event_id, guard, message: error.message };
  if (!stream) return JSON.stringify({ ...base, choices, usage: USAGE, guardhouse });
  const events = [{ ...base, choices, guardhouse }, ...(wantsUsage ? [{ ...base, choices: [], usage: USAGE }] : [])];
  return `${events.map(sseData).join("")}${SSE_DONE}`;
};
