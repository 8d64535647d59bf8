import { writeSync } from "node:fs";
import { openSqliteStore } from "#store/sqlite/index";
import { someRecord } from "#test/store/records";

/*
 * `append.ts DIR NAME COUNT WRITER`: appends records from 16 loops and prints the id of each one acknowledged,
 * at once and unbuffered, so that whoever kills us knows what we were promised.
 */
const [dataDir = "", name = "x", count = "100", writer = "worker"] = process.argv.slice(2);
const store = await openSqliteStore({ dataDir, writer: writer === "inline" ? "inline" : "worker" });
let next = 0;

const loop = async (): Promise<void> => {
  while (next < Number(count)) {
    const id = `${name}-${next++}`;
    await store.audit.append(someRecord({ id }));
    writeSync(1, `${id}\n`);
  }
};

await Promise.all(Array.from({ length: 16 }, loop));
await store.close();
