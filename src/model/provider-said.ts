import { Type } from "#core/schema";
import { MODEL_APIS } from "./model-api";
import { CREDENTIAL_SOURCES } from "./provider";

const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal<T[number]>(value)));

const text = Type.Optional(Type.String());

/** What is stored of a provider as JSON. */
export const ProviderSaid = Type.Object({
  models: Type.Array(Type.String()),
  apis: Type.Union([Type.Array(oneOf(MODEL_APIS)), Type.Null()]),
  aliases: Type.Record(Type.String(), Type.String()),
  credential: Type.Object({
    source: oneOf(CREDENTIAL_SOURCES),
    tenant_id: text,
    client_id: text,
    access_key_id: text,
    region: text,
    profile: text,
    secret_file: text,
  }),
});
