import type { Database, Statement } from "bun:sqlite";
import type { AuditRecord } from "#model/audit";
import { categoryOf, entryOf, measuresOf, prefixesOf } from "#model/call-entry";
import { type ChainedRecord, checkedName } from "./audit-chain";
import { partitions } from "./audit-partitions";
import {
  BLOCK_COLUMNS,
  type BlockEntry,
  type BlockRow,
  type Bytes,
  type ColumnValues,
  OpenBlock,
  StoredBlock,
} from "./call-block";
import { hash32, KnownHashes } from "./call-hash";
import { TrafficBook } from "./call-traffic";
import { transaction, unsynced } from "./database";

/** Records a slice looks at: a commit that comes meanwhile waits for one slice at most, about a millisecond. */
const SLICE = 100;
/** The same when somebody waits for it. */
const AT_ONCE = 500;
/** What is looked at in memory before it is written: records, and subjects' minutes of traffic. */
const MAX_PENDING = 4_096;
const MAX_MINUTES = 1_000;
/** Written records that wait to be looked at; more are read from the log again. */
const MAX_PASSED = 8_192;

const NONE: readonly number[] = [];

type LogRow = { readonly seq: number; readonly at: number; readonly phase: string; readonly body: string };

/** Where the log is indexed up to. */
export const indexedUpTo = (db: Database): number =>
  db.query<{ seq: number }, []>("SELECT seq FROM call_indexed WHERE id = 1").get()?.seq ?? 0;

const countedUpTo = (db: Database): number =>
  db.query<{ counted: number }, []>("SELECT counted FROM call_indexed WHERE id = 1").get()?.counted ?? 0;

/** Reads the columns of stored blocks. */
export const columnsIn = (db: Database): ((id: number) => Bytes | null) => {
  const read = db.query<{ data: Bytes }, [number]>("SELECT data FROM call_column WHERE id = ?");
  return (id) => read.get(id)?.data ?? null;
};

/** When the newest record was that is still there, Unix milliseconds; 0 for none. */
const newestAt = (db: Database): number => {
  const newest = partitions(db).findLast(({ dropped_at }) => dropped_at === null);
  if (newest === undefined) return 0;
  const last = `SELECT max(at) AS at FROM ${checkedName(newest.name)}`;
  return db.query<{ at: number | null }, []>(last).get()?.at ?? 0;
};

/** The newest record's number; 0 for none. */
export const newestSeq = (db: Database): number => {
  const newest = partitions(db).at(-1);
  if (newest === undefined) return 0;
  if (newest.dropped_at !== null) return newest.last_seq ?? 0;
  const last = `SELECT max(seq) AS seq FROM ${checkedName(newest.name)}`;
  return db.query<{ seq: number | null }, []>(last).get()?.seq ?? newest.first_seq - 1;
};

/**
 * Looks at what is new in the log, in memory, and writes what it has gathered now and then: all of it with how far it
 * got, so that whatever ends this process, the next goes on from there. Over the connection that appends: nobody waits
 * for a lock.
 */
export class CallIndexer {
  readonly #insertBlock: Statement<unknown, number[]>;
  readonly #insertColumn: Statement<unknown, ColumnValues>;
  readonly #mark: Statement<unknown, [number, number]>;
  readonly #book: TrafficBook;
  readonly #hashes = KnownHashes.ofNames();
  readonly #passed: ChainedRecord[] = [];
  /** What the database says, and how far what is in memory goes. Null before the first look. */
  #marked: number | null = null;
  #reached = 0;
  /** Up to which record calls were counted before: where the index was made anew, further than it goes. */
  #counted = 0;
  /** When the newest record was when this began, Unix milliseconds. */
  #newest = 0;
  /** What changed since the last write; the last of them is still open. */
  #blocks: OpenBlock[] = [];
  #pending = 0;

  constructor(private readonly db: Database) {
    const marks = BLOCK_COLUMNS.map(() => "?").join(", ");
    this.#insertBlock = db.prepare(`INSERT OR REPLACE INTO call_block (${BLOCK_COLUMNS.join(", ")}) VALUES (${marks})`);
    this.#insertColumn = db.prepare("INSERT OR REPLACE INTO call_column (id, low, high, data) VALUES (?, ?, ?, ?)");
    this.#mark = db.prepare("INSERT OR REPLACE INTO call_indexed (id, seq, counted) VALUES (1, ?, ?)");
    this.#book = new TrafficBook(db);
  }

  /** Records that were just written need not be read again. */
  pass(written: readonly ChainedRecord[]): void {
    if (this.#passed.length + written.length > MAX_PASSED) this.#passed.length = 0;
    this.#passed.push(...written);
  }

  /** Written records that were not looked at yet, as far as they are passed on. */
  get waiting(): number {
    return this.#passed.length;
  }

  /** For somebody who waits: what is new can be found, or some of it where that is much. */
  catchUp(): void {
    this.slice(AT_ONCE);
    this.write();
  }

  get #isFull(): boolean {
    return this.#pending >= MAX_PENDING || this.#book.waiting >= MAX_MINUTES;
  }

