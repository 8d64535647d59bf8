import { openSqliteStore } from "#store/sqlite/index";

/* `begin-data.ts DIRECTORY`: makes an empty data directory, as a hub that was served and stopped would leave it. */

const [, , dataDir = ""] = process.argv;
const store = await openSqliteStore({ dataDir, durability: "normal", writer: "inline" });
await store.close();
