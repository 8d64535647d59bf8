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
import type { RestrictionStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { damaged, StoredShape } from "./columns";
import { type Connection, counted } from "./connection";
import { tables } from "./schema";

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

const { restriction } = tables;

const { changed: _changed, ...columns } = getTableColumns(restriction);

const NarrowedShape = Type.Union(
  RESTRICTION_KINDS.map((kind) => Type.Object({ kind: Type.Literal(kind), params: RESTRICTION_PARAMS[kind] })),
);
const TriggerShape = Type.Object({
  rule: Type.String(),
  evidence_event_ids: Type.Array(Type.String()),
  metrics: Type.Record(Type.String(), Type.Number()),
});

export class SqliteRestrictions implements RestrictionStore {
  readonly #narrowed = new StoredShape(NarrowedShape);
  readonly #trigger = new StoredShape(TriggerShape);
  readonly #receipts = new StoredShape(Receipts);

  constructor(private readonly connection: Connection) {}

  async set(it: Restriction, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const own = and(
        eq(restriction.agent_id, it.agent_id),
        eq(restriction.kind, it.kind),
        isNull(restriction.lifted_at),
      );
      const open = or(isNull(restriction.expires_at), gt(restriction.expires_at, it.starts_at));
      if (counted(this.connection.queries, restriction, and(own, open)) >= most) return false;
      this.connection.queries
        .insert(restriction)
        .values({ ...it, trigger_: it.trigger, changed })
        .run();
      return true;
    });
  }

  async byId(id: string): Promise<Restriction | null> {
    return this.#byId(id);
  }

  async ofAgent(agentId: string): Promise<Restriction[]> {
    const found = this.connection.queries.select(columns).from(restriction).where(eq(restriction.agent_id, agentId));
    const newest = [desc(restriction.starts_at), desc(restriction.id)];
    return found
      .orderBy(...newest)
      .all()
      .map(this.#checked);
  }

  async lift(
    id: string,
    lifted: { readonly at: number; readonly by: string | null; readonly reason: string },
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(restriction.id, id), isNull(restriction.lifted_at));
      const set = { lifted_at: lifted.at, lifted_by: lifted.by, lift_reason: lifted.reason, changed };
      const update = this.connection.queries.update(restriction).set(set).where(here);
      return update.returning({ id: restriction.id }).all().length === 1;
    });
  }

  async confirm(id: string, receipts: readonly Receipt[], record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const all = withReceipts(this.#byId(id)?.receipts ?? [], receipts);
      if (all === null) return false;
      const update = this.connection.queries.update(restriction).set({ receipts: all, changed });
      return update.where(eq(restriction.id, id)).returning({ id: restriction.id }).all().length === 1;
    });
  }

  changedAfter(revision: number): Restriction[] {
    const changed = gt(restriction.changed, revision);
    return this.connection.queries.select(columns).from(restriction).where(changed).all().map(this.#checked);
  }

  #byId(id: string): Restriction | null {
    const row = this.connection.queries.select(columns).from(restriction).where(eq(restriction.id, id)).get();
    return row === undefined ? null : this.#checked(row);
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
