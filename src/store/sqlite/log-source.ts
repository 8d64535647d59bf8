import type { Database } from "bun:sqlite";
import type { Head } from "#store/audit-link";
import type {
  LogFacts,
  LogSource,
  ShippedCheckpoint,
  ShippedDrop,
  ShippedHead,
  ShippedRow,
  ShippedTraffic,
} from "#store/shipped-port";
import { beginningOf, checkedName, monthOf } from "./audit-chain";
import { signedHead } from "./audit-checkpoints";
import { partitions } from "./audit-partitions";
import type { AuditSigner } from "./audit-signer";
import { stateOf } from "./audit-state";
import { transaction } from "./database";

const COLUMNS = "seq, id, call_id, phase, kind, at, user_id, agent_id, outcome, event_id, body, prev_hash, hash";

/** One log of the data directory, as it is shipped. */
export class SqliteLogSource implements LogSource {
  constructor(
    private readonly db: Database,
    private readonly signer: AuditSigner,
  ) {}

  facts(): LogFacts {
    const { id, publicKey } = this.signer.known();
    return { origin: beginningOf(this.db).hash, keyId: id, publicKey };
  }

  head(): Head {
    return transaction<Head>(this.db, () => stateOf(this.db).head ?? beginningOf(this.db), "DEFERRED");
  }

  at(seq: number) {
    const month = partitions(this.db).findLast(({ first_seq }) => first_seq <= seq);
    if (month === undefined) return null;
    if (month.dropped_at !== null) {
      const { last_seq, last_hash, dropped_at } = month;
      return last_seq === seq && last_hash !== null ? { hash: last_hash, at: dropped_at } : null;
    }
    const sql = `SELECT hash, at FROM ${checkedName(month.name)} WHERE seq = ?`;
    return this.db.query<{ hash: string; at: number }, [number]>(sql).get(seq);
  }

  rows(after: number, most: number): readonly ShippedRow[] {
    for (const { name, dropped_at, last_seq } of partitions(this.db)) {
      if (dropped_at !== null || (last_seq !== null && last_seq <= after)) continue;
      const sql = `SELECT ${COLUMNS} FROM ${checkedName(name)} WHERE seq > ? ORDER BY seq LIMIT ?`;
      const rows = this.db.query<Omit<ShippedRow, "month">, [number, number]>(sql).all(after, most);
      if (rows.length > 0) return rows.map((row) => ({ ...row, month: monthOf(name) }));
    }
    return [];
  }

  checkpoints(after: number, upTo: number, most: number): readonly ShippedCheckpoint[] {
    const sql = `SELECT seq, hash, at, key_id, signature, prev FROM audit_checkpoint
      WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
    return this.db.query<ShippedCheckpoint, [number, number, number]>(sql).all(after, upTo, most);
  }

  signedHead(): ShippedHead | null {
    return signedHead(this.db);
  }

  dropped(): ShippedDrop | null {
    const month = partitions(this.db).findLast(({ dropped_at }) => dropped_at !== null);
    if (!month || month.last_seq === null || month.last_hash === null || month.dropped_at === null) return null;
    const { name, last_seq: seq, last_hash: hash, dropped_at: at, drop_key_id, drop_signature } = month;
    return { name, seq, hash, at, key_id: drop_key_id ?? "", signature: drop_signature ?? "" };
  }

  traffic(span: number, since: number, most: number, after: ShippedTraffic | null): readonly ShippedTraffic[] {
    const sql = `SELECT span, at, subject, counts, names FROM call_traffic
      WHERE span = ? AND at >= ? AND (at, subject) > (?, ?) ORDER BY at, subject LIMIT ?`;
    const place = [after?.at ?? Number.MIN_SAFE_INTEGER, after?.subject ?? 0] as const;
    return this.db.query<ShippedTraffic, number[]>(sql).all(span, since, ...place, most);
  }
}
