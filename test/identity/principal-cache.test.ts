import { expect, test } from "bun:test";
import { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { mintToken, type Token } from "#model/token";
import { secretHash } from "#platform/hash";
import { verifies } from "#test/support/verifies";

const AGENT: Agent = {
  ...{ id: "a1", name: "bot", owner_id: "bob", sponsor_id: null, description: null, environment: null },
  ...{ review_status: "draft", lifecycle: "active", suspension: null, profile_version: null, review_due_at: null },
  created_at: 0,
};
const userOf = (id: string) =>
  ({ id, email: `${id}@example.com`, name: null, role: "member", state: "active", created_at: 0 }) as const;

test("a token created during a change of owner is invalid", () => {
  verifies("agents.own");
  const principals = new PrincipalCache(() => 0);
  const secret = mintToken(new Uint8Array(32).fill(7));
  const token: Token = {
    ...{ id: "t1", hash: secretHash(secret), display: "", name: null, user_id: "eve", agent_id: "a1" },
    ...{ state: "active", expires_at: null, created_at: 0 },
  };
  const nothing = { sessions: [], providers: null, tools: null, profiles: [], restrictions: [], kill_switches: [] };
  const apply = (owner_id: string, revision: number) =>
    principals.apply({
      ...{ ...nothing, tuning: [], policy: null, prices: null, budgets: null, hook_sources: null, revision },
      ...{ users: [userOf("bob"), userOf("eve")], agents: [{ ...AGENT, owner_id }], tokens: [token] },
    });
  apply("eve", 1);
  expect(principals.authenticate(secret)?.agent?.id).toBe("a1");
  apply("bob", 2);
  expect(principals.authenticate(secret)).toBeNull();
});
