import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Config } from "#config/schema";
import { createFile, type DataDirectory, openDataDirectory } from "#platform/data-directory";
import type { MasterKeys } from "#platform/master-keys";
import type { AuthDatabase } from "#store/auth-port";
import { HubCallIndex } from "#store/hub-calls";
import { HubNodes } from "#store/hub-nodes";
import { HubProofs } from "#store/hub-proofs";
import { SharedAuditLog, type VerifiedLog } from "#store/hub-records";
import type { Joining, NodeStore } from "#store/node-port";
import type { Store } from "#store/port";
import type { PostgresStore } from "#store/postgres/index";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "#store/sqlite/index";
import { CliExit, EXIT } from "./exit";

/*
 * What a hub stores, and where: all of it in its data directory, or its configuration in a PostgreSQL that several hubs
 * share and what it records itself in the directory.
 */

export type HubStore = Store & {
  readonly audit: VerifiedLog;
  readonly directory: DataDirectory;
  /** For the identity library, which brings queries of its own to tables of its own. */
  readonly auth: AuthDatabase;
  readonly backup: string | null;
  /** Null where the configuration is in the data directory. */
  readonly common: PostgresStore | null;
};

type Options = Omit<SqliteStoreOptions, "dataDir" | "durability"> & {
  readonly config: Pick<Config, "data_dir" | "durability" | "database"> & {
    readonly audit: Pick<Config["audit"], "ship">;
  };
};

/** How long a process may be silent before those of other hubs take over what it did for all. Milliseconds. */
const COMMON_LEASE_MS = 10_000;

/** How long the last records may take to be shipped. Milliseconds. */
const LAST_SHIPPING_MS = 2_000;

/** What the data directory notes of the database its configuration is in. */
type Elsewhere = { readonly installation: string; readonly node: string };

/** Throws what the stores throw, and what says that directory and database do not belong together. */
export const openHubStore = async ({ config, ...options }: Options): Promise<HubStore> => {
  const { data_dir: dataDir, durability, database } = config;
  const noted = elsewhereOf(openDataDirectory(dataDir));
  if (database.url === null) {
    if (noted !== null) throw isElsewhere();
    return { ...(await openSqliteStore({ dataDir, durability, ...options })), common: null };
  }
  const own = await openSqliteStore({ dataDir, durability, ...options });
  let common: PostgresStore | null = null;
  try {
    if (noted === null && (await own.users.list()).length > 0) throw isHere();
    const { directory } = own;
    // Not loaded by the many that have no use for it.
    const { openPostgresStore } = await import("#store/postgres/index");
    const node = noted?.node ?? nodeName();
    common = await openPostgresStore({
      url: database.url,
      most: database.connections,
      signer: own.signer,
      ...nodeOf(node, options.node),
    });
    belong(directory, { installation: common.installation, node });
    return sharing(own, common, { node, isSync: config.audit.ship === "sync" });
  } catch (error) {
    await common?.close();
    await own.close();
    throw error;
  }
};

/** What the other hubs have sealed must open here, and what is sealed here there. Throws before anything is sealed. */
export const assertSharedKey = async ({ common }: HubStore, keys: Pick<MasterKeys, "has">): Promise<void> => {
  const missing = ((await common?.keyIds()) ?? []).filter((id) => !keys.has(id));
  if (missing.length === 0) return;
  throw new CliExit(
    EXIT.integrity,
    `The database is one of hubs with another master key (${missing.join(", ")}): give this hub the same, by GUARDHOUSE_MASTER_KEY, GUARDHOUSE_MASTER_KEY_FILE, or master.key in its data directory`,
  );
};

const nodeOf = (id: string, joining: Joining | undefined) =>
  joining === undefined
    ? {}
    : { node: { ...joining, id: joining.isAlone ? id : `${id}-${joining.id}`, leaseMs: COMMON_LEASE_MS } };

