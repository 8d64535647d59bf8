import type { PublicKey } from "#platform/signatures";
import { type AnchorDetail, columnsOf, type Head, linkHash, MAX_FAULTS } from "#store/audit-link";
import type { AuditFault, AuditQuery } from "#store/port";
import type { AuditRow, SerialisedRecord } from "#store/record";
import type { ShippedCheckpoint, ShippedHead } from "#store/shipped-port";
import { digestOf } from "#store/sqlite/audit-checkpoints";
import { appendSigned, type ChainSigner, knowKey, lockedEnd, SIGNED_KINDS, type Sql } from "./chain";
import { checkpointFaults, headFault, isFirstCheckpoint } from "./checkpoint-faults";
import { UnfitDatabase } from "./errors";
import { keyOf } from "./keys";
import type { Pool } from "./pool";
import { Said } from "./said";

const CHUNK = 500;

type Row = { readonly seq: unknown; readonly body: string; readonly prev_hash: string; readonly hash: string };
type Stored = Row & { readonly at: unknown };

/** What was found of the chain of changes. */
export type ChainReport = {
  readonly records: number;
  readonly checkpoints: number;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly head: string | null;
  /** The first ones found. */
  readonly faults: readonly AuditFault[];
  /** What it says of the logs of hubs. */
  readonly said: Said;
};

/** Of one log, as it is to be named. */
type Standing = Readonly<Record<"node" | "origin" | "key_id" | "hash", string>> &
  Readonly<Record<"seq" | "anchored_seq", unknown>>;

const STANDINGS = `SELECT node, origin, key_id, seq, hash, anchored_seq FROM record_log
  WHERE closed_at IS NULL ORDER BY node`;
const ANCHORED = `UPDATE record_log SET anchored_seq = given.seq
  FROM json_to_recordset(($1::text)::json) AS given (node text, seq bigint) WHERE record_log.node = given.node`;
/** Whether there are records that no checkpoint signs. */
const UNSIGNED = `SELECT (SELECT seq FROM chain WHERE name = 'governance') > coalesce(max(seq), 0) AS it
  FROM chain_checkpoint`;

/** The chain of changes, which all hubs write to. */
export class Governance {
  constructor(
    private readonly pool: Pool,
    private readonly signer: ChainSigner | null,
    private readonly now: () => number,
  ) {}

