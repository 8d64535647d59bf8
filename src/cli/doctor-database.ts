import { Database } from "bun:sqlite";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { type Check, fail, ok } from "./check";
import { sqliteCheck } from "./doctor-sqlite";
import type { CliSession } from "./session";

const RESTORE = "stop the hub, copy the data directory, restore a backup";

/** SQLite's own look at the file, over a connection that cannot write. */
const integrity = (file: string): Check[] => {
  const db = new Database(file, { readonly: true });
  try {
    const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
    const found = db
      .query<{ quick_check: string }, []>("PRAGMA quick_check(5)")
      .all()
      .map((row) => row.quick_check);
    const whole = found.length === 1 && found[0] === "ok";
    return [
      ok("database", `version ${version}`),
      whole ? ok("integrity", "quick_check found nothing") : fail("integrity", found.join("; "), RESTORE),
    ];
  } finally {
    db.close();
  }
};

/** Which SQLite this process runs on. */
export const sqlite = (): Check => {
  const db = new Database(":memory:");
  try {
    const row = db.query<{ version: string }, []>("SELECT sqlite_version() AS version").get();
    return sqliteCheck(row?.version ?? "unknown version", process.platform);
  } finally {
    db.close();
  }
};

const auditChain = async ({ store }: CliSession, place: HubPlace): Promise<Check> => {
  const { ok: whole, records, checkpoints, faults } = await store.audit.verify();
  if (whole) return ok("audit chain", `${records} records, ${checkpoints} signed checkpoints`);
  const first = faults[0];
  return fail(
    "audit chain",
    first ? `record ${first.seq}: ${first.problem}` : "broken",
    `${commandLine(COMMANDS.verifyAudit(), place)} lists all faults; find out who changed the log`,
  );
};

const openCalls = async ({ store }: CliSession): Promise<Check> => {
  const open = (await store.audit.openCalls()).length;
  return ok("open calls", open === 0 ? "none" : `${open} unfinished: running now, or cut off by a crash`);
};

export const databaseChecks = async (session: CliSession, place: HubPlace): Promise<Check[]> => [
  ...integrity(session.store.directory.database),
  await auditChain(session, place),
  await openCalls(session),
];
