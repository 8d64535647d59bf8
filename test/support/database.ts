import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Hub } from "./hub";

/** Works on the database of a running hub, beside it. */
export const beside = <T>({ dataDir }: Pick<Hub, "dataDir">, work: (db: Database) => T): T => {
  const db = new Database(join(dataDir, "guardhouse.db"));
  try {
    db.run("PRAGMA busy_timeout = 5000");
    return work(db);
  } finally {
    db.close();
  }
};
