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
