import { expect, test } from "bun:test";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

/* Workers of the executable, over one SQLite, that spend of one budget. */

const ADA = "ada@example.com";
/** A token costs a tenth of a cent. */
const PRICES = JSON.stringify([{ model: "guardhouse/*", input: 1_000, output: 1_000 }]);
const CALL = { model: "guardhouse/echo", max_tokens: 20, messages: [{ role: "user", content: "Hello there" }] };

test("three workers never pass a budget together, and what they spent is what the records say", async () => {
  verifies("money.budgets-exact", "money.figures");
  await using hub = await Hub.create({
    processes: "hub",
    serve: ["--workers", "3"],
    env: { GUARDHOUSE_PRICES: PRICES },
  });
  await hub.createUser(ADA);
  const { token } = await hub.createToken(ADA);
  expect((await hub.cli("budget", "set", "--hub", "--period", "month", "--limit", "0.5")).code).toBe(0);
  await hub.start();
  // A connection a call, so that all workers have some.
  const ask = () => hub.fetch("/v1/chat/completions", { token, json: CALL, keepalive: false });
  const seen = new Set<number>();
  let served = 0;
  // Until nothing fits any more, of one call alone either.
  for (const together of [60, 60, 60]) {
    const answers = await Promise.all(Array.from({ length: together }, ask));
    for (const { status } of answers) seen.add(status);
    served += answers.filter(({ status }) => status === 200).length;
  }
  while ((await ask()).status === 200) served += 1;
  expect(seen).toEqual(new Set([200, 429]));
  const exported = (await hub.cli("audit", "export", "--format", "ndjson")).stdout.trim().split("\n");
  const costs = exported
    .map((line) => JSON.parse(line))
    .flatMap(({ phase, call }) => (phase === "final" ? (call?.cost_usd ?? []) : []));
  expect(costs.filter((cost) => cost > 0)).toHaveLength(served);
  const spent = costs.reduce((sum, cost) => sum + Math.round(cost * 1e9), 0) / 1e9;
  expect(spent).toBeLessThanOrEqual(0.5);
  // All of it but what a call may cost at most.
  expect(spent).toBeGreaterThan(0.5 - 0.03);
  const listed: unknown = (await hub.cli("budget", "list")).json();
  expect(listed).toMatchObject([{ spent_usd: spent, reserved_usd: 0 }]);
}, 180_000);
