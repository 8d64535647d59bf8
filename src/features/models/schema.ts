import { type Static, Type } from "#core/schema";
import { listOf } from "#http/openapi/schemas";

/** As OpenAI lists it. */
export const Model = Type.Object(
  {
    id: Type.String({ examples: ["guardhouse/echo"] }),
    object: Type.Literal("model"),
    created: Type.Integer({
      description: "Unix seconds; the same for all models, because the real time is unknown.",
      examples: [1_700_000_000],
    }),
    owned_by: Type.String({ description: "The provider that serves it.", examples: ["guardhouse"] }),
  },
  { $id: "Model" },
);
export type Model = Static<typeof Model>;

export const ModelList = Type.Object({ object: Type.Literal("list"), data: listOf(Model) }, { $id: "ModelList" });
export type ModelList = Static<typeof ModelList>;

/** As Anthropic lists it. */
export const AnthropicModel = Type.Object(
  {
    type: Type.Literal("model"),
    id: Type.String({ examples: ["guardhouse/echo"] }),
    display_name: Type.String({ examples: ["guardhouse/echo"] }),
    created_at: Type.String({ format: "date-time", examples: ["2023-11-14T22:13:20Z"] }),
  },
  { $id: "AnthropicModel" },
);
export type AnthropicModel = Static<typeof AnthropicModel>;

export type AnthropicModelList = {
  readonly data: readonly AnthropicModel[];
  readonly has_more: false;
  readonly first_id: string | null;
  readonly last_id: string | null;
};

export const anthropicModel = ({ id, created }: Model): AnthropicModel => ({
  type: "model",
  id,
  display_name: id,
  created_at: new Date(created * 1_000).toISOString(),
});

/** All of them on one page: clients that ask for fewer read what there is. */
export const anthropicList = (models: readonly Model[]): AnthropicModelList => ({
  data: models.map(anthropicModel),
  has_more: false,
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
});
