import type { Head } from "#store/audit-link";
import { TRAFFIC_SPANS } from "#store/call-index-port";
import type { LogSource, ShippedRow, ShippedTraffic, ShippingLag } from "#store/shipped-port";
import { UnfitDatabase } from "./errors";
import type { Open, Pool } from "./pool";
import { noteOpenCalls } from "./shipped-ends";

/** Records of one transaction: some milliseconds' work here, and not much to repeat. */
const AT_ONCE = 200;
const CHECKPOINTS_AT_ONCE = 500;
const TRAFFIC_AT_ONCE = 500;
/** Counters of a span are shipped again while they may still change: that many spans back. */
const CHANGING_SPANS = 2;
/** How long a log may lie behind its index. */
const INDEX_LAG_MS = 30_000;

const MONTH = /^\d{4}-\d{2}$/;

/** The log of that name in the database is another one, or went on from elsewhere: nothing of this one is shipped. */
export class ForeignLog extends UnfitDatabase {}

/** How often what is counted is shipped. */
const COUNT_EVERY_MS = 10_000;

type Known = Head & { readonly checkpoint: number; readonly trafficAt: number };
type KnownRow = Readonly<
  Record<"origin" | "key_id" | "hash", string> & Record<"seq" | "checkpoint_seq" | "traffic_at", unknown>
>;

const BEGIN = `INSERT INTO record_log
  (node, origin, key_id, public_key, seq, hash, shipped_at, checkpoint_seq, dropped_seq, traffic_at)
  VALUES ($1, $2, $3, $4, 0, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0, 0, 0)
  ON CONFLICT (node) DO NOTHING`;

const KNOWN = "SELECT origin, key_id, seq, hash, checkpoint_seq, traffic_at FROM record_log WHERE node = $1";
const KEY = "INSERT INTO chain_key (id, public_key) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
/** The log of a node that was removed, and is there again. */
const REOPEN = "UPDATE record_log SET closed_at = NULL WHERE node = $1 AND closed_at IS NOT NULL";

/** Locks the log until the end of the transaction, and finds it as this shipper knows it or not at all. */
const GO_ON = `UPDATE record_log SET seq = $2, hash = $3,
    shipped_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  WHERE node = $1 AND seq = $4 AND hash = $5 AND closed_at IS NULL RETURNING seq`;

const COLUMNS = `seq bigint, month text, at bigint, id text, call_id text, phase text, kind text, user_id text,
  agent_id text, outcome text, event_id text, body text, prev_hash text, hash text`;
const NAMES = COLUMNS.replaceAll(/ (?:bigint|text)/g, "");

const ROWS = `INSERT INTO record (node, ${NAMES})
  SELECT $1, ${NAMES} FROM json_to_recordset(($2::text)::json) AS given (${COLUMNS})`;

const CHECKPOINTS = `INSERT INTO record_checkpoint (node, seq, hash, at, key_id, signature, prev)
  SELECT $1, seq, hash, at, key_id, signature, prev FROM json_to_recordset(($2::text)::json)
    AS given (seq bigint, hash text, at bigint, key_id text, signature text, prev text)
  ON CONFLICT (node, seq) DO NOTHING`;

const TRAFFIC = `INSERT INTO record_traffic (node, span, at, subject, counts, names)
  SELECT $1, span, at, subject, counts, names FROM json_to_recordset(($2::text)::json)
    AS given (span bigint, at bigint, subject bigint, counts text, names text)
  ON CONFLICT (span, at, node, subject) DO UPDATE SET counts = excluded.counts, names = excluded.names`;

type RecordShipperNeeds = {
  readonly pool: Pool;
  readonly source: LogSource;
  /** Names the log among those of all hubs. */
  readonly node: string;
  readonly now: () => number;
};

/**
 * Ships one log. A batch and how far it goes are one transaction that begins where the one before ended: whatever breaks,
 * and however many try, nothing is lost and nothing comes twice.
 */
