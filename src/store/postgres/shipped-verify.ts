import { PublicKey } from "#platform/signatures";
import { columnsOf, type Head, linkHash, MAX_FAULTS } from "#store/audit-link";
import type { AuditFault, NodeReport } from "#store/port";
import type { ShippedCheckpoint, ShippedDrop, ShippedHead } from "#store/shipped-port";
import { digestOf, signedText } from "#store/sqlite/audit-checkpoints";
import { dropText, headText } from "#store/sqlite/audit-signer";
import type { Pool } from "./pool";

const CHUNK = 500;

type Log = Readonly<Record<"node" | "origin" | "key_id" | "public_key" | "hash", string>> &
  Readonly<Record<"seq" | "checkpoint_seq" | "dropped_seq", unknown>> &
  Readonly<Record<"dropped_hash" | "drop_note" | "signed_head", string | null>>;
type Stored = Readonly<Record<"body" | "prev_hash" | "hash", string>> & Readonly<Record<"seq" | "at", unknown>>;

export type ShippedReport = { readonly report: NodeReport; readonly faults: readonly AuditFault[] };

/** Recomputes a log as it was shipped: every link, the time beside each body, and what signs it. */
export const verifyShipped = async (
  pool: Pool,
  node: string,
  {
    between = async () => {},
    noted,
  }: { readonly noted?: Head; readonly between?: (records: number) => Promise<void> } = {},
): Promise<ShippedReport> => {
  const [log] = await pool.plain((sql) => sql.unsafe<Log[]>("SELECT * FROM record_log WHERE node = $1", [node]));
  if (log === undefined) throw new Error(`There are no records of a node ${node}`);
  return new Shipped(pool, log, between).run(noted);
};

class Shipped {
  readonly #faults: AuditFault[] = [];
  readonly #key: PublicKey | null;
  #last: Head;
  #first: number | null = null;
  #records = 0;
  /** Until it was come by as it was noted. */
  #noted: Head | null = null;
  #checkpoints = 0;

  constructor(
    private readonly pool: Pool,
    private readonly log: Log,
    private readonly between: (records: number) => Promise<void>,
  ) {
    const { origin, dropped_hash } = log;
    const dropped = Number(log.dropped_seq);
    this.#last = dropped > 0 && dropped_hash !== null ? { seq: dropped, hash: dropped_hash } : { seq: 0, hash: origin };
    this.#key = keyOf(log);
  }

  async run(noted?: Head): Promise<ShippedReport> {
    const { node } = this.log;
    const upTo = Number(this.log.seq);
    if (this.#key === null)
      this.#fault(upTo, "the key that checkpoints are to be checked with is not the one it is named");
    const checkpoints = await this.#signed();
    this.#noted = noted ?? null;
    await this.#stream(upTo, checkpoints);
    if (this.#last.seq !== upTo || this.#last.hash !== this.log.hash)
      this.#fault(this.#last.seq, `the log ends at ${this.#last.seq}, and ${upTo} records were shipped`);
    if (this.#noted !== null) this.#fault(this.#noted.seq, "the noted record is missing from the log, or differs");
    const head = this.#last.seq === 0 ? null : this.#last.hash;
    const counts = { records: this.#records, checkpoints: this.#checkpoints };
    const ends = { first_seq: this.#first, last_seq: this.#first === null ? null : this.#last.seq, head };
    return { report: { node, ok: this.#faults.length === 0, ...counts, ...ends }, faults: this.#faults };
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
      await this.between(this.#records);
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
      WHERE node = $1 AND seq > $2 ORDER BY seq LIMIT ${CHUNK}`;
    let before: ShippedCheckpoint | null = null;
    let isHeadThere = head === null;
    for (;;) {
      const values = [this.log.node, before?.seq ?? 0];
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
    const upTo = Number(this.log.checkpoint_seq);
    if ((before?.seq ?? 0) !== upTo) this.#fault(upTo, "the newest checkpoint that was shipped is missing");
    if (!isHeadThere) this.#fault(head?.seq ?? upTo, "what is signed as the newest checkpoint is missing or changed");
    if (head !== null && this.#key?.hasSigned(headText(head.seq, head.checkpoint), head.signature) === false)
      this.#fault(head.seq, "what names the newest checkpoint has a wrong signature");
    return hashes;
  }

  #checkpoint(row: ShippedCheckpoint, before: ShippedCheckpoint | null): void {
    if (this.#key !== null && row.key_id !== this.#key.id)
      this.#fault(row.seq, `the checkpoint was signed with a key we do not have (${row.key_id})`);
    else if (this.#key?.hasSigned(signedText(row), row.signature) === false)
      this.#fault(row.seq, "the checkpoint has a wrong signature");
    if (before !== null && before.prev !== null && row.prev !== digestOf(before))
      this.#fault(row.seq, "the checkpoint is not chained to the one before it: some are missing or changed");
  }

  #fault(seq: number, problem: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ seq, problem, node: this.log.node });
  }
}

const keyOf = ({ key_id, public_key }: Log): PublicKey | null => {
  try {
    const key = new PublicKey(public_key);
    return key.id === key_id ? key : null;
  } catch {
    return null; // changed into something that is none
  }
};

const timeOf = (body: string): number | null => {
  try {
    return columnsOf(body).at;
  } catch {
    return null;
  }
};
