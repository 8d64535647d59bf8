import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { createFile, type DataDirectory } from "#platform/data-directory";
import { AuditChain } from "./audit-chain";
import { CHAINED_VERSION, Checkpoints } from "./audit-checkpoints";
import type { AuditSigner } from "./audit-signer";
import { userVersion } from "./database";
import { migrate } from "./migrate";
import { MIGRATIONS } from "./migrations";

/**
 * The database is of a form from before its audit log's checkpoints were chained, though they were chained here already:
 * an older one was put in its place. Bringing it up to date would sign whatever it holds now. Exit code 8.
 */
export class OlderAuditLog extends Error {
  override readonly name = "OlderAuditLog";
  constructor(note: string) {
    super(
      `The database is older than this data directory's audit log: a copy from before an update was put back, or it was changed. If you put it back, remove ${note} and start again`,
    );
  }
}

type UpgradeNeeds = {
  readonly directory: Pick<DataDirectory, "auditChained" | "backups">;
  readonly signer: AuditSigner;
  readonly now: () => number;
};

/** Brings the database to the newest version; returns the path of the copy that was made first, null for none. */
export const upgrade = (db: Database, { directory, signer, now }: UpgradeNeeds): string | null => {
  const { auditChained, backups } = directory;
  const version = userVersion(db);
  if (version > 0 && version < CHAINED_VERSION && existsSync(auditChained)) throw new OlderAuditLog(auditChained);
  const beginChain = () => {
    const checkpoints = new Checkpoints(db, signer, now);
    checkpoints.beginChain(new AuditChain(db, checkpoints).head());
  };
  const also = new Map([[CHAINED_VERSION, beginChain]]);
  const backup = migrate(db, MIGRATIONS, { backups, now: now(), also });
  createFile(auditChained, "");
  return backup;
};
