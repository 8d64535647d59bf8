import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AccessService } from "#features/access/service";
import { SessionService } from "#features/access/sessions";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import type { Role, User } from "#model/person";
import { HOUR_MS, hourOf } from "#model/usage";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { profileOf } from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { callRecord } from "#test/support/call-record";
import { verifies } from "#test/support/verifies";
import { AppWorld } from "./app-world";

const basics = { now: systemClock, ids: systemIds };
const NOBODY = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";

let world: AppWorld;
let access: AccessService;
/** Session keys by person, gateway tokens by person or agent. */
const keys = new Map<string, string>();
const people = new Map<string, User>();
const agents = new Map<string, Agent>();

const person = async (name: string, role: Role): Promise<void> => {
  const user = await access.createUser(CLI_ACTOR, { email: `${name}@example.com`, name, role, password: null });
  if (!user) throw new Error("the user was not created");
  const { sessions } = world.store;
  const { key } = await new SessionService({ sessions, ...basics }).create(CLI_ACTOR, user, HOUR_MS);
  const { secret } = await access.issueToken(CLI_ACTOR, { user, agent: null, name: null, lifetimeMs: null });
  people.set(name, user);
  keys.set(`${name}'s session`, key);
  keys.set(name, secret);
};

const agentOf = async (owner: string, name: string): Promise<void> => {
  const user = people.get(owner);
  const agent = user ? await access.createAgent(CLI_ACTOR, user, name) : null;
  if (!agent || !user) throw new Error("the agent was not created");
  const { secret } = await access.issueToken(CLI_ACTOR, { user, agent, name: null, lifetimeMs: null });
  agents.set(name, agent);
  keys.set(name, secret);
};

const idOf = (agent: string): string => agents.get(agent)?.id ?? agent;

