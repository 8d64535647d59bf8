import type { Database } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import { type DataDirectory, openDataDirectory } from "#platform/data-directory";
import type { Joining } from "#store/node-port";
import type { Store } from "#store/port";
import { SqliteAgents } from "./agents";
import { AuditChain } from "./audit-chain";
import { Checkpoints } from "./audit-checkpoints";
import { type AuditAppender, InlineWriter } from "./audit-inline";
import { AuditKeeper } from "./audit-keeper";
import { SqliteAuditLog } from "./audit-log";
import { Clearing } from "./audit-retention";
import { AuditSigner } from "./audit-signer";
import { AuditWriter, type WriterEvents } from "./audit-writer";
import { authTables } from "./auth-tables";
import { SqliteCallIndex } from "./call-index";
import { CallIndexer } from "./call-indexer";
import { SqliteChanges } from "./changes";
import { Connection } from "./connection";
import { SqliteContent } from "./content";
import { type Durability, openDatabase } from "./database";
import { SqliteOutbox, SqlitePastEvents } from "./events";
import { SqliteHolds } from "./holds";
import { SqliteHubSecrets } from "./hub-secrets";
import { SqliteIdempotency } from "./idempotency";
import { SqliteJobs } from "./jobs";
import { SqliteKillSwitches } from "./kill-switches";
import { fenceOf, join, leave, type Member, SqliteNodes } from "./nodes";
import { SqliteOAuth } from "./oauth";
import { SqliteOidc } from "./oidc";
import { SqlitePolicies } from "./policies";
import { SqliteProfiles } from "./profiles";
import { SqliteProviders } from "./providers";
import { SqliteReports } from "./reports";
import { settleSwap } from "./restore-swap";
import { SqliteRestrictions } from "./restrictions";
import { SqliteRetention } from "./retention";
import { SqliteReviews } from "./reviews";
import { SqliteSealedValues } from "./sealed-values";
import { SqliteSessions } from "./sessions";
import { SqliteSignIn } from "./sign-in";
import { SqliteSuggestions } from "./suggestions";
import { SqliteTokens } from "./tokens";
import { SqliteToolServers } from "./tool-servers";
import { SqliteTuning } from "./tuning";
import { upgrade } from "./upgrade";
import { SqliteStorageHistory, SqliteUsage } from "./usage";
import { SqliteUsers } from "./users";
import { SqliteWatch } from "./watch";
import { SqliteWebhooks } from "./webhooks";

export { AuditQueueFull, AuditUnavailable } from "./audit-errors";
export type { Durability } from "./database";
export { NewerDatabase } from "./migrate";

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
  readonly changes: SqliteChanges;
  readonly nodes: SqliteNodes;
  readonly directory: DataDirectory;
  /** For the identity library, which brings queries of its own to tables of its own. */
  readonly auth: { readonly queries: BunSQLiteDatabase; readonly tables: typeof authTables };
  /** The copy made before the database was brought up to this version; null when there was nothing to do. */
  readonly backup: string | null;
};

const CACHE_KIB = 65_536;
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
    const member = options.node === undefined ? null : join(db, options.node, now());
    const chain = new AuditChain(db, checkpoints, member);
    const keeper = () => new AuditKeeper({ db, chain, checkpoints, signer, now, fence: fenceOf(db, member) });
    const inline = () => new InlineWriter(keeper(), new CallIndexer(db), new Clearing(db, now));
    const writer = await openWriter(options, directory, member, inline);
    return assemble({ db, chain, signer, writer, now, directory, backup, member });
  } catch (error) {
    db.close();
    throw error;
  }
};

const openWriter = async (
  options: SqliteStoreOptions,
  directory: DataDirectory,
  member: Member | null,
  inline: () => InlineWriter,
): Promise<AuditAppender> => {
  if (options.writer === "inline") return inline();
  const { database, auditKey } = directory;
  const { durability = "full" } = options;
  const writer = new AuditWriter({ database, auditKey, durability, member }, options);
  try {
    await writer.open();
    return writer;
  } catch (error) {
    writer.abandon();
    throw error;
  }
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
};

const assemble = ({ db, chain, signer, writer, now, directory, backup, member }: Parts): SqliteStore => {
  const connection = new Connection(db, chain);
  const loop = loopOf(connection, now, member);
  const followed = { ...followedBy(connection, now), tuning: loop.tuning, policies: loop.policies };
  let closing: Promise<void> | null = null;
  const close = async () => {
    try {
      await writer.close();
      if (member !== null) leave(db, member, now());
    } finally {
      db.close();
    }
  };
  return {
    ...loop,
    ...followed,
    reviews: new SqliteReviews(connection, followed.agents, followed.profiles),
    signIn: new SqliteSignIn(connection),
    oauth: new SqliteOAuth(connection, now),
    oidc: new SqliteOidc(connection),
    holds: new SqliteHolds(connection),
    usage: new SqliteUsage(connection),
    watch: new SqliteWatch(connection),
    content: new SqliteContent(connection),
    retention: new SqliteRetention(connection),
    storage: new SqliteStorageHistory(connection),
    secrets: new SqliteHubSecrets(connection),
    sealed: new SqliteSealedValues(connection),
    changes: new SqliteChanges({ connection, ...followed, now }),
    nodes: new SqliteNodes(connection, member, now),
    audit: new SqliteAuditLog({ db, writer, signer, chain, now }),
    calls: new SqliteCallIndex(connection, writer),
    directory,
    auth: { queries: connection.queries, tables: authTables },
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

/** The stores whose changes serving processes follow. */
const followedBy = (connection: Connection, now: () => number) => {
  const agents = new SqliteAgents(connection);
  return {
    users: new SqliteUsers(connection),
    agents,
    tokens: new SqliteTokens(connection),
    sessions: new SqliteSessions(connection),
    providers: new SqliteProviders(connection, now),
    tools: new SqliteToolServers(connection),
    profiles: new SqliteProfiles(connection, agents),
    restrictions: new SqliteRestrictions(connection),
    killSwitches: new SqliteKillSwitches(connection),
  };
};

/** The stores of the loop from a report to a scanner that has changed. */
const loopOf = (connection: Connection, now: () => number, member: Member | null) => {
  const jobs = new SqliteJobs(connection);
  const suggestions = new SqliteSuggestions(connection);
  const policies = new SqlitePolicies(connection);
  return {
    jobs,
    suggestions,
    policies,
    pastEvents: new SqlitePastEvents(connection),
    reports: new SqliteReports(connection, jobs, suggestions),
    tuning: new SqliteTuning({ connection, policies, suggestions, now }),
    idempotency: new SqliteIdempotency(connection),
    webhooks: new SqliteWebhooks(connection, jobs),
    outbox: new SqliteOutbox(connection, member?.isAlone === false, now),
  };
};
