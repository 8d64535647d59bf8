import type { Database } from "bun:sqlite";
import { type DataDirectory, openDataDirectory } from "#platform/data-directory";
import type { AuthDatabase } from "#store/auth-port";
import type { Joining } from "#store/node-port";
import type { Store } from "#store/port";
import { repositoriesOf } from "#store/repositories/all";
import type { Nodes } from "#store/repositories/nodes";
import type { LogSource } from "#store/shipped-port";
import { AuditChain } from "./audit-chain";
import { Checkpoints } from "./audit-checkpoints";
import { type AuditAppender, InlineLogs, InlineWriter } from "./audit-inline";
import { AuditKeeper } from "./audit-keeper";
import { SqliteAuditLog } from "./audit-log";
import { Clearing } from "./audit-retention";
import { AuditSigner } from "./audit-signer";
import { AuditWriter, type WriterEvents } from "./audit-writer";
import { CallIndexer } from "./call-indexer";
import { SqliteCallIndex } from "./call-logs";
import { Connection } from "./connection";
import { type Durability, openDatabase } from "./database";
import { SqliteDb } from "./db";
import { SqliteLogSource } from "./log-source";
import { beginEpoch, logFenceOf } from "./node-log";
import { type Log, NodeLogs } from "./node-logs";
import { join, leave, type Member } from "./nodes";
import { SqliteOAuth } from "./oauth";
import { SqliteProofs } from "./proofs";
import { settleSwap } from "./restore-swap";
import { authTables } from "./schema";
import { SqliteSealedValues } from "./sealed-values";
import { upgrade } from "./upgrade";

export { NewerDatabase } from "#store/newer-database";
export { AuditQueueFull, AuditUnavailable } from "./audit-errors";
export type { Durability } from "./database";

export type SqliteStoreOptions = WriterEvents & {
  readonly dataDir: string;
  readonly durability?: Durability;
  /** `worker` for a process that serves, `inline` for a command that writes a few records. */
  readonly writer: "worker" | "inline";
  readonly now?: () => number;
  /** For a process that serves: what it is among those that do. */
  readonly node?: Joining;
};

export type SqliteStore = Store & {
  readonly audit: SqliteAuditLog;
  readonly calls: SqliteCallIndex;
  /** Its logs as they are shipped, the main one first: that has no node. */
  readonly sources: () => { readonly node: string | null; readonly source: LogSource }[];
  readonly nodes: Nodes;
  /** The key of the data directory. */
  readonly signer: AuditSigner;
  readonly directory: DataDirectory;
  /** For the identity library, which brings queries of its own to tables of its own. */
  readonly auth: AuthDatabase;
  /** The copy made before the database was brought up to this version; null when there was nothing to do. */
  readonly backup: string | null;
};

const CACHE_KIB = 65_536;
/** For each log of another process. */
const NODE_CACHE_KIB = 4_096;
/** SQLite's own default, for a process that has no thread to do it. */
const INLINE_AUTOCHECKPOINT = 1_000;

/** Throws `NewerDatabase`, and whatever SQLite and the file system say of a directory that cannot be used. */
export const openSqliteStore = async (options: SqliteStoreOptions): Promise<SqliteStore> => {
  const { durability = "full", now = Date.now } = options;
  const directory = openDataDirectory(options.dataDir);
  settleSwap(directory);
  const autocheckpoint = options.writer === "worker" ? 0 : INLINE_AUTOCHECKPOINT;
  const db = openDatabase(directory.database, { durability, autocheckpoint, cacheKib: CACHE_KIB });
  try {
    const signer = new AuditSigner(directory.auditKey);
    const backup = upgrade(db, { directory, signer, now });
    const checkpoints = new Checkpoints(db, signer, now);
    const member = options.node === undefined ? null : join(db, options.node, now);
    const chain = new AuditChain(db, checkpoints, member);
    const main: Log = { node: null, db, chain };
    const others = { durability, autocheckpoint: INLINE_AUTOCHECKPOINT, cacheKib: NODE_CACHE_KIB };
    const own = member === null || member.isAlone ? null : { member, options: { ...others, autocheckpoint } };
    const logs = new NodeLogs({ main, directory, signer, now, own, options: others });
    if (own !== null) beginEpoch(logs.own.db, own.member.epoch);
    const writer = await openWriter({ options, directory, member, logs, signer, now });
    return assemble({ db, chain, signer, writer, now, directory, backup, member, logs });
  } catch (error) {
    db.close();
    throw error;
  }
};