const ask = async (who: string, path: string, body?: unknown) => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${keys.get(who) ?? ""}` };
  const response = await world.fetch(path, { ...init, headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

const healthOf = (who: string, agent: string) => ask(who, `/v1/guard/health/${idOf(agent)}`);

/** Puts a profile in force, as an approval does. */
const govern = async (agent: string, version: number): Promise<void> => {
  const profile = profileOf(version, { id: systemIds(), agent_id: idOf(agent), effective_from: systemClock() });
  const patch = { profile_version: version, review_status: "approved" } as const;
  await world.store.profiles.publish(idOf(agent), { profile, agent: patch }, someRecord());
  await world.app.parts.feedPoller.refresh();
};

/** Calls that end now, as the guard tells of them. */
const calls = (agent: string, n: number, model: string): void => {
  for (let i = 0; i < n; i += 1) {
    world.app.parts.recorder.note(callRecord({ at: systemClock(), agent: idOf(agent), facts: { model } }));
  }
};

beforeAll(async () => {
  world = await AppWorld.open();
  const { users, agents: stored, tokens } = world.store;
  access = new AccessService({ users, agents: stored, tokens, ...basics });
  for (const [name, role] of [
    ["olga", "member"],
    ["mallory", "member"],
    ["rita", "reviewer"],
  ] as const) {
    await person(name, role);
  }
  for (const [name, role] of [
    ["ada", "admin"],
    ["anna", "analyst"],
    ["otto", "auditor"],
  ] as const) {
    await person(name, role);
  }
  for (const name of ["helper", "clean", "drifter"]) await agentOf("olga", name);
  await agentOf("rita", "own-of-rita");
  await agentOf("mallory", "other");
  await world.app.parts.feedPoller.refresh();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("GET /v1/guard/health/{agent_id}", () => {
  test("an agent that did nothing yet", async () => {
    verifies("health.answer", "health.too-little");
    const { status, body } = await healthOf("olga", "clean");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ agent_id: idOf("clean"), health_score: null, band: "insufficient_data", drift_status: "no_baseline" },
      ...{ active_restrictions: [], confidence: "none", formula: "health/1", window: { calls: 0 } },
      drift: { status: "no_baseline", acknowledged_until: null, baseline: null, features: [], first_seen: [] },
    });
    expect(body.inputs.map(({ key, weight }: { key: string; weight: number }) => [key, weight])).toEqual([
      ...[
        ["safety", 0.35],
        ["conformance", 0.2],
        ["guard_fit", 0.15],
        ["reliability", 0.15],
        ["governance", 0.15],
      ],
    ]);
    for (const input of body.inputs) expect(input.explain).toMatch(/^[A-Z0-9].*\.$/);
    expect(Object.keys(body)).toEqual([
      ...["agent_id", "health_score", "band", "drift_status", "active_restrictions", "confidence", "window"],
      ...["inputs", "caps", "drift", "computed_at", "formula"],
    ]);
  });

  test("real calls count at once, and an ungoverned agent is capped", async () => {
    verifies("health.answer");
    for (let i = 0; i < 55; i += 1) {
      const { status } = await ask("helper", "/v1/chat/completions", {
        ...{ model: "guardhouse/echo", messages: [{ role: "user", content: `hello ${i}` }] },
      });
      expect(status).toBe(200);
    }
    const { body } = await healthOf("helper", "helper");
    expect(body).toMatchObject({ health_score: 69, band: "degraded", confidence: "low", window: { calls: 55 } });
    expect(body.caps).toMatchObject([{ code: "ungoverned", limit: 69, since: expect.stringMatching(/Z$/) }]);
  });

  test("a profile in force and a restriction show at the next asking", async () => {
    verifies("health.answer");
    await govern("helper", 1);
    expect((await healthOf("helper", "helper")).body).toMatchObject({ health_score: 100, band: "healthy", caps: [] });
    const now = systemClock();
    await world.store.restrictions.set(
      {
        ...{ id: systemIds(), agent_id: idOf("helper"), kind: "rate_limited", params: { requests_per_minute: 5 } },
        ...{ source: "manual", set_by: null, trigger: null, reason: "too loud", starts_at: now, receipts: [] },
        ...{ expires_at: now + HOUR_MS, lifted_at: null, lifted_by: null, lift_reason: null },
      },
      someRecord(),
    );
    await world.app.parts.feedPoller.refresh();
    const { body } = await healthOf("helper", "helper");
    expect(body.active_restrictions).toMatchObject([
      { kind: "rate_limited", params: { requests_per_minute: 5 }, source: "manual", reason: "too loud" },
    ]);
  });

  test("is the agent's own, and its owner's; to others it does not exist", async () => {
    verifies("health.owned", "profile.read");
    for (const path of ["/v1/guard/health/", "/v1/guard/agents/"]) {
      const at = (agent: string) => (path.endsWith("agents/") ? `${path}${idOf(agent)}/profile` : path + idOf(agent));
      const unknown = await ask("mallory", at(NOBODY));
      expect(unknown.status).toBe(404);
      for (const [who, agent] of [
        ["mallory", "helper"],
        ["clean", "helper"],
        ["ada", "helper"],
        ["olga", "other"],
      ] as const) {
        const { status, body } = await ask(who, at(agent));
        expect([who, status, body]).toEqual([who, 404, unknown.body]);
      }
      for (const who of ["olga", "helper"]) expect((await ask(who, at("helper"))).status).toBe(200);
    }
  });

  test("is audited as a call, and is no call of the agent's", async () => {
    verifies("health.answer");
    const before = (await healthOf("olga", "helper")).body.window.calls;
    const { headers } = await healthOf("helper", "helper");
    const [row] = await world.store.audit.tail(1);
    expect(JSON.parse(row?.body ?? "")).toMatchObject({
      ...{ kind: "guard.health", phase: "final", outcome: "answered", call_id: headers.get("x-request-id") },
      actor: { agent_id: idOf("helper") },
    });
    await ask("mallory", `/v1/guard/agents/${idOf("helper")}/profile`);
    const [refused] = await world.store.audit.tail(1);
    expect(JSON.parse(refused?.body ?? "")).toMatchObject({
      kind: "guard.profile",
      outcome: "refused",
      call: { code: "not_found" },
    });
    expect((await healthOf("olga", "helper")).body.window.calls).toBe(before);
  });
});

test("GET /v1/guard/agents/{agent_id}/profile: the profile in force, or null", async () => {
  verifies("profile.read");
  expect((await ask("clean", `/v1/guard/agents/${idOf("clean")}/profile`)).body).toBeNull();
  const { body } = await ask("olga", `/v1/guard/agents/${idOf("helper")}/profile`);
  expect(body).toMatchObject({
    agent_id: idOf("helper"),
    version: 1,
    status: "active",
    mode: "enforce",
    fail_mode: "closed",
  });
  expect(body.effective_from).toMatch(/^\d{4}-.*Z$/);
});

describe("/api/agents/{id}/health", () => {
  test("people who read all agents read it, members their own", async () => {
    verifies("health.owned");
    const address = `/api/agents/${idOf("helper")}/health`;
    for (const who of ["olga", "rita", "ada", "anna", "otto"]) {
      expect([who, (await ask(`${who}'s session`, address)).status]).toEqual([who, 200]);
      const { body } = await ask(`${who}'s session`, `${address}/trend`);
      expect(body).toMatchObject({ object: "list", has_more: false, next_cursor: null });
      expect(body.data.length).toBeGreaterThan(0);
    }
    for (const path of [address, `${address}/trend`]) {
      expect((await ask("mallory's session", path)).status).toBe(404);
      expect((await ask("olga", path)).status).toBe(403);
    }
  });
});

