/**
 * Four people and two agents, from registration to approval, enforcement, an automatic restriction, a kill switch during
 * an open stream, and recovery; every step shows in the audit log and in the agent's health.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answers, tool } from "#test/support/answers";
import { says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ADMIN, BOB, EVE, MODEL, RestrictedHouse, until } from "./restricted-house";

const RITA = "rita@example.com";
const ROB = "rob@example.com";

let house: RestrictedHouse;
const keys = { eve: "", rita: "", rob: "", admin: "" };
beforeAll(async () => {
  house = await RestrictedHouse.open({
    before: async (hub) => {
      await hub.createUser(RITA, "--role", "reviewer");
      await hub.createUser(ROB, "--role", "reviewer");
    },
  });
  keys.eve = await house.session(EVE);
  keys.rita = await house.session(RITA);
  keys.rob = await house.session(ROB);
  keys.admin = await house.session(ADMIN);
});
afterAll(() => house[Symbol.asyncDispose]());

const healthOf = async (agent: string) => {
  const response = await house.hub.fetch(`/v1/guard/health/${agent}`, { token: house.tokens.eve });
  expect(response.status).toBe(200);
  return response.json();
};

const RISKY = answers({
  models: { models: [MODEL], max_tokens: 200 },
  purpose: { intended_use: "Answers customers' mail.", audience: "customer" },
  data_privacy: { data_classes: ["confidential"] },
  tools: { tools: [tool("files", "read", "read"), tool(null, "send_mail", "send")] },
  input_trust: { sources: ["user", "email"] },
});

test("from registration to recovery", async () => {
  verifies("agents.whole-life");
  const { hub, ids, tokens, provider } = house;
  const second = await house.api(keys.eve, "POST", "/agents", { name: "second", environment: "staging" });
  expect(second.status).toBe(201);
  const { token: secondToken } = await hub.createToken(EVE, "second");
  const stranger = await house.session(BOB);
  expect((await house.api(stranger, "GET", `/agents/${ids.agent}`)).status).toBe(404);

  expect((await house.api(keys.eve, "PATCH", `/agents/${ids.agent}`, { sponsor: BOB })).status).toBe(200);
  const submitted = await house.api(keys.eve, "POST", `/agents/${ids.agent}/reviews`, { answers: RISKY, submit: true });
  expect(submitted).toMatchObject({ status: 201, json: { status: "submitted", required: 2, risk: { tier: "high" } } });
  const { id: review, content_hash } = submitted.json;
  const decide = (key: string) =>
    house.api(key, "POST", `/reviews/${review}/decisions`, { decision: "approve", content_hash });
  expect((await decide(keys.eve)).status).toBe(403);
  expect(await house.chat({ model: MODEL, max_tokens: 5_000 })).toEqual([200, null]);
  expect((await decide(keys.rita)).json.status).toBe("in_review");
  expect((await decide(keys.rob)).json.status).toBe("approved");

  const profile = await hub.fetch(`/v1/guard/agents/${ids.agent}/profile`, { token: tokens.agent });
  expect(await profile.json()).toMatchObject({ version: 1, risk_tier: "high", models: { allow: [MODEL] } });
  expect(await house.chat({ model: MODEL, max_tokens: 5_000 })).toEqual([400, "parameter_not_allowed"]);
  expect(await house.chat({ model: MODEL, max_tokens: 5_000 }, secondToken)).toEqual([200, null]);
  expect((await house.call("files__read")).status).toBe(200);

  for (const n of Array(10).keys()) await house.call(`files__probe_${n}`);
  await until(async () => (await healthOf(ids.agent)).active_restrictions.length > 0);
  const [restriction] = (await healthOf(ids.agent)).active_restrictions;
  expect(restriction).toMatchObject({ kind: "tool_restricted", source: "automatic" });
  expect((await healthOf(second.json.id)).active_restrictions).toEqual([]);

  provider.next(says(Array(400).fill("This goes on and on. "), { gapMs: 50 }));
  const open = await house.ask({ stream: true });
  expect(open.status).toBe(200);
  const killed = await house.api(keys.admin, "POST", "/killswitch", {
    level: "agent",
    target: ids.agent,
    reason: "It probes for tools.",
  });
  expect(killed).toMatchObject({ status: 201, json: { level: "agent" } });
  expect(await open.text()).toContain('"code":"killed"');
  expect(await house.chat()).toEqual([403, "killed"]);
  expect(await house.chat({}, secondToken)).toEqual([200, null]);

  expect(
    (await house.api(keys.admin, "POST", `/killswitch/${killed.json.id}/lift`, { reason: "Looked at." })).status,
  ).toBe(200);
  const lifted = await house.lift(keys.admin, restriction);
  expect(lifted.status).toBe(200);
  provider.always(says("Hello."));
  expect(await house.chat()).toEqual([200, null]);
  expect((await healthOf(ids.agent)).active_restrictions).toEqual([]);

  const steps = ["agent.create", "review.submit", "review.decide", "restriction.set", "restriction.lift"];
  for (const kind of [...steps, "killswitch.on", "killswitch.off"]) {
    expect([kind, (await house.records(kind)).length > 0]).toEqual([kind, true]);
  }
  expect((await hub.cli("audit", "verify")).code).toBe(0);
  expect(await house.api(keys.admin, "GET", "/jobs")).toMatchObject({ status: 200, json: { object: "list" } });
  expect((await house.api(keys.eve, "GET", "/jobs")).status).toBe(403);
}, 60_000);
