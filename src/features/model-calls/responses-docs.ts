import { Type } from "#core/schema";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { type Detail, describe } from "#http/openapi/route-doc";
import { orNull } from "#http/openapi/schemas";
import { CompactRequest, ResponsesRequest } from "#model/responses";

const OPEN = { additionalProperties: true } as const;

/** What providers answer, as far as it is looked at. */
export const Answer = Type.Object(
  {
    id: Type.String({ examples: ["resp_7f3"] }),
    object: Type.String({ examples: ["response"] }),
    status: Type.Optional(
      Type.String({ description: "`incomplete` where the guard blocked the answer.", examples: ["completed"] }),
    ),
    incomplete_details: Type.Optional(
      orNull(
        Type.Object(
          { reason: Type.Optional(Type.String({ description: "`content_filter` where the guard blocked it." })) },
          OPEN,
        ),
      ),
    ),
    model: Type.Optional(Type.String({ examples: ["guardhouse/echo"] })),
    output: Type.Array(Type.Object({ type: Type.String() }, OPEN)),
    usage: Type.Optional(Type.Unknown({ examples: [{ input_tokens: 3, output_tokens: 4, total_tokens: 7 }] })),
  },
  { ...OPEN, $id: "ModelResponse" },
);

const ASKED = { model: "guardhouse/echo", input: "Say hello." };
const MESSAGE = {
  id: "msg_7f3",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Echo: Say hello.", annotations: [] }],
};
export const ANSWERED = {
  id: "resp_7f3",
  object: "response",
  created_at: 1_793_610_600,
  status: "completed",
  incomplete_details: null,
  model: "guardhouse/echo",
  output: [MESSAGE],
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
};

export const STREAMED = `event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", sequence_number: 9, response: ANSWERED })}\n\n`;

const HEADERS = {
  "x-conversation-id": Type.String({ description: "Groups the calls of one conversation." }),
  "session-id": Type.String({ description: "The same, as Codex CLI says it." }),
};

export const ERRORS = [
  ...CALL_ERRORS,
  ...UPSTREAM_ERRORS,
  ...(["model_not_allowed", "model_not_found", "not_found", "tool_not_allowed", "parameter_not_allowed"] as const),
];

export const CREATE_RESPONSE: Detail = describe("Responses", "Create a response, scanned and audited", {
  description:
    "OpenAI's Responses. Items of every type are scanned; what is not known here is scanned and passed on unchanged.",
  headers: HEADERS,
  body: { schema: ResponsesRequest, example: ASKED },
  answers: {
    200: {
      schema: Answer,
      example: ANSWERED,
      description: "Model output, after redaction.",
      headers: {
        "x-guard-action": "What the guard did: allow, flag, redact or block.",
        "x-guard-event-id": "The decision's event, where something was flagged or done: what a dispute names.",
        "x-guard-overhead-ms": "Milliseconds the guard took.",
        "x-ratelimit-remaining-requests": "What is left of an agent's requests, where they are limited.",
      },
      or: { media: "text/event-stream", example: STREAMED },
    },
  },
  errors: ERRORS,
});

const Compaction = Type.Object(
  {
    id: Type.String({ examples: ["resp_7f3"] }),
    object: Type.String({ examples: ["response.compaction"] }),
    output: Type.Array(Type.Object({ type: Type.String() }, OPEN)),
    usage: Type.Optional(Type.Unknown({ examples: [{ input_tokens: 3, output_tokens: 4, total_tokens: 7 }] })),
  },
  { ...OPEN, $id: "CompactedResponse" },
);

const SUMMARY = { id: "cmp_7f3", type: "compaction", encrypted_content: "ZWNobw==" };

export const COMPACT_RESPONSE: Detail = describe("Responses", "Compact a conversation, scanned and audited", {
  description:
    "OpenAI's compaction. The request is scanned, since the whole conversation goes to the provider, and what comes back as far as it can be read. A block is always an error.",
  headers: HEADERS,
  body: { schema: CompactRequest, example: ASKED },
  answers: {
    200: {
      schema: Compaction,
      example: { id: "resp_7f3", object: "response.compaction", created_at: 1_793_610_600, output: [SUMMARY] },
      description: "The conversation as its provider compacted it.",
    },
  },
  errors: ERRORS,
});

const InputTokens = Type.Object(
  {
    object: Type.Optional(Type.String({ examples: ["response.input_tokens"] })),
    input_tokens: Type.Integer({ examples: [3] }),
  },
  { ...OPEN, $id: "InputTokens" },
);

export const COUNT_INPUT_TOKENS: Detail = describe("Responses", "Count a request's tokens", {
  description:
    "OpenAI's count of input tokens. The request is scanned, since all of it goes to the provider; nothing is generated. `model` is needed: it decides which provider counts.",
  headers: HEADERS,
  body: { schema: CompactRequest, example: ASKED },
  answers: {
    200: {
      schema: InputTokens,
      example: { object: "response.input_tokens", input_tokens: 3 },
      description: "As the provider counts them.",
    },
  },
  errors: ERRORS,
});
