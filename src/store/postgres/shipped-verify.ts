import type { PublicKey } from "#platform/signatures";
import { columnsOf, type Head, linkHash, MAX_FAULTS } from "#store/audit-link";
import type { AuditFault, NodeReport } from "#store/port";
import type { ShippedCheckpoint, ShippedDrop, ShippedHead } from "#store/shipped-port";
import { digestOf } from "#store/sqlite/audit-checkpoints";
import { dropText } from "#store/sqlite/audit-signer";
import { checkpointFaults, headFault, isFirstCheckpoint } from "./checkpoint-faults";
import { keyOf } from "./keys";
import type { Pool } from "./pool";
import { Said, type SaidOfLog } from "./said";

const CHUNK = 500;

type Log = Readonly<Record<"node" | "origin" | "key_id" | "public_key" | "hash", string>> &
  Readonly<Record<"seq" | "checkpoint_seq" | "dropped_seq" | "closed_at", unknown>> &
  Readonly<Record<"dropped_hash" | "drop_note" | "signed_head", string | null>>;
type Stored = Readonly<Record<"body" | "prev_hash" | "hash", string>> & Readonly<Record<"seq" | "at", unknown>>;

export type ShippedReport = { readonly report: NodeReport; readonly faults: readonly AuditFault[] };

export type ShippedVerifyOptions = {
  /** A record of it that somebody noted elsewhere. */
  readonly noted?: Head;
  readonly between?: (records: number) => Promise<void>;
  /** What the chain of changes says of it: as of a moment before this begins. */
  readonly said?: SaidOfLog;
};

/** Retention may take months while they are read. */
const TRIES = 3;

/** Recomputes a log as it was shipped: every link, the time beside each body, what signs it, and what is said of it. */
export const verifyShipped = async (
  pool: Pool,
  node: string,
  options: ShippedVerifyOptions = {},
): Promise<ShippedReport> => {
  const stored = async (): Promise<Log> => {
    const [log] = await pool.plain((sql) => sql.unsafe<Log[]>("SELECT * FROM record_log WHERE node = $1", [node]));
    if (log === undefined) throw new Error(`There are no records of a node ${node}`);
    return log;
  };
  let log = await stored();
  for (let tries = 1; ; tries++) {
    const found = await new Shipped(pool, log, options).run();
    if (found.report.ok || tries === TRIES) return found;
    const since = await stored();
    if (Number(since.dropped_seq) === Number(log.dropped_seq)) return found;
    log = since;
  }
};

class Shipped {
  readonly #faults: AuditFault[] = [];
  readonly #key: PublicKey | null;
  #last: Head;
  #first: number | null = null;
  #records = 0;
  /** Until it was come by as it was noted. */
  #noted: Head | null;
  /** Named by the chain of changes, and not come by yet. */
  readonly #named: Map<number, string>;
  #checkpoints = 0;

  constructor(
    private readonly pool: Pool,
    private readonly log: Log,
    private readonly options: ShippedVerifyOptions,
  ) {
    const { origin, dropped_hash } = log;
    const dropped = Number(log.dropped_seq);
    this.#last = dropped > 0 && dropped_hash !== null ? { seq: dropped, hash: dropped_hash } : { seq: 0, hash: origin };
    this.#key = keyOf(log);
    this.#noted = options.noted ?? null;
    this.#named = new Map([...(options.said?.heads ?? [])].filter(([seq]) => seq > dropped));
  }

