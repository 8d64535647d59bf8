/**
 * Four people and two agents, from registration to approval, enforcement, an automatic restriction, a kill switch during
 * an open stream, and recovery; every step shows in the audit log and in the agent's health.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answers, tool } from "#test/support/answers";
import { says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ADMIN, BOB, EVE, MODEL, RestrictedWorld, until } from "./restricted-world";

const RITA = "rita@example.com";
const ROB = "rob@example.com";

let world: RestrictedWorld;
const keys = { eve: "", rita: "", rob: "", admin: "" };
beforeAll(async () => {
  world = await RestrictedWorld.open({
    before: async (hub) => {
      await hub.createUser(RITA, "--role", "reviewer");
      await hub.createUser(ROB, "--role", "reviewer");
    },
  });
  keys.eve = await world.session(EVE);
  keys.rita = await world.session(RITA);
  keys.rob = await world.session(ROB);
  keys.admin = await world.session(ADMIN);
});
afterAll(() => world[Symbol.asyncDispose]());

const healthOf = async (agent: string) => {
  const response = await world.hub.fetch(`/v1/guard/health/${agent}`, { token: world.tokens.eve });
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
  const { hub, ids, tokens, provider } = world;
  const second = await world.api(keys.eve, "POST", "/agents", { name: "second", environment: "staging" });
  expect(second.status).toBe(201);
  const { token: secondToken } = await hub.createToken(EVE, "second");
  const stranger = await world.session(BOB);
  expect((await world.api(stranger, "GET", `/agents/${ids.agent}`)).status).toBe(404);

  expect((await world.api(keys.eve, "PATCH", `/agents/${ids.agent}`, { sponsor: BOB })).status).toBe(200);
  const submitted = await world.api(keys.eve, "POST", `/agents/${ids.agent}/reviews`, { answers: RISKY, submit: true });
  expect(submitted).toMatchObject({ status: 201, json: { status: "submitted", required: 2, risk: { tier: "high" } } });
  const { id: review, content_hash } = submitted.json;
  const decide = (key: string) =>
    world.api(key, "POST", `/reviews/${review}/decisions`, { decision: "approve", content_hash });
  expect((await decide(keys.eve)).status).toBe(403);
  expect(await world.chat({ model: MODEL, max_tokens: 5_000 })).toEqual([200, null]);
  expect((await decide(keys.rita)).json.status).toBe("in_review");
  expect((await decide(keys.rob)).json.status).toBe("approved");

  const profile = await hub.fetch(`/v1/guard/agents/${ids.agent}/profile`, { token: tokens.agent });
  expect(await profile.json()).toMatchObject({ version: 1, risk_tier: "high", models: { allow: [MODEL] } });
  expect(await world.chat({ model: MODEL, max_tokens: 5_000 })).toEqual([400, "parameter_not_allowed"]);
  expect(await world.chat({ model: MODEL, max_tokens: 5_000 }, secondToken)).toEqual([200, null]);
  expect((await world.call("files__read")).status).toBe(200);

  for (const n of Array(10).keys()) await world.call(`files__probe_${n}`);
  await until(async () => (await healthOf(ids.agent)).active_restrictions.length > 0);
  const [restriction] = (await healthOf(ids.agent)).active_restrictions;
  expect(restriction).toMatchObject({ kind: "tool_restricted", source: "automatic" });
  expect((await healthOf(second.json.id)).active_restrictions).toEqual([]);

  provider.next(says(Array(400).fill("This goes on and on. "), { gapMs: 50 }));
  const open = await world.ask({ stream: true });
  expect(open.status).toBe(200);
  const killed = await world.api(keys.admin, "POST", "/killswitch", {
    level: "agent",
    target: ids.agent,
    reason: "It probes for tools.",
  });
  expect(killed).toMatchObject({ status: 201, json: { level: "agent" } });
  expect(await open.text()).toContain('"code":"killed"');
  expect(await world.chat()).toEqual([403, "killed"]);
  expect(await world.chat({}, secondToken)).toEqual([200, null]);

  expect(
    (await world.api(keys.admin, "POST", `/killswitch/${killed.json.id}/lift`, { reason: "Looked at." })).status,
  ).toBe(200);
  const lifted = await world.lift(keys.admin, restriction);
  expect(lifted.status).toBe(200);
  provider.always(says("Hello."));
  expect(await world.chat()).toEqual([200, null]);
  expect((await healthOf(ids.agent)).active_restrictions).toEqual([]);

  const steps = ["agent.create", "review.submit", "review.decide", "restriction.set", "restriction.lift"];
  for (const kind of [...steps, "killswitch.on", "killswitch.off"]) {
    expect([kind, (await world.records(kind)).length > 0]).toEqual([kind, true]);
  }
  expect((await hub.cli("audit", "verify")).code).toBe(0);
  expect(await world.api(keys.admin, "GET", "/jobs")).toMatchObject({ status: 200, json: { object: "list" } });
  expect((await world.api(keys.eve, "GET", "/jobs")).status).toBe(403);
}, 120_000);
