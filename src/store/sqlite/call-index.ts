import type { Database } from "bun:sqlite";
import type { AuditRecord } from "#model/audit";
import { COST_BASES } from "#model/audit";
import { isUuid } from "#platform/ids";
import type {
  CallField,
  CallFilter,
  CallOrder,
  CallQuestion,
  CallScope,
  CallSearch,
  CallValue,
  FoundCalls,
  Looked,
  TrafficBucket,
  TrafficQuestion,
  ValueQuestion,
} from "#store/call-index-port";
import {
  beforeRank,
  fieldsOf,
  MAX_VALUES,
  type RankedPart,
  type RankedRow,
  Ranking,
  type RankPlace,
  RunningSum,
  rankOf,
  SumsByValue,
  timeOf,
} from "#store/call-survey";
import type { AuditRow } from "#store/record";
import { KEPT_MS } from "#store/traffic-spans";
import { checkedName } from "./audit-chain";
import type { AuditAppender } from "./audit-inline";
import { type PartitionRow, partitions } from "./audit-partitions";
import { breathe } from "./audit-reader";
import { inSlices, type Upkept } from "./batches";
import { BLOCK_COLUMNS, type BlockRow, COLUMNS, columnId, type Hashed, type Numbers, StoredBlock } from "./call-block";
import { conditionsOf, equal, isWanted, NAMED, type Rows, rowsIn } from "./call-finding";
import { hash32, subjectsOf, timeIn } from "./call-hash";
import { columnsIn, indexedUpTo, newestSeq } from "./call-indexer";
import { countColumns, trafficIn } from "./call-traffic";
import type { Connection } from "./connection";

/** How far clocks are set back now and then. */
const CLOCK_MS = 60_000;
/** How far the time in a record's id is from the record's own, as a rule. */
const NEAR_MS = 500;
/** Most calls end within so long. */
const USUAL_CALL_MS = 3_600_000;
/** No call lasts longer: the settings for how long one may last go no further. */
const MAX_CALL_MS = 30 * 86_400_000;
/** What else waits on the thread goes between: milliseconds of work at once. */
const SLICE_MS = 5;
/** Rows of blocks, without their columns, read at once. */
const BLOCKS_AT_ONCE = 128;
/** Of a request's patience, what bringing the index up to date may take. */
const FRESH_MS = 100;
const DAY_MS = 86_400_000;
const COLUMNS_MEASURED_AT_ONCE = 2_000;
/** Of a block and its columns, what one slice of retention takes. */
const BLOCKS_FORGOTTEN_AT_ONCE = 16;
/** Rows of counters; some milliseconds' work. Those of everybody name every agent. */
const COUNTS_AT_ONCE = { sums: 4_000, names: 1_000, everybodysNames: 200 } as const;

/** A search in one log: `before` and `next` are numbers of records. */
export type LogSearch = Omit<CallSearch, "before" | "order"> & { readonly before: number | null };
export type FoundInLog = Omit<FoundCalls, "next"> & { readonly next: number | null };

/** The first few of one log in an order by a number. */
export type LogRanking = CallQuestion & {
  readonly order: CallOrder;
  readonly after: RankPlace | null;
  readonly limit: number;
  /** The log's, as places name it. */
  readonly node: string | null;
};
export type RankedInLog = RankedPart<RankedRow> & Looked;

/** What looks at a block, and how far that goes on. */
type Visit = (block: StoredBlock) => boolean;

/** The index of one log. */
export class LogCallIndex {
  readonly #db: Database;
  readonly #columns: ReturnType<typeof columnsIn>;

  constructor(
    private readonly connection: Upkept & Pick<Connection, "db">,
    private readonly writer: Pick<AuditAppender, "index">,
  ) {
    this.#db = connection.db;
    this.#columns = columnsIn(this.#db);
  }

