import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "#store/sqlite/index";

/** Commands that tests begin an installation with, though people do so with `admin create` or `serve`. */
const FIRST = ["user create", "user invite", "provider add"];

/** Makes an empty data directory before such a command, as a hub that was served and stopped would leave it. */
export const begunFor = async (args: readonly string[], dataDir: string): Promise<void> => {
  if (!FIRST.includes(args.slice(0, 2).join(" ")) || existsSync(join(dataDir, "guardhouse.db"))) return;
  const store = await openSqliteStore({ dataDir, durability: "normal", writer: "inline" });
  await store.close();
};
