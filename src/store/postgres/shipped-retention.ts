import type { Head } from "#store/audit-link";
import type { SerialisedRecord } from "#store/record";
import type { DroppedMonth, DroppedMonths } from "#store/shipped-port";
import { KEPT_MS } from "#store/traffic-spans";
import { appendSigned, type ChainSigner, lockedEnd, type Sql } from "./chain";
import { stateOf } from "./errors";
import type { Pool } from "./pool";

/*
 * Retention of shipped records takes whole months, the oldest first. A month's table is detached in one transaction with
 * the signed record that says so and with what says where each log begins from then on; its space goes afterwards. So a
 * month is there for everybody or for nobody, whatever breaks in between.
 */

/** How long the transaction waits for others; those who come meanwhile wait no longer. Then it is tried again. */
const LOCK_MS = 100;
const TRIES = 20;
const PAUSE_MS = 250;
/** Rows that one statement removes of what belongs to a month. */
const AT_ONCE = 1_000;
/** A log may go on with a month for so long after its end: clocks are set back now and then. Milliseconds. */
const CLOCK_MS = 3_600_000;
const DAY_MS = 86_400_000;

const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK = "40P01";

/** Attached tables of months, the oldest first. */
const MONTHS = `SELECT child.relname AS name FROM pg_inherits
  JOIN pg_class AS child ON child.oid = inhrelid
  WHERE inhparent = to_regclass('record') ORDER BY child.relname`;