  async search({ filter, scope, before, limit, patienceMs }: LogSearch): Promise<FoundInLog> {
    const begun = performance.now();
    const behind = await this.#freshen();
    const conditions = conditionsOf(filter, scope);
    const rows: AuditRow[] = [];
    let reached = before === null ? Number.MAX_SAFE_INTEGER : before - 1;
    const { isOver } = await this.#look(filter, { begun, patienceMs, upTo: reached }, (block) => {
      const found = this.#seqsIn(block, conditions, { upTo: reached, most: limit - rows.length });
      reached = found.reached;
      rows.push(...this.#rows(found.seqs).filter((row) => isRowOf(row, filter, scope)));
      return rows.length < limit;
    });
    if (isOver || this.#blocks(filter, { upTo: reached, most: 1 }).length === 0)
      return { rows, next: null, scannedUntil: null, behind };
    return { rows, next: reached + 1, scannedUntil: this.#atOf(reached + 1), behind };
  }

  async ranked({ filter, scope, order, after, limit, node, patienceMs }: LogRanking): Promise<RankedInLog> {
    const begun = performance.now();
    const behind = await this.#freshen();
    const conditions = conditionsOf(filter, scope);
    const ranking = new Ranking<{ readonly place: RankPlace }>(limit, after);
    const isOldestFirst = order.by === "at" && order.isAscending;
    const from = timeOf(after, order);
    const wanted = from === undefined ? filter : { ...filter, since: Math.max(from, filter.since ?? from) };
    const { last } = await this.#look(wanted, { begun, patienceMs, isOldestFirst }, (block) => {
      if (!ranking.mayTake(this.#bestOf(block, order), block.row.until)) return true;
      const rows = rowsIn(block, conditions);
      if (rows.length > 0) offer(ranking, block, rows, { order, node });
      return true;
    });
    const known = new Map(this.#rows(ranking.items.map(({ place }) => place.seq)).map((row) => [row.seq, row]));
    const items = ranking.items.flatMap(({ place }) => {
      const row = known.get(place.seq);
      return row !== undefined && isRowOf(row, filter, scope) ? [{ place, row }] : [];
    });
    const stopped = this.#stoppedAt(filter, last, isOldestFirst);
    const horizon = stopped !== null && isOldestFirst ? beforeRank(-stopped) : null;
    return { items, isFull: ranking.isFull, horizon, scannedUntil: stopped, behind };
  }

  async sums({ filter, scope, patienceMs }: CallQuestion): Promise<Looked & { readonly sum: RunningSum }> {
    const sum = new RunningSum();
    const looked = await this.#survey({ filter, scope, patienceMs }, (block, rows) => {
      const { count, calls } = block.row;
      const isEveryCall = rows.length === count || (filter.category === "call" && rows.length === calls);
      // What all calls of a block come to was added up when it was written; what else is there comes to nothing.
      if (isEveryCall) sum.addSum({ ...block.row, calls: rows.length });
      else addRows(sum, block, rows);
      return true;
    });
    return { ...looked, sum };
  }

