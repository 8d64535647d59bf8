import { expect, test } from "bun:test";
import type { Agent } from "#core/agent";
import { mintToken, type Token } from "#core/token";
import { Directory } from "#engine/directory";
import { secretHash } from "#platform/hash";
import { verifies } from "#test/support/verifies";

const AGENT: Agent = {
  ...{ id: "a1", name: "bot", owner_id: "bob", sponsor_id: null, description: null, environment: null },
  ...{ review_status: "draft", lifecycle: "active", halt: null, profile_version: null, review_due_at: null },
  created_at: 0,
};
const userOf = (id: string) =>
  ({ id, email: `${id}@example.com`, name: null, role: "member", state: "active", created_at: 0 }) as const;

test("an agent's token that somebody made while the agent was handed on opens nothing", () => {
  verifies("agents.own");
  const directory = new Directory(() => 0);
  const secret = mintToken(new Uint8Array(32).fill(7));
  const token: Token = {
    ...{ id: "t1", hash: secretHash(secret), display: "", name: null, user_id: "eve", agent_id: "a1" },
    ...{ state: "active", expires_at: null, created_at: 0 },
  };
  const nothing = { sessions: [], providers: null, tools: null, profiles: [], restrictions: [], kill_switches: [] };
  const take = (owner_id: string, revision: number) =>
    directory.take({
      ...{ ...nothing, tuning: [], policy: null, revision },
      ...{ users: [userOf("bob"), userOf("eve")], agents: [{ ...AGENT, owner_id }], tokens: [token] },
    });
  take("eve", 1);
  expect(directory.authenticate(secret)?.agent?.id).toBe("a1");
  take("bob", 2);
  expect(directory.authenticate(secret)).toBeNull();
});
