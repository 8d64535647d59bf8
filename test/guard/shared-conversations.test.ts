import { sharedConversationsContract } from "#test/guard/shared-conversations-contract";
import { lendSqliteProcesses } from "#test/store/processes";

/* On PostgreSQL: test/store/postgres/store.test.ts. */
sharedConversationsContract("sqlite", lendSqliteProcesses, 60);
