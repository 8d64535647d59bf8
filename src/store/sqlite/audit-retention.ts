import type { Database } from "bun:sqlite";
import { checkedName } from "./audit-chain";
import { type PartitionRow, partitions } from "./audit-partitions";
import { breathe } from "./audit-reader";
import { type AuditSigner, dropText } from "./audit-signer";
import { transaction } from "./database";

/** Free pages given back to the file system at a time, so that no writer waits long. */
const PAGES_AT_A_TIME = 2_000;

/**
 * Drops, from the oldest on, every closed partition whose records are all older than `before`. Its last hash
 * stays behind, signed, so that the chain can still be verified from there.
 */
export const dropPartitions = async (
  db: Database,
  signer: AuditSigner,
  before: number,
  now: number,
): Promise<string[]> => {
  const dropped: string[] = [];
  for (;;) {
    const name = transaction<string | null>(db, () => dropOldest(db, signer, before, now));
    if (name === null) break;
    dropped.push(name);
    await breathe();
  }
  if (dropped.length > 0) await giveBackPages(db);
  return dropped;
};

const dropOldest = (db: Database, signer: AuditSigner, before: number, now: number): string | null => {
  const oldest = partitions(db).find((partition) => partition.dropped_at === null);
  if (oldest === undefined || !isClosed(oldest)) return null;
  const name = checkedName(oldest.name);
  const newest = db.query<{ at: number | null }, []>(`SELECT max(at) AS at FROM ${name}`).get()?.at ?? null;
  if (newest === null || newest >= before) return null;
  const end = { seq: oldest.last_seq, hash: oldest.last_hash };
  const mark = "UPDATE audit_partition SET dropped_at = ?, drop_key_id = ?, drop_signature = ? WHERE name = ?";
  const { keyId, signature } = signer.sign(dropText(name, end, now));
  db.query(mark).run(now, keyId, signature, name);
  db.query("DELETE FROM audit_open_call WHERE partition = ?").run(name);
  db.query("DELETE FROM audit_checkpoint WHERE seq <= ?").run(end.seq);
  db.run(`DROP TABLE ${name}`);
  return name;
};

const isClosed = (partition: PartitionRow): partition is PartitionRow & { last_seq: number; last_hash: string } =>
  partition.last_seq !== null && partition.last_hash !== null;

const giveBackPages = async (db: Database): Promise<void> => {
  const free = () => db.query<{ freelist_count: number }, []>("PRAGMA freelist_count").get()?.freelist_count ?? 0;
  for (let left = free(); left > 0; ) {
    db.run(`PRAGMA incremental_vacuum(${PAGES_AT_A_TIME})`);
    await breathe();
    const now = free();
    if (now >= left) return;
    left = now;
  }
};
