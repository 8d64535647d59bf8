import { NewerDatabase } from "#store/newer-database";
import { UnfitDatabase } from "./errors";
import type { Pool } from "./pool";

const OLDEST = 140_000;
/** The advisory lock of migrations. Any number that no other lock uses. */
const LOCK = 7_210_331_814;

/**
 * Brings the database to the newest version, all steps in one transaction: hubs that start at once do it one after the
 * other, and the later ones find it done. A step must leave what the version before it can still use, for its hubs go on
 * meanwhile; what nobody uses any more goes in a later one.
 */
export const migrate = async (pool: Pool, steps: readonly string[]): Promise<void> => {
  await pool.transaction("", async ({ sql }) => {
    const [server] = await sql.unsafe<{ version: unknown; encoding: unknown }[]>(
      "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
    );
    if (Number(server?.version) < OLDEST) throw new UnfitDatabase("PostgreSQL 14 or newer is needed");
    if (server?.encoding !== "UTF8") throw new UnfitDatabase("The database must be one in UTF8");
    await sql.unsafe("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await sql.unsafe(
      "CREATE TABLE IF NOT EXISTS schema_version (only_row BOOLEAN PRIMARY KEY, version BIGINT NOT NULL)",
    );
    const [row] = await sql.unsafe<{ version: unknown }[]>("SELECT version FROM schema_version");
    const found = Number(row?.version ?? 0);
    if (found > steps.length) throw new NewerDatabase(found, steps.length);
    if (found === steps.length) return;
    for (const step of steps.slice(found)) await sql.unsafe(step).simple();
    await sql.unsafe(
      "INSERT INTO schema_version VALUES (true, $1) ON CONFLICT (only_row) DO UPDATE SET version = excluded.version",
      [steps.length],
    );
  });
};
