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

/** The same for a client that asks again after any other end: of the API's codes for failures, one about the request. */
const blockedAsFailure = (error: GuardError) => ({
  ...blockedFields(error),
  status: "failed",
  incomplete_details: null,
  error: { code: "invalid_prompt", message: error.message },
});

/** How a stream ends that was blocked: the type of its last event, and the fields of the response in it. */
export const blockedEnd = (error: GuardError, asksAgain: boolean) =>
  asksAgain
    ? { type: "response.failed", fields: blockedAsFailure(error) }
    : { type: "response.incomplete", fields: blockedFields(error) };

/** What an error would have said, as the model's refusal. */
export const refusal = (id: string, message: string) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  status: "incomplete",
  content: [{ type: "refusal", refusal: message }],
});

export const refusedResponse = (
  error: GuardError,
  { id, model, stream, created, asksAgain }: RefusedRequest,
): string => {
  const begun = emptyResponse(`resp_${id}`, model, created);
  const { type: last, fields } = blockedEnd(error, stream && asksAgain);
  const ended = { ...begun, ...fields, output: [refusal(id, error.message)] };
  if (!stream) return JSON.stringify(ended);
  const event = (type: string, at: number, response: object) => sseNamed(type, { type, sequence_number: at, response });
  return event("response.created", 0, begun) + event(last, 1, ended);
};