  async run(): Promise<ShippedReport> {
    const { node } = this.log;
    const upTo = Number(this.log.seq);
    await this.#said();
    if (this.#key === null)
      this.#fault(upTo, "the key that checkpoints are to be checked with is not the one it is named");
    const checkpoints = await this.#signed();
    await this.#stream(upTo, checkpoints);
    for (const seq of this.#named.keys())
      this.#fault(seq, `record ${seq}, which the chain of changes names, is missing`);
    if (this.#last.seq !== upTo || this.#last.hash !== this.log.hash)
      this.#fault(this.#last.seq, `the log ends at ${this.#last.seq}, and ${upTo} records were shipped`);
    if (this.#noted !== null) this.#fault(this.#noted.seq, "the noted record is missing from the log, or differs");
    const head = this.#last.seq === 0 ? null : this.#last.hash;
    const counts = { records: this.#records, checkpoints: this.#checkpoints };
    const ends = { first_seq: this.#first, last_seq: this.#first === null ? null : this.#last.seq, head };
    return { report: { node, ok: this.#faults.length === 0, ...counts, ...ends }, faults: this.#faults };
  }

  /** Whether it is the log that the chain of changes names, and ends and begins where that says. */
  async #said(): Promise<void> {
    const { said } = this.options;
    if (said === undefined) return;
    const { first, closed } = said;
    const { origin, key_id, closed_at, seq, hash } = this.log;
    if (first !== null && (first.origin !== origin || first.keyId !== key_id))
      this.#fault(1, "the log is another one than the chain of changes names");
    await this.#begins(said);
    if (closed_at !== null && closed !== null && (Number(seq) !== closed.seq || hash !== closed.hash))
      this.#fault(Number(seq), "the log does not end where its node was removed");
  }

  async #begins(said: SaidOfLog): Promise<void> {
    const { dropped_seq, dropped_hash } = this.log;
    const begins = Number(dropped_seq);
    // It may have gone on since the chain was read.
    const dropped = begins > (said.dropped?.seq ?? 0) ? await this.#droppedAfter(said.upTo) : said.dropped;
    if (begins !== (dropped?.seq ?? 0) || (begins > 0 && dropped_hash !== dropped?.hash))
      this.#fault(begins, "the log does not begin where the chain of changes says that retention has ended");
  }

  /** The end of what retention took, as records of the chain of changes after that one say it. */
  async #droppedAfter(seq: number): Promise<Head | null> {
    const text = `SELECT seq, body FROM governance_record
      WHERE seq > $1 AND body LIKE '%"kind":"audit.drop"%' ORDER BY seq`;
    const rows = await this.pool.plain((sql) => sql.unsafe<{ seq: unknown; body: string }[]>(text, [seq]));
    const since = new Said();
    for (const row of rows) since.take("audit.drop", Number(row.seq), row.body);
    return since.of(this.log.node).dropped;
  }

  async #stream(upTo: number, checkpoints: ReadonlyMap<number, string>): Promise<void> {
    const text = `SELECT seq, at, body, prev_hash, hash FROM record
      WHERE node = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT ${CHUNK}`;
    for (let after = 0; ; ) {
      const values = [this.log.node, after, upTo];
      const rows = await this.pool.plain((sql) => sql.unsafe<Stored[]>(text, values));
      for (const row of rows) this.#record({ ...row, seq: Number(row.seq) }, checkpoints);
      const last = rows.at(-1);
      if (last === undefined || rows.length < CHUNK) return;
      after = Number(last.seq);
      await this.options.between?.(this.#records);
    }
  }

  #record(row: Stored & { readonly seq: number }, checkpoints: ReadonlyMap<number, string>): void {
    const { seq, body, prev_hash, hash } = row;
    const isNext = seq === this.#last.seq + 1 && prev_hash === this.#last.hash;
    if (!(isNext || this.#isDropped({ seq: seq - 1, hash: prev_hash })))
      this.#fault(seq, "the record is not linked to the one before it");
    if (linkHash(prev_hash, seq, body) !== hash) this.#fault(seq, "the record's hash is wrong");
    if (timeOf(body) !== Number(row.at)) this.#fault(seq, "the column at is not what the record says");
    const signed = checkpoints.get(seq);
    if (signed !== undefined && signed !== hash) this.#fault(seq, "the record is not the one its checkpoint signed");
    if (this.#noted?.seq === seq && this.#noted.hash === hash) this.#noted = null;
    const named = this.#named.get(seq);
    if (named !== undefined && named !== hash)
      this.#fault(seq, "the record is not the one that the chain of changes names");
    this.#named.delete(seq);
    this.#records += 1;
    this.#first ??= seq;
    this.#last = { seq, hash };
  }

  /** Retention took what was before it in the log itself, before it was shipped. */
  #isDropped({ seq, hash }: Head): boolean {
    const { drop_note } = this.log;
    if (drop_note === null) return false;
    const note: ShippedDrop = JSON.parse(drop_note);
    if (note.seq !== seq || note.hash !== hash) return false;
    return this.#key?.hasSigned(dropText(note.name, { seq, hash }, note.at), note.signature) === true;
  }

  /** By record. Each is signed, names the one before it, and the one that is said to be the newest is there. */
  async #signed(): Promise<ReadonlyMap<number, string>> {
    const hashes = new Map<number, string>();
    const head: ShippedHead | null = this.log.signed_head === null ? null : JSON.parse(this.log.signed_head);
    const text = `SELECT seq, hash, at, key_id, signature, prev FROM record_checkpoint
      WHERE node = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT ${CHUNK}`;
    // More may be shipped meanwhile.
    const upTo = Number(this.log.checkpoint_seq);
    let before: ShippedCheckpoint | null = null;
    let isHeadThere = head === null;
    for (;;) {
      const values = [this.log.node, before?.seq ?? 0, upTo];
      const rows = await this.pool.plain((sql) => sql.unsafe<ShippedCheckpoint[]>(text, values));
      for (const given of rows) {
        const row: ShippedCheckpoint = { ...given, seq: Number(given.seq), at: Number(given.at) };
        this.#checkpoint(row, before);
        isHeadThere ||= head?.seq === row.seq && head.checkpoint === digestOf(row);
        hashes.set(row.seq, row.hash);
        before = row;
      }
      if (rows.length < CHUNK) break;
    }
    this.#checkpoints = hashes.size;
    if ((before?.seq ?? 0) !== upTo) this.#fault(upTo, "the newest checkpoint that was shipped is missing");
    if (!isHeadThere) this.#fault(head?.seq ?? upTo, "what is signed as the newest checkpoint is missing or changed");
    this.#newest(head);
    return hashes;
  }

  #newest(head: ShippedHead | null): void {
    if (head === null || this.#key === null) return;
    for (const problem of headFault(head, this.#key)) this.#fault(head.seq, problem);
  }

  #checkpoint(row: ShippedCheckpoint, before: ShippedCheckpoint | null): void {
    // That there is no key is told once, for all.
    if (this.#key === null) return;
    for (const problem of checkpointFaults(row, before, this.#key)) this.#fault(row.seq, problem);
    const isWhole = Number(this.log.dropped_seq) === 0 && this.log.drop_note === null;
    if (before === null && isWhole && !isFirstCheckpoint(row))
      this.#fault(row.seq, "the checkpoints before this one are missing");
  }

  #fault(seq: number, problem: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ seq, problem, node: this.log.node });
  }
}

const timeOf = (body: string): number | null => {
  try {
    return columnsOf(body).at;
  } catch {
    return null;
  }
};