  /** The newest `n` records, newest first. */
  async tail(n: number): Promise<AuditRow[]> {
    const text = "SELECT seq, body, prev_hash, hash FROM governance_record ORDER BY seq DESC LIMIT $1";
    return (await this.#rows<Row>(text, [n])).map(rowOf);
  }

  /** Oldest first, in chunks. */
  async *read({ since = 0, until = Number.MAX_SAFE_INTEGER }: AuditQuery): AsyncIterable<AuditRow> {
    const text = `SELECT seq, body, prev_hash, hash FROM governance_record
      WHERE seq > $1 AND at >= $2 AND at < $3 ORDER BY seq LIMIT ${CHUNK}`;
    for (let after = 0; ; ) {
      const rows = (await this.#rows<Row>(text, [after, since, until])).map(rowOf);
      yield* rows;
      if (rows.length < CHUNK) return;
      after = rows.at(-1)?.seq ?? after;
    }
  }

  /** The newest record after that one that is about more than the logs themselves; null for none. */
  async newestAfter(seq: number): Promise<{ readonly seq: number; readonly hash: string } | null> {
    const text = `SELECT seq, hash FROM governance_record
      WHERE seq > $1 AND body NOT LIKE '%"kind":"audit.anchor"%' ORDER BY seq DESC LIMIT 1`;
    const [row] = await this.#rows<{ seq: unknown; hash: string }>(text, [seq]);
    return row === undefined ? null : { seq: Number(row.seq), hash: row.hash };
  }

  /** The hashes of these records, as far as they are there. */
  async hashesOf(seqs: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const text = `SELECT seq, hash FROM governance_record
      WHERE seq = ANY(ARRAY(SELECT json_array_elements_text(($1::text)::json)::bigint))`;
    const rows = await this.#rows<{ seq: unknown; hash: string }>(text, [JSON.stringify([...seqs])]);
    return new Map(rows.map(({ seq, hash }) => [Number(seq), hash]));
  }

  /**
   * Names where the logs of all hubs stand, as far as they were shipped, and signs that, unless nothing has changed since
   * it was done last.
   */
  async anchor(recordOf: (detail: AnchorDetail) => SerialisedRecord): Promise<void> {
    const { signer, now } = this;
    if (signer === null) throw new UnfitDatabase("There is no key to sign the chain of changes with");
    await this.pool.transaction("", async ({ sql }) => {
      const end = await lockedEnd(sql);
      const logs = await sql.unsafe<Standing[]>(STANDINGS);
      const isMoved = logs.some(
        ({ seq, anchored_seq: anchored }) => anchored === null || Number(anchored) !== Number(seq),
      );
      const [unsigned] = await sql.unsafe<{ it: unknown }[]>(UNSIGNED);
      if (!isMoved && unsigned?.it !== true) return;
      await knowKey(sql, signer);
      const detail = { logs: Object.fromEntries(logs.map(entryOf)), ...(await newKeys(sql, end.seq + 1)) };
      await appendSigned(sql, { signer, now }, end, recordOf(detail));
      await sql.unsafe(ANCHORED, [JSON.stringify(logs.map(({ node, seq }) => ({ node, seq: Number(seq) })))]);
    });
  }

  async #ends(): Promise<{ readonly begin: string; readonly seq: number; readonly hash: string }> {
    const text = "SELECT begun_at, seq, hash FROM chain WHERE name = 'governance'";
    const [row] = await this.#rows<{ begun_at: unknown; seq: unknown; hash: string }>(text, []);
    if (row === undefined) throw new UnfitDatabase("The database has no chain of changes");
    // What the first link is linked to names the chain and its beginning: see the migration that begins it.
    const begin = Bun.SHA256.hash(`guardhouse chain v1\ngovernance\n${Number(row.begun_at)}`, "hex");
    return { begin, seq: Number(row.seq), hash: row.hash };
  }

  /** Recomputes every link and signature. `between` is told how many records were read and says when to go on. */
  async verify(between: (records: number) => Promise<void> = async () => {}): Promise<ChainReport> {
    const { begin, ...head } = await this.#ends();
    const read = new ReadChain(begin);
    const signed = await SignedChain.of(this.pool, head.seq, read.fault);
    const text = `SELECT seq, at, body, prev_hash, hash FROM governance_record
      WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT ${CHUNK}`;
    for (;;) {
      const rows = await this.#rows<Stored>(text, [read.last.seq, head.seq]);
      for (const row of rows) signed.expect(read.take(row));
      if (rows.length > 0) {
        const hashes = new Map(rows.map(({ seq, hash }) => [Number(seq), hash]));
        await signed.upTo(read.last.seq, hashes);
      }
      await between(read.records);
      if (rows.length < CHUNK) break;
    }
    read.end(head);
    signed.end(read.said);
    return { ...read.ends(), checkpoints: signed.count };
  }

  async #rows<T>(text: string, values: readonly unknown[]): Promise<T[]> {
    return [...(await this.pool.plain((sql) => sql.unsafe<T[]>(text, [...values])))];
  }
}

/** What a log begins with and is signed with is said once, the first time. */
const entryOf = ({ node, origin, key_id, seq, hash, anchored_seq: anchored }: Standing) => {
  const head = { seq: Number(seq), hash };
  return [node, anchored === null ? { ...head, origin, key_id } : head] as const;
};

/** Keys that no record names yet; this one does. */
const newKeys = async (sql: Sql, seq: number): Promise<Pick<AnchorDetail, "keys">> => {
  const text = "UPDATE chain_key SET named_seq = $1 WHERE named_seq IS NULL RETURNING id, public_key";
  const rows = await sql.unsafe<{ id: string; public_key: string }[]>(text, [seq]);
  if (rows.length === 0) return {};
  return { keys: Object.fromEntries(rows.map(({ id, public_key: key }) => [id, key])) };
};

const rowOf = ({ seq, body, prev_hash, hash }: Row): AuditRow => ({ seq: Number(seq), body, prev_hash, hash });

const kindOf = (body: string): string => {
  try {
    return columnsOf(body).kind;
  } catch {
    return ""; // a fault already
  }
};

/** What is wrong with a record after the one before it; null for nothing. */
const faultIn = (row: Stored, before: { readonly seq: number; readonly hash: string }): string | null => {
  const seq = Number(row.seq);
  if (seq !== before.seq + 1) return `records ${before.seq + 1} to ${seq - 1} of the chain of changes are missing`;
  if (row.prev_hash !== before.hash) return "a change is not linked to the one before";
  if (linkHash(row.prev_hash, seq, row.body) !== row.hash) return "a change is not what its hash says";
  try {
    return columnsOf(row.body).at === Number(row.at) ? null : "the column `at` of a change is not what its record says";
  } catch {
    return "a change is not an audit record";
  }
};

type Fault = (seq: number, problem: string) => void;

/** The records of the chain, as they are come by, oldest first. */
class ReadChain {
  readonly said = new Said();
  records = 0;
  last: Head;
  readonly #faults: AuditFault[] = [];
  #first: number | null = null;

  /** `begin`: what the first record is linked to. */
  constructor(begin: string) {
    this.last = { seq: 0, hash: begin };
  }

