import type { Joining } from "#store/node-port";
import type { AuditRow } from "#store/record";
import { type Repositories, repositoriesOf } from "#store/repositories/all";
import { joining, leaving, type Member } from "#store/repositories/nodes";
import { CHANNEL, PostgresDb } from "./db";
import { migrate } from "./migrate";
import { MIGRATIONS } from "./migrations/index";
import { Pool, type PoolOptions } from "./pool";

export { DatabaseUnreachable, UnfitDatabase } from "./errors";

export type PostgresStoreOptions = PoolOptions & {
  readonly now?: () => number;
  /** Instead of the database's clock, by which leases and windows are measured: for tests that move the time. */
  readonly clock?: () => number;
  /** For a process that serves: what it is among those that do. */
  readonly node?: Omit<Joining, "isAlone">;
};

/** What of a store is in PostgreSQL: the configuration, and the chain of its changes. */
export type PostgresStore = Repositories & {
  readonly governance: {
    /** The newest `n` records of changes, newest first. */
    tail(n: number): Promise<AuditRow[]>;
  };
  /**
   * Calls `heard` at each change of any hub, and whenever it begins to listen anew: what was said meanwhile was missed.
   * Only an accelerator: the revision is polled all the same. Returns what ends it.
   */
  listen(heard: () => void): Promise<() => Promise<void>>;
  stopUpkeep(): void;
  close(): Promise<void>;
};

/** Throws `NewerDatabase`, `UnfitDatabase`, and whatever the driver says of a database that cannot be reached. */
export const openPostgresStore = async (options: PostgresStoreOptions): Promise<PostgresStore> => {
  const { now = Date.now, clock = null } = options;
  const pool = new Pool(options);
  const db = new PostgresDb(pool, clock);
  try {
    await migrate(pool, MIGRATIONS);
    const member = options.node === undefined ? null : await join(db, options.node, now);
    return assemble({ pool, db, now, member });
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
  readonly now: () => number;
  readonly member: Member | null;
};

const assemble = ({ pool, db, now, member }: Parts): PostgresStore => {
  let closing: Promise<void> | null = null;
  const close = async () => {
    try {
      if (member !== null) await db.tx(() => leaving(member));
    } finally {
      await pool.close();
    }
  };
  return {
    ...repositoriesOf(db, { now, member, isShared: true }),
    governance: { tail: (n) => tailOf(pool, n) },
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

type Row = { readonly seq: unknown; readonly body: string; readonly prev_hash: string; readonly hash: string };

const tailOf = async (pool: Pool, n: number): Promise<AuditRow[]> => {
  const text = "SELECT seq, body, prev_hash, hash FROM governance_record ORDER BY seq DESC LIMIT $1";
  const rows = await pool.plain((sql) => sql.unsafe<Row[]>(text, [n]));
  return rows.map(({ seq, body, prev_hash, hash }) => ({ seq: Number(seq), body, prev_hash, hash }));
};
