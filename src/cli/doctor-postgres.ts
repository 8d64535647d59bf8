import type { Config } from "#config/schema";
import type { PostgresStore } from "#store/postgres/index";
import type { ServerLook } from "#store/postgres/look";
import { type Check, fail, ok, warn } from "./check";
import { messageOf } from "./failures";

/** Leases and moments go by the database's clock, records by the hub's. */
const CLOCK_SLACK_MS = 2_000;
/** Left for other hubs, commands and people. */
const SPARE = 10;

/** What is looked at of the PostgreSQL that the configuration is in. `live`: processes that serve from it, of all hubs. */
export const postgresChecks = async (
  common: Pick<PostgresStore, "look">,
  { database, audit }: Pick<Config, "database" | "audit">,
  live: number,
): Promise<Check[]> => {
  try {
    const look = await common.look();
    return [
      ok("postgresql", `${look.version}, tables at version ${look.schema}, answers in ${look.tripMs} ms`),
      ...checksOf(look, { connections: database.connections, live }),
      shipping(look, audit),
    ];
  } catch (error) {
    return [unreached(error)];
  }
};

/** Of a hub that has its configuration in its data directory. */
export const withoutPostgres = ({ audit }: Pick<Config, "audit">): Check[] =>
  audit.ship === "async"
    ? []
    : [
        warn(
          "records",
          "audit.ship = sync has no effect without database.url",
          "set database.url: records are on this host's disk alone",
        ),
      ];

export const unreached = (error: unknown): Check =>
  fail("postgresql", messageOf(error), "check database.url, that the server runs and that this host reaches it");

type Taken = {
  /** Of each process's pool. */
  readonly connections: number;
  readonly live: number;
};

export const checksOf = (look: ServerLook, taken: Taken): Check[] => [
  look.isEncrypted || look.isLocal
    ? ok("postgresql tls", look.isEncrypted ? "encrypted" : "not encrypted, on this host")
    : warn(
        "postgresql tls",
        "not encrypted",
        "add ?sslmode=verify-full to database.url: accounts and configuration cross the network",
      ),
  Math.abs(look.aheadMs) > CLOCK_SLACK_MS + look.tripMs
    ? warn(
        "postgresql clock",
        `${Math.abs(Math.round(look.aheadMs / 1_000))} s ${look.aheadMs > 0 ? "ahead of" : "behind"} this host's`,
        "set both clocks (NTP)",
      )
    : ok("postgresql clock", "as this host's"),
  look.isStandby
    ? fail("postgresql role", "a standby, which takes no changes", "name the primary in database.url")
    : ok("postgresql role", "primary"),
  look.mayMigrate
    ? ok("postgresql privileges", "may bring the tables to the next version")
    : warn(
        "postgresql privileges",
        "may not change the tables",
        "upgrades need the owner of the tables with CREATE on their schema",
      ),
  connectionCheck(look, taken),
];

/** What an answer waits for. */
const shipping = ({ isDurable }: ServerLook, { ship }: Config["audit"]): Check => {
  if (ship === "async") return ok("records", "on this host's disk before an answer, in PostgreSQL a moment later");
  return isDurable
    ? ok("records", "in PostgreSQL before an answer (audit.ship)")
    : warn(
        "records",
        "in PostgreSQL before an answer (audit.ship), which does not wait for its disk",
        "set fsync and synchronous_commit of PostgreSQL to on: a crash of its host loses records of answered calls",
      );
};

/** Beside those of the pool: one that listens, and one for the lease. */
const OWN_CONNECTIONS = 2;

/** While a worker is replaced there is one more. */
const connectionCheck = ({ most, open }: ServerLook, { connections, live }: Taken): Check => {
  const each = connections + OWN_CONNECTIONS;
  const finding = `${open} of ${most} are open; ${live} processes may take ${live * each}, ${each} each`;
  return Math.max(open, (live + 1) * each) + SPARE > most
    ? warn("postgresql connections", finding, "raise max_connections, or lower database.connections")
    : ok("postgresql connections", finding);
};

/** Reads all changes. */
export const chainOfChanges = async ({ governance }: Pick<PostgresStore, "governance">): Promise<Check> => {
  const { records, faults } = await governance.verify();
  const [first] = faults;
  if (first === undefined) return ok("chain of changes", `${records} records`);
  return fail("chain of changes", `record ${first.seq}: ${first.problem}`, "find out who changed the database");
};
