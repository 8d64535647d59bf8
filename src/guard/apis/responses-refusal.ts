import type { GuardError } from "#core/errors";
import { sseNamed } from "#core/sse";
import type { RefusedRequest } from "#guard/apis/api";

/* A block as an incomplete response: the API's own word for an answer that was filtered. */

/** A response of which nothing has been said. */
export const emptyResponse = (id: string, model: string, created: number) => ({
  id,
  object: "response",
  created_at: created,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output: [],
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  usage: null,
});

/** The fields of a response that was blocked. */
export const blockedFields = ({ extra = {} }: GuardError) => ({
  status: "incomplete",
  incomplete_details: { reason: "content_filter" },
  guardhouse: { event_id: extra["event_id"] ?? null, guard: extra["guard"] ?? null },
});

/** What an error would have said, as the model's refusal. */
export const refusal = (id: string, message: string) => ({
  ...{ id: `msg_${id}`, type: "message", role: "assistant", status: "incomplete" },
  content: [{ type: "refusal", refusal: message }],
});

export const refusedResponse = (error: GuardError, { id, model, stream, created }: RefusedRequest): string => {
  const begun = emptyResponse(`resp_${id}`, model, created);
  const ended = { ...begun, ...blockedFields(error), output: [refusal(id, error.message)] };
  if (!stream) return JSON.stringify(ended);
  const event = (type: string, at: number, response: object) => sseNamed(type, { type, sequence_number: at, response });
  return event("response.created", 0, begun) + event("response.incomplete", 1, ended);
};
