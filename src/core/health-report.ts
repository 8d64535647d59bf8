import { FORMULA } from "#core/health";
import { type Static, type TSchema, Type } from "#core/schema";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const score = Type.Number({ minimum: 0, maximum: 1 });

const ShownRestriction = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  source: Type.String(),
  reason: Type.String(),
  starts_at: Type.String(),
  expires_at: nullable(Type.String()),
});

const ShownFeature = Type.Object({
  feature: Type.String(),
  level: Type.String(),
  psi: Type.Number({ description: "Population stability index." }),
  watch_at: Type.Number(),
  drifting_at: Type.Number(),
  distance: Type.Number({ description: "Jensen–Shannon distance, 0 to 1: for charts." }),
  bins: Type.Array(Type.Object({ name: Type.String(), baseline: Type.Number(), current: Type.Number() })),
});

export const ShownDrift = Type.Object(
  {
    status: Type.String({ examples: ["no_baseline", "insufficient_data", "stable", "watch", "drifting"] }),
    acknowledged_until: nullable(Type.String()),
    baseline: nullable(
      Type.Object({
        profile_version: Type.Integer(),
        calls: Type.Integer(),
        from: Type.String(),
        to: Type.String(),
      }),
    ),
    current: nullable(Type.Object({ calls: Type.Integer(), from: Type.String() })),
    features: Type.Array(ShownFeature),
    first_seen: Type.Array(Type.Object({ feature: Type.String(), name: Type.String(), uses: Type.Integer() })),
  },
  { $id: "AgentDrift" },
);
export type ShownDrift = Static<typeof ShownDrift>;

/** How an agent fares, as everybody who may see it is shown. Times are RFC 3339. */
export const HealthReport = Type.Object(
  {
    agent_id: Type.String(),
    health_score: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
    band: Type.String({ examples: ["healthy", "watch", "degraded", "critical", "insufficient_data"] }),
    drift_status: Type.String(),
    active_restrictions: Type.Array(ShownRestriction),
    confidence: Type.String({ examples: ["none", "low", "high"] }),
    window: Type.Object({ from: Type.String(), to: Type.String(), calls: Type.Integer() }),
    inputs: Type.Array(
      Type.Object({
        key: Type.String(),
        score,
        rate: nullable(Type.Number()),
        weight: score,
        explain: Type.String(),
      }),
    ),
    caps: Type.Array(Type.Object({ code: Type.String(), limit: Type.Integer(), since: Type.String() })),
    drift: ShownDrift,
    computed_at: Type.String(),
    formula: Type.Literal(FORMULA),
  },
  { $id: "AgentHealth" },
);
export type HealthReport = Static<typeof HealthReport>;
