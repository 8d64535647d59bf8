import { openDataDirectory } from "#platform/data-directory";
import { AuditChain } from "#store/sqlite/audit-chain";
import { Checkpoints } from "#store/sqlite/audit-checkpoints";
import { AuditKeeper } from "#store/sqlite/audit-keeper";
import { AuditSigner } from "#store/sqlite/audit-signer";
import { CallIndexer } from "#store/sqlite/call-indexer";
import { openDatabase } from "#store/sqlite/database";
import { openSqliteStore } from "#store/sqlite/index";

const BATCH = 1_000;

/**
 * Writes records into the audit log of a hub that is down, the way the hub does: `lines` are serialised records in the
 * order of their times. They can be found as calls, too.
 */
export const writeRecords = async (dataDir: string, lines: Iterable<string>): Promise<void> => {
  await (await openSqliteStore({ dataDir, writer: "inline" })).close();
  const { database, auditKey } = openDataDirectory(dataDir);
  const db = openDatabase(database, { durability: "normal", autocheckpoint: 1_000, cacheKib: 65_536 });
  try {
    const signer = new AuditSigner(auditKey);
    const checkpoints = new Checkpoints(db, signer, Date.now);
    const chain = new AuditChain(db, checkpoints);
    const keeper = new AuditKeeper({ db, chain, checkpoints, signer, now: Date.now });
    const indexer = new CallIndexer(db);
    let batch: string[] = [];
    const write = () => {
      indexer.pass(keeper.append(batch));
      while (indexer.slice(BATCH));
      batch = [];
    };
    for (const line of lines) if (batch.push(line) === BATCH) write();
    write();
    indexer.write();
    keeper.checkpoint();
  } finally {
    db.close();
  }
};
