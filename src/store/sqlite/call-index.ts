import type { Database } from "bun:sqlite";
import type { AuditRecord } from "#model/audit";
import { isUuid } from "#platform/ids";
import type { CallFilter, CallScope, CallSearch, FoundCalls, TrafficBucket, TrafficSpan } from "#store/call-index-port";
import type { AuditRow } from "#store/record";
import { checkedName } from "./audit-chain";
import type { AuditAppender } from "./audit-inline";
import { type PartitionRow, partitions } from "./audit-partitions";
import { breathe } from "./audit-reader";
import { inSlices, type Upkept } from "./batches";
import { BLOCK, type BlockRow, floatsIn, HASHED } from "./call-block";
import { columnsOf, conditionsOf, equal, isWanted, rowsIn } from "./call-finding";
import { subjectsOf, timeIn } from "./call-hash";
import { indexedUpTo, newestSeq } from "./call-indexer";
import { KEPT_MS, trafficIn } from "./call-traffic";
import type { Connection } from "./connection";

/** How far clocks are set back now and then. */
const CLOCK_MS = 60_000;
/** How far the time in a record's id is from the record's own, as a rule. */
const NEAR_MS = 500;
/** Most calls end within so long. */
const USUAL_CALL_MS = 3_600_000;
/** No call lasts longer: the settings for how long one may last go no further. */
const MAX_CALL_MS = 30 * 86_400_000;
/** Some milliseconds' work; what else waits on the thread goes between. */
const BLOCKS_AT_ONCE = 32;
/** Of a request's patience, what bringing the index up to date may take. */
const FRESH_MS = 100;
const DAY_MS = 86_400_000;
const BLOCKS_MEASURED_AT_ONCE = 100;

type CountedBlock = BlockRow & { readonly count: number };

/** A search in one log: `before` and `next` are numbers of records. */
export type LogSearch = Omit<CallSearch, "before"> & { readonly before: number | null };
export type FoundInLog = Omit<FoundCalls, "next"> & { readonly next: number | null };

/** The index of one log. */
export class LogCallIndex {
  readonly #db: Database;

  constructor(
    private readonly connection: Upkept & Pick<Connection, "db">,
    private readonly writer: Pick<AuditAppender, "index">,
  ) {
    this.#db = connection.db;
  }

  async search({ filter, scope, before, limit, patienceMs }: LogSearch): Promise<FoundInLog> {
    const begun = performance.now();
    const behind = await this.#freshen();
    const conditions = conditionsOf(filter, scope);
    const columns = columnsOf(conditions);
    const rows: AuditRow[] = [];
    let reached = before === null ? Number.MAX_SAFE_INTEGER : before - 1;
    while (rows.length < limit) {
      const blocks = this.#blocks(filter, columns, reached, BLOCKS_AT_ONCE);
      if (blocks.length === 0) return { rows, next: null, scannedUntil: null, behind };
      for (const block of blocks) {
        const found = this.#seqsIn(block, conditions, { upTo: reached, most: limit - rows.length });
        reached = found.reached;
        rows.push(...this.#rows(found.seqs).filter((row) => isRowOf(row, filter, scope)));
        if (rows.length >= limit) break;
      }
      if (performance.now() - begun > patienceMs) break;
      await breathe();
    }
    const isOver = this.#blocks(filter, [], reached, 1).length === 0;
    if (isOver) return { rows, next: null, scannedUntil: null, behind };
    return { rows, next: reached + 1, scannedUntil: this.#atOf(reached + 1), behind };
  }

  async byCall(callId: string): Promise<AuditRow | null> {
    await this.#freshen();
    const began = timeIn(callId);
    // Ids of calls are UUIDv7: a UUID of another version is nobody's.
    if (began === null && isUuid(callId)) return null;
    for (const window of began === null ? [{}] : windowsOf(began)) {
      const row = await this.#callWithin(callId, window);
      if (row !== null) return row;
    }
    return this.#open(callId);
  }

  async #callWithin(callId: string, window: Pick<CallFilter, "since" | "until">): Promise<AuditRow | null> {
    const conditions = [equal("call", callId)];
    let reached = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const blocks = this.#blocks(window, ["call"], reached, BLOCKS_AT_ONCE);
      if (blocks.length === 0) return null;
      for (const block of blocks) {
        const { seqs } = this.#seqsIn(block, conditions, { upTo: reached, most: BLOCK });
        const row = this.#rows(seqs).find((one) => isOfCall(one, callId));
        if (row !== undefined) return row;
        reached = block.first_seq - 1;
      }
      await breathe();
    }
  }

