import { KILL_LEVELS, POINTS, RESTRICTION_KINDS } from "#core/restriction";
import { type Static, Type } from "#core/schema";
import { oneOf, orNull, pageSchema } from "#http/openapi/shapes";

const closed = { additionalProperties: false } as const;

const Lift = Type.Object({ by: orNull(Type.String()), at: Type.String(), reason: orNull(Type.String()) });
const Receipts = Type.Array(Type.Object({ point: oneOf(POINTS), confirmed_at: Type.String() }), {
  description: "The places that have said it holds there. With all of them it is contained.",
});

export const ShownRestriction = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    kind: oneOf(RESTRICTION_KINDS),
    params: Type.Record(Type.String(), Type.Unknown()),
    source: oneOf(["manual", "automatic"]),
    set_by: orNull(Type.String()),
    trigger: orNull(
      Type.Object({
        rule: Type.String(),
        evidence_event_ids: Type.Array(Type.String()),
        metrics: Type.Record(Type.String(), Type.Number()),
      }),
    ),
    reason: Type.String(),
    in_force: Type.Boolean(),
    starts_at: Type.String(),
    expires_at: orNull(Type.String()),
    lift: orNull(Lift),
    receipts: Receipts,
    contained: Type.Boolean(),
  },
  { $id: "Restriction" },
);
export type ShownRestriction = Static<typeof ShownRestriction>;
export const RestrictionPage = pageSchema(ShownRestriction);

export const ShownKillSwitch = Type.Object(
  {
    id: Type.String(),
    level: oneOf(KILL_LEVELS),
    target: orNull(Type.String()),
    reason: Type.String(),
    on: Type.Boolean(),
    set_by: orNull(Type.String()),
    set_at: Type.String(),
    lift: orNull(Lift),
    receipts: Receipts,
    contained: Type.Boolean(),
  },
  { $id: "KillSwitch" },
);
export type ShownKillSwitch = Static<typeof ShownKillSwitch>;
export const KillSwitchPage = pageSchema(ShownKillSwitch);

const Reason = Type.String({ minLength: 1, maxLength: 2_000, description: "Why, in some words." });

export const NewRestriction = Type.Object(
  {
    kind: oneOf(RESTRICTION_KINDS),
    params: Type.Optional(Type.Object({}, { additionalProperties: true, description: "What this kind takes." })),
    reason: Reason,
    expires_in: Type.Optional(
      Type.Union(
        [
          Type.Integer({ minimum: 1, maximum: 315_360_000 }),
          Type.String({ pattern: "^\\d{1,6}[smhd]$", examples: ["4h"] }),
        ],
        {
          description: 'Seconds, or a duration such as "4h".',
        },
      ),
    ),
    expires_at: Type.Optional(
      Type.String({
        pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$",
        description: "A time as RFC 3339 has it.",
        examples: ["2026-12-01T00:00:00Z"],
      }),
    ),
  },
  { ...closed, $id: "NewRestriction" },
);
export type NewRestriction = Static<typeof NewRestriction>;

export const NewKillSwitch = Type.Object(
  {
    level: oneOf(KILL_LEVELS),
    target: Type.Optional(
      orNull(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: "An agent, an owner or a tool server by id or name, or models as a name or glob.",
        }),
      ),
    ),
    reason: Reason,
  },
  { ...closed, $id: "NewKillSwitch" },
);
export type NewKillSwitch = Static<typeof NewKillSwitch>;

export const Lifting = Type.Object({ reason: Reason }, { ...closed, $id: "Lifting" });
export type Lifting = Static<typeof Lifting>;