describe("drift", () => {
  const at = (what: string) => `/api/agents/${idOf("drifter")}/drift/${what}`;
  const tomorrow = () => new Date(systemClock() + 24 * HOUR_MS).toISOString();
  const acknowledge = (who: string, body: unknown) => ask(`${who}'s session`, at("acknowledge"), body);

  test("drift: an unapproved model is reported, acknowledged, and cleared by a new baseline", async () => {
    verifies("drift.first-seen", "drift.acknowledge");
    await govern("drifter", 1);
    expect((await healthOf("drifter", "drifter")).body.drift_status).toBe("no_baseline");
    const early = await acknowledge("rita", { reason: "planned", until: tomorrow() });
    expect([early.status, early.body.error.code]).toEqual([409, "state_conflict"]);
    calls("drifter", 1_000, "large");
    // What was computed holds for a minute; the watch goes its round.
    await world.app.parts.healthMonitor.runOnce(systemClock());
    expect((await healthOf("drifter", "drifter")).body.drift).toMatchObject({
      status: "insufficient_data",
      baseline: { calls: 1_000, profile_version: 1 },
    });
    calls("drifter", 40, "another");
    await world.app.parts.healthMonitor.runOnce(systemClock());
    const { body } = await healthOf("drifter", "drifter");
    expect(body).toMatchObject({ drift_status: "watch", health_score: 97 });
    expect(body.drift.first_seen).toEqual([{ feature: "model", name: "another", uses: 40 }]);

    const known = await acknowledge("rita", { reason: "a planned change", until: tomorrow() });
    expect(known.body).toMatchObject({
      drift_status: "watch",
      health_score: 100,
      drift: { acknowledged_until: expect.any(String) },
    });
    const [row] = await world.store.audit.tail(1);
    expect(JSON.parse(row?.body ?? "")).toMatchObject({
      ...{ kind: "drift.acknowledge", actor: { via: "session", user_id: people.get("rita")?.id } },
      change: {
        subject: "agent",
        subject_id: idOf("drifter"),
        detail: { reason: "a planned change", drift_status: "watch" },
      },
    });

    const anew = await ask("ada's session", at("rebaseline"), { reason: "it stays so" });
    expect(anew.body).toMatchObject({
      drift_status: "no_baseline",
      drift: { first_seen: [], acknowledged_until: null },
    });
    const again = await ask("ada's session", at("rebaseline"), { reason: "twice" });
    expect([again.status, again.body.error.code]).toEqual([409, "state_conflict"]);
  });

  test("is decided by reviewers and admins, never by the agent's owner or a token", async () => {
    verifies("drift.acknowledge");
    const body = { reason: "please", until: tomorrow() };
    for (const who of ["olga", "anna", "otto", "mallory"]) expect((await acknowledge(who, body)).status).toBe(403);
    expect((await ask("drifter", at("rebaseline"), { reason: "please" })).status).toBe(403);
    const own = await ask("rita's session", `/api/agents/${idOf("own-of-rita")}/drift/rebaseline`, {
      reason: "please",
    });
    expect([own.status, own.body.error.code]).toEqual([403, "insufficient_scope"]);
    expect((await ask("rita's session", `/api/agents/${NOBODY}/drift/rebaseline`, { reason: "please" })).status).toBe(
      404,
    );
  });

  test("needs a reason, and a time that is near", async () => {
    for (const until of ["tomorrow", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "2026-13-01T00:00:00Z"]) {
      const { status, body } = await acknowledge("rita", { reason: "planned", until });
      expect([until, status, body.error.param]).toEqual([until, 400, "until"]);
    }
    expect((await acknowledge("rita", { until: tomorrow() })).status).toBe(400);
    expect((await acknowledge("rita", { reason: "r", until: tomorrow(), level: "x" })).status).toBe(400);
  });
});

test("counters that were stored are found by hour", async () => {
  await world.app.parts.recorder.flush();
  const hours = await world.store.usage.read(idOf("drifter"), hourOf(systemClock() - HOUR_MS), systemClock());
  expect(hours.reduce((sum, { counts }) => sum + (counts["calls"] ?? 0), 0)).toBe(1_040);
});
