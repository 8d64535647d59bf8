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

export type PartitionBounds = { readonly from: number; readonly to: number };
type Entry = { readonly seq: number; readonly at: number };

/** Entries of the index of times looked at in one go: some milliseconds' work. */
const TIMES_AT_ONCE = 2_000;

/**
 * First and last `seq` whose `at` lies in the half-open range; null when there is none. Reads one index only, a stretch
 * of it at a time: clocks are set back now and then, so the first time need not be that of the first record.
 */
export const boundsOf = async (
  db: Database,
  name: string,
  { since, until }: { readonly since: number; readonly until: number },
  between: () => Promise<void>,
): Promise<PartitionBounds | null> => {
  const sql = `SELECT seq, at FROM ${checkedName(name)} WHERE at >= ?1 AND (at > ?1 OR seq > ?2) AND at < ?3
    ORDER BY at, seq LIMIT ${TIMES_AT_ONCE}`;
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [at, last] = [since, Number.MIN_SAFE_INTEGER];
  while (isKept(db, name)) {
    const entries = db.query<Entry, [number, number, number]>(sql).all(at, last, until);
    for (const { seq } of entries) [from, to] = [Math.min(from, seq), Math.max(to, seq)];
    const end = entries.at(-1);
    if (end === undefined || entries.length < TIMES_AT_ONCE) break;
    [at, last] = [end.at, end.seq];
    await between();
  }
  return from > to ? null : { from, to };
};
