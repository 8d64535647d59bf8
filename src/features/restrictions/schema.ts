import { type Static, Type } from "#core/schema";
import { oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { timestamp } from "#platform/clock";
import {
  isInForce,
  KILL_LEVELS,
  type KillSwitch,
  POINTS,
  RESTRICTION_KINDS,
  type Receipt,
  type Restriction,
} from "#policy/restrictions/restriction";

const closed = { additionalProperties: false } as const;

const Lift = Type.Object({ by: orNull(Type.String()), at: Type.String(), reason: orNull(Type.String()) });
const Receipts = Type.Array(Type.Object({ point: oneOf(POINTS), confirmed_at: Type.String() }), {
  description: "Enforcement points that confirmed it. With all of them it is contained.",
});

export const RestrictionResponse = Type.Object(
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
export type RestrictionResponse = Static<typeof RestrictionResponse>;
export const RestrictionPage = pageSchema(RestrictionResponse);

export const KillSwitchResponse = Type.Object(
  {
    id: Type.String(),
    level: oneOf(KILL_LEVELS),
    target: orNull(Type.String()),
    target_name: orNull(
      Type.String({
        description: "Name of the agent, e-mail address of the user or slug of the tool server; null if gone.",
      }),
    ),
    reason: Type.String(),
    on: Type.Boolean(),
    set_by: orNull(Type.String()),
    set_by_email: orNull(Type.String()),
    lifted_by_email: orNull(Type.String()),
    set_at: Type.String(),
    lift: orNull(Lift),
    receipts: Receipts,
    contained: Type.Boolean(),
  },
  { $id: "KillSwitch" },
);
export type KillSwitchResponse = Static<typeof KillSwitchResponse>;
export const KillSwitchPage = pageSchema(KillSwitchResponse);

const Reason = Type.String({ minLength: 1, maxLength: 2_000, description: "Reason." });

export const NewRestriction = Type.Object(
  {
    kind: oneOf(RESTRICTION_KINDS),
    params: Type.Optional(Type.Object({}, { additionalProperties: true, description: "Parameters of this kind." })),
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
        description: "A time in RFC 3339.",
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
          description: "Agent, owner or tool server by id or name; model name or glob.",
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

export const restrictionResponse = (it: Restriction, now: number): RestrictionResponse => ({
  id: it.id,
  agent_id: it.agent_id,
  kind: it.kind,
  params: { ...it.params },
  source: it.source,
  set_by: it.set_by,
  trigger: it.trigger && { ...it.trigger, evidence_event_ids: [...it.trigger.evidence_event_ids] },
  reason: it.reason,
  in_force: isInForce(it, now),
  starts_at: timestamp(it.starts_at),
  expires_at: it.expires_at === null ? null : timestamp(it.expires_at),
  lift: liftOf(it),
  ...receiptsOf(it.receipts),
});

/** What the ids of a kill switch are called now. */
export type KillSwitchNames = Pick<KillSwitchResponse, "target_name" | "set_by_email" | "lifted_by_email">;

export const killSwitchResponse = (it: KillSwitch, names: KillSwitchNames): KillSwitchResponse => ({
  ...names,
  id: it.id,
  level: it.level,
  target: it.target,
  reason: it.reason,
  on: it.lifted_at === null,
  set_by: it.set_by,
  set_at: timestamp(it.set_at),
  lift: liftOf(it),
  ...receiptsOf(it.receipts),
});

const liftOf = ({ lifted_at, lifted_by, lift_reason }: Pick<Restriction, "lifted_at" | "lifted_by" | "lift_reason">) =>
  lifted_at === null ? null : { by: lifted_by, at: timestamp(lifted_at), reason: lift_reason };

const receiptsOf = (receipts: readonly Receipt[]) => ({
  receipts: receipts.map(({ point, confirmed_at }) => ({ point, confirmed_at: timestamp(confirmed_at) })),
  contained: receipts.length === POINTS.length,
});
