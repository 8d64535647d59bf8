import { expect, test } from "bun:test";
import fc from "fast-check";
import { isAsked } from "#dashboard/features/calls/call-match";
import { callFilterIn } from "#features/calls/query";
import { shownRow } from "#features/calls/schema";
import { COST_BASES } from "#model/audit";
import { CALL_CATEGORIES, CALL_DECISIONS, categoryOf } from "#model/call-entry";
import { isWanted } from "#store/sqlite/call-finding";
import { callRecord } from "#test/support/call-record";
import { verifies } from "#test/support/verifies";

const NAMES = ["one", "two"] as const;
const NUMBER = fc.constantFrom("0", "2", "2.5", "5");
const USD = fc.constantFrom("0", "0.002", "0.0025");

const RECORD = fc
  .record({
    kind: fc.constantFrom("chat.completion", "messages.create", "tool.call", "guard.scan"),
    agent: fc.option(fc.constantFrom(...NAMES)),
    user: fc.constantFrom(...NAMES),
    outcome: fc.constantFrom("answered", "refused", "failed"),
    model: fc.option(fc.constantFrom(...NAMES)),
    action: fc.constantFrom("allow", "block"),
    status: fc.constantFrom(200, 404, 429, 503),
    flags: fc.subarray(["pii.email", "pii.card_number", "secret.key"]),
    total: fc.constantFrom(0, 2, 2.5, 4.75, 5, 9),
    tokens: fc.option(fc.nat(6)),
    cost: fc.option(fc.constantFrom(0, 0.002, 0.002_5, 0.01)),
    conversation: fc.option(fc.constantFrom(...NAMES)),
  })
  .map(({ kind, agent, user, outcome, model, action, status, flags, total, tokens, cost, conversation }) => {
    const isCall = kind !== "guard.scan";
    const found = flags.map((type) => ({
      ...{ type, score: 1, start: 0, end: 1, detector: type, action, param: "messages[0].content" },
      origin: "user" as const,
    }));
    const usage = { prompt_tokens: tokens ?? 0, completion_tokens: 0, total_tokens: tokens ?? 0 };
    const facts = {
      ...{ model, action, status, flags: found, conversation_id: conversation },
      usage: isCall && tokens !== null ? usage : null,
      ms: { total, guard: 0, upstream: 0 },
      ...(isCall && cost !== null && { cost_usd: cost, cost_basis: "usage" as const }),
    };
    return callRecord({ kind, agent, user, outcome, facts });
  });

const VALUES = fc.record(
  {
    kind: fc.constantFrom("model", "chat", "chat.completion", "tool", "guard.scan"),
    outcome: fc.constantFrom("answered", "refused"),
    decision: fc.constantFrom(...CALL_DECISIONS),
    flag_type: fc.constantFrom("pii", "pii.email", "pii.em", "secret"),
    agent_id: fc.constantFrom(...NAMES),
    user_id: fc.constantFrom(...NAMES),
    token_id: fc.constantFrom("token-1", "token-2"),
    model: fc.constantFrom(...NAMES),
    conversation_id: fc.constantFrom(...NAMES),
    status: fc.constantFrom("200", "4xx", "429", "5xx"),
    min_latency_ms: NUMBER,
    max_latency_ms: NUMBER,
    min_tokens: fc.constantFrom("0", "3"),
    max_tokens: fc.constantFrom("3", "6"),
    min_cost_usd: USD,
    max_cost_usd: USD,
    cost_basis: fc.constantFrom(...COST_BASES),
  },
  { requiredKeys: [] },
);

test("Live shows the calls that the list of calls would find by the same filters", () => {
  verifies("dashboard.calls");
  const nobody = { user: () => null, agent: () => null, token: () => null };
  const category = fc.constantFrom(...CALL_CATEGORIES, "all" as const);
  fc.assert(
    fc.property(RECORD, VALUES, category, (record, values, chosen) => {
      const told = { ...shownRow(record, nobody), category: categoryOf(record) };
      const filter = callFilterIn({ ...values, category: chosen });
      expect(isAsked(told, { values, category: chosen })).toBe(isWanted(record, filter, null));
    }),
    { numRuns: 2_000 },
  );
});
