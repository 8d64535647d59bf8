import { and, desc, eq, getTableColumns, gt, isNull, or } from "drizzle-orm";
import { Type } from "#core/schema";
import {
  POINTS,
  RESTRICTION_KINDS,
  RESTRICTION_PARAMS,
  type Receipt,
  type Restriction,
  type RestrictionKind,
  type RestrictionScope,
} from "#policy/restrictions/restriction";
import { all, anyRow, type Db, one, run, type Steps } from "#store/db";
import type { RestrictionStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { damaged, StoredShape } from "#store/stored";
import type { Tables } from "#store/tables";
import { counted } from "./windows";

/** Receipts as they are stored: of each point the first. */
export const Receipts = Type.Array(
  Type.Object({ point: Type.Union(POINTS.map((point) => Type.Literal(point))), confirmed_at: Type.Integer() }),
);

/** With those added whose point had none; null when there is nothing to add. */
export const withReceipts = (known: readonly Receipt[], more: readonly Receipt[]): Receipt[] | null => {
  const points = new Map(known.map((receipt) => [receipt.point, receipt]));
  for (const receipt of more) if (!points.has(receipt.point)) points.set(receipt.point, receipt);
  return points.size > known.length ? [...points.values()] : null;
};

const shown = ({ restriction }: Tables) => {
  const { changed: _changed, ...columns } = getTableColumns(restriction);
  return columns;
};

const NarrowedShape = Type.Union(
  RESTRICTION_KINDS.map((kind) => Type.Object({ kind: Type.Literal(kind), params: RESTRICTION_PARAMS[kind] })),
);
const TriggerShape = Type.Object({
  rule: Type.String(),
  evidence_event_ids: Type.Array(Type.String()),
  metrics: Type.Record(Type.String(), Type.Number()),
});

export class Restrictions implements RestrictionStore {
  readonly #narrowed = new StoredShape(NarrowedShape);
  readonly #trigger = new StoredShape(TriggerShape);
  readonly #receipts = new StoredShape(Receipts);

  constructor(private readonly db: Db) {}

  set(it: Restriction, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.db.change("all", record, function* (changed) {
      const already = yield* counted(({ restriction }) => {
        const { agent_id, kind, lifted_at, expires_at } = restriction;
        const own = and(eq(agent_id, it.agent_id), eq(kind, it.kind), isNull(lifted_at));
        return [restriction, and(own, or(isNull(expires_at), gt(expires_at, it.starts_at)))];
      });
      if (already >= most) return false;
      yield* run((q, { restriction }) => q.insert(restriction).values({ ...it, trigger_: it.trigger, changed }));
      return true;
    });
  }

  async byId(id: string): Promise<Restriction | null> {
    const row = await this.db.one((q, t) => q.select(shown(t)).from(t.restriction).where(eq(t.restriction.id, id)));
    return row && this.#checked(row);
  }

  async ofAgent(agentId: string): Promise<Restriction[]> {
    const rows = await this.db.all((q, t) => {
      const newest = [desc(t.restriction.starts_at), desc(t.restriction.id)];
      const found = q.select(shown(t)).from(t.restriction).where(eq(t.restriction.agent_id, agentId));
      return found.orderBy(...newest);
    });
    return rows.map(this.#checked);
  }

  lift(
    id: string,
    lifted: { readonly at: number; readonly by: string | null; readonly reason: string },
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { restriction }) => {
        const here = and(eq(restriction.id, id), isNull(restriction.lifted_at));
        const set = { lifted_at: lifted.at, lifted_by: lifted.by, lift_reason: lifted.reason, changed };
        return q.update(restriction).set(set).where(here).returning({ id: restriction.id });
      }),
    );
  }

  confirm(id: string, receipts: readonly Receipt[], record: SerialisedRecord): Promise<boolean> {
    const checked = this.#checked;
    return this.db.change("all", record, function* (changed) {
      const row = yield* one((q, t) => q.select(shown(t)).from(t.restriction).where(eq(t.restriction.id, id)));
      const known = withReceipts(row === null ? [] : checked(row).receipts, receipts);
      if (known === null) return false;
      return yield* anyRow((q, { restriction }) => {
        const update = q.update(restriction).set({ receipts: known, changed });
        return update.where(eq(restriction.id, id)).returning({ id: restriction.id });
      });
    });
  }

  *changedAfter(revision: number): Steps<Restriction[]> {
    const rows = yield* all((q, t) => {
      const changed = gt(t.restriction.changed, revision);
      return q.select(shown(t)).from(t.restriction).where(changed);
    });
    return rows.map(this.#checked);
  }

  readonly #checked = ({ kind, params, trigger_: trigger, receipts, ...row }: Raw): Restriction => {
    const narrowed = { kind, params };
    if (!this.#isRestrictionScope(narrowed)) throw damaged(`params of restriction ${row.id}`);
    return {
      ...row,
      ...narrowed,
      trigger: trigger === null ? null : this.#trigger.read(trigger, `trigger of restriction ${row.id}`),
      receipts: this.#receipts.read(receipts, `receipts of restriction ${row.id}`),
    };
  };

  #isRestrictionScope(it: { readonly kind: RestrictionKind; readonly params: unknown }): it is RestrictionScope {
    return this.#narrowed.fits(it);
  }
}

type Json = "params" | "trigger_" | "receipts";
/** The column is called `trigger_` because `TRIGGER` is a word of SQL. */
type Raw = Omit<Restriction, "params" | "trigger" | "receipts"> & { readonly [K in Json]: unknown };