  /** Looks at some of what is new; says whether there may be more. Writes first what is much already. */
  slice(most = SLICE): boolean {
    if (this.#isFull) this.write();
    if (this.#marked === null) this.#begin();
    const written = this.#next(most);
    for (const one of written) this.#index(one);
    return written.length > 0;
  }

  /** Writes what was gathered. It does not wait for the disk: what the loss of power takes is read from the log again. */
  write(): void {
    if (this.#marked === null || this.#reached === this.#marked) return;
    const isOurs = unsynced<boolean>(this.db, () => transaction<boolean>(this.db, () => this.#write()));
    // Another process indexed meanwhile: what we have would count twice.
    if (!isOurs) this.#marked = null;
    this.#blocks = this.#blocks.slice(-1);
    this.#pending = 0;
    this.#book.forget(this.#marked !== null);
    if (this.#marked !== null) this.#marked = this.#reached;
  }

  #write(): boolean {
    if (indexedUpTo(this.db) !== this.#marked) return false;
    for (const block of this.#blocks) {
      if (block.isEmpty) continue;
      this.#insertBlock.run(...block.row());
      for (const column of block.columns()) this.#insertColumn.run(...column);
    }
    this.#book.write(this.#newest);
    this.#mark.run(this.#reached, Math.max(this.#reached, this.#counted));
    return true;
  }

  #begin(): void {
    this.#marked = indexedUpTo(this.db);
    this.#reached = this.#marked;
    this.#counted = countedUpTo(this.db);
    // A clock that was ahead for a while must not make everything since look old.
    this.#newest = Math.min(newestAt(this.db), Date.now());
    const last = "SELECT * FROM call_block ORDER BY first_seq DESC LIMIT 1";
    const row = this.db.query<BlockRow, []>(last).get();
    this.#blocks = row === null ? [] : [OpenBlock.of(new StoredBlock(row, columnsIn(this.db)))];
  }

  /** From memory while nothing is missing there, else from the log: other connections write, too. */
  #next(most: number): ChainedRecord[] {
    const after = this.#reached;
    const known = this.#passed.findIndex(({ seq }) => seq > after);
    this.#passed.splice(0, known === -1 ? this.#passed.length : known);
    const [first] = this.#passed;
    if (first?.seq !== after + 1)
      return this.#unread(after, Math.min(most, (first?.seq ?? Number.POSITIVE_INFINITY) - after - 1));
    let count = 1;
    while (count < most && this.#passed[count]?.seq === first.seq + count) count += 1;
    return this.#passed.splice(0, count);
  }

  #unread(after: number, most: number): ChainedRecord[] {
    for (const { name, dropped_at, last_seq } of partitions(this.db)) {
      if (dropped_at !== null || (last_seq !== null && last_seq <= after)) continue;
      const sql = `SELECT seq, at, phase, body FROM ${checkedName(name)} WHERE seq > ? ORDER BY seq LIMIT ?`;
      const rows = this.db.query<LogRow, [number, number]>(sql).all(after, most);
      if (rows.length > 0) return rows.map(({ seq, at, body }) => ({ seq, at, record: JSON.parse(body) }));
    }
    return [];
  }

  #index({ seq, at, record }: ChainedRecord): void {
    this.#reached = seq;
    this.#pending += 1;
    if (record.phase !== "final") return;
    let block = this.#blocks.at(-1);
    if (block === undefined || block.isFull) {
      block = new OpenBlock();
      this.#blocks.push(block);
    }
    block.add(this.#entry(seq, at, record));
    if (seq > this.#counted) this.#book.count(record, at);
  }

  #entry(seq: number, at: number, record: AuditRecord): BlockEntry {
    const entry = entryOf(record);
    const hashes = this.#hashes;
    const { kind, conversation_id } = entry;
    return {
      seq,
      at,
      // In the order of HASHED.
      hashes: [
        hash32(record.call_id),
        hashes.of(kind),
        hashes.of(kind.split(".", 1)[0] ?? ""),
        hashes.of(entry.decision),
        hashes.of(entry.outcome),
        hashes.of(entry.user_id),
        hashes.of(entry.agent_id),
        hashes.of(entry.token_id),
        hashes.of(entry.model),
        hashes.of(entry.tool),
        conversation_id === null ? 0 : hash32(conversation_id),
        hashes.of(entry.cost_basis),
      ],
      measures: measuresOf(record),
      isCall: categoryOf(record) === "call",
      basis: entry.cost_basis,
      flags:
        entry.flags.length === 0 ? NONE : [...new Set(entry.flags.flatMap(prefixesOf))].map((flag) => hashes.of(flag)),
    };
  }
}
