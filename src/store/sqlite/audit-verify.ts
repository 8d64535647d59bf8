import type { Database } from "bun:sqlite";
import { type AuditColumns, columnsOf, type Head, linkHash, MAX_FAULTS } from "#store/audit-link";
import type { AuditFault, AuditReport } from "#store/port";
import { beginningOf, checkedName } from "./audit-chain";
import { type Checkpoint, isChained, type SignedHead, signedHead, signedText } from "./audit-checkpoints";
import { isKept, type PartitionRow, partitions } from "./audit-partitions";
import { breathe } from "./audit-reader";
import { type AuditSigner, dropText, headText } from "./audit-signer";
import { CheckpointTrail } from "./audit-verify-checkpoints";
import { TreeTrail } from "./audit-verify-tree";
import { transaction } from "./database";

/** A signature takes about a tenth of a millisecond to check. */
const SIGNATURES_AT_ONCE = 20;

type FullRow = AuditColumns & {
  readonly seq: number;
  readonly body: string;
  readonly prev_hash: string;
  readonly hash: string;
};
type OpenCall = { readonly call_id: string; readonly seq: number };

/** What the log claimed at one moment. What comes later is left alone; what it held then never changes. */
type Claim = {
  readonly partitions: readonly PartitionRow[];
  readonly lastSeq: number;
  readonly newestCheckpoint: number;
  readonly openCalls: readonly OpenCall[];
  /** Whether checkpoints are to be chained: not in a backup of a database from before that. */
  readonly chained: boolean;
  readonly signed: SignedHead | null;
};

/**
 * Recomputes everything: each link, the columns beside each body, gaps, the seams between months, signatures.
 * `anchor` is a head somebody noted elsewhere; the log must still contain it. Reads in chunks and lets others
 * go first between them.
 */
export const verifyLog = (
  db: Database,
  signer: AuditSigner,
  anchor?: Head,
  slices: VerifySlices = AT_ONCE,
  also: VerifyAlso = {},
): Promise<AuditReport> => new Verification(db, signer, slices, also).run(anchor);

export type VerifyAlso = {
  /** Told of each record. */
  readonly seen?: (record: { readonly kind: string; readonly body: string }) => void;
  /** Hashes that records must have, by their number, as other logs say it. What was come by is taken out. */
  readonly bound?: readonly { readonly by: string; readonly heads: Map<number, string> }[];
};

/** Records read in one go, and what is waited for between: nothing but others, or longer where calls are served. */
export type VerifySlices = { readonly chunk: number; readonly between: (records: number) => Promise<void> };
const AT_ONCE: VerifySlices = { chunk: 500, between: breathe };

class Verification {
  readonly #faults: AuditFault[] = [];
  #records = 0;
  #checkpoints = 0;
  #firstSeq: number | null = null;
  #lastSeq: number | null = null;
  /** Where the chain stands: what the next record must be linked to. */
  #head: Head;
  /** Everything up to here was dropped by retention. */
  #droppedUpTo = 0;
  readonly #open = new Map<string, number>();
  readonly #trail = new CheckpointTrail((seq, problem) => this.#fault(seq, problem));
  #tree: TreeTrail | null = null;
  readonly #ofTree: AuditFault[] = [];

  constructor(
    private readonly db: Database,
    private readonly signer: AuditSigner,
    private readonly slices: VerifySlices,
    private readonly also: VerifyAlso,
  ) {
    this.#head = beginningOf(db);
  }

