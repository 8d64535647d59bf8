import type { Database } from "bun:sqlite";
import type { AnchorDetail, LogHeads, LogWatch } from "#store/audit-link";
import { mergedRows, newestOf } from "#store/audit-merge";
import type {
  AuditLog,
  AuditLogState,
  AuditQuery,
  AuditReport,
  AuditRow,
  AuditUpkeep,
  SerialisedRecord,
} from "#store/port";
import { endAbandoned, endAbandonedOf } from "./audit-abandoned";
import { beginningOf } from "./audit-chain";
import type { AuditAppender } from "./audit-inline";
import { isKept } from "./audit-partitions";
import { openCallsOf, readLog, tailOf } from "./audit-reader";
import { droppableNames, droppableOfNode } from "./audit-retention";
import type { AuditSigner } from "./audit-signer";
import { stateOf } from "./audit-state";
import { type NotedHead, type VerifyLogsOptions, verifyLogs } from "./audit-verify-logs";
import { transaction } from "./database";
import type { NodeLogs } from "./node-logs";

/** About two milliseconds' work. */
const SLOW_CHUNK = 100;

type SqliteAuditLogNeeds = {
  readonly logs: NodeLogs;
  readonly writer: AuditAppender;
  readonly signer: AuditSigner;
  readonly now: () => number;
};

/** The log of the main database and those of all nodes, as one. */
export class SqliteAuditLog implements AuditLog, AuditUpkeep {
  /** What the last anchor of this process said. */
  #anchored = "";

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
    const parts = this.deps.logs.all().map(({ node, db }) => ({ node, rows: tailOf(db, n), isOver: true }));
    return newestOf(parts, n).rows;
  }

  read(query: AuditQuery): AsyncIterable<AuditRow> {
    return mergedRows(this.deps.logs.all().map(({ node, db }) => ({ node, rows: readLog(db, query) })));
  }

  /** `anchor` is a head somebody noted elsewhere: its log must still contain it. */
  verify(anchor?: NotedHead, watch?: LogWatch): Promise<AuditReport> {
    return this.#verify({ ...(anchor && { anchor }), ...(watch && { watch }) });
  }

  verifySlowly(between: (records: number) => Promise<void>, watch?: LogWatch): Promise<AuditReport> {
    return this.#verify({ slices: { chunk: SLOW_CHUNK, between }, ...(watch && { watch }) });
  }

  async #verify(options: VerifyLogsOptions): Promise<AuditReport> {
    const { logs, signer } = this.deps;
    return verifyLogs(logs.all(), signer, options);
  }

  async state(): Promise<AuditLogState> {
    const [main, ...nodes] = this.deps.logs.all().map(({ node, db }) => ({
      ...{ node, origin: beginningOf(db).hash },
      ...wholeStateOf(db),
    }));
    if (main === undefined) throw new Error("There is no log");
    const { node: _, origin: __, ...state } = main;
    if (nodes.length === 0) return state;
    return { ...state, nodes: nodes.flatMap(({ node, ...own }) => (node === null ? [] : { node, ...own })) };
  }

  async anchor(recordOf: (detail: AnchorDetail) => SerialisedRecord): Promise<void> {
    const [main, ...nodes] = this.deps.logs.all();
    if (main === undefined || nodes.length === 0) return;
    const heads: LogHeads = Object.fromEntries(
      nodes.map(({ node, db }) => {
        const { hash: origin } = beginningOf(db);
        return [node ?? "", { ...(wholeStateOf(db).head ?? { seq: 0, hash: origin }), origin }];
      }),
    );
    const said = JSON.stringify(heads);
    if (said === this.#anchored) return;
    transaction<void>(main.db, () => void main.chain.append([recordOf({ logs: heads })]));
    this.#anchored = said;
  }

  async closing(node: string): Promise<LogHeads> {
    const log = this.deps.logs.all().find((one) => one.node === node);
    if (log === undefined) return {};
    const { hash: origin } = beginningOf(log.db);
    const { head } = wholeStateOf(log.db);
    return head === null ? {} : { [node]: { ...head, origin } };
  }

  async openCalls(): Promise<SerialisedRecord[]> {
    return this.deps.logs.all().flatMap(({ db }) => openCallsOf(db));
  }

  async endAbandoned(endOf: (request: SerialisedRecord) => SerialisedRecord | null): Promise<number> {
    const [main, ...nodes] = this.deps.logs.all();
    if (main === undefined) return 0;
    let ended = await endAbandoned(main, endOf);
    for (const { node, db, chain } of nodes) {
      ended += await endAbandonedOf({ db, chain }, endOf, () => endedUpTo(main.db, node ?? ""));
    }
    return ended;
  }

  async dropBefore(before: number, recordOf: (months: readonly string[]) => SerialisedRecord): Promise<string[]> {
    const { logs, writer, now } = this.deps;
    const dropped: string[] = [];
    for (const { node, db } of logs.all()) {
      const names = node === null ? droppableNames(db, before) : droppableOfNode(db, before, now());
      if (names.length === 0) continue;
      const whose = node === null ? {} : { node };
      await writer.drop({ ...whose, names, before, now: now(), record: recordOf(names) });
      const gone = names.filter((name) => !isKept(db, name));
      dropped.push(...gone.map((name) => (node === null ? name : `${node}/${name}`)));
    }
    return dropped;
  }

  flush(): Promise<void> {
    return this.deps.writer.flush();
  }
}

const wholeStateOf = (db: Database): AuditLogState => transaction<AuditLogState>(db, () => stateOf(db), "DEFERRED");

/** The last epoch of a node that does not live, by the list of nodes; of one that was removed, every one. */
const endedUpTo = (main: Database, node: string): number => {
  type Row = { readonly epoch: number; readonly state: string };
  const row = main.query<Row, [string]>("SELECT epoch, state FROM node WHERE id = ?").get(node);
  if (row === null) return Number.MAX_SAFE_INTEGER;
  return row.state === "live" ? row.epoch - 1 : row.epoch;
};
