import { LIFECYCLES, ReviewStatus } from "#core/agent";
import type { Effective } from "#core/profile/effective";
import { GuardrailProfile } from "#core/profile/profile";
import { RESTRICTION_KINDS, type Restriction } from "#core/restriction";
import { TIERS } from "#core/review/review";
import { type Static, Type } from "#core/schema";
import { ShownHalt } from "#http/halt";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/* What is shown of agents and their profiles. */

export const ShownAgent = Type.Object(
  {
    id: Id,
    name: Type.String(),
    owner: Type.String({ description: "E-mail address." }),
    owner_id: Type.String(),
    sponsor: orNull(Type.String({ description: "Who answers when the owner leaves." })),
    description: orNull(Type.String()),
    environment: orNull(Type.String({ examples: ["production"] })),
    review_status: ReviewStatus,
    lifecycle: oneOf(LIFECYCLES),
    suspended: orNull(ShownHalt),
    governed: Type.Boolean({ description: "Whether a profile of its own governs it; else the hub's baseline does." }),
    profile_version: orNull(Type.Integer()),
    review_due_at: orNull(Moment),
    created_at: Moment,
  },
  { $id: "Agent" },
);
export type ShownAgent = Static<typeof ShownAgent>;

/** How an agent stands, as lists show it beside the agent. */
export const AgentStanding = Type.Object({
  health_score: orNull(Type.Integer({ minimum: 0, maximum: 100, description: "Null with too few calls." })),
  risk_tier: orNull(oneOf(TIERS, "Of the profile in force; null without one.")),
  band: Type.String({ examples: ["healthy"] }),
  drift_status: Type.String({ examples: ["stable"] }),
  trend: listOf(orNull(Type.Integer({ description: "The score of the last days, oldest first, four a day." }))),
  restrictions: Type.Integer({ description: "In force now." }),
  suspended: Type.Boolean({ description: "By one of them: it is served nothing, whatever its lifecycle." }),
  last_used_at: orNull(Moment),
});
export type AgentStanding = Static<typeof AgentStanding>;

export const ListedAgent = Type.Object(
  { ...ShownAgent.properties, standing: AgentStanding },
  { $id: "ListedAgent", description: "With how it stands by what was computed last." },
);
export type ListedAgent = Static<typeof ListedAgent>;
export const AgentPage = pageSchema(ListedAgent);
export const ProfilePage = pageSchema(GuardrailProfile);

/** What one version changed against another. */
export const ComparedProfile = Type.Object(
  {
    ...GuardrailProfile.properties,
    changes: Type.Optional(
      listOf(
        Type.Object({
          pointer: Type.String({ description: "JSON pointer.", examples: ["/limits/requests_per_minute"] }),
          before: Type.Optional(Type.Unknown()),
          after: Type.Optional(Type.Unknown()),
          direction: oneOf(["stricter", "looser", "other"]),
        }),
      ),
    ),
  },
  { $id: "ComparedProfile" },
);

type ShownEffective = Omit<Effective, "policy"> & { readonly policy: Omit<Effective["policy"], "custom"> };

const EffectiveRules = Type.Unsafe<ShownEffective>({
  type: "object",
  properties: {
    profile_version: { type: ["integer", "null"] },
    mode: { type: "string", enum: ["enforce", "monitor", "off"] },
    policy: { type: "object", description: "The rules of the scanner, without the operator's own patterns." },
  },
  required: ["profile_version", "mode", "policy"],
  additionalProperties: true,
  description: "Of all that is said the strictest; each value names its layer.",
  examples: [{ profile_version: 3, mode: "enforce", policy: { mode: "enforce", hold_back: 256, rules: [] } }],
});

export const EffectiveView = Type.Object(
  {
    governed: Type.Boolean(),
    profile: orNull(GuardrailProfile),
    effective: orNull(EffectiveRules),
    explain: listOf(
      Type.Object({
        field: Type.String({ examples: ["limits.requests_per_minute"] }),
        value: Type.Unknown({ examples: [10] }),
        from: Type.String({ description: "The layer that says it.", examples: ["profile v3"] }),
      }),
    ),
    restrictions: listOf(
      Type.Object({
        id: Id,
        kind: oneOf(RESTRICTION_KINDS),
        params: Type.Unsafe<Restriction["params"]>({ type: "object", additionalProperties: true }),
        source: oneOf(["manual", "automatic"]),
        reason: Type.String(),
        starts_at: Moment,
        expires_at: orNull(Moment),
      }),
    ),
  },
  { $id: "AgentEffective" },
);
export type EffectiveView = Static<typeof EffectiveView>;
