import { type Static, Type } from "#core/schema";
import { listOf } from "#http/openapi/shapes";

/** As OpenAI lists it. */
export const Model = Type.Object(
  {
    id: Type.String({ examples: ["guardhouse/echo"] }),
    object: Type.Literal("model"),
    created: Type.Integer({
      description: "Unix seconds; the same for every model, since it is not known.",
      examples: [1_700_000_000],
    }),
    owned_by: Type.String({ description: "The provider that serves it.", examples: ["guardhouse"] }),
  },
  { $id: "Model" },
);
export type Model = Static<typeof Model>;

export const ModelList = Type.Object({ object: Type.Literal("list"), data: listOf(Model) }, { $id: "ModelList" });
export type ModelList = Static<typeof ModelList>;