  async run(anchor?: Head): Promise<AuditReport> {
    const claim = transaction<Claim>(this.db, () => this.#claim(), "DEFERRED");
    for (const [index, partition] of claim.partitions.entries()) {
      this.#seam(partition);
      if (partition.dropped_at === null) await this.#stream(partition, claim.lastSeq);
      else this.#dropped(partition);
      const isLast = index === claim.partitions.length - 1;
      if (partition.dropped_at === null) this.#ending(partition, isLast);
    }
    if (claim.newestCheckpoint > this.#head.seq) {
      const problem = `the log ends at ${this.#head.seq}, but a checkpoint says it reached ${claim.newestCheckpoint}`;
      this.#fault(this.#head.seq + 1, problem);
    }
    if (this.signer.keyId === null && this.#head.seq > 0)
      this.#fault(this.#head.seq, "the signing key (audit-key.pem) is missing: no signature can be checked");
    await this.#signatures(claim);
    await this.#tree?.end(() => this.slices.between(this.#records));
    this.#openCalls(claim.openCalls);
    this.#bound();
    if (anchor !== undefined) this.#anchored(anchor);
    // Where records are at fault, that the tree is not theirs says nothing more.
    if (this.#faults.length === 0) this.#faults.push(...this.#ofTree);
    return {
      ok: this.#faults.length === 0,
      records: this.#records,
      first_seq: this.#firstSeq,
      last_seq: this.#lastSeq,
      head: this.#head.seq === 0 ? null : this.#head.hash,
      checkpoints: this.#checkpoints,
      chained_from: this.#trail.chainedFrom,
      faults: this.#faults,
    };
  }

  #claim(): Claim {
    this.#tree = new TreeTrail(this.db, this.signer, (seq, problem) => this.#ofTree.push({ seq, problem }));
    const all = partitions(this.db);
    let lastSeq = 0;
    for (const { name, dropped_at } of all) {
      if (dropped_at !== null || !this.#exists(name)) continue;
      lastSeq = Math.max(lastSeq, this.#number(`SELECT coalesce(max(seq), 0) AS n FROM ${checkedName(name)}`));
    }
    return {
      partitions: all,
      lastSeq,
      newestCheckpoint: this.#number("SELECT coalesce(max(seq), 0) AS n FROM audit_checkpoint"),
      openCalls: this.db.query<OpenCall, []>("SELECT call_id, seq FROM audit_open_call").all(),
      chained: isChained(this.db),
      signed: isChained(this.db) ? signedHead(this.db) : null,
    };
  }

  /** The first record of a month must be linked to the last one of the month before. */
  #seam(partition: PartitionRow): void {
    if (partition.first_seq !== this.#head.seq + 1) {
      this.#fault(
        partition.first_seq,
        `${partition.name} begins at ${partition.first_seq}, not at ${this.#head.seq + 1}`,
      );
    }
    if (partition.first_prev_hash !== this.#head.hash) {
      this.#fault(partition.first_seq, `${partition.name} is not linked to what came before it`);
    }
  }

  /** A dropped month is believed only when its end was signed as dropped, and only at the beginning of the log. */
  #dropped(partition: PartitionRow): void {
    const { name, last_seq, last_hash, dropped_at, drop_key_id, drop_signature } = partition;
    if (this.#records > 0) this.#fault(partition.first_seq, `${name} was dropped from the middle of the log`);
    if (last_seq === null || last_hash === null || dropped_at === null) {
      this.#fault(partition.first_seq, `${name} was dropped without its end being kept`);
      return;
    }
    const end = { seq: last_seq, hash: last_hash };
    this.#signed(last_seq, `the end of ${name}`, dropText(name, end, dropped_at), drop_key_id, drop_signature);
    this.#head = end;
    this.#droppedUpTo = end.seq;
  }

  async #stream(partition: PartitionRow, lastSeq: number): Promise<void> {
    const { name } = partition;
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = this.#chunk(name, after, lastSeq);
      if (rows === null) return this.#goneMeanwhile(name);
      for (const row of rows) this.#record(row);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.seq;
      await this.slices.between(this.#records);
    }
  }

  /** Null when the partition is not there (any more). */
  #chunk(name: string, after: number, lastSeq: number): FullRow[] | null {
    const read = () => {
      if (!isKept(this.db, name) || !this.#exists(name)) return null;
      const sql = `SELECT * FROM ${checkedName(name)} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${this.slices.chunk}`;
      return this.db.query<FullRow, [number, number]>(sql).all(after, lastSeq);
    };
    return transaction<FullRow[] | null>(this.db, read, "DEFERRED");
  }

  /** Retention may have taken the month while we read it; then its signed end stands for the rest. */
  #goneMeanwhile(name: string): void {
    const now = partitions(this.db).find((partition) => partition.name === name);
    if (now === undefined || now.dropped_at === null) {
      this.#fault(this.#head.seq + 1, `the table ${name} is missing`);
      return;
    }
    this.#records = 0;
    this.#firstSeq = null;
    this.#dropped(now);
  }

  #record(row: FullRow): void {
    const expected = this.#head.seq + 1;
    if (row.seq > expected) this.#fault(expected, `${row.seq - expected} record(s) from ${expected} on are missing`);
    else if (row.seq < expected) this.#fault(row.seq, "the record is out of order");
    if (row.prev_hash !== this.#head.hash) this.#fault(row.seq, "the record is not linked to the one before it");
    if (linkHash(row.prev_hash, row.seq, row.body) !== row.hash) this.#fault(row.seq, "the record's hash is wrong");
    this.#columns(row);
    this.#records += 1;
    this.#firstSeq ??= row.seq;
    this.#lastSeq = row.seq;
    this.#head = { seq: row.seq, hash: row.hash };
    this.#trail.record(row.seq, row.kind);
    this.#tree?.record(row.seq, row.body);
    this.also.seen?.(row);
    this.#ofCall(row);
    this.#named(row);
  }

