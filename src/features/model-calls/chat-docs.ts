import { Type } from "#core/schema";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { type Detail, describe } from "#http/openapi/route-doc";
import { orNull } from "#http/openapi/schemas";
import { ChatRequest } from "#model/chat";

const OPEN = { additionalProperties: true } as const;

/** What providers answer, as far as it is looked at. Whatever else they say goes through. */
const ChatCompletion = Type.Object(
  {
    id: Type.Optional(Type.String({ examples: ["chatcmpl-7f3"] })),
    object: Type.Optional(Type.String({ examples: ["chat.completion"] })),
    created: Type.Optional(Type.Integer({ description: "Unix seconds.", examples: [1_793_610_600] })),
    model: Type.Optional(Type.String({ examples: ["guardhouse/echo"] })),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Optional(Type.Integer()),
          message: Type.Optional(
            Type.Object({ role: Type.String(), content: Type.Optional(orNull(Type.String())) }, OPEN),
          ),
          finish_reason: Type.Optional(orNull(Type.String({ examples: ["stop"] }))),
        },
        OPEN,
      ),
    ),
    usage: Type.Optional(Type.Unknown({ examples: [{ prompt_tokens: 4, completion_tokens: 4, total_tokens: 8 }] })),
  },
  { ...OPEN, $id: "ChatCompletion" },
);

const ASKED = { model: "guardhouse/echo", messages: [{ role: "user", content: "Say hello." }] };
const ANSWERED = {
  id: "chatcmpl-7f3",
  object: "chat.completion",
  created: 1_793_610_600,
  model: "guardhouse/echo",
  choices: [{ index: 0, message: { role: "assistant", content: "Say hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
};

export const COMPLETE: Detail = describe("Chat", "Complete a chat, scanned and audited", {
  description:
    "OpenAI's chat completions. What is not known here is scanned and passed on unchanged. With `stream: true` the answer is a stream of events, ended by `[DONE]`; a block in its midst is an event with `error`. Providers' own errors come through with their status and an envelope of the hub's.",
  headers: { "x-conversation-id": Type.String({ description: "Groups the calls of one conversation." }) },
  body: { schema: ChatRequest, example: ASKED },
  answers: {
    200: {
      schema: ChatCompletion,
      example: ANSWERED,
      description: "Model output, after redaction.",
      headers: {
        "x-guard-action": "What the guard did: allow, flag, redact or block.",
        "x-guard-event-id": "The decision's event, where something was flagged or done: what a dispute names.",
        "x-guard-overhead-ms": "Milliseconds the guard took.",
        "x-ratelimit-remaining-requests": "What is left of an agent's requests, where they are limited.",
      },
      or: {
        media: "text/event-stream",
        example: 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n',
      },
    },
  },
  errors: [
    ...CALL_ERRORS,
    ...UPSTREAM_ERRORS,
    ...(["model_not_allowed", "model_not_found", "tool_not_allowed", "parameter_not_allowed"] as const),
  ],
});
