import { writeSync } from "node:fs";
import { Pool } from "#store/postgres/pool";
import { RecordShipper } from "#store/postgres/record-shipper";
import { openSqliteStore } from "#store/sqlite/index";
import { someRecord } from "#test/store/records";

/*
 * `shipper.ts DIR ID URL FROM`: serves as a node, records without end and ships what it recorded, until it is killed.
 * It says `shipping` when the first records have been shipped.
 */
const [dataDir = "", id = "0", url = "", from = "0"] = process.argv.slice(2);

const node = { id, version: "test", leaseMs: 600_000, isAlone: false };
const store = await openSqliteStore({ dataDir, writer: "worker", node });
const source = store.sources().find((one) => one.node === id)?.source;
if (source === undefined) throw new Error("no log");
const pool = new Pool({ url, most: 2 });
const shipper = new RecordShipper({ pool, source, node: id, now: Date.now });

let n = 0;
const record = async (): Promise<never> => {
  for (;;)
    await Promise.all(Array.from({ length: 20 }, () => store.audit.append(someRecord({ id: `${id}-${from}-${n++}` }))));
};
const recording = record();
for (let isFirst = true; ; ) {
  await Promise.race([shipper.ship(), recording]);
  if (isFirst && n > 400) {
    isFirst = false;
    writeSync(1, "shipping\n");
  }
}
