import { and, desc, eq, getTableColumns, gt, isNull } from "drizzle-orm";
import type { KillSwitch, Receipt } from "#policy/restrictions/restriction";
import { all, anyRow, type Db, one, run, type Steps } from "#store/db";
import type { KillSwitchStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape } from "#store/stored";
import type { Tables } from "#store/tables";
import { Receipts, withReceipts } from "./restrictions";

const shown = ({ killSwitch }: Tables) => {
  const { changed: _changed, ...columns } = getTableColumns(killSwitch);
  return columns;
};

export class KillSwitches implements KillSwitchStore {
  readonly #receipts = new StoredShape(Receipts);

  constructor(private readonly db: Db) {}

  on(it: KillSwitch, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, function* (changed) {
      const isOn = yield* anyRow((q, { killSwitch }) => {
        const target = it.target === null ? isNull(killSwitch.target) : eq(killSwitch.target, it.target);
        const same = and(eq(killSwitch.level, it.level), target, isNull(killSwitch.lifted_at));
        return q.select({ id: killSwitch.id }).from(killSwitch).where(same);
      });
      if (isOn) return false;
      yield* run((q, { killSwitch }) => q.insert(killSwitch).values({ ...it, changed }));
      return true;
    });
  }

  async list(): Promise<KillSwitch[]> {
    const rows = await this.db.all((q, t) => {
      const newest = [desc(t.killSwitch.set_at), desc(t.killSwitch.id)];
      return q
        .select(shown(t))
        .from(t.killSwitch)
        .orderBy(...newest);
    });
    return rows.map(this.#checked);
  }

  off(
    id: string,
    lifted: { readonly at: number; readonly by: string | null; readonly reason: string },
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { killSwitch }) => {
        const here = and(eq(killSwitch.id, id), isNull(killSwitch.lifted_at));
        const set = { lifted_at: lifted.at, lifted_by: lifted.by, lift_reason: lifted.reason, changed };
        return q.update(killSwitch).set(set).where(here).returning({ id: killSwitch.id });
      }),
    );
  }

  confirm(id: string, receipts: readonly Receipt[], record: SerialisedRecord): Promise<boolean> {
    const checked = this.#checked;
    return this.db.change("all", record, function* (changed) {
      const row = yield* one((q, t) => q.select(shown(t)).from(t.killSwitch).where(eq(t.killSwitch.id, id)));
      const known = row === null ? null : withReceipts(checked(row).receipts, receipts);
      if (known === null) return false;
      yield* run((q, { killSwitch }) =>
        q.update(killSwitch).set({ receipts: known, changed }).where(eq(killSwitch.id, id)),
      );
      return true;
    });
  }

  *changedAfter(revision: number): Steps<KillSwitch[]> {
    const rows = yield* all((q, t) => q.select(shown(t)).from(t.killSwitch).where(gt(t.killSwitch.changed, revision)));
    return rows.map(this.#checked);
  }

  readonly #checked = ({
    receipts,
    ...row
  }: Omit<KillSwitch, "receipts"> & { readonly receipts: unknown }): KillSwitch => ({
    ...row,
    receipts: this.#receipts.read(receipts, `receipts of kill switch ${row.id}`),
  });
}
