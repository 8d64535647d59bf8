import type { GuardError } from "#core/errors";
import { SSE_DONE, sseData } from "#core/sse";
import type { ChatResult, GuardNote } from "#modules/chat/result";

/** What the refused request asked for, as far as its answer has to look like it. */
export type Refused = {
  readonly id: string;
  readonly model: string;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  /** Unix seconds. */
  readonly created: number;
};

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * A block as a completion without content, for clients that take any 4xx for a fault of the connection. The refusal says
 * what an error would have said.
 */
export const refusalOf = (
  error: GuardError,
  { id, model, stream, wantsUsage, created }: Refused,
  note: GuardNote,
): ChatResult => {
  const base = { id: `chatcmpl-${id}`, created, model };
  const refusal = error.message;
  const guardhouse = { event_id: error.extra?.["event_id"] ?? null, guard: error.extra?.["guard"] ?? null };
  if (!stream) {
    const message = { role: "assistant", content: null, refusal };
    const choices = [{ index: 0, message, finish_reason: "content_filter", logprobs: null }];
    const answer = { ...base, object: "chat.completion", choices, usage: NO_USAGE, guardhouse };
    return { kind: "whole", status: 200, text: JSON.stringify(answer), note };
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  const delta = { role: "assistant", content: null, refusal };
  const events = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }], guardhouse },
    ...(wantsUsage ? [{ ...chunk, choices: [], usage: NO_USAGE }] : []),
  ];
  const text = `${events.map(sseData).join("")}${SSE_DONE}`;
  return { kind: "stream", body: new Blob([text]).stream(), note };
};
