import { writeSync } from "node:fs";
import { openSqliteStore } from "#store/sqlite/index";
import { someRecord } from "#test/store/records";

/*
 * `node.ts DIR ID`: joins as a node, begins a call named by its id, and takes over what others leave until stdin ends;
 * then it ends its own call and leaves.
 */
const [dataDir = "", id = "0"] = process.argv.slice(2);
/** Longer than a busy machine lets a process stand still, or the others would hold it for dead. */
const LEASE_MS = 5_000;
const BEAT_MS = 50;

const node = { id, version: "test", leaseMs: LEASE_MS, isAlone: false };
const store = await openSqliteStore({ dataDir, writer: "worker", node });
await store.audit.append(someRecord({ call: id, phase: "request" }));
writeSync(1, "began\n");

let isOver = false;
const over = Bun.stdin.text().then(() => {
  isOver = true;
});
while (!isOver) {
  if (!(await store.nodes.renew())) process.exit(3);
  await store.nodes.endSilent();
  const end = (request: string) => JSON.stringify({ ...JSON.parse(request), phase: "final" });
  const ended = await store.audit.endAbandoned(end);
  if (ended > 0) writeSync(1, `ended ${ended}\n`);
  await Bun.sleep(BEAT_MS);
}
await over;
await store.audit.append(someRecord({ call: id }));
await store.close();