type WriterNeeds = {
  readonly options: SqliteStoreOptions;
  readonly directory: DataDirectory;
  readonly member: Member | null;
  readonly logs: NodeLogs;
  readonly signer: AuditSigner;
  readonly now: () => number;
};

const openWriter = async (needs: WriterNeeds): Promise<AuditAppender> => {
  const { options, directory, member, logs } = needs;
  if (options.writer === "inline") return inlineLogs(needs);
  const { database, auditKey, nodeLogs } = directory;
  const { durability = "full" } = options;
  const { node } = logs.own;
  const writer = new AuditWriter({ database, auditKey, durability, member, nodeLogs, node }, options);
  try {
    await writer.open();
    return writer;
  } catch (error) {
    writer.abandon();
    throw error;
  }
};

const inlineLogs = ({ member, logs, signer, now }: WriterNeeds): InlineLogs => {
  const writerOf = ({ node, db, chain }: Log): InlineWriter => {
    const checkpoints = new Checkpoints(db, signer, now);
    const isOwn = node !== null && node === member?.id;
    const fence = isOwn ? { fence: logFenceOf(db, member.epoch) } : {};
    const keeper = new AuditKeeper({ db, chain, checkpoints, signer, now, ...fence });
    return new InlineWriter(keeper, new CallIndexer(db), new Clearing(db, now));
  };
  const others = new Map<string | null, InlineWriter>();
  const otherOf = (log: Log) => {
    const writer = others.get(log.node) ?? writerOf(log);
    others.set(log.node, writer);
    return { node: log.node, writer };
  };
  const { node: own } = logs.own;
  return new InlineLogs(writerOf(logs.own), () => logs.all().flatMap((log) => (log.node === own ? [] : otherOf(log))));
};

type Parts = {
  readonly db: Database;
  readonly chain: AuditChain;
  readonly signer: AuditSigner;
  readonly writer: AuditAppender;
  readonly now: () => number;
  readonly directory: DataDirectory;
  readonly backup: string | null;
  readonly member: Member | null;
  readonly logs: NodeLogs;
};

const assemble = ({ db, chain, signer, writer, now, directory, backup, member, logs }: Parts): SqliteStore => {
  const connection = new Connection(db, chain, logs.own.node === null);
  const handle = new SqliteDb(connection, now);
  const repositories = repositoriesOf(handle, { now, member, isShared: member?.isAlone === false, polled: null });
  let closing: Promise<void> | null = null;
  const close = async () => {
    try {
      await writer.close();
      if (member !== null) leave(db, member, now);
    } finally {
      logs.close();
      db.close();
    }
  };
  return {
    ...repositories,
    oauth: new SqliteOAuth(handle, connection, now),
    sealed: new SqliteSealedValues(connection),
    audit: new SqliteAuditLog({ logs, writer, signer, now }),
    proofs: new SqliteProofs({ logs, signer }),
    calls: new SqliteCallIndex(logs, connection, writer),
    shipping: null,
    sources: () => logs.all().map((log) => ({ node: log.node, source: new SqliteLogSource(log.db, signer) })),
    signer,
    directory,
    auth: { queries: connection.queries, tables: authTables, told: async (error) => error },
    backup,
    stopUpkeep: () => {
      connection.isStopping = true;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};