  async byRecord(id: string): Promise<AuditRow | null> {
    const made = timeIn(id);
    if (made === null) return null;
    // An id is made when its record is: beside it by milliseconds, or by what a clock was set back in between.
    for (const [from, to] of [
      [made - NEAR_MS, made + NEAR_MS],
      [made - CLOCK_MS, made + CLOCK_MS],
    ] as const) {
      const row = this.#recordWithin(id, from, to);
      if (row !== null) return row;
      await breathe();
    }
    return null;
  }

  #recordWithin(id: string, from: number, to: number): AuditRow | null {
    for (const { name } of this.#kept().reverse()) {
      const sql = `SELECT seq, body, prev_hash, hash FROM ${checkedName(name)}
        WHERE at >= ? AND at <= ? AND id = ? AND phase = 'final' LIMIT 1`;
      const row = this.#db.query<AuditRow, [number, number, string]>(sql).get(from, to, id);
      if (row !== null) return row;
    }
    return null;
  }

  async byEvent(eventId: string): Promise<AuditRow | null> {
    for (const { name } of this.#kept().reverse()) {
      const sql = `SELECT seq, body, prev_hash, hash FROM ${checkedName(name)} WHERE event_id = ? AND phase = 'final'`;
      const row = this.#db.query<AuditRow, [string]>(sql).get(eventId);
      if (row !== null) return row;
    }
    return null;
  }

  async traffic(span: TrafficSpan, since: number, until: number, scope: CallScope) {
    const behind = await this.#freshen();
    const sql = `SELECT at, counts FROM call_traffic WHERE span = ? AND at >= ? AND at < ?
      AND subject IN (SELECT value FROM json_each(?)) ORDER BY at`;
    type Row = { at: number; counts: string };
    const subjects = JSON.stringify(subjectsOf(scope));
    const rows = this.#db.query<Row, [number, number, number, string]>(sql).all(span, since, until, subjects);
    return {
      buckets: rows.map(({ at, counts }): TrafficBucket => ({ at, counts: trafficIn(counts) })),
      behind,
    };
  }

  async bytes(): Promise<number> {
    // The length of a blob stands at the head of its row: the blobs themselves are not read.
    const some = `SELECT first_seq, ${["seq", "at", ...HASHED, "flag"].map((name) => `length(${name})`).join(" + ")} AS bytes
      FROM call_block WHERE first_seq > ? ORDER BY first_seq LIMIT ?`;
    const sql = `SELECT max(first_seq) AS last, sum(bytes) AS bytes FROM (${some})`;
    type Sum = { last: number | null; bytes: number | null };
    for (let [total, last] = [0, Number.MIN_SAFE_INTEGER]; ; ) {
      const sum = this.#db.query<Sum, [number, number]>(sql).get(last, BLOCKS_MEASURED_AT_ONCE);
      if (sum?.last == null) return total;
      total += sum.bytes ?? 0;
      last = sum.last;
      await breathe();
    }
  }

  async retain(now: number): Promise<void> {
    const first = this.#kept()[0]?.first_seq ?? 0;
    await this.#forget("call_block", "first_seq", `first_seq < ${first} AND last_seq < ${first}`, BLOCKS_AT_ONCE);
    const oldest = "SELECT since AS at FROM call_block ORDER BY first_seq LIMIT 1";
    const at = this.#db.query<{ at: number }, []>(oldest).get()?.at ?? now;
    for (const [span, ms] of KEPT_MS) {
      // Clocks may have been set back within the oldest block.
      const before = Number.isFinite(ms) ? now - ms : at - DAY_MS;
      await this.#forget("call_traffic", "span, at, subject", `span = ${span} AND at < ${before}`);
    }
  }

  async #forget(table: string, key: string, where: string, atOnce = Number.POSITIVE_INFINITY): Promise<void> {
    await inSlices(this.connection, (atMost) => {
      const few = Math.min(atMost, atOnce);
      const some = `SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${key} LIMIT ${few}`;
      return this.#db.run(`DELETE FROM ${table} WHERE (${key}) IN (${some})`).changes >= few;
    });
  }

  /** Until what was written before can be found, or for a while; says how many records cannot be found yet. */
  async #freshen(): Promise<number> {
    const begun = performance.now();
    const wanted = newestSeq(this.#db);
    for (;;) {
      const behind = wanted - indexedUpTo(this.#db);
      if (behind <= 0 || performance.now() - begun > FRESH_MS) return Math.max(0, behind);
      // A writer that cannot write cannot index either, and says so elsewhere: what is indexed can still be read.
      const isDone = await this.writer.index().then(
        () => true,
        () => false,
      );
      if (!isDone) return behind;
    }
  }

  #kept(): PartitionRow[] {
    return partitions(this.#db).filter(({ dropped_at }) => dropped_at === null);
  }

  /** Blocks with records up to a number, the newest first: those that may have some of the time, and columns of them. */
  #blocks({ since, until }: CallFilter, columns: readonly string[], upTo: number, most: number): CountedBlock[] {
    const named = ["first_seq", "last_seq", "length(at) / 8 AS count", ...columns].join(", ");
    const sql = `SELECT ${named} FROM call_block
      WHERE first_seq <= ? AND until >= ? AND since < ? ORDER BY first_seq DESC LIMIT ?`;
    const [from, to] = [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER];
    return this.#db.query<CountedBlock, number[]>(sql).all(upTo, from, to, most);
  }

  /** Records of a block up to a number, the newest first: those for which all holds, and the last not looked at. */
  #seqsIn(
    block: CountedBlock,
    conditions: Parameters<typeof rowsIn>[1],
    { upTo, most }: { readonly upTo: number; readonly most: number },
  ): { readonly seqs: readonly number[]; readonly reached: number } {
    const isWhole = block.last_seq <= upTo;
    const below = isWhole ? block.count : this.#seqsOf(block).findLastIndex((seq) => seq <= upTo) + 1;
    const found = rowsIn(block, conditions, { below, most });
    if (found.rows.length === 0) return { seqs: [], reached: block.first_seq - 1 };
    const all = this.#seqsOf(block);
    const seqs = found.rows.map((row) => all[row] ?? 0);
    return { seqs, reached: (all[found.below] ?? block.first_seq) - 1 };
  }

  /** Read only where it matters: most blocks have nothing of what is rare. */
  #seqsOf({ first_seq }: CountedBlock): Float64Array {
    const sql = "SELECT seq FROM call_block WHERE first_seq = ?";
    const row = this.#db.query<Pick<BlockRow, "seq">, [number]>(sql).get(first_seq);
    return row === null ? new Float64Array() : floatsIn(row.seq);
  }

  /** When the first record was that is not before a number. */
  #atOf(seq: number): number | null {
    const sql = "SELECT seq, at FROM call_block WHERE last_seq >= ? ORDER BY first_seq LIMIT 1";
    const block = this.#db.query<Pick<BlockRow, "seq" | "at">, [number]>(sql).get(seq);
    if (block === null) return null;
    return floatsIn(block.at)[floatsIn(block.seq).findIndex((one) => one >= seq)] ?? null;
  }

  /** Newest first, as the numbers are. What retention has taken meanwhile is left out. */
  #rows(seqs: readonly number[]): AuditRow[] {
    const rows: AuditRow[] = [];
    for (const { name, first_seq, last_seq } of this.#kept().reverse()) {
      const here = seqs.filter((seq) => seq >= first_seq && seq <= (last_seq ?? Number.MAX_SAFE_INTEGER));
      if (here.length === 0) continue;
      const marks = here.map(() => "?").join(", ");
      const sql = `SELECT seq, body, prev_hash, hash FROM ${checkedName(name)} WHERE seq IN (${marks}) ORDER BY seq DESC`;
      rows.push(...this.#db.query<AuditRow, number[]>(sql).all(...here));
    }
    return rows;
  }

  #open(callId: string): AuditRow | null {
    type Open = { partition: string; seq: number };
    const sql = "SELECT partition, seq FROM audit_open_call WHERE call_id = ?";
    const open = this.#db.query<Open, [string]>(sql).get(callId);
    if (open === null) return null;
    const row = `SELECT seq, body, prev_hash, hash FROM ${checkedName(open.partition)} WHERE seq = ?`;
    return this.#db.query<AuditRow, [number]>(row).get(open.seq);
  }
}

/** When the final record of a call that began then may have been written: soon, as nearly always, or later. */
const windowsOf = (began: number): Required<Pick<CallFilter, "since" | "until">>[] => {
  const soon = began + USUAL_CALL_MS;
  return [
    { since: began - CLOCK_MS, until: soon },
    { since: soon, until: began + MAX_CALL_MS + CLOCK_MS },
  ];
};

/** The index knows a call by a short hash, which another may have too. */
const isOfCall = ({ body }: AuditRow, callId: string): boolean => {
  const record: AuditRecord = JSON.parse(body);
  return record.call_id === callId && record.phase === "final";
};

const isRowOf = ({ body }: AuditRow, filter: CallFilter, scope: CallScope): boolean => {
  const record: AuditRecord = JSON.parse(body);
  return isWanted(record, filter, scope);
};
