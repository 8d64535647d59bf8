import { type Static, type TSchema, Type } from "#core/schema";
import { FEATURES, LEVELS } from "#model/health/drift";
import { DRIFT_STATUSES } from "#model/health/drift-status";
import { BANDS } from "#model/health/health";

/* What is kept of an agent between evaluations: one document, checked when it is read back. Times are Unix milliseconds. */

const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal<T[number]>(value)));
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Counters = Type.Record(Type.String(), Type.Number());
const Level = oneOf(LEVELS);

/** Calls count from here on: those of later hours, and what came on top of `counts` in this one. */
export const Mark = Type.Object({ at: Type.Integer(), hour: Type.Integer(), counts: Counters });
export type Mark = Static<typeof Mark>;

export const DriftBaseline = Type.Object({
  counts: Counters,
  calls: Type.Integer(),
  from: Type.Integer(),
  to: Type.Integer(),
});
export type DriftBaseline = Static<typeof DriftBaseline>;

const ShiftShape = Type.Object({
  feature: oneOf(Object.keys(FEATURES).filter((key): key is keyof typeof FEATURES => key in FEATURES)),
  psi: Type.Number(),
  watch_at: Type.Number(),
  drifting_at: Type.Number(),
  distance: Type.Number(),
  level: Level,
  bins: Type.Array(Type.Object({ name: Type.String(), baseline: Type.Number(), current: Type.Number() })),
});

export const DriftWatch = Type.Object({
  profile_version: nullable(Type.Integer()),
  /** Where the baseline's calls begin, and once there is one, where the calls begin that are compared with it. */
  since: Mark,
  baseline: nullable(DriftBaseline),
  status: oneOf(DRIFT_STATUSES),
  level: Level,
  above: Type.Array(Level),
  below: Type.Array(Level),
  /** The last evaluation that counted as an hourly one. */
  judged_at: nullable(Type.Integer()),
  /** What was compared last. */
  calls: Type.Integer(),
  from: nullable(Type.Integer()),
  shifts: Type.Array(ShiftShape),
  first_seen: Type.Array(Type.Object({ feature: oneOf(["model", "tool"]), name: Type.String(), uses: Type.Integer() })),
  acknowledged: nullable(Type.Object({ level: Level, until: Type.Integer() })),
});
export type DriftWatch = Static<typeof DriftWatch>;

export const TrendPoint = Type.Object({ t: Type.Integer(), score: nullable(Type.Integer()) });
export type TrendPoint = Static<typeof TrendPoint>;

export const WatchState = Type.Object({
  v: Type.Literal(1),
  drift: DriftWatch,
  band: nullable(Type.Object({ band: oneOf(BANDS), pending: nullable(oneOf(BANDS)) })),
  /** The last evaluation that counted for the band. */
  judged_at: Type.Integer(),
  caps_since: Type.Record(Type.String(), Type.Integer()),
  /** Oldest first. */
  trend: Type.Array(TrendPoint),
});
export type WatchState = Static<typeof WatchState>;

/** What of a state says whether an agent drifts. */
export const Drifting = Type.Object({ drift: Type.Pick(DriftWatch, ["status", "acknowledged"]) });

/** Whether an agent drifts and nobody has answered for it. */
export const driftsUnanswered = ({ drift: { status, acknowledged } }: Static<typeof Drifting>, now: number): boolean =>
  status === "drifting" && (acknowledged === null || now >= acknowledged.until);
