import type { AnchorDetail } from "#store/audit-link";
import { SharedAuditLog } from "#store/hub-records";

import type { Governance } from "#store/postgres/governance";
import type { PostgresStore } from "#store/postgres/index";
import type { SaidOfLog } from "#store/postgres/said";
import type { ShippedRecords } from "#store/postgres/shipped-records";
import type { LogShipping } from "#store/postgres/shipping";
import type { DroppedMonth, InterruptedCalls } from "#store/shipped-port";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import type { Databases } from "#test/store/postgres/databases";
import { someRecord } from "#test/store/records";

/** A record of a hub's own, as the hub makes it. */
const ownRecord =
  (kind: string) =>
  (detail: AnchorDetail | DroppedMonth | InterruptedCalls): string => {
    const record = JSON.parse(someRecord({ at: Date.now() }));
    return JSON.stringify({ ...record, kind, change: { subject: "system", subject_id: "hub", detail } });
  };
export const anchorRecord = ownRecord("audit.anchor");
export const dropRecord = ownRecord("audit.drop");
export const interruptedRecord = ownRecord("node.interrupted");
export const removeRecord = ownRecord("node.remove");

type HubOptions = {
  readonly databases: Databases;
  readonly url: string;
  readonly name: string;
  /** A node of the database as well. */
  readonly isServing?: boolean;
  readonly now?: () => number;
};

/** What a hub on PostgreSQL stores and where, in a directory of its own. */
export class StoringHub implements AsyncDisposable {
  private constructor(
    readonly name: string,
    readonly place: Place,
    readonly store: SqliteStore,
    readonly common: PostgresStore,
    readonly shipping: LogShipping,
    readonly shipped: ShippedRecords,
    readonly log: SharedAuditLog<SaidOfLog>,
  ) {}

  static async open({ databases, url, name, isServing = false, now = Date.now }: HubOptions, place = new Place()) {
    const store = await place.open();
    const { signer, sources } = store;
    const node = { id: name, version: "test", leaseMs: 60_000 };
    const common = await databases.store({ url, signer, now, ...(isServing && { node }) });
    const nameOf = () => name;
    const isLeft = async () => false;
    const { shipping, shipped } = common.records({ sources, signer, own: null, isLeft, nameOf });
    const log = new SharedAuditLog({ own: store.audit, changes: common.governance, shipped, nameOf, sync: null });
    return new StoringHub(name, place, store, common, shipping, shipped, log);
  }

  get governance(): Governance {
    return this.common.governance;
  }

  /** So many records, a second apart. */
  async record(count: number, from: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const id = `${this.name}-${from + n}`;
      await this.store.audit.append(someRecord({ id, at: from + n * 1_000, event: `event-${id}` }));
    }
    await this.store.audit.flush();
  }

  async ship(): Promise<void> {
    await this.shipping.run();
  }

  bind(): Promise<void> {
    return this.shipping.bind(anchorRecord);
  }

  anchor(): Promise<void> {
    return this.log.anchor(anchorRecord);
  }

  /** What verification finds at this hub. */
  async problems(): Promise<string[]> {
    const { ok, faults } = await this.log.verify();
    if (ok !== (faults.length === 0)) throw new Error("The verdict is not what was found");
    return faults.map(({ node, seq, problem }) => `${node ?? "here"} ${seq}: ${problem}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.common.close();
    await this.place[Symbol.asyncDispose]();
  }
}
