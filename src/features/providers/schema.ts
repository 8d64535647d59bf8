import { PLAIN_URL } from "#core/ip-range";
import { checkedLater, type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import { MODEL_APIS } from "#model/model-api";
import {
  BREAKER_STATES,
  CREDENTIAL_FIELDS,
  CREDENTIAL_SOURCES,
  type CredentialField,
  PROVIDER_KINDS,
} from "#model/provider";

const closed = { additionalProperties: false } as const;

const optional = <const T extends readonly CredentialField[]>(names: T) => {
  const text = Type.Optional(Type.String({ maxLength: 128 }));
  const every: Record<CredentialField, typeof text> = {
    tenant_id: text,
    client_id: text,
    access_key_id: text,
    region: text,
    profile: text,
  };
  return Type.Pick(Type.Object(every), [...names]).properties;
};

const fields = {
  name: Type.String({ maxLength: 40, ...checkedLater({ pattern: "^[a-z0-9][a-z0-9._-]{0,39}$" }) }),
  base_url: Type.String({
    maxLength: 2_048,
    description: "An https URL, often ending in /v1.",
    ...checkedLater({ pattern: PLAIN_URL }),
  }),
  models: Type.Array(Type.String({ maxLength: 200, ...checkedLater({ pattern: "^[!-~]+$" }) }), {
    minItems: 1,
    maxItems: 100,
    description: "Model names; * matches any text.",
  }),
  api_key: Type.Union([
    Type.String({
      maxLength: 16_384,
      description: "Key, client secret or JSON key file.",
      ...checkedLater({ pattern: "^\\s*[!-~]" }),
    }),
    Type.Null(),
  ]),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "The lowest is tried first." }),
  apis: Type.Array(oneOf(MODEL_APIS), {
    minItems: 1,
    maxItems: MODEL_APIS.length,
    description: "APIs it is called by.",
  }),
  aliases: Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 200 }), {
    description: "Model names of callers, and the provider's own names for them.",
  }),
  credential: Type.Object(
    { source: oneOf(CREDENTIAL_SOURCES), ...optional(["tenant_id", "client_id", "access_key_id", "region"]) },
    { ...closed, description: "Where the credential comes from. The machine's own are for the command line." },
  ),
};

export const NewProviderBody = Type.Object(
  {
    ...fields,
    kind: Type.Optional(oneOf(PROVIDER_KINDS, "`openai` if not given.")),
    api_key: Type.Optional(fields.api_key),
    priority: Type.Optional(fields.priority),
    apis: Type.Optional(fields.apis),
    aliases: Type.Optional(fields.aliases),
    credential: Type.Optional(fields.credential),
  },
  { ...closed, $id: "NewProvider" },
);
export type NewProviderBody = Static<typeof NewProviderBody>;

export const ProviderChange = Type.Partial(Type.Object(fields), { ...closed, $id: "ProviderChange" });
export type ProviderChange = Static<typeof ProviderChange>;

/* Model providers as `/api/providers` shows them: never a key. */

export const ProviderView = Type.Object(
  {
    object: Type.Literal("provider"),
    id: Type.String({ description: "`guardhouse` for the built-in provider." }),
    name: Type.String(),
    base_url: orNull(
      Type.String({ description: "Null for the built-in provider. Only administrators see path and query." }),
    ),
    models: listOf(Type.String()),
    kind: orNull(oneOf(PROVIDER_KINDS, "Null for the built-in provider.")),
    apis: listOf(oneOf(MODEL_APIS)),
    aliases: Type.Record(Type.String(), Type.String()),
    credential: Type.Object(
      { source: oneOf(CREDENTIAL_SOURCES), ...optional(CREDENTIAL_FIELDS) },
      {
        description: "Only administrators see more than the source.",
      },
    ),
    key_file: Type.Boolean({ description: "Whether the key is read from a file that the hub follows." }),
    breaker: Type.Object(
      {
        state: oneOf(BREAKER_STATES),
        failures: Type.Integer({ description: "In a row." }),
        cause: orNull(oneOf(["auth", "server", "connection"])),
        since: orNull(Moment),
      },
      { description: "Of this process. While it is open, other providers are asked first." },
    ),
    priority: Type.Number({ description: "The lowest is tried first." }),
    has_key: Type.Boolean(),
    given_by: oneOf(["operator", "user"], "`user`: its address is checked at every connection."),
    built_in: Type.Boolean(),
    created_at: orNull(Moment),
  },
  { $id: "ProviderView" },
);
export type ProviderView = Static<typeof ProviderView>;

/** `served`: the listed models that the provider's patterns let through. */
export const ProviderCheckView = Type.Object(
  {
    object: Type.Literal("provider_check"),
    id: Type.String(),
    ok: Type.Boolean(),
    status: orNull(Type.Number({ description: "Null without a response." })),
    models: listOf(Type.String()),
    served: listOf(Type.String()),
    problem: orNull(Type.String()),
    apis: listOf(
      Type.Object({
        api: oneOf(MODEL_APIS),
        ok: Type.Boolean(),
        problem: orNull(Type.String()),
        status: orNull(Type.Number({ description: "What an empty request was answered with." })),
      }),
    ),
    ms: Type.Number(),
  },
  { $id: "ProviderCheckView" },
);
export type ProviderCheckView = Static<typeof ProviderCheckView>;