  async values({
    by,
    order,
    most,
    ...question
  }: ValueQuestion): Promise<Looked & { readonly values: readonly CallValue[] }> {
    const grouping = new Grouping();
    const looked = await this.#survey(question, (block, rows) => {
      grouping.add(block, rows, by);
      return grouping.groups.size < MAX_VALUES;
    });
    const sums = new SumsByValue();
    const first = [...grouping.groups].sort(([, one], [, other]) => other[order] - one[order]).slice(0, most);
    for (const [key, { seq, ...sum }] of first) {
      const value = by === "status" ? String(key) : this.#valueOf(seq, by, key);
      if (value !== undefined) sums.add(value, sum);
    }
    return { ...looked, values: sums.most(most, order) };
  }

  /** What the hash of a field's value stands for, as the record has it. */
  #valueOf(seq: number, by: CallField, hash: number): string | undefined {
    const [row] = this.#rows([seq]);
    if (row === undefined) return undefined;
    const record: AuditRecord = JSON.parse(row.body);
    return fieldsOf(record, by).find((value) => hash32(value) === hash);
  }

  async #survey(
    { filter, scope, patienceMs }: CallQuestion,
    visit: (block: StoredBlock, rows: Rows) => boolean,
  ): Promise<Looked> {
    const begun = performance.now();
    const behind = await this.#freshen();
    const conditions = conditionsOf(filter, scope);
    const { last } = await this.#look(filter, { begun, patienceMs }, (block) => {
      const rows = rowsIn(block, conditions);
      return rows.length === 0 || visit(block, rows);
    });
    return { scannedUntil: this.#stoppedAt(filter, last, false), behind };
  }

  /** Blocks that may have some of the time, newest first, until all were looked at, nobody wants more, or time is up. */
  async #look(
    filter: CallFilter,
    {
      begun,
      patienceMs,
      upTo = Number.MAX_SAFE_INTEGER,
      isOldestFirst = false,
    }: {
      readonly begun: number;
      readonly patienceMs: number;
      readonly upTo?: number;
      readonly isOldestFirst?: boolean;
    },
    visit: Visit,
  ): Promise<{ readonly isOver: boolean; readonly last: BlockRow | null }> {
    let [slice, place] = [performance.now(), isOldestFirst ? Number.MIN_SAFE_INTEGER : upTo];
    let last: BlockRow | null = null;
    for (;;) {
      const rows = isOldestFirst
        ? this.#blocks(filter, { from: place, most: BLOCKS_AT_ONCE })
        : this.#blocks(filter, { upTo: place, most: BLOCKS_AT_ONCE });
      if (rows.length === 0) return { isOver: true, last };
      for (const row of rows) {
        last = row;
        if (!visit(new StoredBlock(row, this.#columns))) return { isOver: false, last };
        place = isOldestFirst ? row.first_seq + 1 : row.first_seq - 1;
        const now = performance.now();
        if (now - begun > patienceMs) return { isOver: false, last };
        if (now - slice < SLICE_MS) continue;
        await breathe();
        slice = performance.now();
      }
    }
  }

  /** The highest rank that a record of the block may have. */
  #bestOf({ row }: StoredBlock, order: CallOrder): number {
    if (order.by === "at") return rankOf(order.isAscending ? row.since : row.until, order);
    const sql = "SELECT low, high FROM call_column WHERE id = ?";
    type Bounds = { readonly low: number | null; readonly high: number | null };
    const bounds = this.#db.query<Bounds, [number]>(sql).get(columnId(order.by, row.first_seq));
    return rankOf((order.isAscending ? bounds?.low : bounds?.high) ?? null, order);
  }

  /** When what was looked at last was, of what goes on behind that block; null where nothing does. */
  #stoppedAt(filter: CallFilter, last: BlockRow | null, isOldestFirst: boolean): number | null {
    if (last === null) return null;
    const { first_seq, since } = last;
    const rest = isOldestFirst ? { from: first_seq + 1, most: 1 } : { upTo: first_seq - 1, most: 1 };
    if (this.#blocks(filter, rest).length === 0) return null;
    if (!isOldestFirst) return since;
    const sql = "SELECT min(since) AS at FROM call_block WHERE first_seq > ?";
    return this.#db.query<{ at: number | null }, [number]>(sql).get(first_seq)?.at ?? null;
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
    let found: AuditRow | null = null;
    const patient = { begun: performance.now(), patienceMs: Number.POSITIVE_INFINITY };
    await this.#look(window, patient, (block) => {
      const seqs = block.numbers("seq");
      const rows = this.#rows(Array.from(rowsIn(block, conditions), (row) => seqs[row] ?? 0));
      found = rows.find((one) => isOfCall(one, callId)) ?? null;
      return found === null;
    });
    return found;
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

  async traffic(question: TrafficQuestion) {
    const { span, scope, detail, prefix } = question;
    const behind = await this.#freshen();
    const sql = `SELECT at, ${countColumns(detail)} FROM call_traffic WHERE span = ? AND at >= ? AND at < ?
      AND subject IN (SELECT value FROM json_each(?))
      AND ${question.only === undefined ? "? IS NULL" : "at IN (SELECT value FROM json_each(?))"} ORDER BY at`;
    type Row = { at: number; counts: string; names?: string };
    const rows = this.#db.query<Row, (number | string | null)[]>(sql);
    const subjects = subjectsOf(scope);
    const buckets: TrafficBucket[] = [];
    const most = COUNTS_AT_ONCE[detail === "names" && scope === null ? "everybodysNames" : detail];
    for (const { since, until, some } of inParts(question, Math.ceil(most / subjects.length))) {
      if (buckets.length > 0) await breathe();
      const found = rows.all(span, since, until, JSON.stringify(subjects), some);
      buckets.push(...found.map((row) => ({ at: row.at, counts: trafficIn(row, prefix) })));
    }
    return { buckets, behind };
  }

  async bytes(): Promise<number> {
    // The length of a blob stands at the head of its row: the blobs themselves are not read.
    const some = "SELECT id, length(data) AS bytes FROM call_column WHERE id > ? ORDER BY id LIMIT ?";
    const sql = `SELECT max(id) AS last, sum(bytes) AS bytes FROM (${some})`;
    type Sum = { last: number | null; bytes: number | null };
    for (let [total, last] = [0, Number.MIN_SAFE_INTEGER]; ; ) {
      const sum = this.#db.query<Sum, [number, number]>(sql).get(last, COLUMNS_MEASURED_AT_ONCE);
      if (sum?.last == null) return total;
      total += sum.bytes ?? 0;
      last = sum.last;
      await breathe();
    }
  }

  async retain(now: number): Promise<void> {
    const first = this.#kept()[0]?.first_seq ?? 0;
    await inSlices(this.connection, (atMost) => this.#forgetBlocks(first, Math.min(atMost, BLOCKS_FORGOTTEN_AT_ONCE)));
    const oldest = "SELECT since AS at FROM call_block ORDER BY first_seq LIMIT 1";
    const at = this.#db.query<{ at: number }, []>(oldest).get()?.at ?? now;
    for (const [span, ms] of KEPT_MS) {
      // Clocks may have been set back within the oldest block.
      const before = Number.isFinite(ms) ? now - ms : at - DAY_MS;
      await this.#forget("call_traffic", "span, at, subject", `span = ${span} AND at < ${before}`);
    }
  }

  /** Blocks of records before a number; says whether there may be more. */
  #forgetBlocks(first: number, atMost: number): boolean {
    const sql = "SELECT first_seq FROM call_block WHERE first_seq < ?1 AND last_seq < ?1 ORDER BY first_seq LIMIT ?2";
    const old = this.#db.query<Pick<BlockRow, "first_seq">, [number, number]>(sql).all(first, atMost);
    for (const { first_seq } of old) {
      for (const name of COLUMNS) this.#db.run("DELETE FROM call_column WHERE id = ?", [columnId(name, first_seq)]);
      this.#db.run("DELETE FROM call_block WHERE first_seq = ?", [first_seq]);
    }
    return old.length >= atMost;
  }

  async #forget(table: string, key: string, where: string): Promise<void> {
    await inSlices(this.connection, (atMost) => {
      const some = `SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${key} LIMIT ${atMost}`;
      return this.#db.run(`DELETE FROM ${table} WHERE (${key}) IN (${some})`).changes >= atMost;
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

  /** Blocks that may have some of the time: those that begin up to a number, newest first, or from one on, oldest first. */
  #blocks(
    { since, until }: CallFilter,
    { upTo, from, most }: { readonly upTo?: number; readonly from?: number; readonly most: number },
  ): BlockRow[] {
    const [begin, order] = from === undefined ? ["first_seq <= ?", "DESC"] : ["first_seq >= ?", "ASC"];
    const sql = `SELECT ${BLOCK_COLUMNS.join(", ")} FROM call_block
      WHERE ${begin} AND until >= ? AND since < ? ORDER BY first_seq ${order} LIMIT ?`;
    const place = from ?? upTo ?? Number.MAX_SAFE_INTEGER;
    const time = [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER] as const;
    return this.#db.query<BlockRow, number[]>(sql).all(place, ...time, most);
  }

  /** Records of a block up to a number, the newest first: those for which all holds, and the last not looked at. */
  #seqsIn(
    block: StoredBlock,
    conditions: Parameters<typeof rowsIn>[1],
    { upTo, most }: { readonly upTo: number; readonly most: number },
  ): { readonly seqs: readonly number[]; readonly reached: number } {
    const { first_seq, last_seq, count } = block.row;
    const below = last_seq <= upTo ? count : block.numbers("seq").findLastIndex((seq) => seq <= upTo) + 1;
    const rows = rowsIn(block, conditions, below);
    if (rows.length === 0) return { seqs: [], reached: first_seq - 1 };
    const all = block.numbers("seq");
    const seqs = Array.from(rows.subarray(-most), (row) => all[row] ?? 0).reverse();
    return { seqs, reached: (rows.length >= most ? (seqs.at(-1) ?? first_seq) : first_seq) - 1 };
  }

  /** When the first record was that is not before a number. */
  #atOf(seq: number): number | null {
    const sql = `SELECT ${BLOCK_COLUMNS.join(", ")} FROM call_block
      WHERE last_seq >= ? ORDER BY first_seq LIMIT 1`;
    const row = this.#db.query<BlockRow, [number]>(sql).get(seq);
    if (row === null) return null;
    const block = new StoredBlock(row, this.#columns);
    return block.numbers("at")[block.numbers("seq").findIndex((one) => one >= seq)] ?? null;
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

const NUMBERS = ["tokens", "prompt", "completion", "cached", "cost"] as const;
const [, ESTIMATE, UNPRICED] = COST_BASES.map((basis) => [hash32(basis), basis] as const);

/** Of those rows that have a number: what is not there is not greater than nothing. */
const sumIn = (numbers: Numbers, rows: Rows): number => {
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const number = numbers[rows[at] ?? 0] ?? 0;
    if (number > 0) sum += number;
  }
  return sum;
};

const addRows = (sum: RunningSum, block: StoredBlock, rows: Rows): void => {
  sum.calls += rows.length;
  for (const name of NUMBERS) sum[name] += sumIn(block.numbers(name), rows);
  const bases = block.hashes("basis");
  for (const one of [ESTIMATE, UNPRICED]) {
    if (one === undefined || !bases.includes(one[0])) continue;
    for (const row of rows) if (bases[row] === one[0]) sum.addBasis(one[1]);
  }
};

/** The calls of one value, as far as they were looked at, and the number of one of their records. */
type Group = { calls: number; tokens: number; cost: number; readonly seq: number };

/** Adds the calls of a block up by a number of each. */
class Grouping {
  readonly groups = new Map<number, Group>();

  add(block: StoredBlock, rows: Rows, by: CallField): void {
    if (by === "flag") this.#addFlags(block, rows);
    else this.#addRows(block, rows, by === "status" ? block.numbers("status") : block.hashes(columnOf(by)));
  }

  #addRows(block: StoredBlock, rows: Rows, keys: Numbers | Uint32Array): void {
    const [tokens, cost] = [block.numbers("tokens"), block.numbers("cost")];
    // Often the one before has the same.
    let [last, group]: [number, Group | null] = [0, null];
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const key = keys[row] ?? 0;
      if (!(key > 0)) continue;
      if (key !== last || group === null) [last, group] = [key, this.#of(key, block, row)];
      addTo(group, tokens[row] ?? 0, cost[row] ?? 0);
    }
  }

  #addFlags(block: StoredBlock, rows: Rows): void {
    const [tokens, cost, pairs] = [block.numbers("tokens"), block.numbers("cost"), block.hashes("flag")];
    const isWanted = new Uint8Array(block.row.count);
    for (const row of rows) isWanted[row] = 1;
    for (let pair = 0; pair + 1 < pairs.length; pair += 2) {
      const row = pairs[pair] ?? 0;
      if (isWanted[row] === 1) addTo(this.#of(pairs[pair + 1] ?? 0, block, row), tokens[row] ?? 0, cost[row] ?? 0);
    }
  }

  #of(key: number, block: StoredBlock, row: number): Group {
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const made = { calls: 0, tokens: 0, cost: 0, seq: block.numbers("seq")[row] ?? 0 };
    this.groups.set(key, made);
    return made;
  }
}

