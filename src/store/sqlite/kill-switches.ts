import { and, desc, eq, getTableColumns, gt, isNull } from "drizzle-orm";
import type { KillSwitch, Receipt } from "#policy/restrictions/restriction";
import type { KillSwitchStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape } from "./columns";
import type { Connection } from "./connection";
import { Receipts, withReceipts } from "./restrictions";
import { tables } from "./schema";

const { killSwitch } = tables;

const { changed: _changed, ...columns } = getTableColumns(killSwitch);

export class SqliteKillSwitches implements KillSwitchStore {
  readonly #receipts = new StoredShape(Receipts);

  constructor(private readonly connection: Connection) {}

  async on(it: KillSwitch, record: SerialisedRecord): Promise<boolean> {
    const { queries } = this.connection;
    return this.connection.change("all", record, (changed) => {
      const target = it.target === null ? isNull(killSwitch.target) : eq(killSwitch.target, it.target);
      const same = and(eq(killSwitch.level, it.level), target, isNull(killSwitch.lifted_at));
      if (queries.select({ id: killSwitch.id }).from(killSwitch).where(same).get() !== undefined) return false;
      queries
        .insert(killSwitch)
        .values({ ...it, changed })
        .run();
      return true;
    });
  }

  async list(): Promise<KillSwitch[]> {
    const newest = [desc(killSwitch.set_at), desc(killSwitch.id)];
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
      const here = and(eq(killSwitch.id, id), isNull(killSwitch.lifted_at));
      const set = { lifted_at: lifted.at, lifted_by: lifted.by, lift_reason: lifted.reason, changed };
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
