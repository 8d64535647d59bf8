import type { Database, Statement } from "bun:sqlite";
import type { AuditRecord } from "#core/audit";
import { countTraffic, entryOf, prefixesOf, type Traffic } from "#core/call-entry";
import { TRAFFIC_SPANS } from "#store/call-index-port";
import { checkedName } from "./audit-chain";
import { partitions } from "./audit-partitions";
import { CallHashes } from "./call-hash";
import { TrafficBook } from "./call-traffic";
import { transaction } from "./database";

/** Records a slice looks at: a commit that comes meanwhile waits for one slice at most, about 2 ms. */
export const SLICE = 100;
/** The same when somebody waits for it. */
export const INDEXED_AT_ONCE = 1_000;

type LogRow = { readonly seq: number; readonly at: number; readonly phase: string; readonly body: string };

/** Where the log is indexed up to. */
export const indexedUpTo = (db: Database): number =>
  db.query<{ seq: number }, []>("SELECT seq FROM call_indexed WHERE id = 1").get()?.seq ?? 0;

/** The newest record's number; 0 for none. */
export const newestSeq = (db: Database): number => {
  const newest = partitions(db).at(-1);
  if (newest === undefined) return 0;
  if (newest.dropped_at !== null) return newest.last_seq ?? 0;
  const last = `SELECT max(seq) AS seq FROM ${checkedName(newest.name)}`;
  return db.query<{ seq: number | null }, []>(last).get()?.seq ?? newest.first_seq - 1;
};

/** Reads the log where the index ends and goes on from there. Over the connection that appends: nobody waits for a lock. */
export class CallIndexer {
  readonly #hashes = new CallHashes();
  readonly #insert: Statement<unknown, number[]>;
  readonly #flag: Statement<unknown, [number, number]>;
  readonly #mark: Statement<unknown, [number]>;
  readonly #book: TrafficBook;

  constructor(private readonly db: Database) {
    const columns = "seq, at, call, kind, family, decision, outcome, user, agent, token, model, tool, conversation";
    // OR IGNORE: what two processes index at once is the same.
    this.#insert = db.prepare(
      `INSERT OR IGNORE INTO call_entry (${columns}) VALUES (${Array(13).fill("?").join(", ")})`,
    );
    this.#flag = db.prepare("INSERT OR IGNORE INTO call_flag (flag, seq) VALUES (?, ?)");
    this.#mark = db.prepare("INSERT OR REPLACE INTO call_indexed (id, seq) VALUES (1, ?)");
    this.#book = new TrafficBook(db);
  }

  /** Indexes some of what is new; says whether there may be more. It does not wait for the disk. */
  slice(most = SLICE): boolean {
    if (indexedUpTo(this.db) >= newestSeq(this.db)) return false;
    const before = this.db.query<{ synchronous: number }, []>("PRAGMA synchronous").get();
    // What the loss of power takes is read from the log again.
    this.db.run("PRAGMA synchronous = NORMAL");
    try {
      return transaction<boolean>(this.db, () => this.#index(most));
    } finally {
      this.db.run(`PRAGMA synchronous = ${before?.synchronous ?? "FULL"}`);
    }
  }

  #index(most: number): boolean {
    // Read again, for somebody else may have been here since.
    const rows = this.#unread(indexedUpTo(this.db), most);
    const last = rows.at(-1);
    if (last === undefined) return false;
    const traffic = new Map<string, Traffic>();
    for (const row of rows) if (row.phase === "final") this.#take(row, traffic);
    this.#book.add(traffic);
    this.#mark.run(last.seq);
    return rows.length === most;
  }

  #unread(after: number, most: number): LogRow[] {
    for (const { name, dropped_at, last_seq } of partitions(this.db)) {
      if (dropped_at !== null || (last_seq !== null && last_seq <= after)) continue;
      const sql = `SELECT seq, at, phase, body FROM ${checkedName(name)} WHERE seq > ? ORDER BY seq LIMIT ?`;
      const rows = this.db.query<LogRow, [number, number]>(sql).all(after, most);
      if (rows.length > 0) return rows;
    }
    return [];
  }

  #take({ seq, at, body }: LogRow, traffic: Map<string, Traffic>): void {
    const record: AuditRecord = JSON.parse(body);
    const entry = entryOf(record);
    const { of } = this.#hashes;
    const hash = of.bind(this.#hashes);
    const user = hash("user", entry.user_id);
    this.#insert.run(
      ...[seq, at, hash("call", record.call_id), hash("kind", entry.kind)],
      ...[hash("family", entry.kind.split(".", 1)[0] ?? ""), hash("decision", entry.decision)],
      ...[hash("outcome", entry.outcome), user, hash("agent", entry.agent_id), hash("token", entry.token_id)],
      ...[hash("model", entry.model), hash("tool", entry.tool), hash("conversation", entry.conversation_id)],
    );
    const flags = new Set(entry.flags.flatMap(prefixesOf));
    for (const flag of flags) this.#flag.run(hash("flag", flag), seq);
    this.#count(record, at, user, traffic);
  }

  #count(record: AuditRecord, at: number, user: number, traffic: Map<string, Traffic>): void {
    const one: Traffic = new Map();
    if (!countTraffic(record, one)) return;
    for (const span of TRAFFIC_SPANS) {
      for (const subject of user === 0 ? [0] : [0, user]) {
        const key = `${span} ${at - (at % span)} ${subject}`;
        const sum = traffic.get(key) ?? new Map<string, number>();
        for (const [counter, by] of one) sum.set(counter, (sum.get(counter) ?? 0) + by);
        traffic.set(key, sum);
      }
    }
  }
}