const addTo = (group: Group, tokens: number, cost: number): void => {
  group.calls += 1;
  if (tokens > 0) group.tokens += tokens;
  if (cost > 0) group.cost += cost;
};

const columnOf = (by: Exclude<CallField, "flag" | "status">): Hashed =>
  by === "kind" ? "kind" : (NAMED.find(([, name]) => name === by)?.[0] ?? "kind");

const offer = (
  ranking: Ranking<{ readonly place: RankPlace }>,
  block: StoredBlock,
  rows: Rows,
  { order, node }: { readonly order: CallOrder; readonly node: string | null },
): void => {
  const [numbers, ats, seqs] = [block.numbers(order.by), block.numbers("at"), block.numbers("seq")];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const at = ats[row] ?? 0;
    const rank = rankOf(numbers[row] ?? Number.NaN, order);
    if (ranking.mayTake(rank, at)) ranking.offer({ place: { rank, at, node, seq: seqs[row] ?? 0 } });
  }
};

/** So many buckets at once; `some` as JSON. */
function* inParts({ span, since, until, only }: TrafficQuestion, most: number) {
  if (only === undefined) {
    for (let from = since; from < until; from += most * span)
      yield { since: from, until: Math.min(until, from + most * span), some: null };
    return;
  }
  const moments = only.toSorted((one, other) => one - other);
  for (let at = 0; at < moments.length; at += most) {
    const some = moments.slice(at, at + most);
    const [first = 0, last = 0] = [some[0], some.at(-1)];
    yield { since: Math.max(since, first), until: Math.min(until, last + 1), some: JSON.stringify(some) };
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
