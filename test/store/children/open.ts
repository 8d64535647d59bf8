import { openSqliteStore } from "#store/sqlite/index";
import { someRecord } from "#test/store/records";

/* Opens the directory given, writes one record and leaves. */
const store = await openSqliteStore({ dataDir: process.argv[2] ?? "", writer: "worker" });
await store.audit.append(someRecord());
await store.close();
