import { type Static, Type } from "#core/schema";

const closed = { additionalProperties: false } as const;
const Reason = Type.String({ minLength: 1, maxLength: 2_000, description: "Why, for the record." });

export const Acknowledging = Type.Object(
  {
    reason: Reason,
    until: Type.String({
      maxLength: 40,
      description: "When it counts again: a time in RFC 3339, at most 90 days ahead.",
    }),
  },
  closed,
);
export type Acknowledging = Static<typeof Acknowledging>;

export const Rebaselining = Type.Object({ reason: Reason }, closed);
export type Rebaselining = Static<typeof Rebaselining>;

/** One of four points a day. */
export type ShownPoint = { readonly t: string; readonly score: number | null };
