import type { Database } from "bun:sqlite";
import type { Head } from "#store/audit-link";
import { type AuditChain, checkedName } from "./audit-chain";
import { type PartitionRow, partitions } from "./audit-partitions";
import { type AuditSigner, dropText } from "./audit-signer";
import { transaction, unsynced } from "./database";

/*
 * Retention takes whole months, in two steps. First a month is marked as dropped, its end signed, in one transaction
 * with the record that says so: from then on nobody reads it, and verification goes by the signed end. Then its rows
 * and its space go, a slice at a time, each in a short transaction of its own. Whatever ends the process in between,
 * the next one goes on; nothing that is half removed counts for anything.
 */

/** How much one slice takes at most, so that a record that arrives meanwhile waits for a few milliseconds only. */
export const MAX_ROWS = 500;
export const MAX_PAGES = 100;
const MIN_ROWS = 20;
const MIN_PAGES = 8;
/** What a slice may take before the next one is made smaller, and how little before it is made larger. */
const LONG_MS = 3;
const SHORT_MS = 1.5;

/** Months to be dropped, and the record that says so. Moments in Unix milliseconds. */
export type DropOrder = {
  /** Whose log they are in; absent for the main one. */
  readonly node?: string;
  readonly names: readonly string[];
  readonly before: number;
  readonly now: number;
  readonly record: string;
};

type Closed = PartitionRow & Readonly<{ last_seq: number; last_hash: string }>;

const isClosed = (partition: PartitionRow): partition is Closed =>
  partition.last_seq !== null && partition.last_hash !== null;

/** From the oldest on, every closed month whose records are all older than `before`. */
const droppable = (db: Database, before: number): Closed[] => {
  const found: Closed[] = [];
  for (const partition of partitions(db)) {
    if (partition.dropped_at !== null) continue;
    if (!isClosed(partition)) break;
    const newest = `SELECT max(at) AS at FROM ${checkedName(partition.name)}`;
    const at = db.query<{ at: number | null }, []>(newest).get()?.at ?? null;
    if (at === null || at >= before) break;
    found.push(partition);
  }
  return found;
};

export const droppableNames = (db: Database, before: number): string[] => droppable(db, before).map(({ name }) => name);

/**
 * The same in the log of a node, whose last month nobody may go on with: also that one, once it is over. The record that
 * says so begins another.
 */
export const droppableOfNode = (db: Database, before: number, now: number): string[] => {
  const closed = droppableNames(db, before);
  const left = partitions(db).filter(({ name, dropped_at }) => dropped_at === null && !closed.includes(name));
  const [last] = left;
  if (last === undefined || left.length > 1 || isClosed(last)) return closed;
  const isOver = last.name < `audit_${new Date(now).toISOString().slice(0, 7).replace("-", "_")}`;
  const newest = `SELECT max(at) AS at FROM ${checkedName(last.name)}`;
  const at = db.query<{ at: number | null }, []>(newest).get()?.at ?? null;
  // Nothing but what was said when an earlier month went: it waits for the next record that is none of those.
  const only = `SELECT 1 FROM ${checkedName(last.name)} WHERE kind <> 'audit.drop' LIMIT 1`;
  const isWorth = db.query(only).get() !== null;
  return isOver && at !== null && at < before && isWorth ? [...closed, last.name] : closed;
};

type Marking = { readonly db: Database; readonly chain: AuditChain; readonly signer: AuditSigner };

/**
 * Marks months as dropped and appends the record, in one transaction. Does nothing, and says so, unless what is to be
 * dropped is still just what was asked for.
 */
export const markDropped = ({ db, chain, signer }: Marking, order: DropOrder): boolean =>
  transaction<boolean>(db, () => {
    const { node, before, now } = order;
    const names = node === undefined ? droppableNames(db, before) : droppableOfNode(db, before, now);
    if (names.join() !== order.names.join()) return false;
    chain.append([order.record]);
    for (const month of partitions(db)) if (names.includes(month.name) && isClosed(month)) mark(db, signer, month, now);
    return true;
  });

const mark = (db: Database, signer: AuditSigner, { name, last_seq, last_hash }: Closed, now: number): void => {
  const end: Head = { seq: last_seq, hash: last_hash };
  const { keyId, signature } = signer.sign(dropText(name, end, now));
  const update = "UPDATE audit_partition SET dropped_at = ?, drop_key_id = ?, drop_signature = ? WHERE name = ?";
  db.query(update).run(now, keyId, signature, name);
  db.query("DELETE FROM audit_open_call WHERE partition = ?").run(name);
};

type Dropped = { readonly name: string; readonly last_seq: number };

/** Removes what is left of dropped months, a slice at a time, the oldest month first. */
export class Clearing {
  #rows = 100;
  #pages = 25;

  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Whether there may be more to do. Throws what SQLite says; the same slice can be tried again. */
  slice(): boolean {
    const next = `SELECT name, coalesce(last_seq, 0) AS last_seq FROM audit_partition
      WHERE dropped_at IS NOT NULL AND cleared_at IS NULL ORDER BY first_seq LIMIT 1`;
    const month = this.db.query<Dropped, []>(next).get();
    if (month === null) return false;
    unsynced<void>(this.db, () => this.#some(month));
    return true;
  }

  #some(month: Dropped): void {
    if (this.#removeRows(month) || this.#removeCheckpoints(month) || this.#giveBackPages()) return;
    this.db.query("UPDATE audit_partition SET cleared_at = ? WHERE name = ?").run(this.now(), month.name);
  }

  /** False when there were none left. */
  #removeRows(month: Dropped): boolean {
    const name = checkedName(month.name);
    const there = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
    if (this.db.query(there).get(name) === null) return false;
    const begun = performance.now();
    transaction<void>(this.db, () => {
      const sql = `DELETE FROM ${name} WHERE seq IN (SELECT seq FROM ${name} ORDER BY seq LIMIT ?)`;
      if (this.db.query<unknown, [number]>(sql).run(this.#rows).changes === 0) this.db.run(`DROP TABLE ${name}`);
    });
    this.#rows = sized(this.#rows, performance.now() - begun, MIN_ROWS, MAX_ROWS);
    return true;
  }

  /** But the last one: the next is chained to it. */
  #removeCheckpoints({ last_seq }: Dropped): boolean {
    const sql = `DELETE FROM audit_checkpoint WHERE seq IN (SELECT seq FROM audit_checkpoint
      WHERE seq < (SELECT max(seq) FROM audit_checkpoint WHERE seq <= ?) ORDER BY seq LIMIT ?)`;
    return this.db.query<unknown, [number, number]>(sql).run(last_seq, MAX_ROWS).changes > 0;
  }

  /** False when there were none, or the file system does not get any. */
  #giveBackPages(): boolean {
    const free = this.#freePages();
    if (free === 0) return false;
    const begun = performance.now();
    this.db.run(`PRAGMA incremental_vacuum(${this.#pages})`);
    this.#pages = sized(this.#pages, performance.now() - begun, MIN_PAGES, MAX_PAGES);
    return this.#freePages() < free;
  }

  #freePages(): number {
    return this.db.query<{ freelist_count: number }, []>("PRAGMA freelist_count").get()?.freelist_count ?? 0;
  }
}

/** How much the next slice takes, after one that took so many milliseconds. */
const sized = (size: number, tookMs: number, least: number, most: number): number => {
  if (tookMs > LONG_MS) return Math.max(least, Math.floor(size / 2));
  return tookMs < SHORT_MS ? Math.min(most, Math.ceil(size * 1.25)) : size;
};
