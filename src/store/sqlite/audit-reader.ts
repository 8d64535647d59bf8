import type { Database } from "bun:sqlite";
import type { AuditQuery, AuditRow, SerialisedRecord } from "#store/port";
import { checkedName } from "./audit-chain";
import { boundsOf, isKept, newest, type PartitionBounds, partitions } from "./audit-partitions";
import { transaction } from "./database";

/** A few milliseconds' work. */
const CHUNK = 200;
const ALL: PartitionBounds = { from: 1, to: Number.MAX_SAFE_INTEGER };

/** Lets what waits on the thread go first; long readings call it between chunks. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const tailOf = (db: Database, n: number): AuditRow[] =>
  transaction<AuditRow[]>(db, () => newest(db, Math.max(0, Math.trunc(n))), "DEFERRED");

/** Oldest first. Records appended while reading may or may not appear; a month dropped meanwhile ends early. */
export async function* readLog(db: Database, query: AuditQuery): AsyncIterable<AuditRow> {
  const since = query.since ?? Number.MIN_SAFE_INTEGER;
  const until = query.until ?? Number.MAX_SAFE_INTEGER;
  for (const { name, dropped_at } of partitions(db)) {
    if (dropped_at !== null || !isKept(db, name)) continue;
    const all = query.since === undefined && query.until === undefined;
    const bounds = all ? ALL : await boundsOf(db, name, { since, until }, breathe);
    if (bounds === null) continue;
    let after = bounds.from - 1;
    while (after < bounds.to) {
      const rows = chunk(db, name, [after, bounds.to, since, until, CHUNK]);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.seq;
      await breathe();
    }
  }
}

const chunk = (db: Database, name: string, bounds: [number, number, number, number, number]): AuditRow[] =>
  transaction<AuditRow[]>(
    db,
    () => {
      if (!isKept(db, name)) return [];
      // `+at` keeps SQLite on the primary key, whose order is wanted.
      const sql = `SELECT seq, body, prev_hash, hash FROM ${checkedName(name)}
        WHERE seq > ? AND seq <= ? AND +at >= ? AND +at < ? ORDER BY seq LIMIT ?`;
      return db.query<AuditRow, typeof bounds>(sql).all(...bounds);
    },
    "DEFERRED",
  );

type OpenCall = { readonly partition: string; readonly seq: number };

/** The bodies of `request` records that no `final` one followed, oldest first. */
export const openCallsOf = (db: Database): SerialisedRecord[] =>
  transaction<SerialisedRecord[]>(
    db,
    () => {
      const open = db.query<OpenCall, []>("SELECT partition, seq FROM audit_open_call ORDER BY seq").all();
      return open.flatMap(({ partition, seq }) => {
        const sql = `SELECT body FROM ${checkedName(partition)} WHERE seq = ?`;
        return db
          .query<{ body: string }, [number]>(sql)
          .all(seq)
          .map((row) => row.body);
      });
    },
    "DEFERRED",
  );
