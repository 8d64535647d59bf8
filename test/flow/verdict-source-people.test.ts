import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { ADA, ADMIN, OWNER, prompt, type Source, SourceWorld } from "./verdict-source-world";

const KEY = "AKIAJLWGWBQ6RF4XWVRF";
const EVE = "eve@example.com";

let world: SourceWorld;
let claude: Source;
beforeAll(async () => {
  world = await SourceWorld.open();
  claude = await world.source("claude");
});
afterAll(() => world[Symbol.asyncDispose]());

const stranger = { actor: { type: "user", id: "user_01XYZ", email_address: "nobody@elsewhere.example" } };
const actorOf = async (frame: object, source = claude) => {
  const asked = await world.ask(source, frame);
  const { actor } = (await world.world.recordsOf(asked.response)).final;
  return { ...asked, actor };
};
const idOf = async (email: string) => {
  const users = Object.values(Object((await world.hub.cli("user", "list")).json()));
  return users.map((user) => Object(user)).find((user) => user.email === email)?.id;
};

test("people are found by their address, others are named by an id, and nobody is made a user", async () => {
  verifies("verdicts.people");
  const before = (await world.hub.cli("user", "list")).stdout;
  const ada = await actorOf(prompt("Hello there"));
  expect(ada.actor).toEqual({
    ...{ via: "source", user_id: await idOf(ADA), agent_id: world.agent.id, token_id: claude.id },
  });
  const owner = await idOf(OWNER);
  expect((await actorOf(prompt("Hello there", stranger))).actor).toMatchObject({
    user_id: owner,
    external: "user_01XYZ",
  });
  for (const [actor, external] of [
    [{ id: "<script>", email_address: "x@elsewhere.example" }, "x@elsewhere.example"],
    [{ id: "a".repeat(500), email_address: "not an address" }, "unknown"],
    // The sign for Kelvin is no K.
    [{ id: "k1", email_address: "\u212a@example.com" }, "k1"],
    ["nobody", "unknown"],
    [undefined, "unknown"],
  ] as const) {
    expect((await actorOf(prompt("Hello there", { actor }))).actor.external).toBe(external);
  }
  expect((await world.hub.cli("user", "list")).stdout).toBe(before);
});

test("an application has an agent of its own where the source says so", async () => {
  verifies("verdicts.people");
  const coder = await world.hub.createAgent("Claude Code", OWNER);
  const source = await world.source("apps", "--application", `claude-code=${coder.id}`);
  const at = (application: string) => actorOf(prompt("Hello there", { source: { application } }), source);
  expect((await at("claude-code")).actor.agent_id).toBe(coder.id);
  for (const other of ["claude-ai", "constructor", "__proto__", ""]) {
    expect((await at(other)).actor.agent_id).toBe(world.agent.id);
  }
  // Without an agent each person's own policy counts.
  const plain = await world.hub.cli("hook", "source", "add", "plain", "--kind", "anthropic");
  expect(Object(plain.json())).toMatchObject({ user: ADMIN, agent: null });
  const { actor } = await actorOf(prompt("Hello there"), Object(plain.json()));
  expect([actor.user_id, actor.agent_id]).toEqual([await idOf(ADA), null]);
});

test("who is disabled or stopped is denied, by whichever agent", async () => {
  verifies("verdicts.people");
  const ask = async (more: object = {}) => (await world.ask(claude, prompt("Hello there", { ...more }))).answer;
  const during = async (on: readonly string[], off: readonly string[], answer: object) => {
    expect((await world.hub.cli(...on)).code).toBe(0);
    expect(await ask()).toMatchObject(answer);
    expect((await world.hub.cli(...off)).code).toBe(0);
    expect(await ask()).toEqual({ action: "allow" });
  };
  const denied = { action: "deny" };
  await during(["user", "disable", ADA], ["user", "enable", ADA], denied);
  await during(["user", "disable", OWNER], ["user", "enable", OWNER], denied);
  const agent = [world.agent.id, "--reason", "drill"];
  await during(["agent", "suspend", ...agent], ["agent", "resume", ...agent], denied);
  const key = await world.session(ADMIN);
  for (const [level, target] of [
    ["owner", await idOf(ADA)],
    ["owner", await idOf(OWNER)],
    ["model", "claude-*"],
  ]) {
    const made = await world.hub.fetch("/api/killswitch", { token: key, json: { level, target, reason: "drill" } });
    expect(await ask()).toMatchObject({ action: "deny", deny_reason: expect.stringContaining("drill") });
    await world.hub.fetch(`/api/killswitch/${(await made.json()).id}/lift`, { token: key, json: { reason: "over" } });
    expect(await ask()).toEqual({ action: "allow" });
  }
});

test("a denial is disputed by whom it denied, by the agent's owner, and by administrators", async () => {
  verifies("verdicts.disputes");
  const keys = new Map<string, string>();
  for (const email of [ADA, OWNER, EVE, ADMIN]) keys.set(email, await world.session(email));
  const as = async (email: string, path: string, json?: object) => {
    const response = await world.hub.fetch(path, { token: keys.get(email) ?? "", ...(json && { json }) });
    return { status: response.status, json: await response.json() };
  };
  const denied = async (more: object = {}) => {
    const { answer } = await world.ask(claude, prompt(`key ${KEY}`, { ...more }));
    const call = /\/calls\/([0-9a-f-]+)$/.exec(answer.deny_reason)?.[1] ?? "";
    await eventually(async () => (await as(ADMIN, `/api/calls/${call}`)).status, 200);
    return { call, event: answer.reference_id };
  };
  const own = await denied();
  expect((await as(ADA, `/api/calls/${own.call}`)).json).toMatchObject({ is_own: true, event_id: own.event });
  expect((await as(EVE, `/api/calls/${own.call}`)).status).toBe(404);
  expect((await as(EVE, `/api/calls/${own.call}/dispute`, {})).status).toBe(404);
  const made = await as(ADA, `/api/calls/${own.call}/dispute`, { user_reason: "It is the manual's." });
  expect(made).toMatchObject({ status: 201, json: { event_id: own.event, agent_id: world.agent.id } });
  const record = (await as(ADMIN, "/api/calls?kind=report.create")).json.data[0];
  expect(record).toMatchObject({ via: "session", change: { subject_id: made.json.miss_report_id } });
  expect((await as(OWNER, `/api/calls/${(await denied()).call}/dispute`, {})).status).toBe(201);

  const foreign = await denied(stranger);
  expect((await as(ADA, `/api/calls/${foreign.call}`)).status).toBe(404);
  expect((await as(ADMIN, `/api/calls/${foreign.call}`)).json).toMatchObject({ is_own: true, external: "user_01XYZ" });
  expect((await as(ADMIN, `/api/calls/${foreign.call}/dispute`, {})).status).toBe(201);
  // An agent's gateway token disputes what the agent was denied, no matter who used it.
  const { token } = await world.hub.createToken(OWNER, world.agent.id);
  const json = { event_id: (await denied()).event, user_reason: "It is the manual's." };
  expect((await world.hub.fetch("/v1/guard/disputes", { token, json })).status).toBe(201);
});
