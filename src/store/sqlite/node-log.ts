import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DataDirectory } from "#platform/data-directory";
import { NewerDatabase } from "#store/newer-database";
import { AuditUnavailable } from "./audit-errors";
import { type OpenOptions, openDatabase, transaction, userVersion } from "./database";
import callColumns from "./migrations/0034_calls.sql" with { type: "text" };
import trafficDays from "./migrations/0036_traffic_days.sql" with { type: "text" };
import trees from "./migrations/0043_trees.sql" with { type: "text" };

/*
 * Where several processes serve from one directory, each writes a log of its own: `audit/<node>.db`, with a chain, months,
 * checkpoints and an index as in the main database, whose log has the changes then. So none waits for another's disk,
 * and no chain can fork. A process that serves alone writes to the main database.
 */

/** Above every version of the main database: what is asked of both goes by that. */
const FIRST_VERSION = 1_000;
/** What brings a log from each version to the next, beginning with the first. */
const STEPS = [callColumns, trafficDays, trees];
const VERSION = FIRST_VERSION + STEPS.length;

/** As the first version had them; as the main database has them, see its migrations. */
const TABLES = `
  CREATE TABLE log_identity (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    node TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  -- Epochs up to this one have been ended by others.
  CREATE TABLE log_fence (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE audit_partition (
    name TEXT PRIMARY KEY,
    first_seq INTEGER NOT NULL,
    first_prev_hash TEXT NOT NULL,
    last_seq INTEGER,
    last_hash TEXT,
    dropped_at INTEGER,
    drop_key_id TEXT,
    drop_signature TEXT,
    cleared_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX audit_partition_first_seq ON audit_partition (first_seq);
  CREATE TABLE audit_checkpoint (
    seq INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    signature TEXT NOT NULL,
    prev TEXT
  ) STRICT;
  CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    key_id TEXT NOT NULL,
    signature TEXT NOT NULL
  ) STRICT;
  CREATE TABLE audit_open_call (
    call_id TEXT PRIMARY KEY,
    partition TEXT NOT NULL,
    seq INTEGER NOT NULL,
    node TEXT,
    epoch INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE audit_probe (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE call_indexed (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE call_traffic (
    span INTEGER NOT NULL,
    at INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (span, at, subject)
  ) STRICT;
  CREATE TABLE call_block (
    first_seq INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    seq BLOB NOT NULL,
    at BLOB NOT NULL,
    call BLOB NOT NULL,
    kind BLOB NOT NULL,
    family BLOB NOT NULL,
    decision BLOB NOT NULL,
    outcome BLOB NOT NULL,
    user BLOB NOT NULL,
    agent BLOB NOT NULL,
    token BLOB NOT NULL,
    model BLOB NOT NULL,
    tool BLOB NOT NULL,
    conversation BLOB NOT NULL,
    flag BLOB NOT NULL
  ) STRICT;`;

const FILE = /^([a-z0-9][a-z0-9-]{0,50})\.db$/;

type Folder = Pick<DataDirectory, "nodeLogs">;

export const nodeLogFile = ({ nodeLogs }: Folder, node: string): string => join(nodeLogs, `${node}.db`);

/** Nodes that have a log in the directory, in the order of ids. */
export const nodesWithLog = ({ nodeLogs }: Folder): string[] =>
  existsSync(nodeLogs) ? nodesOfFiles(readdirSync(nodeLogs)) : [];

export const nodesOfFiles = (names: readonly string[]): string[] =>
  names.flatMap((name) => FILE.exec(name)?.[1] ?? []).toSorted();

/** Makes the log when there is none. `now` in Unix milliseconds. */
export const openNodeLog = (directory: Folder, node: string, now: number, options: OpenOptions): Database => {
  mkdirSync(directory.nodeLogs, { recursive: true, mode: 0o700 });
  const db = openDatabase(nodeLogFile(directory, node), options);
  try {
    if (userVersion(db) > VERSION) throw new NewerDatabase(userVersion(db), VERSION);
    transaction<void>(db, () => {
      const version = userVersion(db);
      if (version === VERSION) return;
      if (version === 0) {
        db.run(TABLES);
        db.query("INSERT INTO log_identity (id, node, created_at) VALUES (1, ?, ?)").run(node, now);
      }
      for (const step of STEPS.slice(Math.max(0, version - FIRST_VERSION))) db.run(step);
      db.run(`PRAGMA user_version = ${VERSION}`);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

export type LogIdentity = { readonly node: string; readonly created_at: number };

/** Null for the log of the main database. */
export const identityOf = (db: Database): LogIdentity | null => {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'log_identity'";
  if (db.query(table).get() === null) return null;
  return db.query<LogIdentity, []>("SELECT node, created_at FROM log_identity").get();
};

/** What the first record of a node's log is linked to: no log can stand in for another. */
export const originOf = ({ node, created_at }: LogIdentity): string =>
  Bun.SHA256.hash(`guardhouse chain v1\n${node}\n${created_at}`, "hex");

/**
 * What a node must ask, in the transaction in which it records something: a process that stood still for longer than its
 * lease may wake up after others have ended its calls on record.
 */
export const logFenceOf = (db: Database, epoch: number): (() => void) => {
  const ended = db.prepare<unknown, [number]>("SELECT 1 FROM log_fence WHERE epoch >= ?");
  return () => {
    if (ended.get(epoch) !== null) throw new AuditUnavailable("another process holds this one for dead");
  };
};

/** Up to which epoch the node has been ended; 0 for none. */
export const fencedEpoch = (db: Database): number =>
  db.query<{ epoch: number }, []>("SELECT epoch FROM log_fence").get()?.epoch ?? 0;

/**
 * The node's next process begins to write. Whatever is open in its log was left by earlier ones, also by those of an id
 * that was removed and whose epochs begin anew.
 */
export const beginEpoch = (db: Database, epoch: number): void => {
  transaction<void>(db, () => {
    db.run("UPDATE audit_open_call SET epoch = 0");
    db.query<unknown, [number]>("INSERT OR REPLACE INTO log_fence (id, epoch) VALUES (1, ?)").run(epoch - 1);
  });
};

/** From here on that epoch, and those before it, record nothing more. In the transaction that ends its calls. */
export const endEpoch = (db: Database, epoch: number): void => {
  const put = `INSERT INTO log_fence (id, epoch) VALUES (1, ?)
    ON CONFLICT (id) DO UPDATE SET epoch = max(epoch, excluded.epoch)`;
  db.query<unknown, [number]>(put).run(epoch);
};
