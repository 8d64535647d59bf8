import type { Requirement } from "./requirement";

/** What is promised of a hub whose configuration is in PostgreSQL. */
export const POSTGRES: readonly Requirement[] = [
  {
    id: "postgres.driver",
    promise:
      "No fault of a connection to PostgreSQL leaves half a transaction behind, or a hub that does not find the server again.",
    source: "docs/decisions/0026-postgresql.md#the-driver",
  },
];
