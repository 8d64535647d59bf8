import { Type } from "#core/schema";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { type Detail, describe } from "#http/openapi/route-doc";
import { EmbeddingRequest } from "#model/small-apis";

const OPEN = { additionalProperties: true } as const;

/** What providers answer, as far as it is looked at. */
const EmbeddingList = Type.Object(
  {
    object: Type.Optional(Type.String({ examples: ["list"] })),
    model: Type.Optional(Type.String({ examples: ["guardhouse/echo"] })),
    data: Type.Array(
      Type.Object(
        {
          index: Type.Optional(Type.Integer()),
          embedding: Type.Unknown({ description: "Numbers, or the bytes of 32-bit floats in base64. Never changed." }),
        },
        OPEN,
      ),
    ),
    usage: Type.Optional(Type.Unknown({ examples: [{ prompt_tokens: 2, total_tokens: 2 }] })),
  },
  { ...OPEN, $id: "EmbeddingList" },
);

export const EMBED: Detail = describe("Embeddings", "Embed texts, scanned and audited", {
  description:
    "OpenAI's embeddings. Token ids in `input` are decoded and scanned; where something in them is redacted, the provider gets strings in their place. Token ids of a model whose encoding the hub does not know are refused. Vectors pass unchanged and are neither scanned nor recorded.",
  headers: { "x-conversation-id": Type.String({ description: "Groups the calls of one conversation." }) },
  body: { schema: EmbeddingRequest, example: { model: "guardhouse/echo", input: "Say hello." } },
  answers: {
    200: {
      schema: EmbeddingList,
      example: {
        object: "list",
        model: "guardhouse/echo",
        data: [{ object: "embedding", index: 0, embedding: [0.0123, -0.0456] }],
        usage: { prompt_tokens: 3, total_tokens: 3 },
      },
      description: "The vectors.",
      headers: {
        "x-guard-action": "What the guard did: allow, flag, redact or block.",
        "x-guard-event-id": "The decision's event, where something was flagged or done: what a dispute names.",
        "x-guard-overhead-ms": "Milliseconds the guard took.",
        "x-ratelimit-remaining-requests": "What is left of an agent's requests, where they are limited.",
      },
    },
  },
  errors: [
    ...CALL_ERRORS,
    ...UPSTREAM_ERRORS,
    ...(["model_not_allowed", "model_not_found", "parameter_not_allowed"] as const),
  ],
});
