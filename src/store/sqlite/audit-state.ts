import type { Database } from "bun:sqlite";
import type { AuditLogState } from "#store/port";
import { checkedName, monthOf } from "./audit-chain";
import { partitions } from "./audit-partitions";

type Checkpoint = { readonly seq: number; readonly at: number; readonly key_id: string };
type Link = { readonly seq: number; readonly hash: string };

/** What the log says of itself without being read: ends, checkpoints, months. */
export const stateOf = (db: Database): AuditLogState => {
  const all = partitions(db);
  const months = all.map(({ name, first_seq, last_seq, dropped_at }) => ({
    month: monthOf(name),
    first_seq,
    last_seq: last_seq ?? newestOf(db, name)?.seq ?? first_seq - 1,
    dropped_at,
  }));
  const checkpoint = "SELECT seq, at, key_id FROM audit_checkpoint ORDER BY seq DESC LIMIT 1";
  return {
    head: headOf(db, all.at(-1)),
    checkpoint: db.query<Checkpoint, []>(checkpoint).get(),
    months: months.reverse(),
  };
};

const newestOf = (db: Database, name: string): Link | null =>
  db.query<Link, []>(`SELECT seq, hash FROM ${checkedName(name)} ORDER BY seq DESC LIMIT 1`).get();

/** The end of the chain: the newest record, or the end of a month that was dropped. */
const headOf = (db: Database, newest: ReturnType<typeof partitions>[number] | undefined): Link | null => {
  if (newest === undefined) return null;
  if (newest.dropped_at === null) {
    return newestOf(db, newest.name) ?? { seq: newest.first_seq - 1, hash: newest.first_prev_hash };
  }
  const { last_seq: seq, last_hash: hash } = newest;
  return seq === null || hash === null ? null : { seq, hash };
};