/** Notes that the configuration was copied to this database. */
export const settleElsewhere = async (directory: DataDirectory, url: string): Promise<void> => {
  const { openPostgresStore } = await import("#store/postgres/index");
  const common = await openPostgresStore({ url, most: 2 });
  try {
    belong(directory, { installation: common.installation, node: nodeName() });
  } finally {
    await common.close();
  }
};

/** Notes where the configuration is, once and for all; throws when it is in another database. */
const belong = (directory: DataDirectory, { installation, node }: Elsewhere): void => {
  createFile(directory.elsewhere, `${JSON.stringify({ database: "postgres", installation, node }, null, 2)}\n`);
  if (elsewhereOf(directory)?.installation === installation) return;
  throw new CliExit(
    EXIT.configuration,
    `The data directory ${directory.path} belongs to another database than that of database.url: its records would be about other people and agents`,
  );
};

export const elsewhereOf = ({ elsewhere }: DataDirectory): Elsewhere | null => {
  if (!existsSync(elsewhere)) return null;
  const { installation, node } = Object(JSON.parse(readFileSync(elsewhere, "utf8")));
  if (typeof installation === "string" && typeof node === "string") return { installation, node };
  throw new CliExit(EXIT.integrity, `${elsewhere} is damaged: restore it from a copy of the data directory`);
};

/** The host's name as far as it may be in the id of a node, and what tells two directories of a host apart. */
const nodeName = (): string => {
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .replace(/^-+/, "")
    .slice(0, 24);
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
  return `${host === "" ? "hub" : host}-${random}`;
};

const isElsewhere = (): CliExit =>
  new CliExit(
    EXIT.configuration,
    "The configuration of this data directory is in PostgreSQL: set database.url (GUARDHOUSE_DATABASE__URL, or GUARDHOUSE_DATABASE__URL_FILE)",
  );

const isHere = (): CliExit =>
  new CliExit(
    EXIT.configuration,
    "This data directory has a configuration of its own, and database.url names another place for it. Name a new data directory",
  );

/**
 * One of the processes of a directory ships what none of them ships as its own: the logs of those that are gone, and the
 * main one, which commands write to.
 */
const isLeft = async (here: NodeStore, worker: string | null): Promise<boolean> => {
  if (!(await here.holds("shipping of what is left"))) return false;
  return worker === null || (await here.list()).every(({ id, state }) => id !== worker || state !== "live");
};

/** What is said of the directory and what only it has, the rest of the common database. */
const sharing = (
  own: SqliteStore,
  common: PostgresStore,
  { node, isSync }: { readonly node: string; readonly isSync: boolean },
): HubStore => {
  const { self } = own.nodes;
  const nameOf = (worker: string | null): string => (worker === null ? node : `${node}-${worker}`);
  const { shipping, shipped } = common.records({
    sources: own.sources,
    signer: own.signer,
    own: self?.isAlone === false ? self.id : null,
    isLeft: (worker) => isLeft(own.nodes, worker),
    nameOf,
  });
  let closing: Promise<void> | null = null;
  const close = async () => {
    try {
      // What is not shipped by then, or because the database is away, is shipped after the next start: it is on disk here.
      if (self !== null) await Promise.race([shipping.run().catch(() => undefined), Bun.sleep(LAST_SHIPPING_MS)]);
      await common.close();
    } finally {
      await own.close();
    }
  };
  const { governance, records: ___, installation: _, listen: __, ...configuration } = common;
  return {
    ...own,
    ...configuration,
    common,
    audit: new SharedAuditLog({
      own: own.audit,
      changes: governance,
      shipped,
      nameOf,
      // What a command records is shipped by the hub.
      sync: isSync && self !== null ? shipping : null,
    }),
    proofs: new HubProofs(own.proofs, nameOf),
    calls: new HubCallIndex(own.calls, shipped),
    shipping,
    nodes: new HubNodes(own.nodes, common.nodes, COMMON_LEASE_MS),
    stopUpkeep: () => {
      own.stopUpkeep();
      common.stopUpkeep();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};
