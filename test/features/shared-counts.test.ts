import { sharedCountsContract } from "#test/features/shared-counts-contract";
import { lendSqliteProcesses } from "#test/store/processes";

/* On PostgreSQL: test/store/postgres/store.test.ts. */
sharedCountsContract("sqlite", lendSqliteProcesses, 20);
