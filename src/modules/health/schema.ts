import { type Static, Type } from "#core/schema";
import { Moment, orNull, pageSchema } from "#http/openapi/shapes";

const closed = { additionalProperties: false } as const;
const Reason = Type.String({ minLength: 1, maxLength: 2_000, description: "Why, for the record." });

export const Acknowledging = Type.Object(
  {
    reason: Reason,
    until: Type.String({
      maxLength: 40,
      examples: ["2026-12-01T00:00:00Z"],
      description: "When it counts again: a time in RFC 3339, at most 90 days ahead.",
    }),
  },
  { ...closed, $id: "DriftAcknowledgement" },
);
export type Acknowledging = Static<typeof Acknowledging>;

export const Rebaselining = Type.Object({ reason: Reason }, { ...closed, $id: "DriftRebaseline" });
export type Rebaselining = Static<typeof Rebaselining>;

/** One of four points a day. */
export const ShownPoint = Type.Object(
  { t: Moment, score: orNull(Type.Integer({ minimum: 0, maximum: 100 })) },
  { $id: "HealthPoint" },
);
export type ShownPoint = Static<typeof ShownPoint>;

/** All there are: two days and a half a page would be no help. */
export const Trend = pageSchema(ShownPoint);
export type Trend = Static<typeof Trend>;
