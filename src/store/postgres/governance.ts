import { columnsOf, linkHash, MAX_FAULTS } from "#store/audit-link";
import type { AuditFault, AuditQuery } from "#store/port";
import type { AuditRow } from "#store/record";
import { UnfitDatabase } from "./errors";
import type { Pool } from "./pool";

const CHUNK = 500;

type Row = { readonly seq: unknown; readonly body: string; readonly prev_hash: string; readonly hash: string };
type Stored = Row & { readonly at: unknown };

/** What was found of the chain of changes. */
export type ChainReport = {
  readonly records: number;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly head: string | null;
  /** The first ones found. */
  readonly faults: readonly AuditFault[];
};

/** The chain of changes, which all hubs write to. */
export class Governance {
  constructor(private readonly pool: Pool) {}

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

  async #ends(): Promise<{ readonly begin: string; readonly seq: number; readonly hash: string }> {
    const text = "SELECT begun_at, seq, hash FROM chain WHERE name = 'governance'";
    const [row] = await this.#rows<{ begun_at: unknown; seq: unknown; hash: string }>(text, []);
    if (row === undefined) throw new UnfitDatabase("The database has no chain of changes");
    // What the first link is linked to names the chain and its beginning: see the migration that begins it.
    const begin = Bun.SHA256.hash(`guardhouse chain v1\ngovernance\n${Number(row.begun_at)}`, "hex");
    return { begin, seq: Number(row.seq), hash: row.hash };
  }

  /** Recomputes every link. `between` is told how many records were read and says when to go on. */
  async verify(between: (records: number) => Promise<void> = async () => {}): Promise<ChainReport> {
    const { begin, ...head } = await this.#ends();
    const faults: AuditFault[] = [];
    const text = `SELECT seq, at, body, prev_hash, hash FROM governance_record
      WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT ${CHUNK}`;
    let last = { seq: 0, hash: begin };
    let records = 0;
    let first: number | null = null;
    for (;;) {
      const rows = await this.#rows<Stored>(text, [last.seq, head.seq]);
      for (const row of rows) {
        const found = faultIn(row, last);
        if (found !== null && faults.length < MAX_FAULTS) faults.push({ seq: Number(row.seq), problem: found });
        last = { seq: Number(row.seq), hash: row.hash };
        first ??= last.seq;
      }
      records += rows.length;
      await between(records);
      if (rows.length < CHUNK) break;
    }
    if (last.seq !== head.seq || last.hash !== head.hash) {
      faults.push({ seq: last.seq, problem: "the chain of changes does not end where its head says" });
    }
    const isEmpty = records === 0;
    return { records, first_seq: first, last_seq: isEmpty ? null : last.seq, head: isEmpty ? null : last.hash, faults };
  }

  async #rows<T>(text: string, values: readonly unknown[]): Promise<T[]> {
    return [...(await this.pool.plain((sql) => sql.unsafe<T[]>(text, [...values])))];
  }
}

const rowOf = ({ seq, body, prev_hash, hash }: Row): AuditRow => ({ seq: Number(seq), body, prev_hash, hash });

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
