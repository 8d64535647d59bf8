import { type Static, Type } from "#core/schema";
import { Moment, orNull, pageSchema } from "#http/openapi/schemas";

const closed = { additionalProperties: false } as const;
const Reason = Type.String({ minLength: 1, maxLength: 2_000, description: "Reason, recorded in the audit log." });

export const Acknowledging = Type.Object(
  {
    reason: Reason,
    until: Type.String({
      maxLength: 40,
      examples: ["2026-12-01T00:00:00Z"],
      description: "Expiry of the acknowledgement in RFC 3339, at most 90 days ahead.",
    }),
  },
  { ...closed, $id: "DriftAcknowledgement" },
);
export type Acknowledging = Static<typeof Acknowledging>;

export const Rebaselining = Type.Object({ reason: Reason }, { ...closed, $id: "DriftRebaseline" });
export type Rebaselining = Static<typeof Rebaselining>;

/** One of four points a day. */
export const PointResponse = Type.Object(
  { t: Moment, score: orNull(Type.Integer({ minimum: 0, maximum: 100 })) },
  { $id: "HealthPoint" },
);
export type PointResponse = Static<typeof PointResponse>;

/** All there are: two days and a half a page would be no help. */
export const Trend = pageSchema(PointResponse);
export type Trend = Static<typeof Trend>;
