import { type Static, Type } from "#core/schema";

/** OpenAI's embeddings, as far as a request is looked at. Open: what is not known is scanned and passed on unchanged. */
export const EmbeddingRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256 }),
    input: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.Unknown())], {
        description: "a string, a list of strings, a list of token ids, or a list of such lists",
      }),
    ),
    user: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: true, $id: "EmbeddingRequest" },
);
export type EmbeddingRequest = Static<typeof EmbeddingRequest>;

const OPEN = { additionalProperties: true } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** OpenAI's completions, as far as a request is looked at. Open: what is not known is scanned and passed on unchanged. */
export const CompletionRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256 }),
    prompt: Type.Optional(
      nullable(
        Type.Union([Type.String(), Type.Array(Type.Unknown())], {
          description: "a string, a list of strings, a list of token ids, or a list of such lists",
        }),
      ),
    ),
    suffix: Type.Optional(nullable(Type.String())),
    stream: Type.Optional(nullable(Type.Boolean())),
    stream_options: Type.Optional(nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, OPEN))),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128 }))),
    best_of: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 128 }))),
  },
  { ...OPEN, $id: "CompletionRequest" },
);
