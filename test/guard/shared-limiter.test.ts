import { sharedLimiterContract } from "#test/guard/shared-limiter-contract";
import { lendSqliteProcesses } from "#test/store/processes";

/* On PostgreSQL: test/store/postgres/store.test.ts. */
sharedLimiterContract("sqlite", lendSqliteProcesses, 15);
