import { budgetContract } from "#test/guard/budget-contract";
import { lendSqliteProcesses } from "#test/store/processes";

/* On PostgreSQL: test/store/postgres/store.test.ts. */
budgetContract("sqlite", lendSqliteProcesses, 15);
