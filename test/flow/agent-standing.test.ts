import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ReviewHouse } from "./review-house";

let house: ReviewHouse;
beforeAll(async () => {
  house = await ReviewHouse.open();
});
afterAll(() => house[Symbol.asyncDispose]());

test("a list of agents says how each stands", async () => {
  verifies("agents.standing");
  const agent = await house.approved("owner");
  const standing = async () => {
    const { json } = await house.as("owner", "GET", "/agents");
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
  });
  const draft = await house.agent("owner");
  const { json: listed } = await house.as("owner", "GET", "/agents");
  expect(listed.data.find((one: { id: string }) => one.id === draft).standing).toMatchObject({ risk_tier: null });
  await house.chat("owner", agent, "guardhouse/echo");
  const restriction = { kind: "output_redaction", reason: "For a while.", expires_in: "1h" };
  expect((await house.as("owner", "POST", `/agents/${agent}/restrictions`, restriction)).status).toBe(201);
  await house.as("owner", "GET", `/agents/${agent}/health`);
  const now = await house.eventually(async () => {
    const it = await standing();
    return it.restrictions === 1 && it.last_used_at !== null ? it : null;
  });
  expect(now).toMatchObject({ health_score: null, band: "insufficient_data", restrictions: 1, suspended: false });
  const suspension = { kind: "suspended", reason: "It books what nobody asked for." };
  expect((await house.as("owner", "POST", `/agents/${agent}/restrictions`, suspension)).status).toBe(201);
  // Its lifecycle goes on, and it is served nothing all the same.
  expect(await standing()).toMatchObject({ restrictions: 2, suspended: true });
  expect((await house.as("owner", "GET", "/overview")).json.agents).toMatchObject({ suspended: 1 });
});

test("an agent whose owner is disabled is governed worse, and says why", async () => {
  verifies("agents.standing");
  const agent = await house.approved("stranger");
  const governance = async () => {
    const { json } = await house.as("ann", "GET", `/agents/${agent}/health`);
    return json.inputs.find(({ key }: { key: string }) => key === "governance");
  };
  expect(await governance()).toMatchObject({ score: 1 });
  await house.as("root", "PATCH", `/users/${house.id("stranger")}`, { state: "disabled" });
  // What was computed is shown for a minute, unless something about the agent changes.
  await house.as("root", "POST", `/agents/${agent}/restrictions`, {
    kind: "output_redaction",
    reason: "x",
    expires_in: "1h",
  });
  expect(await governance()).toMatchObject({ score: 0.75, explain: expect.stringContaining("owner is inactive") });
  await house.as("root", "PATCH", `/users/${house.id("stranger")}`, { state: "active" });
});

test("an agent's tools are for who may see it", async () => {
  verifies("agents.standing");
  const agent = await house.agent("owner");
  const empty = { object: "list", data: [], has_more: false, next_cursor: null };
  expect(await house.as("owner", "GET", `/agents/${agent}/tools`)).toEqual({ status: 200, json: empty });
  expect((await house.as("auditor", "GET", `/agents/${agent}/tools`)).status).toBe(200);
  expect((await house.as("stranger", "GET", `/agents/${agent}/tools`)).status).toBe(404);
  expect((await house.as("owner", "GET", "/agents/nothing/tools")).status).toBe(404);
});
