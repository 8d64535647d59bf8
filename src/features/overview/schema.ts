import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";

/* What `/api/overview` and `/api/traffic` answer. */

export const OverviewWindow = oneOf(["1h", "24h", "7d", "30d", "90d"]);
export type OverviewWindow = Static<typeof OverviewWindow>;

/** What calls are told apart by, bucket for bucket. */
export const TRAFFIC_GROUPS = ["agent", "model", "finding"] as const;
export type TrafficGroupBy = (typeof TRAFFIC_GROUPS)[number];
export const TRAFFIC_MEASURES = ["calls", "cost"] as const;
export type TrafficMeasure = (typeof TRAFFIC_MEASURES)[number];

/** Of which time, in which buckets, and beside what. */
export const TRAFFIC_QUERY = {
  window: oneOf(["1h", "24h", "7d", "30d", "90d"], "The period up to now; 24h where no other is given."),
  from: Type.String({ format: "date-time", description: "Start of another period, inclusive; with `to`." }),
  to: Type.String({ format: "date-time", description: "End of another period, exclusive; 93 days at most." }),
  time_zone: Type.String({
    maxLength: 64,
    description: "By whose clock days begin, such as Europe/Berlin; UTC where none is given.",
  }),
  compare: oneOf(["before"], "Also the period before, as long and bucket for bucket."),
  by: oneOf(TRAFFIC_GROUPS, "Also the largest of these, bucket for bucket, and the others together."),
  measure: oneOf(TRAFFIC_MEASURES, "What is counted `by`; calls where nothing is given. Findings have no cost."),
} as const;

/** Calls of models and tools in one bucket, by what became of them. */
export const OverviewBucket = Type.Object(
  {
    at: Moment,
    calls: Type.Number(),
    allow: Type.Number(),
    flag: Type.Number(),
    redact: Type.Number(),
    block: Type.Number({ description: "Blocked, those that were held for approval among them." }),
    held: Type.Number({ description: "Of the blocked ones, those that a person has to approve first." }),
    refused: Type.Number(),
    error: Type.Number(),
    cost_usd: Type.Number({ description: "In US dollars." }),
  },
  { $id: "OverviewBucket" },
);
export type OverviewBucket = Static<typeof OverviewBucket>;

export const OverviewTop = Type.Object(
  {
    name: Type.String(),
    count: Type.Number(),
  },
  { $id: "OverviewTop" },
);
export type OverviewTop = Static<typeof OverviewTop>;

/** What calls of one model, agent or user cost. */
export const OverviewCost = Type.Object(
  {
    name: Type.String(),
    cost_usd: Type.Number(),
  },
  { $id: "OverviewCost" },
);
export type OverviewCost = Static<typeof OverviewCost>;

const OverviewCostOf = Type.Composite([OverviewCost, Type.Object({ id: Type.String() })]);

/** What waits for this person. */
export const YourTurn = Type.Object(
  {
    total: Type.Number(),
    reviews: Type.Number(),
    tuning: Type.Number(),
    policy: Type.Number(),
    held_calls: Type.Number(),
    rebaselines: Type.Number(),
    tool_definitions: Type.Number(),
    reports: Type.Number(),
  },
  { $id: "YourTurn" },
);
export type YourTurn = Static<typeof YourTurn>;

/** The kill switches that are on, of those that concern who asks. */
export const SwitchesOn = Type.Object(
  {
    on: Type.Boolean(),
    switches: listOf(
      Type.Object({
        id: Type.String(),
        level: Type.String(),
        target: orNull(Type.String()),
        reason: Type.String({ description: "Reason given at activation." }),
      }),
    ),
  },
  { $id: "SwitchesOn" },
);
export type SwitchesOn = Static<typeof SwitchesOn>;

const counted = {
  since: Moment,
  until: Moment,
  /** Oldest first, without gaps. */
  series: listOf(OverviewBucket),
  totals: Type.Omit(OverviewBucket, ["at"]),
  block_rate: orNull(
    Type.Number({ description: "Share of blocked calls in all calls, including refused ones; null without calls." }),
  ),
};

const TrafficGroup = Type.Object(
  {
    id: orNull(Type.String({ description: "Null for all others together." })),
    name: Type.String(),
    total: Type.Number({ description: "Calls, or cost in US dollars." }),
    values: Type.Array(Type.Number(), { description: "One for each bucket of the series." }),
  },
  { $id: "TrafficGroup" },
);
export type TrafficGroup = Static<typeof TrafficGroup>;

const traffic = {
  window: orNull(OverviewWindow),
  time_zone: Type.String(),
  bucket_seconds: Type.Number({ description: "As a rule: a day may have 23 or 25 hours." }),
  series_end: Type.String({ format: "date-time", description: "When the last bucket ends." }),
  ...counted,
  previous: orNull(Type.Object(counted, { description: "The period before, as far as this one has come." })),
  groups: listOf(TrafficGroup),
  behind: Type.Number({ description: "Records not counted yet; usually 0." }),
};

const figures = {
  scan_us: Type.Object(
    {
      p50: orNull(Type.Number()),
      p95: orNull(Type.Number()),
    },
    { description: "Within 8 %; null without measurements." },
  ),
  upstream_ms: Type.Object({
    p50: orNull(Type.Number()),
    p95: orNull(Type.Number()),
  }),
  tokens: Type.Object({
    prompt: Type.Number(),
    completion: Type.Number(),
  }),
  cost: Type.Object({
    usd: Type.Number({ description: "In US dollars, of calls whose model has a price." }),
    estimated_calls: Type.Number({
      description: "Calls whose tokens nobody counted, such as streams that were cut off.",
    }),
    unpriced_calls: Type.Number({ description: "Calls whose model has no price. What they cost is not in the sum." }),
  }),
  cost_by_model: listOf(OverviewCost),
  cost_by_agent: listOf(OverviewCostOf),
  cost_by_user: Type.Array(OverviewCostOf, { description: "Calls without an agent." }),
  top_flags: listOf(OverviewTop),
  top_models: listOf(OverviewTop),
  top_agents: listOf(
    Type.Composite([
      OverviewTop,
      Type.Object({
        id: Type.String(),
      }),
    ]),
  ),
};

/** Calls of models and tools over some time, and what they came to. */
export const Traffic = Type.Object({ object: Type.Literal("traffic"), ...traffic, ...figures }, { $id: "Traffic" });
export type Traffic = Static<typeof Traffic>;

export const Overview = Type.Object(
  {
    object: Type.Literal("overview"),
    ...traffic,
    ...figures,
    your_turn: YourTurn,
    agents: Type.Object({
      total: Type.Number(),
      /** By health band: `healthy`, `watch` … `not_reviewed`, `unknown` for those nobody has computed yet. */
      by_band: Type.Record(Type.String(), Type.Number()),
      restricted: Type.Number(),
      suspended: Type.Number({ description: "By lifecycle state, or by a restriction in force." }),
    }),
    active_restrictions: Type.Number(),
    kill_switch: SwitchesOn,
  },
  { $id: "Overview" },
);
export type Overview = Static<typeof Overview>;
