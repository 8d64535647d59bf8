import { and, desc, eq, gt, isNull } from "drizzle-orm";
import type { KillSwitch, Receipt } from "#core/restriction";
import type { KillSwitchStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Connection } from "./connection";
import { StoredShape } from "./json-columns";
import { Receipts, withReceipts } from "./receipts";
import { tables } from "./schema";

const { killSwitch } = tables;

const columns = {
  id: killSwitch.id,
  level: killSwitch.level,
  target: killSwitch.target,
  reason: killSwitch.reason,
  set_by: killSwitch.setBy,
  set_at: killSwitch.setAt,
  lifted_at: killSwitch.liftedAt,
  lifted_by: killSwitch.liftedBy,
  lift_reason: killSwitch.liftReason,
  receipts: killSwitch.receipts,
};

export class SqliteKillSwitches implements KillSwitchStore {
  readonly #receipts = new StoredShape(Receipts);

  constructor(private readonly connection: Connection) {}

  async on(it: KillSwitch, record: SerialisedRecord): Promise<boolean> {
    const { queries } = this.connection;
    return this.connection.change("all", record, (changed) => {
      const target = it.target === null ? isNull(killSwitch.target) : eq(killSwitch.target, it.target);
      const same = and(eq(killSwitch.level, it.level), target, isNull(killSwitch.liftedAt));
      if (queries.select({ id: killSwitch.id }).from(killSwitch).where(same).get() !== undefined) return false;
      queries.insert(killSwitch).values(rowOf(it, changed)).run();
      return true;
    });
  }

  async list(): Promise<KillSwitch[]> {
    const newest = [desc(killSwitch.setAt), desc(killSwitch.id)];
    const found = this.connection.queries.select(columns).from(killSwitch);
    return found
      .orderBy(...newest)
      .all()
      .map(this.#checked);
  }

  async off(
    id: string,
    lifted: { readonly at: number; readonly by: string | null; readonly reason: string },
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(killSwitch.id, id), isNull(killSwitch.liftedAt));
      const set = { liftedAt: lifted.at, liftedBy: lifted.by, liftReason: lifted.reason, changed };
      const update = this.connection.queries.update(killSwitch).set(set).where(here);
      return update.returning({ id: killSwitch.id }).all().length === 1;
    });
  }

  async confirm(id: string, receipts: readonly Receipt[], record: SerialisedRecord): Promise<boolean> {
    const { queries } = this.connection;
    return this.connection.change("all", record, (changed) => {
      const row = queries.select(columns).from(killSwitch).where(eq(killSwitch.id, id)).get();
      const all = row === undefined ? null : withReceipts(this.#checked(row).receipts, receipts);
      if (all === null) return false;
      queries.update(killSwitch).set({ receipts: all, changed }).where(eq(killSwitch.id, id)).run();
      return true;
    });
  }

  changedAfter(revision: number): KillSwitch[] {
    const changed = gt(killSwitch.changed, revision);
    return this.connection.queries.select(columns).from(killSwitch).where(changed).all().map(this.#checked);
  }

  readonly #checked = ({
    receipts,
    ...row
  }: Omit<KillSwitch, "receipts"> & { readonly receipts: unknown }): KillSwitch => ({
    ...row,
    receipts: this.#receipts.read(receipts, `receipts of kill switch ${row.id}`),
  });
}

const rowOf = (it: KillSwitch, changed: number): typeof killSwitch.$inferInsert => ({
  id: it.id,
  level: it.level,
  target: it.target,
  reason: it.reason,
  setBy: it.set_by,
  setAt: it.set_at,
  liftedAt: it.lifted_at,
  liftedBy: it.lifted_by,
  liftReason: it.lift_reason,
  receipts: it.receipts,
  changed,
});
