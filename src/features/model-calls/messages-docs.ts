import { Type } from "#core/schema";
import { ANTHROPIC_FORM } from "#http/openapi/anthropic-errors";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { type Detail, describe } from "#http/openapi/route-doc";
import { orNull } from "#http/openapi/schemas";
import { MessagesRequest } from "#model/messages";

const OPEN = { additionalProperties: true } as const;

/** What providers answer, as far as it is looked at. */
const Message = Type.Object(
  {
    id: Type.String({ examples: ["msg_7f3"] }),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String({ examples: ["guardhouse/echo"] }),
    content: Type.Array(Type.Object({ type: Type.String() }, OPEN)),
    stop_reason: orNull(
      Type.String({ description: "`refusal` where the guard blocked the answer.", examples: ["end_turn"] }),
    ),
    usage: Type.Optional(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }, OPEN)),
  },
  { ...OPEN, $id: "AnthropicMessage" },
);

const TokenCount = Type.Object({ input_tokens: Type.Integer({ examples: [12] }) }, { ...OPEN, $id: "TokenCount" });

const ASKED = {
  model: "guardhouse/echo",
  max_tokens: 1_024,
  messages: [{ role: "user", content: "Say hello." }],
};
const ANSWERED = {
  id: "msg_7f3",
  type: "message",
  role: "assistant",
  model: "guardhouse/echo",
  content: [{ type: "text", text: "Echo: Say hello." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
};

const HEADERS = {
  "anthropic-version": Type.String({ description: "Passed on as it is to providers of kind `anthropic`." }),
  "anthropic-beta": Type.String({ description: "Passed on as it is to providers of kind `anthropic`." }),
  "x-claude-code-session-id": Type.String({ description: "Groups the calls of one conversation." }),
};

const ERRORS = [
  ...CALL_ERRORS,
  ...UPSTREAM_ERRORS,
  ...(["model_not_allowed", "model_not_found", "tool_not_allowed", "parameter_not_allowed"] as const),
];

export const CREATE_MESSAGE: Detail = describe("Messages", "Create a message, scanned and audited", {
  description:
    "Anthropic's Messages. What is not known here is scanned and passed on unchanged, a provider's own 4xx too. Errors have Anthropic's shape. With `stream: true` the answer is a stream of events; a block in its midst ends it with `stop_reason: \"refusal\"`.",
  headers: HEADERS,
  body: { schema: MessagesRequest, example: ASKED },
  answers: {
    200: {
      schema: Message,
      example: ANSWERED,
      description: "Model output, after redaction.",
      headers: {
        "request-id": "The call's id, as in `x-request-id`.",
        "x-guard-action": "What the guard did: allow, flag, redact or block.",
        "x-guard-event-id": "The decision's event, where something was flagged or done: what a dispute names.",
        "x-guard-overhead-ms": "Milliseconds the guard took.",
        "x-ratelimit-remaining-requests": "What is left of an agent's requests, where they are limited.",
      },
      or: {
        media: "text/event-stream",
        example: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
      },
    },
  },
  errors: ERRORS,
  errorForm: ANTHROPIC_FORM,
});

export const COUNT_MESSAGE_TOKENS: Detail = describe("Messages", "Count a message's tokens", {
  description:
    "Anthropic's token count. The request is scanned, since all of it goes to the provider; nothing is generated.",
  headers: HEADERS,
  body: { schema: MessagesRequest, example: { model: ASKED.model, messages: ASKED.messages } },
  answers: { 200: { schema: TokenCount, example: { input_tokens: 3 }, description: "As the provider counts them." } },
  errors: ERRORS,
  errorForm: ANTHROPIC_FORM,
});
