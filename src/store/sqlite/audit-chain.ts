import type { Database, Statement } from "bun:sqlite";
import type { AuditRecord } from "#model/audit";
import { columnsOf, GENESIS, type Head, linkHash } from "#store/audit-link";
import type { NodeEpoch } from "#store/node-port";
import { identityOf, originOf } from "./node-log";

/*
 * The chain itself: one table a month, all of one shape, one sequence over all of them. Written in plain SQL
 * because the tables' names are made at run time and every microsecond here is paid by every call.
 */

/** A record that was written, as it was read for that: who wants more of it need not read it again. */
export type ChainedRecord = { readonly seq: number; readonly at: number; readonly record: AuditRecord };

/** `2026-11` → `audit_2026_11`. */
const partitionOf = (month: string): string => `audit_${month.replace("-", "_")}`;

/** `audit_2026_11` → `2026-11`. */
export const monthOf = (name: string): string => name.slice("audit_".length).replace("_", "-");

const PARTITION_NAME = /^audit_\d{4}_\d{2}$/;

/** Names read from the database are checked too before they become SQL. */
export const checkedName = (name: string): string => {
  if (!PARTITION_NAME.test(name)) throw new Error("A partition of the audit log has an impossible name");
  return name;
};

const template = (name: string): string => `
  CREATE TABLE ${name} (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    phase TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    user_id TEXT,
    agent_id TEXT,
    outcome TEXT NOT NULL,
    event_id TEXT,
    body TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX ${name}_at ON ${name} (at);
  CREATE INDEX ${name}_event ON ${name} (event_id) WHERE event_id IS NOT NULL;`;

type LatestPartition = { readonly name: string; readonly first_seq: number; readonly first_prev_hash: string };
type Value = string | number | null;
type Partition = {
  readonly name: string;
  /** `2026-11` */
  readonly month: string;
  readonly last: Statement<Head, []>;
  readonly insert: Statement<unknown, Value[]>;
};

/** Where the chain ends, and what the connection said then of what others wrote. */
type End = Head & { readonly partition: Partition | null; readonly version: number };

/** What signs the log as it grows: see audit-checkpoints.ts. */
export type Signing = { begin(head: Head): void; after(head: Head, kind: string, body: string): void };

/** What the first record is linked to. */
export const beginningOf = (db: Database): Head => {
  const identity = identityOf(db);
  return { seq: 0, hash: identity === null ? GENESIS : originOf(identity) };
};

/** Appends over one connection. Every method must run inside that connection's IMMEDIATE transaction. */
export class AuditChain {
  readonly #latest: Statement<LatestPartition, []>;
  readonly #begun: Statement<unknown, Value[]>;
  readonly #ended: Statement<unknown, Value[]>;
  /** Another number than before: another connection has written. https://sqlite.org/pragma.html#pragma_data_version */
  readonly #version: Statement<{ data_version: number }, []>;
  #partition: Partition | null = null;
  /** As of the last commit; null when it has to be looked up. */
  #known: End | null = null;
  /** As of the last `append`, which may be taken back yet. */
  #reached: End | null = null;

  constructor(
    private readonly db: Database,
    private readonly signing: Signing,
    /** Whose calls are let through; null for a process that serves none. */
    node: NodeEpoch | null = null,
  ) {
    const latest = "SELECT name, first_seq, first_prev_hash FROM audit_partition ORDER BY first_seq DESC LIMIT 1";
    this.#latest = db.prepare(latest);
    this.#version = db.prepare("PRAGMA data_version");
    // Not bound: each call would pay for it. An id has letters, digits and hyphens.
    const [columns, values] = node === null ? ["", ""] : [", node, epoch", `, '${node.id}', ${node.epoch}`];
    const begun = `INSERT OR REPLACE INTO audit_open_call (call_id, partition, seq${columns})`;
    this.#begun = db.prepare(`${begun} VALUES (?, ?, ?${values})`);
    this.#ended = db.prepare("DELETE FROM audit_open_call WHERE call_id = ?");
  }

  head(): Head {
    const latest = this.#latest.get();
    return latest === null ? beginningOf(this.db) : this.#headOf(latest);
  }

  /** Appends the bodies in order and returns the new head; `written` gets what was. */
  append(bodies: readonly string[], written: ChainedRecord[] = []): Head {
    const end = this.#end();
    let { seq, hash, partition } = end;
    for (const body of bodies) {
      const columns = columnsOf(body);
      // Forward only: a record a moment late for its month goes to the next, so that a closed month stays closed.
      if (partition === null || columns.month > partition.month) {
        partition = this.#roll(partition, { seq, hash }, partitionOf(columns.month));
      }
      const prev = hash;
      seq += 1;
      hash = linkHash(prev, seq, body);
      partition.insert.run(
        seq,
        columns.id,
        columns.call_id,
        columns.phase,
        columns.kind,
        columns.at,
        columns.user_id,
        columns.agent_id,
        columns.outcome,
        columns.event_id,
        body,
        prev,
        hash,
      );
      written.push({ seq, at: columns.at, record: columns.record });
      if (columns.phase === "request") this.#begun.run(columns.call_id, partition.name, seq);
      else this.#ended.run(columns.call_id);
      this.signing.after({ seq, hash }, columns.kind, body);
    }
    this.#reached = { ...end, seq, hash, partition };
    return { seq, hash };
  }

  /** The transaction of the last `append` is committed: the next one need not look up where the chain ends. */
  committed(): void {
    this.#known = this.#reached;
  }

  /** The next `append` looks up where the chain ends. */
  forget(): void {
    this.#known = null;
  }

  #end(): End {
    const version = this.#version.get()?.data_version ?? 0;
    const known = this.#known;
    this.#known = null;
    if (known?.version === version) return known;
    const latest = this.#latest.get();
    const head = latest === null ? beginningOf(this.db) : this.#headOf(latest);
    this.signing.begin(head);
    return { ...head, partition: latest === null ? null : this.#open(latest.name), version };
  }

  #headOf(latest: LatestPartition): Head {
    return this.#open(latest.name).last.get() ?? { seq: latest.first_seq - 1, hash: latest.first_prev_hash };
  }

  #open(name: string): Partition {
    if (this.#partition?.name === name) return this.#partition;
    checkedName(name);
    const columns = "seq, id, call_id, phase, kind, at, user_id, agent_id, outcome, event_id, body, prev_hash, hash";
    this.#partition = {
      name,
      month: monthOf(name),
      last: this.db.prepare(`SELECT seq, hash FROM ${name} ORDER BY seq DESC LIMIT 1`),
      insert: this.db.prepare(`INSERT INTO ${name} (${columns}) VALUES (${Array(13).fill("?").join(", ")})`),
    };
    return this.#partition;
  }

  #roll(ending: Partition | null, head: Head, name: string): Partition {
    if (ending !== null) {
      const close = "UPDATE audit_partition SET last_seq = ?, last_hash = ? WHERE name = ?";
      this.db.query(close).run(head.seq, head.hash, ending.name);
    }
    this.db.run(template(name));
    const begin = "INSERT INTO audit_partition (name, first_seq, first_prev_hash) VALUES (?, ?, ?)";
    this.db.query(begin).run(name, head.seq + 1, head.hash);
    return this.#open(name);
  }
}
