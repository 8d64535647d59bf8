import type { Pool } from "./pool";

/** What is to be known of a PostgreSQL that a hub works with. */
export type ServerLook = {
  readonly version: string;
  readonly schema: number;
  readonly isEncrypted: boolean;
  /** The server is on this host. */
  readonly isLocal: boolean;
  /** The database's clock less this host's, milliseconds; right to half of `tripMs`. */
  readonly aheadMs: number;
  readonly tripMs: number;
  /** Whether the next version's migrations can be carried out. */
  readonly mayMigrate: boolean;
  /** A standby: nothing can be changed on it. */
  readonly isStandby: boolean;
  /** What is committed is on its disk. */
  readonly isDurable: boolean;
  /** Connections the server takes, and those that are open. */
  readonly most: number;
  readonly open: number;
};

const LOOK = `SELECT current_setting('server_version') AS version,
  (SELECT version FROM schema_version) AS schema,
  coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
  coalesce(host(inet_server_addr()) IN ('127.0.0.1', '::1'), true) AS local,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at,
  has_schema_privilege(current_schema(), 'CREATE') AS may_create,
  pg_get_userbyid(relowner) = current_user OR pg_has_role(relowner, 'USAGE') AS owns,
  pg_is_in_recovery() AS standby,
  current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off' AS durable,
  current_setting('max_connections')::int AS most,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS open
  FROM pg_class WHERE oid = '"user"'::regclass`;

type Row = Readonly<Record<"version", string>> &
  Readonly<Record<"encrypted" | "local" | "may_create" | "owns" | "standby" | "durable", boolean>> &
  Readonly<Record<"schema" | "at" | "most" | "open", unknown>>;

export const lookAt = async (pool: Pool): Promise<ServerLook> => {
  // The first one may have to connect.
  await pool.plain((sql) => sql.unsafe("SELECT 1"));
  const asked = Date.now();
  const [row] = await pool.plain((sql) => sql.unsafe<Row[]>(LOOK));
  const answered = Date.now();
  if (row === undefined) throw new Error("The database has no tables of a hub");
  return {
    version: row.version,
    schema: Number(row.schema),
    isEncrypted: row.encrypted,
    isLocal: row.local,
    aheadMs: Number(row.at) - Math.round((asked + answered) / 2),
    tripMs: answered - asked,
    mayMigrate: row.may_create && row.owns,
    isStandby: row.standby,
    isDurable: row.durable,
    most: Number(row.most),
    open: Number(row.open),
  };
};
