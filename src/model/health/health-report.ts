import { type Static, type TSchema, Type } from "#core/schema";
import { FORMULA } from "#model/health/health";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const score = Type.Number({ minimum: 0, maximum: 1 });

const RestrictionResponse = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  source: Type.String(),
  reason: Type.String(),
  starts_at: Type.String(),
  expires_at: nullable(Type.String()),
});

const FeatureResponse = Type.Object({
  feature: Type.String(),
  level: Type.String(),
  psi: Type.Number({ description: "Population stability index." }),
  watch_at: Type.Number(),
  drifting_at: Type.Number(),
  distance: Type.Number({ description: "Jensen–Shannon distance, 0 to 1: for charts." }),
  bins: Type.Array(Type.Object({ name: Type.String(), baseline: Type.Number(), current: Type.Number() })),
});

export const DriftResponse = Type.Object(
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
    features: Type.Array(FeatureResponse),
    first_seen: Type.Array(Type.Object({ feature: Type.String(), name: Type.String(), uses: Type.Integer() })),
  },
  { $id: "AgentDrift" },
);
export type DriftResponse = Static<typeof DriftResponse>;

/** Health of an agent. Times are RFC 3339. */
export const HealthReport = Type.Object(
  {
    agent_id: Type.String(),
    health_score: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
    band: Type.String({ examples: ["healthy", "watch", "degraded", "critical", "insufficient_data"] }),
    drift_status: Type.String(),
    active_restrictions: Type.Array(RestrictionResponse),
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
    drift: DriftResponse,
    computed_at: Type.String(),
    formula: Type.Literal(FORMULA),
  },
  { $id: "AgentHealth" },
);
export type HealthReport = Static<typeof HealthReport>;

/** What the inputs of the score count, beside it: for people. */
export const AgentHealthView = Type.Composite(
  [
    HealthReport,
    Type.Object({
      measures: Type.Array(
        Type.Object({
          key: Type.String({ description: "Of the input." }),
          count: Type.Integer({
            description: "Confirmed misses, calls off the profile, false positives, failed calls, issues.",
          }),
          of: nullable(Type.Integer({ description: "Of so many calls or blocks; null for issues." })),
        }),
      ),
    }),
  ],
  { $id: "AgentHealthView" },
);
export type AgentHealthView = Static<typeof AgentHealthView>;

/** The report alone, as it is published. */
export const publishedReport = ({ measures: _, ...report }: AgentHealthView): HealthReport => report;
