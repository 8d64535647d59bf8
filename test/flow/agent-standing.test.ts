import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ReviewWorld } from "./review-world";

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

test("a list of agents says how each stands", async () => {
  verifies("agents.standing");
  const agent = await world.approved("owner");
  const standing = async () => {
    const { json } = await world.as("owner", "GET", "/agents");
    return json.data.find((one: { id: string }) => one.id === agent).standing;
  };
  expect(await standing()).toEqual({
    health_score: null,
    risk_tier: "low",
    band: "insufficient_data",
    drift_status: "no_baseline",
    trend: [],
    restrictions: 0,
    suspended: false,
    last_used_at: null,
    volume: { calls: 0, blocked: 0, block_rate: null, cost_usd: 0, unpriced_calls: 0 },
  });
  const draft = await world.agent("owner");
  const { json: listed } = await world.as("owner", "GET", "/agents");
  expect(listed.data.find((one: { id: string }) => one.id === draft).standing).toMatchObject({ risk_tier: null });
  await world.chat("owner", agent, "guardhouse/echo");
  const restriction = { kind: "output_redaction", reason: "For a while.", expires_in: "1h" };
  expect((await world.as("owner", "POST", `/agents/${agent}/restrictions`, restriction)).status).toBe(201);
  await world.as("owner", "GET", `/agents/${agent}/health`);
  const now = await world.eventually(async () => {
    const it = await standing();
    return it.restrictions === 1 && it.last_used_at !== null ? it : null;
  });
  expect(now).toMatchObject({ health_score: null, band: "insufficient_data", restrictions: 1, suspended: false });
  const suspension = { kind: "suspended", reason: "It books what nobody asked for." };
  expect((await world.as("owner", "POST", `/agents/${agent}/restrictions`, suspension)).status).toBe(201);
  // Its lifecycle goes on, and it is served nothing all the same.
  expect(await standing()).toMatchObject({ restrictions: 2, suspended: true });
  expect((await world.as("owner", "GET", "/overview")).json.agents).toMatchObject({ suspended: 1 });
});

test("health: an inactive owner lowers governance, with the reason", async () => {
  verifies("agents.standing");
  const agent = await world.approved("stranger");
  const governance = async () => {
    const { json } = await world.as("ann", "GET", `/agents/${agent}/health`);
    return json.inputs.find(({ key }: { key: string }) => key === "governance");
  };
  expect(await governance()).toMatchObject({ score: 1 });
  await world.as("root", "PATCH", `/users/${world.id("stranger")}`, { state: "disabled" });
  // What was computed is shown for a minute, unless something about the agent changes.
  await world.as("root", "POST", `/agents/${agent}/restrictions`, {
    kind: "output_redaction",
    reason: "x",
    expires_in: "1h",
  });
  expect(await governance()).toMatchObject({ score: 0.75, explain: expect.stringContaining("owner inactive") });
  await world.as("root", "PATCH", `/users/${world.id("stranger")}`, { state: "active" });
});

test("an agent's tools are listed to users who may see it", async () => {
  verifies("agents.standing");
  const agent = await world.agent("owner");
  const empty = { object: "list", data: [], has_more: false, next_cursor: null };
  expect(await world.as("owner", "GET", `/agents/${agent}/tools`)).toEqual({ status: 200, json: empty });
  expect((await world.as("auditor", "GET", `/agents/${agent}/tools`)).status).toBe(200);
  expect((await world.as("stranger", "GET", `/agents/${agent}/tools`)).status).toBe(404);
  expect((await world.as("owner", "GET", "/agents/nothing/tools")).status).toBe(404);
});
