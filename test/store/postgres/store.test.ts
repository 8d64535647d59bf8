import { sharedCountsContract } from "#test/features/shared-counts-contract";
import { budgetContract } from "#test/guard/budget-contract";
import { sharedConversationsContract } from "#test/guard/shared-conversations-contract";
import { sharedLimiterContract } from "#test/guard/shared-limiter-contract";
import { alertContract, figuresContract } from "#test/store/alert-contract";
import { callStoreContract } from "#test/store/call-store-contract";
import { type Lend, storeContract } from "#test/store/contract";
import { exactContract } from "#test/store/exact-contract";
import { governanceContract } from "#test/store/governance-contract";
import { hookSourceContract } from "#test/store/hook-source-contract";
import { loopContract } from "#test/store/loop-contract";
import { loopWorkContract } from "#test/store/loop-work-contract";
import { nodeContract } from "#test/store/node-contract";
import { migratedDatabases, processesOn } from "#test/store/postgres/databases";
import { proposalContract } from "#test/store/proposal-contract";
import { signInContract } from "#test/store/sign-in-contract";
import { tokenContract } from "#test/store/token-contract";
import { toolContract } from "#test/store/tool-contract";
import { triageContract } from "#test/store/triage-contract";
import { onPostgres } from "#test/support/postgres";

/* What SQLite's store does (`test/store/sqlite.test.ts`), PostgreSQL's does too. */

onPostgres("the store on PostgreSQL", () => {
  const databases = migratedDatabases();
  const lend: Lend = async (use) => {
    await using store = await (await databases()).store();
    await use({ ...store, audit: store.governance });
  };
  storeContract("postgres", lend);
  exactContract("postgres", [-30_000, 0, 30_000], async (use) => {
    const made = await databases();
    const url = made.cluster.url(await made.make());
    await using store = await made.store({ url });
    await use(url, store);
  });
  nodeContract("postgres", processesOn(databases));
  figuresContract("postgres", processesOn(databases));
  sharedLimiterContract("postgres", processesOn(databases), 5);
  sharedConversationsContract("postgres", processesOn(databases), 10);
  sharedCountsContract("postgres", processesOn(databases), 3);
  budgetContract("postgres", processesOn(databases), 5);
  tokenContract("postgres", lend);
  toolContract("postgres", lend);
  hookSourceContract("postgres", lend);
  proposalContract("postgres", lend);
  signInContract("postgres", lend);
  governanceContract("postgres", lend);
  callStoreContract("postgres", lend);
  loopContract("postgres", lend);
  loopWorkContract("postgres", lend);
  alertContract("postgres", lend);
  triageContract("postgres", lend);
});
