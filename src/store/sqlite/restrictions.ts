import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import {
  type Narrowed,
  RESTRICTION_KINDS,
  RESTRICTION_PARAMS,
  type Receipt,
  type Restriction,
  type RestrictionKind,
} from "#core/restriction";
import { Type } from "#core/schema";
import type { RestrictionStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Connection } from "./connection";
import { counted } from "./counted";
import { damaged, StoredShape } from "./json-columns";
import { Receipts, withReceipts } from "./receipts";
import { tables } from "./schema";

const { restriction } = tables;

const columns = {
  id: restriction.id,
  agent_id: restriction.agentId,
  kind: restriction.kind,
  params: restriction.params,
  source: restriction.source,
  set_by: restriction.setBy,
  trigger: restriction.trigger,
  reason: restriction.reason,
  starts_at: restriction.startsAt,
  expires_at: restriction.expiresAt,
  lifted_at: restriction.liftedAt,
  lifted_by: restriction.liftedBy,
  lift_reason: restriction.liftReason,
  receipts: restriction.receipts,
};

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
        eq(restriction.agentId, it.agent_id),
        eq(restriction.kind, it.kind),
        isNull(restriction.liftedAt),
      );
      const open = or(isNull(restriction.expiresAt), gt(restriction.expiresAt, it.starts_at));
      if (counted(this.connection.queries, restriction, and(own, open)) >= most) return false;
      this.connection.queries.insert(restriction).values(rowOf(it, changed)).run();
      return true;
    });
  }

  async byId(id: string): Promise<Restriction | null> {
    return this.#byId(id);
  }

  async ofAgent(agentId: string): Promise<Restriction[]> {
    const found = this.connection.queries.select(columns).from(restriction).where(eq(restriction.agentId, agentId));
    const newest = [desc(restriction.startsAt), desc(restriction.id)];
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
      const here = and(eq(restriction.id, id), isNull(restriction.liftedAt));
      const set = { liftedAt: lifted.at, liftedBy: lifted.by, liftReason: lifted.reason, changed };
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

  readonly #checked = ({ kind, params, trigger, receipts, ...row }: Raw): Restriction => {
    const narrowed = { kind, params };
    if (!this.#isNarrowed(narrowed)) throw damaged(`params of restriction ${row.id}`);
    return {
      ...row,
      ...narrowed,
      trigger: trigger === null ? null : this.#trigger.read(trigger, `trigger of restriction ${row.id}`),
      receipts: this.#receipts.read(receipts, `receipts of restriction ${row.id}`),
    };
  };

  #isNarrowed(it: { readonly kind: RestrictionKind; readonly params: unknown }): it is Narrowed {
    return this.#narrowed.fits(it);
  }
}

type Json = "params" | "trigger" | "receipts";
type Raw = Omit<Restriction, Json> & { readonly [K in Json]: unknown };

const rowOf = (it: Restriction, changed: number): typeof restriction.$inferInsert => ({
  id: it.id,
  agentId: it.agent_id,
  kind: it.kind,
  params: it.params,
  source: it.source,
  setBy: it.set_by,
  trigger: it.trigger,
  reason: it.reason,
  startsAt: it.starts_at,
  expiresAt: it.expires_at,
  liftedAt: it.lifted_at,
  liftedBy: it.lifted_by,
  liftReason: it.lift_reason,
  receipts: it.receipts,
  changed,
});
