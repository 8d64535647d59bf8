import type { Database } from "bun:sqlite";
import type { AuditRow } from "#store/port";
import { checkedName } from "./audit-chain";

export type PartitionRow = {
  readonly name: string;
  readonly first_seq: number;
  readonly first_prev_hash: string;
  readonly last_seq: number | null;
  readonly last_hash: string | null;
  readonly dropped_at: number | null;
  readonly drop_key_id: string | null;
  readonly drop_signature: string | null;
  /** When the last of a dropped month had been removed. */
  readonly cleared_at: number | null;
};

/** Oldest first, dropped ones among them. */
export const partitions = (db: Database): PartitionRow[] =>
  db.query<PartitionRow, []>("SELECT * FROM audit_partition ORDER BY first_seq").all();

/** Whether the table is still there: retention may take it while somebody reads. */
export const isKept = (db: Database, name: string): boolean =>
  db.query("SELECT 1 FROM audit_partition WHERE name = ? AND dropped_at IS NULL").get(name) !== null;

/** The newest `n` records of the partitions, newest first. */
export const newest = (db: Database, n: number): AuditRow[] => {
  const rows: AuditRow[] = [];
  for (const partition of partitions(db).reverse()) {
    if (rows.length >= n || partition.dropped_at !== null) break;
    const sql = `SELECT seq, body, prev_hash, hash FROM ${checkedName(partition.name)} ORDER BY seq DESC LIMIT ?`;
    rows.push(...db.query<AuditRow, [number]>(sql).all(n - rows.length));
  }
  return rows;
};

/** First and last `seq` whose `at` lies in the half-open range; null when there is none. Reads one index only. */
export const boundsOf = (
  db: Database,
  name: string,
  since: number,
  until: number,
): { from: number; to: number } | null => {
  const sql = `SELECT min(seq) AS "from", max(seq) AS "to" FROM ${checkedName(name)} WHERE at >= ? AND at < ?`;
  const row = db.query<{ from: number | null; to: number | null }, [number, number]>(sql).get(since, until);
  return row === null || row.from === null || row.to === null ? null : { from: row.from, to: row.to };
};