  readonly fault: Fault = (seq, problem) => {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ seq, problem });
  };

  take(row: Stored): { readonly seq: number; readonly kind: string } {
    const seq = Number(row.seq);
    const kind = kindOf(row.body);
    const found = faultIn(row, this.last);
    if (found !== null) this.fault(seq, found);
    this.said.take(kind, seq, row.body);
    this.last = { seq, hash: row.hash };
    this.#first ??= seq;
    this.records += 1;
    return { seq, kind };
  }

  end(head: Head): void {
    const { last, said } = this;
    said.upTo = last.seq;
    if (last.seq !== head.seq || last.hash !== head.hash)
      this.fault(last.seq, "the chain of changes does not end where its head says");
  }

  ends(): Omit<ChainReport, "checkpoints"> {
    const { records, last, said } = this;
    const isEmpty = records === 0;
    const ends = { last_seq: isEmpty ? null : last.seq, head: isEmpty ? null : last.hash };
    return { records, first_seq: this.#first, ...ends, faults: this.#faults, said };
  }
}

/** The checkpoints of the chain beside its records. */
class SignedChain {
  count = 0;
  #last: ShippedCheckpoint | null = null;
  #isHeadThere: boolean;
  /** Records that must be signed, of which no checkpoint has come by. */
  readonly #expected = new Set<number>();
  /** The last record that each key has signed. */
  readonly #used = new Map<string, number>();

  private constructor(
    private readonly pool: Pool,
    private readonly keys: ReadonlyMap<string, PublicKey | null>,
    private readonly head: ShippedHead | null,
    private readonly fault: Fault,
  ) {
    this.#isHeadThere = head === null;
  }

  /** As of a moment at which the chain had so many records. */
  static async of(pool: Pool, most: number, fault: Fault): Promise<SignedChain> {
    const known = await pool.plain((sql) =>
      sql.unsafe<{ id: string; public_key: string }[]>("SELECT id, public_key FROM chain_key"),
    );
    const keys = new Map(known.map(({ id, public_key }) => [id, keyOf({ key_id: id, public_key })]));
    const [head] = await pool.plain((sql) =>
      sql.unsafe<ShippedHead[]>("SELECT seq, checkpoint, key_id, signature FROM chain_head"),
    );
    // Signed since: what it names is not looked at.
    const isLater = head !== undefined && Number(head.seq) > most;
    return new SignedChain(
      pool,
      keys,
      head === undefined || isLater ? null : { ...head, seq: Number(head.seq) },
      fault,
    );
  }

  expect({ seq, kind }: { readonly seq: number; readonly kind: string }): void {
    if (SIGNED_KINDS.includes(kind)) this.#expected.add(seq);
  }

  /** `hashes`: of the records since the last time. */
  async upTo(seq: number, hashes: ReadonlyMap<number, string>): Promise<void> {
    const text = `SELECT seq, hash, at, key_id, signature, prev FROM chain_checkpoint
      WHERE seq > $1 AND seq <= $2 ORDER BY seq`;
    const rows = await this.pool.plain((sql) => sql.unsafe<ShippedCheckpoint[]>(text, [this.#last?.seq ?? 0, seq]));
    for (const given of rows) {
      const row: ShippedCheckpoint = { ...given, seq: Number(given.seq), at: Number(given.at) };
      for (const problem of checkpointFaults(row, this.#last, this.keys.get(row.key_id) ?? null))
        this.fault(row.seq, problem);
      if (this.#last === null && !isFirstCheckpoint(row))
        this.fault(row.seq, "the checkpoints before this one are missing");
      if (hashes.get(row.seq) !== row.hash) this.fault(row.seq, "the change is not the one its checkpoint signed");
      this.#isHeadThere ||= this.head?.seq === row.seq && this.head.checkpoint === digestOf(row);
      this.#expected.delete(row.seq);
      this.#used.set(row.key_id, row.seq);
      this.#last = row;
      this.count += 1;
    }
  }

  end(said: Said): void {
    const { head } = this;
    for (const seq of this.#expected) this.fault(seq, "the checkpoint of this change is missing");
    if (!this.#isHeadThere) this.fault(head?.seq ?? 0, "what is signed as the newest checkpoint is missing or changed");
    if (head !== null)
      for (const problem of headFault(head, this.keys.get(head.key_id) ?? null)) this.fault(head.seq, problem);
    for (const [id, seq] of this.#used) {
      const named = said.keys.get(id);
      // A key that has signed since is named by the next anchor.
      if (named === undefined ? seq <= said.lastAnchor : keyOf({ key_id: id, public_key: named }) === null)
        this.fault(seq, `the checkpoint was signed with a key that the chain of changes does not name (${id})`);
    }
  }
}
