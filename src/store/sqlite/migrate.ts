import type { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createFile } from "#platform/data-directory";
import { NewerDatabase } from "#store/newer-database";
import { transaction, userVersion } from "./database";

export type MigrateOptions = {
  readonly backups: string;
  readonly now: number;
  /** What a step does that SQL cannot, by the version it leads to; in the step's transaction. */
  readonly also?: ReadonlyMap<number, (db: Database) => void>;
};

/**
 * Brings the database to the newest version, each step in a transaction of its own. A database that held data
 * is copied first; the path of that copy is returned. Two processes may do this at once: the second finds the
 * work done.
 */
export const migrate = (db: Database, steps: readonly string[], options: MigrateOptions): string | null => {
  const found = userVersion(db);
  if (found > steps.length) throw new NewerDatabase(found, steps.length);
  if (found === steps.length) return null;
  const backup = found === 0 ? null : backUp(db, found, options);
  while (applyNext(db, steps, options)) {
    // Until no step is left.
  }
  return backup;
};

/** False when there was nothing left to do. */
const applyNext = (db: Database, steps: readonly string[], { also }: MigrateOptions): boolean =>
  transaction<boolean>(db, () => {
    const version = userVersion(db);
    if (version > steps.length) throw new NewerDatabase(version, steps.length);
    const step = steps[version];
    if (step === undefined) return false;
    db.run(step);
    also?.get(version + 1)?.(db);
    db.run(`PRAGMA user_version = ${version + 1}`);
    return true;
  });

const backUp = (db: Database, version: number, options: MigrateOptions): string => {
  mkdirSync(options.backups, { recursive: true, mode: 0o700 });
  const moment = new Date(options.now).toISOString().replaceAll(/[:.]/g, "-");
  const file = join(options.backups, `before-v${version + 1}-${moment}-${process.pid}.db`);
  // VACUUM INTO takes an empty file, and one we made has the right mode.
  createFile(file, "");
  db.query("VACUUM INTO ?").run(file);
  return file;
};
