import type { Database } from "bun:sqlite";
import type { CallIndex, CallSearch, FoundCalls, TrafficBucket, TrafficSpan } from "#store/call-index-port";
import type { AuditRow } from "#store/record";
import { checkedName } from "./audit-chain";
import type { AuditAppender } from "./audit-inline";
import { type PartitionRow, partitions } from "./audit-partitions";
import { breathe } from "./audit-reader";
import { type Condition, conditionsOf, rarestOf, type Slice, sliceOf } from "./call-finding";
import { CallHashes } from "./call-hash";
import { indexedUpTo, newestSeq } from "./call-indexer";
import { countsIn } from "./call-traffic";
import type { Connection } from "./connection";

/** How much later than its neighbours a record may be in the log: it waits to be written, and clocks are set. */
const OUT_OF_ORDER_MS = 60_000;
/** Of a request's patience, what bringing the index up to date may take. */
const FRESH_MS = 60;
const DAY_MS = 86_400_000;
/** How long counters of a span are kept; those that are not here as long as the log. */
const KEPT_MS: readonly (readonly [span: TrafficSpan, ms: number])[] = [
  [60_000, 2 * DAY_MS],
  [900_000, 8 * DAY_MS],
];
const FORGOTTEN_AT_ONCE = 1_000;

export class SqliteCallIndex implements CallIndex {
  readonly #db: Database;
  readonly #hashes = new CallHashes();

  constructor(
    private readonly connection: Connection,
    private readonly writer: Pick<AuditAppender, "index">,
  ) {
    this.#db = connection.db;
  }

  async search({ filter, scope, before, limit, patienceMs }: CallSearch): Promise<FoundCalls> {
    const begun = performance.now();
    const behind = await this.#freshen();
    const conditions = conditionsOf(filter, scope, this.#hashes);
    const { since, until } = filter;
    const timed = timedBy(since, until);
    const floor = since === undefined ? 0 : this.#seqAt(since - OUT_OF_ORDER_MS, "first") - 1;
    const top = until === undefined ? Number.MAX_SAFE_INTEGER : this.#seqAt(until + OUT_OF_ORDER_MS, "last");
    const newest = this.#db.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM call_entry").get()?.seq ?? 0;
    const high = Math.min(newest, top, before === null ? newest : before - 1);
    const driver = rarestOf(this.#db, conditions, { low: floor, high });
    const seqs: number[] = [];
    let reached = high;
    while (reached > floor && seqs.length < limit) {
      const wanted = { bounds: { low: floor, high: reached }, most: limit - seqs.length };
      const slice: Slice = sliceOf(this.#db, [...conditions, ...timed], driver, wanted);
      seqs.push(...slice.seqs);
      reached = slice.low;
      if (reached <= floor || seqs.length >= limit || performance.now() - begun > patienceMs) break;
      await breathe();
    }
    const isOver = reached <= floor;
    return {
      rows: this.#rows(seqs),
      next: isOver ? null : reached + 1,
      scannedUntil: isOver ? null : this.#atOf(reached),
      behind,
    };
  }

  async byCall(callId: string): Promise<AuditRow | null> {
    await this.#freshen();
    const found = this.#db.query<{ seq: number }, [number]>(
      "SELECT seq FROM call_entry WHERE call = ? ORDER BY seq DESC LIMIT 1000",
    );
    const seqs = found.all(this.#hashes.of("call", callId)).map(({ seq }) => seq);
    return this.#rows(seqs).find(({ body }) => body.includes(callId)) ?? this.#open(callId);
  }

  async byEvent(eventId: string): Promise<AuditRow | null> {
    for (const { name } of this.#kept().reverse()) {
      const sql = `SELECT seq, body, prev_hash, hash FROM ${checkedName(name)} WHERE event_id = ? AND phase = 'final'`;
      const row = this.#db.query<AuditRow, [string]>(sql).get(eventId);
      if (row !== null) return row;
    }
    return null;
  }

  async traffic(span: TrafficSpan, since: number, until: number, userId: string | null) {
    const behind = await this.#freshen();
    const sql = "SELECT at, counts FROM call_traffic WHERE span = ? AND at >= ? AND at < ? AND subject = ? ORDER BY at";
    const subject = this.#hashes.of("user", userId);
    type Row = { at: number; counts: string };
    const rows = this.#db.query<Row, [number, number, number, number]>(sql).all(span, since, until, subject);
    return { buckets: rows.map(({ at, counts }): TrafficBucket => ({ at, counts: countsIn(counts) })), behind };
  }

  async retain(now: number): Promise<void> {
    const first = this.#kept()[0]?.first_seq ?? 0;
    const oldest =
      this.#db.query<{ at: number }, []>("SELECT at FROM call_entry ORDER BY seq LIMIT 1").get()?.at ?? now;
    await this.#forget("call_entry", "seq", `seq < ${first}`);
    await this.#forget("call_flag", "flag, seq", `seq < ${first}`);
    for (const [span, ms] of KEPT_MS) {
      await this.#forget("call_traffic", "span, at, subject", `span = ${span} AND at < ${now - ms}`);
    }
    await this.#forget("call_traffic", "span, at, subject", `span = 3600000 AND at < ${oldest - DAY_MS}`);
  }

  async #forget(table: string, key: string, where: string): Promise<void> {
    const some = `SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${FORGOTTEN_AT_ONCE}`;
    const sql = `DELETE FROM ${table} WHERE (${key}) IN (${some})`;
    for (;;) {
      const gone = await this.connection.writeSoon<number>(() => this.#db.run(sql).changes);
      if (gone < FORGOTTEN_AT_ONCE) return;
      await breathe();
    }
  }

  /** Says how many records cannot be found yet. */
  async #freshen(): Promise<number> {
    const begun = performance.now();
    for (;;) {
      const behind = newestSeq(this.#db) - indexedUpTo(this.#db);
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

  /** The first record not before, or the last one not after, a moment. */
  #seqAt(at: number, which: "first" | "last"): number {
    const sql =
      which === "first"
        ? "SELECT seq FROM call_entry WHERE at >= ? ORDER BY at, seq LIMIT 1"
        : "SELECT seq FROM call_entry WHERE at <= ? ORDER BY at DESC, seq DESC LIMIT 1";
    const none = which === "first" ? Number.MAX_SAFE_INTEGER : 0;
    return this.#db.query<{ seq: number }, [number]>(sql).get(at)?.seq ?? none;
  }

  #atOf(seq: number): number | null {
    const sql = "SELECT at FROM call_entry WHERE seq >= ? ORDER BY seq LIMIT 1";
    return this.#db.query<{ at: number }, [number]>(sql).get(seq)?.at ?? null;
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

/** Exact where the bounds by number are not. */
const timedBy = (since: number | undefined, until: number | undefined): Condition[] => [
  ...(since === undefined ? [] : [{ streams: [], holds: "+e.at >= ?", values: [since] }]),
  ...(until === undefined ? [] : [{ streams: [], holds: "+e.at < ?", values: [until] }]),
];
