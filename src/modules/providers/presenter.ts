import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/shapes";

/* Model providers as `/api/providers` shows them: never a key. */

export const ProviderView = Type.Object(
  {
    object: Type.Literal("provider"),
    id: Type.String({ description: "`guardhouse` for the built-in one." }),
    name: Type.String(),
    base_url: orNull(
      Type.String({ description: "Null for the built-in one. Without path and query for all but administrators." }),
    ),
    models: listOf(Type.String()),
    priority: Type.Number({ description: "Lower goes first." }),
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
    status: orNull(Type.Number({ description: "Null when no answer came." })),
    models: listOf(Type.String()),
    served: listOf(Type.String()),
    problem: orNull(Type.String()),
    ms: Type.Number(),
  },
  { $id: "ProviderCheckView" },
);
export type ProviderCheckView = Static<typeof ProviderCheckView>;
