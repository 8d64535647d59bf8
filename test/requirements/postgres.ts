import type { Requirement } from "./requirement";

/** What is promised of a hub whose configuration is in PostgreSQL. */
export const POSTGRES: readonly Requirement[] = [
  {
    id: "postgres.driver",
    promise:
      "No fault of a connection to PostgreSQL leaves half a transaction behind, or a hub that does not find the server again.",
    source: "docs/decisions/0026-postgresql.md#the-driver",
  },
  {
    id: "postgres.changes",
    promise:
      "Changes of all hubs on one PostgreSQL are made one at a time: each has one revision, one record and one link of the chain, and every hub is told of it.",
    source: "docs/decisions/0026-postgresql.md#changes",
  },
  {
    id: "postgres.outage",
    promise: "Nothing waits for ever for a PostgreSQL that is silent, and a hub goes on by itself when it is back.",
    source: "docs/decisions/0026-postgresql.md#the-driver",
  },
  {
    id: "postgres.migrations",
    promise:
      "Hubs that start at once bring a database to the newest version once; one that is newer or unfit is refused.",
    source: "docs/decisions/0026-postgresql.md#migrations",
  },
  {
    id: "postgres.records",
    promise:
      "Each hub ships its records to PostgreSQL: nothing is lost and nothing comes twice, whatever is killed or restarted; a log verifies from what was shipped of it, and every hub reads those of all others.",
    source: "docs/decisions/0027-records-of-several-processes.md#shipping",
  },
  {
    id: "postgres.anchors",
    promise:
      "The chain of changes names, signed, where the logs of all hubs stand: a shipped log that is cut, removed, exchanged or put back into an older state is found, and so are a chain of changes that is cut and signatures that are missing.",
    source: "docs/decisions/0027-records-of-several-processes.md#what-binds-the-logs-of-hubs",
  },
  {
    id: "postgres.closed",
    promise:
      "The record of a removed hub names the end of its log, signed; verification holds the log to it, and a hub that comes back goes on from there.",
    source: "docs/decisions/0027-records-of-several-processes.md#what-binds-the-logs-of-hubs",
  },
  {
    id: "postgres.retention",
    promise:
      "Retention drops whole months of shipped records with a signed record, never one that some hub has not shipped; nobody who reads or ships is held up, every log verifies afterwards, and an end of the process in between changes nothing.",
    source: "docs/decisions/0027-records-of-several-processes.md#retention-of-shipped-records",
  },
  {
    id: "postgres.interrupted",
    promise:
      "Calls that a dead hub has left open are ended on record by another, once, as far as they were shipped, without a fork of its log; a hub that comes back has the last word.",
    source: "docs/decisions/0027-records-of-several-processes.md#calls-of-a-dead-hub",
  },
  {
    id: "postgres.sync",
    promise:
      'With `audit.ship = "sync"` an answer waits until its record is in PostgreSQL; while that is away, or too slow, calls are refused with 503 as when the disk takes no records.',
    source: "docs/decisions/0027-records-of-several-processes.md#hosts-without-a-lasting-disk",
  },
  {
    id: "postgres.serves",
    promise:
      "A hub serves with its configuration in PostgreSQL as with SQLite: people and their sign-in, tokens, clients of the tool gateway, calls; what it records itself stays in its data directory.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
  {
    id: "postgres.belongs",
    promise:
      "A data directory belongs to one database: with another one, or none, or another master key, nothing starts, and the message says why without the URL.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
  {
    id: "postgres.hubs",
    promise: "Of several hubs on one PostgreSQL each holds within a second to what was changed at another.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
  {
    id: "postgres.away",
    promise:
      "While PostgreSQL is away calls are answered by what is known for as long as nothing can have been revoked unheard, changes fail with an error of the catalogue, and the hub goes on by itself afterwards.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
  {
    id: "postgres.slow-start",
    promise:
      "A hub whose start takes longer than a lease, on a busy host or far from PostgreSQL, is not ended by the others meanwhile.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
  {
    id: "postgres.copy",
    promise:
      "`store copy` moves the configuration of a hub from SQLite to an empty PostgreSQL, whole or not at all, and both are verified.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
];
