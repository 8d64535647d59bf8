import { Type } from "#core/schema";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { type Detail, describe } from "#http/openapi/route-doc";
import { orNull } from "#http/openapi/schemas";
import { CompletionRequest } from "#model/small-apis";

const OPEN = { additionalProperties: true } as const;

/** What providers answer, as far as it is looked at. */
const TextCompletion = Type.Object(
  {
    id: Type.Optional(Type.String({ examples: ["cmpl-7f3"] })),
    object: Type.Optional(Type.String({ examples: ["text_completion"] })),
    created: Type.Optional(Type.Integer({ description: "Unix seconds.", examples: [1_793_610_600] })),
    model: Type.Optional(Type.String({ examples: ["guardhouse/echo"] })),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Optional(Type.Integer()),
          text: Type.Optional(Type.String()),
          finish_reason: Type.Optional(
            orNull(Type.String({ description: "`content_filter` where the guard blocked it.", examples: ["stop"] })),
          ),
        },
        OPEN,
      ),
    ),
    usage: Type.Optional(Type.Unknown({ examples: [{ prompt_tokens: 4, completion_tokens: 4, total_tokens: 8 }] })),
  },
  { ...OPEN, $id: "TextCompletion" },
);

export const COMPLETE_TEXT: Detail = describe("Completions", "Complete a text, scanned and audited", {
  description:
    "OpenAI's completions, which code editors use. Token ids in `prompt` are decoded and scanned; where something in them is redacted, the provider gets strings in their place. Token ids of a model whose encoding the hub does not know are refused. With `stream: true` the answer is a stream of events, ended by `[DONE]`; a block in its midst is an event with `error`.",
  headers: { "x-conversation-id": Type.String({ description: "Groups the calls of one conversation." }) },
  body: { schema: CompletionRequest, example: { model: "guardhouse/echo", prompt: "Say hello." } },
  answers: {
    200: {
      schema: TextCompletion,
      example: {
        id: "cmpl-7f3",
        object: "text_completion",
        created: 1_793_610_600,
        model: "guardhouse/echo",
        choices: [{ index: 0, text: " Echo: Say hello.", logprobs: null, finish_reason: "stop" }],
        usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
      },
      description: "Model output, after redaction.",
      headers: {
        "x-guard-action": "What the guard did: allow, flag, redact or block.",
        "x-guard-event-id": "The decision's event, where something was flagged or done: what a dispute names.",
        "x-guard-overhead-ms": "Milliseconds the guard took.",
        "x-ratelimit-remaining-requests": "What is left of an agent's requests, where they are limited.",
      },
      or: {
        media: "text/event-stream",
        example: 'data: {"choices":[{"index":0,"text":"Hello"}]}\n\ndata: [DONE]\n\n',
      },
    },
  },
  errors: [
    ...CALL_ERRORS,
    ...UPSTREAM_ERRORS,
    ...(["model_not_allowed", "model_not_found", "parameter_not_allowed"] as const),
  ],
});