export class RecordShipper {
  #known: Known | null = null;
  /** As far as was known last. */
  #shipped = 0;
  readonly #months = new Set<string>();
  /** One at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(private readonly needs: RecordShipperNeeds) {}

  get node(): string {
    return this.needs.node;
  }

  /** As far as is known here, without asking the database. */
  lag(): ShippingLag {
    const { source, now } = this.needs;
    const { seq } = source.head();
    const shipped = this.#shipped;
    if (seq <= shipped) return { records: 0, since: null };
    return { records: seq - shipped, since: source.at(shipped + 1)?.at ?? now() };
  }

  /**
   * Ships what waits, up to so many records, and what signs and counts it. Whether there may be more. Throws what the
   * database says, or `ForeignLog`; the next time goes on from what is there.
   */
  ship(most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const turn = this.#turn.then(() => this.#ship(most));
    this.#turn = turn.then(
      () => undefined,
      () => undefined, // told to who asked
    );
    return turn;
  }

  async #ship(most: number): Promise<boolean> {
    const { source } = this.needs;
    let known = this.#known ?? (await this.#begin());
    // Not known until all went well: what broke may have been carried out.
    this.#known = null;
    this.#shipped = known.seq;
    let shipped = 0;
    let caughtUpAt: number | null = null;
    for (;;) {
      const at = this.needs.now();
      const rows = source.rows(known.seq, Math.min(AT_ONCE, most - shipped));
      if (rows.length === 0) {
        caughtUpAt = at;
        break;
      }
      known = await this.#batch(known, rows);
      this.#shipped = known.seq;
      shipped += rows.length;
      if (shipped >= most) break;
    }
    known = await this.#sign(known);
    known = await this.#count(known, caughtUpAt);
    this.#known = known;
    return shipped >= most;
  }

  async #begin(): Promise<Known> {
    const { source, node, pool } = this.needs;
    const { origin, keyId, publicKey } = source.facts();
    await pool.plain((sql) => sql.unsafe(KEY, [keyId, publicKey]));
    await pool.plain((sql) => sql.unsafe(BEGIN, [node, origin, keyId, publicKey]));
    const [row] = await pool.plain((sql) => sql.unsafe<KnownRow[]>(KNOWN, [node]));
    if (row === undefined) throw new UnfitDatabase("The database does not keep what it is given");
    if (row.origin !== origin || row.key_id !== keyId)
      throw new ForeignLog(`The records of node ${node} in the database are of another log than the one here`);
    const known = {
      seq: Number(row.seq),
      hash: row.hash,
      checkpoint: Number(row.checkpoint_seq),
      trafficAt: Number(row.traffic_at),
    };
    this.#assertOurs(known);
    await pool.plain((sql) => sql.unsafe(REOPEN, [node]));
    return known;
  }

  /** A copy of the data directory that was put back has lost what was shipped of it, and must not go on as if it had not. */
  #assertOurs({ seq, hash }: Head): void {
    const { source, node } = this.needs;
    const head = source.head();
    const is = seq === 0 || seq === head.seq ? head.hash : source.at(seq)?.hash;
    const isGone = seq <= (source.dropped()?.seq ?? 0);
    if (seq > head.seq || (seq > 0 && is !== hash && !isGone))
      throw new ForeignLog(`More of node ${node} was shipped than its log holds: an older copy of it was put back`);
  }

  async #batch(known: Known, rows: readonly ShippedRow[]): Promise<Known> {
    const { node, pool } = this.needs;
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return known;
    for (const month of new Set(rows.map((row) => row.month))) await this.#partition(month);
    const isGap = first.seq !== known.seq + 1 || first.prev_hash !== known.hash;
    const head = { seq: last.seq, hash: last.hash };
    try {
      await pool.transaction("", async ({ sql }) => {
        const gone = await sql.unsafe(GO_ON, [node, head.seq, head.hash, known.seq, known.hash]);
        if (gone.length === 0) throw new Moved();
        if (isGap) await this.#skip(sql, first);
        await sql.unsafe(ROWS, [node, JSON.stringify(rows)]);
        await noteOpenCalls(sql, node, rows);
      });
    } catch (error) {
      // Retention may have taken a month's table.
      this.#months.clear();
      throw error;
    }
    return { ...known, ...head };
  }

  /** What retention took before it was shipped is missing for good; its end is signed. */
  async #skip(sql: Open["sql"], first: ShippedRow): Promise<void> {
    const { node, source } = this.needs;
    const dropped = source.dropped();
    if (dropped === null || dropped.seq !== first.seq - 1 || dropped.hash !== first.prev_hash)
      throw new ForeignLog(`Records of node ${node} before ${first.seq} are not there to be shipped`);
    const note = "UPDATE record_log SET drop_note = $2 WHERE node = $1";
    await sql.unsafe(note, [node, JSON.stringify(dropped)]);
  }

  /** The month's table, made beside the others: nobody who reads or writes waits for it. */
  async #partition(month: string): Promise<void> {
    if (this.#months.has(month)) return;
    if (!MONTH.test(month)) throw new Error("A month of the log has an impossible name");
    const table = `record_${month.replace("-", "_")}`;
    await this.needs.pool.transaction("", async ({ sql }) => {
      await sql.unsafe("SELECT pg_advisory_xact_lock(hashtextextended('record', 0))");
      const [found] = await sql.unsafe<{ is: unknown }[]>("SELECT to_regclass($1) IS NOT NULL AS is", [table]);
      if (found?.is === true) return;
      await sql.unsafe(`CREATE TABLE ${table} (LIKE record INCLUDING ALL)`);
      await sql.unsafe(`ALTER TABLE record ATTACH PARTITION ${table} FOR VALUES IN ('${month}')`);
    });
    this.#months.add(month);
  }

  /** Checkpoints of what was shipped, and which of them is the newest. */
  async #sign(known: Known): Promise<Known> {
    const { node, pool, source } = this.needs;
    let { checkpoint } = known;
    for (;;) {
      const some = source.checkpoints(checkpoint, known.seq, CHECKPOINTS_AT_ONCE);
      const last = some.at(-1);
      if (last === undefined) break;
      const head = source.signedHead();
      await pool.transaction("", async ({ sql }) => {
        await sql.unsafe(CHECKPOINTS, [node, JSON.stringify(some)]);
        const upTo = `UPDATE record_log SET checkpoint_seq = greatest(checkpoint_seq, $2),
          signed_head = CASE WHEN $3::text IS NULL THEN signed_head ELSE $3 END WHERE node = $1`;
        await sql.unsafe(upTo, [node, last.seq, head?.seq === last.seq ? JSON.stringify(head) : null]);
      });
      checkpoint = last.seq;
      if (some.length < CHECKPOINTS_AT_ONCE) break;
    }
    return { ...known, checkpoint };
  }

  /** Counters are sums of their own: shipping one again replaces it. */
  async #count(known: Known, caughtUpAt: number | null): Promise<Known> {
    const { node, pool, source, now } = this.needs;
    const at = now();
    if (at - known.trafficAt < COUNT_EVERY_MS && known.trafficAt <= at) return known;
    for (const span of TRAFFIC_SPANS) {
      const since = known.trafficAt - CHANGING_SPANS * span - INDEX_LAG_MS;
      for (let after: ShippedTraffic | null = null; ; ) {
        const some: readonly ShippedTraffic[] = source.traffic(span, since, TRAFFIC_AT_ONCE, after);
        if (some.length > 0) await pool.plain((sql) => sql.unsafe(TRAFFIC, [node, JSON.stringify(some)]));
        after = some.at(-1) ?? null;
        if (after === null || some.length < TRAFFIC_AT_ONCE) break;
      }
    }
    const counted = "UPDATE record_log SET traffic_at = $2, caught_up_at = greatest(caught_up_at, $3) WHERE node = $1";
    await pool.plain((sql) => sql.unsafe(counted, [node, at, caughtUpAt ?? 0]));
    return { ...known, trafficAt: at };
  }
}

/** Somebody else ships the same log, and was faster: the next time goes on from there. */
export class Moved extends Error {
  override readonly name = "Moved";
}
