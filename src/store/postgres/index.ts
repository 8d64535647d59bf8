import type { Joining } from "#store/node-port";
import { type Repositories, repositoriesOf } from "#store/repositories/all";
import { joining, leaving, type Member } from "#store/repositories/nodes";
import { OAuth } from "#store/repositories/oauth";
import { authOf } from "./auth";
import type { ChainSigner } from "./chain";
import { CHANNEL, PostgresDb } from "./db";
import { isConnectionFault, UnfitDatabase } from "./errors";
import { Governance } from "./governance";
import { lookAt, type ServerLook } from "./look";
import { migrate } from "./migrate";
import { MIGRATIONS } from "./migrations/index";
import { PostgresPoll } from "./poll";
import { Pool, type PoolOptions } from "./pool";
import { PostgresSealedValues } from "./sealed-values";
import { ShippedRecords } from "./shipped-records";
import { LogShipping, type LogShippingNeeds } from "./shipping";

export { DatabaseUnreachable, UnfitDatabase } from "./errors";

export type PostgresStoreOptions = PoolOptions & {
  readonly now?: () => number;
  /** Instead of the database's clock, by which leases and windows are measured: for tests that move the time. */
  readonly clock?: () => number;
  /** Signs what is said of logs in the chain of changes: the key of the process's data directory. */
  readonly signer?: ChainSigner;
  /** For a process that serves: what it is among those that do. */
  readonly node?: Omit<Joining, "isAlone">;
};

/** What of a store is in PostgreSQL: the configuration, and the chain of its changes. */
export type PostgresStore = Repositories & {
  readonly oauth: OAuth;
  readonly sealed: PostgresSealedValues;
  /** For the identity library, which brings queries of its own to tables of its own. */
  readonly auth: ReturnType<typeof authOf>;
  readonly governance: Governance;
  /** Names the database for good: data directories that belong to it note it. */
  readonly installation: string;
  /** The logs of a data directory, as they are shipped, and what other hubs have shipped of theirs. */
  records(of: Omit<LogShippingNeeds, "pool" | "now" | "governance">): {
    readonly shipping: LogShipping;
    readonly shipped: ShippedRecords;
  };
  look(): Promise<ServerLook>;
  /** Of the master keys that secrets of the hubs' own are sealed with: one, or two while the key is changed. */
  keyIds(): Promise<string[]>;
  /**
   * Calls `heard` at each change of any hub, and whenever it begins to listen anew: what was said meanwhile was missed.
   * Only an accelerator: the revision is polled all the same. Returns what ends it.
   */
  listen(heard: () => void): Promise<() => Promise<void>>;
  stopUpkeep(): void;
  close(): Promise<void>;
};

/**
 * A process has one connection for nothing but its lease: what waits for the others must not let it be held for dead. A
 * try ends within a lease of ten seconds, and leaves time for a handshake with a server that all hubs come back to at once.
 * Milliseconds.
 */
const RENEWAL = { most: 1, deadlineMs: 8_000, statementMs: 4_000 };

/** Throws `NewerDatabase`, `UnfitDatabase`, and whatever the driver says of a database that cannot be reached. */
export const openPostgresStore = async (options: PostgresStoreOptions): Promise<PostgresStore> => {
  const { now = Date.now, clock = null, signer = null } = options;
  const pool = new Pool(options);
  const polled = new PostgresPoll(pool, clock);
  const db = new PostgresDb(pool, polled, clock, signer);
  try {
    await migrate(pool, MIGRATIONS);
    const installation = await installationIn(pool);
    const member = options.node === undefined ? null : await join(db, options.node, now);
    const governance = new Governance(pool, signer, now);
    const renewal = new Pool({ ...options, ...RENEWAL });
    return assemble({
      pool,
      renewal,
      db,
      renewing: new PostgresDb(renewal, polled, clock),
      polled,
      now,
      member,
      installation,
      governance,
    });
  } catch (error) {
    await pool.close();
    throw error;
  }
};

/** Nobody knows whether it serves alone. */
const join = (db: PostgresDb, node: Omit<Joining, "isAlone">, now: () => number): Promise<Member> =>
  db.tx(() => joining({ ...node, isAlone: false }, 0, now), `node ${node.id}`);

type Parts = {
  readonly pool: Pool;
  readonly db: PostgresDb;
  readonly renewal: Pool;
  readonly renewing: PostgresDb;
  readonly polled: PostgresPoll;
  readonly now: () => number;
  readonly member: Member | null;
  readonly installation: string;
  readonly governance: Governance;
};

const assemble = ({
  pool,
  renewal,
  db,
  renewing,
  polled,
  now,
  member,
  installation,
  governance,
}: Parts): PostgresStore => {
  let closing: Promise<void> | null = null;
  const close = async () => {
    try {
      if (member !== null) await db.tx(() => leaving(member));
    } catch (error) {
      // While the database is away nobody can be told: the lease ends by itself.
      if (!isConnectionFault(error)) throw error;
    } finally {
      await renewal.close();
      await pool.close();
    }
  };
  return {
    ...repositoriesOf(db, { now, member, renewing, polled, isShared: true }),
    oauth: new OAuth(db, now),
    sealed: new PostgresSealedValues(pool, db),
    auth: authOf(pool),
    governance,
    installation,
    records: (of) => {
      const shipping = new LogShipping({ pool, now, governance, ...of });
      return { shipping, shipped: new ShippedRecords(pool, () => shipping.names()) };
    },
    look: () => lookAt(pool),
    keyIds: () => keyIdsIn(pool),
    listen: (heard) => pool.listen(CHANNEL, heard, heard),
    stopUpkeep: () => {
      db.isStopping = true;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

const installationIn = async (pool: Pool): Promise<string> => {
  const [row] = await pool.plain((sql) => sql.unsafe<{ id: string }[]>("SELECT id FROM installation"));
  if (row === undefined) throw new UnfitDatabase("The database has no id: its table `installation` is empty");
  return row.id;
};

const keyIdsIn = async (pool: Pool): Promise<string[]> => {
  const text = "SELECT DISTINCT split_part(sealed, '.', 2) AS id FROM hub_secret WHERE sealed LIKE 'v1.%'";
  const rows = await pool.plain((sql) => sql.unsafe<{ id: string }[]>(text));
  return rows.map(({ id }) => id).sort();
};
