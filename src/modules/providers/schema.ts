import { type Static, Type } from "#core/schema";

const closed = { additionalProperties: false } as const;

const fields = {
  name: Type.String({ maxLength: 40 }),
  base_url: Type.String({ maxLength: 2_048, description: "An https URL, often ending in /v1." }),
  models: Type.Array(Type.String({ maxLength: 200 }), {
    minItems: 1,
    maxItems: 100,
    description: "Names; * stands for anything.",
  }),
  api_key: Type.Union([Type.String({ maxLength: 4_096 }), Type.Null()]),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Lower goes first." }),
};

export const NewProviderBody = Type.Object(
  {
    ...fields,
    api_key: Type.Optional(fields.api_key),
    priority: Type.Optional(fields.priority),
  },
  { ...closed, $id: "NewProvider" },
);
export type NewProviderBody = Static<typeof NewProviderBody>;

export const ProviderChange = Type.Partial(Type.Object(fields), { ...closed, $id: "ProviderChange" });
export type ProviderChange = Static<typeof ProviderChange>;
