import { isInForce, type KillSwitch, POINTS, type Receipt, type Restriction } from "#core/restriction";
import { timestamp } from "#platform/clock";
import type { ShownKillSwitch, ShownRestriction } from "./schema";

export const shownRestriction = (it: Restriction, now: number): ShownRestriction => ({
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

export const shownKillSwitch = (it: KillSwitch): ShownKillSwitch => ({
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
