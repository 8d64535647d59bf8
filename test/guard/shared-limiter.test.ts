import { expect, test } from "bun:test";
import { SharedLimiter } from "#guard/limits/shared-limiter";
import { boundsOf } from "#test/guard/bounds";
import { sharedLimiterContract } from "#test/guard/shared-limiter-contract";
import { lendSqliteProcesses } from "#test/store/processes";
import { verifies } from "#test/support/verifies";

/* On PostgreSQL: test/store/postgres/store.test.ts. */
sharedLimiterContract("sqlite", lendSqliteProcesses, 15);

test("while nobody can count, an agent with limits is refused and told to try again", async () => {
  verifies("limits.shared");
  const faults: unknown[] = [];
  const limits = { change: () => Promise.reject(new Error("the database does not answer")) };
  const limiter = new SharedLimiter({ now: Date.now, limits, onFault: (error) => void faults.push(error) });
  const claim = { agent_id: "a", watched: null, tokens: 1, conversation: null };
  await expect(limiter.reserve({ ...claim, limits: boundsOf({ concurrent: 1 }) })).rejects.toMatchObject({
    code: "guard_unavailable",
  });
  expect(faults).toHaveLength(1);
  await limiter.reserve({ ...claim, limits: boundsOf({}) });
});
