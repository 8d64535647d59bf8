import type { Database } from "bun:sqlite";
import type { Head } from "#store/audit-link";
import type {
  AuditLog,
  AuditLogState,
  AuditQuery,
  AuditReport,
  AuditRow,
  AuditUpkeep,
  SerialisedRecord,
} from "#store/port";
import { endAbandoned } from "./audit-abandoned";
import type { AuditChain } from "./audit-chain";
import type { AuditAppender } from "./audit-inline";
import { isKept } from "./audit-partitions";
import { openCallsOf, readLog, tailOf } from "./audit-reader";
import { droppableNames } from "./audit-retention";
import type { AuditSigner } from "./audit-signer";
import { stateOf } from "./audit-state";
import { verifyLog } from "./audit-verify";
import { transaction } from "./database";

/** About two milliseconds' work. */
const SLOW_CHUNK = 100;

type SqliteAuditLogNeeds = {
  readonly db: Database;
  readonly writer: AuditAppender;
  readonly signer: AuditSigner;
  readonly chain: AuditChain;
  readonly now: () => number;
};

export class SqliteAuditLog implements AuditLog, AuditUpkeep {
  constructor(private readonly deps: SqliteAuditLogNeeds) {}

  /** False from a failed write until one succeeds; the log tries by itself meanwhile. */
  get healthy(): boolean {
    return this.deps.writer.healthy;
  }

  get waiting(): number {
    return this.deps.writer.waiting;
  }

  append(record: SerialisedRecord): Promise<void> {
    return this.deps.writer.append(record);
  }

  async tail(n: number): Promise<AuditRow[]> {
    return tailOf(this.deps.db, n);
  }

  read(query: AuditQuery): AsyncIterable<AuditRow> {
    return readLog(this.deps.db, query);
  }

  /** `anchor` is a head somebody noted elsewhere: the log must still contain it. */
  verify(anchor?: Head): Promise<AuditReport> {
    return verifyLog(this.deps.db, this.deps.signer, anchor);
  }

  verifySlowly(between: (records: number) => Promise<void>): Promise<AuditReport> {
    return verifyLog(this.deps.db, this.deps.signer, undefined, { chunk: SLOW_CHUNK, between });
  }

  async state(): Promise<AuditLogState> {
    return transaction<AuditLogState>(this.deps.db, () => stateOf(this.deps.db), "DEFERRED");
  }

  async openCalls(): Promise<SerialisedRecord[]> {
    return openCallsOf(this.deps.db);
  }

  endAbandoned(endOf: (request: SerialisedRecord) => SerialisedRecord | null): Promise<number> {
    return endAbandoned(this.deps, endOf);
  }

  async dropBefore(before: number, recordOf: (months: readonly string[]) => SerialisedRecord): Promise<string[]> {
    const { db, writer, now } = this.deps;
    const names = droppableNames(db, before);
    if (names.length === 0) return [];
    await writer.drop({ names, before, now: now(), record: recordOf(names) });
    return names.filter((name) => !isKept(db, name));
  }

  flush(): Promise<void> {
    return this.deps.writer.flush();
  }
}