  #named({ seq, hash }: FullRow): void {
    for (const { by, heads } of this.also.bound ?? []) {
      const named = heads.get(seq);
      heads.delete(seq);
      if (named !== undefined && named !== hash) this.#fault(seq, `the record is not the one that ${by} names`);
    }
  }

  /** What is left was not come by. */
  #bound(): void {
    for (const { by, heads } of this.also.bound ?? [])
      for (const seq of heads.keys())
        if (seq > this.#droppedByNow()) this.#fault(seq, `record ${seq}, which ${by} names, is missing`);
  }

  #ofCall(row: FullRow): void {
    if (row.phase === "request") this.#open.set(row.call_id, row.seq);
    else this.#open.delete(row.call_id);
  }

  #columns(row: FullRow): void {
    try {
      const { month: _, record: __, ...columns } = columnsOf(row.body);
      for (const [name, value] of Object.entries(columns)) {
        if (row[name as keyof AuditColumns] !== value)
          this.#fault(row.seq, `the column ${name} is not what the record says`);
      }
    } catch {
      this.#fault(row.seq, "the record cannot be read");
    }
  }

  #ending(partition: PartitionRow, isLast: boolean): void {
    const { name, last_seq, last_hash } = partition;
    if (last_seq === null) {
      if (!isLast) this.#fault(this.#head.seq, `${name} was never closed, yet another follows it`);
    } else if (last_seq !== this.#head.seq || last_hash !== this.#head.hash) {
      this.#fault(this.#head.seq, `${name} does not end where it was closed`);
    }
  }

  async #signatures({ newestCheckpoint: upTo, lastSeq, chained, signed }: Claim): Promise<void> {
    const sql = `SELECT * FROM audit_checkpoint WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${SIGNATURES_AT_ONCE}`;
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = this.db.query<Checkpoint, [number, number]>(sql).all(after, upTo);
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const row of rows) {
        this.#checkpoint(row);
        if (chained) this.#trail.checkpoint(row, () => this.#droppedByNow());
      }
      after = last.seq;
      await this.slices.between(this.#records);
    }
    if (!chained) return;
    this.#trail.end(lastSeq, signed);
    if (signed === null) return;
    const { seq, checkpoint, key_id, signature } = signed;
    this.#signed(seq, "what names the newest checkpoint", headText(seq, checkpoint), key_id, signature);
  }

  /** Retention may have marked a month, and taken its checkpoints, since this began. */
  #droppedByNow(): number {
    const dropped = partitions(this.db).filter(({ dropped_at }) => dropped_at !== null);
    return Math.max(this.#droppedUpTo, ...dropped.map(({ last_seq }) => last_seq ?? 0));
  }

  #checkpoint(row: Checkpoint): void {
    this.#checkpoints += 1;
    this.#signed(row.seq, "the checkpoint", signedText(row), row.key_id, row.signature);
    if (row.seq > this.#head.seq) return;
    const hash = this.#hashAt(row.seq);
    if (hash !== undefined && hash !== row.hash)
      this.#fault(row.seq, "the record is not the one its checkpoint signed");
  }

  #signed(seq: number, what: string, text: string, keyId: string | null, signature: string | null): void {
    if (this.signer.keyId === null) return; // told once, for all
    if (keyId !== this.signer.keyId)
      this.#fault(seq, `${what} was signed with a key we do not have (${keyId ?? "none"})`);
    else if (signature === null || !this.signer.isSigned(text, signature))
      this.#fault(seq, `${what} has a wrong signature`);
  }

  /** `undefined` when retention took the record, null when it is missing. The chain already vouches for stored hashes. */
  #hashAt(seq: number): string | null | undefined {
    const partition = partitions(this.db).findLast((it) => it.first_seq <= seq);
    if (partition === undefined) return null;
    if (partition.dropped_at !== null)
      return partition.last_seq === seq ? (partition.last_hash ?? undefined) : undefined;
    if (!this.#exists(partition.name)) return null;
    const sql = `SELECT hash FROM ${checkedName(partition.name)} WHERE seq = ?`;
    return this.db.query<{ hash: string }, [number]>(sql).get(seq)?.hash ?? null;
  }

  /** The list of open calls is what a restart believes, so it may neither hide a call nor invent one. */
  #openCalls(listed: readonly OpenCall[]): void {
    const known = new Set<string>();
    for (const { call_id, seq } of listed) {
      known.add(call_id);
      if (seq <= this.#droppedUpTo) continue;
      if (this.#open.get(call_id) !== seq) this.#fault(seq, "the list of open calls names one that is not open");
    }
    for (const [callId, seq] of this.#open) {
      if (seq > this.#droppedUpTo && !known.has(callId)) this.#fault(seq, "the list of open calls lacks one");
    }
  }

  #anchored(anchor: Head): void {
    const hash = anchor.seq > this.#head.seq ? null : this.#hashAt(anchor.seq);
    if (hash === undefined) this.#fault(anchor.seq, "the noted record was dropped by retention and cannot be compared");
    else if (hash === null) this.#fault(anchor.seq, "the noted record is missing from the log");
    else if (hash !== anchor.hash) this.#fault(anchor.seq, "the record differs from the one noted");
  }

  #exists(name: string): boolean {
    return this.db.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== null;
  }

  #number(sql: string): number {
    return this.db.query<{ n: number }, []>(sql).get()?.n ?? 0;
  }

  #fault(seq: number, problem: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ seq, problem });
  }
}