const TABLE = /^record_(\d{4})_(\d{2})$/;
/** Detached, and what a process left that ended before it removed them. */
const DETACHED = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname LIKE 'dropped\\_record\\_%'`;

/**
 * Logs that may still ship records of a month that ended then: neither closed, nor known to have shipped everything since,
 * nor gone on with a later month.
 */
const BEHIND = `SELECT node FROM record_log AS log WHERE closed_at IS NULL AND caught_up_at < $1
  AND NOT EXISTS (SELECT 1 FROM record WHERE record.node = log.node AND record.month > $2) LIMIT 1`;
/** What a process counted before it crashed is still to be read from its records. */
const NEEDED = "SELECT node FROM node_crash WHERE heard_at < $1 LIMIT 1";

const DROPPED = `UPDATE record_log SET dropped_seq = given.seq, dropped_hash = given.hash
  FROM json_to_recordset(($1::text)::json) AS given (node text, seq bigint, hash text)
  WHERE record_log.node = given.node`;

type RetentionNeeds = {
  readonly pool: Pool;
  readonly signer: ChainSigner;
  readonly now: () => number;
};

/** See `Shipping.dropBefore`. */
export const dropShipped = async (
  needs: RetentionNeeds,
  before: number,
  recordOf: (dropped: DroppedMonth) => SerialisedRecord,
): Promise<DroppedMonths> => {
  const dropped: DroppedMonth[] = [];
  let waitsFor: string | null = null;
  for (const { name: table } of await rowsOf<{ name: string }>(needs.pool, MONTHS)) {
    const month = monthOf(table);
    if (!(await isOver(needs.pool, table, month, before))) break;
    waitsFor = await behindWith(needs.pool, month);
    const one = waitsFor === null ? await droppedMonth(needs, { table, month, recordOf }) : null;
    if (one === null) break;
    dropped.push(one);
  }
  await clear(needs.pool);
  await forgetCounts(needs);
  return { dropped, waitsFor };
};

/** Null when others had it for too long. */
const droppedMonth = async (needs: RetentionNeeds, month: Month): Promise<DroppedMonth | null> => {
  for (let tries = 1; ; tries++) {
    try {
      return await needs.pool.transaction("", ({ sql }) => detached(sql, needs, month));
    } catch (error) {
      // Somebody reads it, or ships: nothing was changed.
      const isTaken = [LOCK_NOT_AVAILABLE, DEADLOCK].includes(stateOf(error) ?? "");
      if (!isTaken) throw error;
      if (tries === TRIES) return null;
      await Bun.sleep(PAUSE_MS);
    }
  }
};

const monthOf = (table: string): string => {
  const [, year, month] = TABLE.exec(table) ?? [];
  if (year === undefined || month === undefined) throw new Error("A month of the records has an impossible name");
  return `${year}-${month}`;
};

const endOf = (month: string): number => {
  const [year = 0, index = 0] = month.split("-").map(Number);
  return Date.UTC(year, index, 1);
};

const isOver = async (pool: Pool, table: string, month: string, before: number): Promise<boolean> => {
  if (endOf(month) > before) return false;
  const [newest] = await rowsOf<{ at: unknown }>(pool, `SELECT max(at) AS at FROM ${table}`);
  return Number(newest?.at ?? 0) < before;
};

/** A node that has not shipped all of the month, or whose records of it are still to be read; null for none. */
const behindWith = async (pool: Pool, month: string): Promise<string | null> => {
  const end = endOf(month);
  const [behind] = await rowsOf<{ node: string }>(pool, BEHIND, [end + CLOCK_MS, month]);
  const [needed] = await rowsOf<{ node: string }>(pool, NEEDED, [end]);
  return behind?.node ?? needed?.node ?? null;
};

type Month = {
  readonly table: string;
  readonly month: string;
  readonly recordOf: (dropped: DroppedMonth) => SerialisedRecord;
};

/** In the order in which others lock, too: the chain, the logs, the records. */
const detached = async (sql: Sql, needs: RetentionNeeds, { table, month, recordOf }: Month): Promise<DroppedMonth> => {
  await sql.unsafe(`SET LOCAL lock_timeout = '${LOCK_MS}ms'`);
  const end = await lockedEnd(sql);
  const nodes = await sql.unsafe<{ node: string }[]>("SELECT node FROM record_log ORDER BY node FOR UPDATE");
  await sql.unsafe(`ALTER TABLE record DETACH PARTITION ${table}`);
  const logs: Record<string, Head> = {};
  for (const { node } of nodes) {
    const text = `SELECT seq, hash FROM ${table} WHERE node = $1 AND month = $2 ORDER BY seq DESC LIMIT 1`;
    const [last] = await sql.unsafe<{ seq: unknown; hash: string }[]>(text, [node, month]);
    if (last !== undefined) logs[node] = { seq: Number(last.seq), hash: last.hash };
  }
  await sql.unsafe(`ALTER TABLE ${table} RENAME TO dropped_${table}_${end.seq + 1}`);
  await sql.unsafe(DROPPED, [JSON.stringify(Object.entries(logs).map(([node, head]) => ({ node, ...head })))]);
  await sql.unsafe(`DELETE FROM record_open USING record_log AS log
    WHERE record_open.node = log.node AND record_open.seq <= log.dropped_seq`);
  const dropped = { month, logs };
  await appendSigned(sql, needs, end, recordOf(dropped));
  return dropped;
};

/** The tables of months that were dropped, and their checkpoints but the last, which the next is chained to. */
const clear = async (pool: Pool): Promise<void> => {
  for (const { name } of await rowsOf<{ name: string }>(pool, DETACHED)) {
    if (!TABLE.test(name.replace(/^dropped_/, "").replace(/_\d+$/, ""))) continue;
    await pool.plain((sql) => sql.unsafe(`DROP TABLE IF EXISTS ${name}`));
  }
  for (const { node, dropped_seq: seq } of await rowsOf<{ node: string; dropped_seq: unknown }>(
    pool,
    "SELECT node, dropped_seq FROM record_log WHERE dropped_seq > 0",
  )) {
    await removeSome(
      pool,
      `DELETE FROM record_checkpoint WHERE node = $1 AND seq IN (SELECT seq FROM record_checkpoint
        WHERE node = $1 AND seq < (SELECT max(seq) FROM record_checkpoint WHERE node = $1 AND seq <= $2)
        ORDER BY seq LIMIT ${AT_ONCE}) RETURNING seq`,
      [node, Number(seq)],
    );
  }
};

/** Counters go when those of a hub do; those that stay as long as its records, with the records. */
const forgetCounts = async ({ pool, now }: RetentionNeeds): Promise<void> => {
  const [oldest] = await rowsOf<{ name: string }>(pool, MONTHS);
  const begins = oldest === undefined ? now() : startOf(monthOf(oldest.name));
  for (const [span, ms] of KEPT_MS) {
    const before = Number.isFinite(ms) ? now() - ms : begins - DAY_MS;
    await removeSome(
      pool,
      `DELETE FROM record_traffic WHERE ctid = ANY(ARRAY(SELECT ctid FROM record_traffic
        WHERE span = $1 AND at < $2 LIMIT ${AT_ONCE})) RETURNING at`,
      [span, before],
    );
  }
};

const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);

/** A statement of its own for each slice, so that it holds nobody up. */
const removeSome = async (pool: Pool, text: string, values: readonly unknown[]): Promise<void> => {
  for (;;) if ((await rowsOf(pool, text, values)).length < AT_ONCE) return;
};

const rowsOf = async <T = unknown>(pool: Pool, text: string, values: readonly unknown[] = []): Promise<T[]> => [
  ...(await pool.plain((sql) => sql.unsafe<T[]>(text, [...values]))),
];
