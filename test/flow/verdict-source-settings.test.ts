import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { verifies } from "#test/support/verifies";
import { ADA, ADMIN, OWNER, prompt, SourceWorld } from "./verdict-source-world";

const KEY = "AKIAJLWGWBQ6RF4XWVRF";
const GIVEN = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const OLD = `whsec_${Buffer.alloc(32, 6).toString("base64")}`;
const LATER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;

let world: SourceWorld;
beforeAll(async () => {
  world = await SourceWorld.open({
    env: {
      GUARDHOUSE_HOOKS__SOURCE: JSON.stringify([
        { name: "seats", kind: "cursor", user: OWNER, agent: "Claude seats", secret_env: "SEATS_SECRET" },
        { name: "later", kind: "cursor", user: OWNER, agent: "Later seats", secret_env: "LATER_SECRET" },
      ]),
      LATER_SECRET: LATER,
      SEATS_SECRET: `${GIVEN} ${OLD}`,
    },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const cli = async (...args: readonly string[]) => {
  const result = await world.hub.cliWith({ env: { GIVEN } }, "hook", "source", ...args);
  return { ...result, json: result.code === 0 || result.stdout !== "" ? Object(result.json()) : {} };
};

describe("by command", () => {
  test("a source is added, listed with what came from it, tested and removed", async () => {
    verifies("verdicts.source-settings");
    const added = await cli("add", "claude", "--kind", "anthropic", "--agent", "Claude seats", "--user", OWNER);
    expect(added.json).toMatchObject({ name: "claude", kind: "anthropic", user: OWNER, agent: "Claude seats" });
    expect(added.json.secret).toMatch(/^whsec_/);
    expect((await cli("add", "claude", "--kind", "cursor")).code).not.toBe(0);
    expect((await cli("test", "claude")).json).toMatchObject({ ok: true, answer: "allow", status: 200 });
    expect((await world.ask(added.json, prompt(`key ${KEY}`))).answer.action).toBe("deny");
    const listed = (await cli("list")).json as readonly { name: string }[];
    const mine = Object(listed.find(({ name }) => name === "claude"));
    expect(mine.activity.last).toMatchObject({ decision: "block" });
    expect(mine.activity.decisions).toContainEqual({ decision: "block", calls: 1 });
    expect(JSON.stringify(listed)).not.toContain(added.json.secret);
    const removed = await cli("remove", "claude");
    expect(removed.json).toMatchObject({ name: "claude", removed: true });
    expect((await world.send(added.json, prompt("Hello there"))).status).toBe(401);
    expect((await cli("test", "claude")).code).not.toBe(0);
  });

  test("a secret of the system's is taken from a variable, and shown to nobody", async () => {
    verifies("verdicts.source-settings");
    const added = await cli("add", "given", "--kind", "anthropic", "--secret-env", "GIVEN");
    expect([added.code, added.json.secret, added.json.user]).toEqual([0, undefined, ADMIN]);
    expect((await world.ask({ secret: GIVEN }, prompt("Hello there"))).status).toBe(200);
    for (const flags of [
      ["--secret-env", "MISSING"],
      ["--kind", "nonsense"],
      ["--user", "nobody@example.com"],
      ["--agent", "No such"],
      ["--budget-ms", "1"],
      ["--application", "nothing"],
    ]) {
      expect((await cli("add", "bad", ...(flags[0] === "--kind" ? [] : ["--kind", "cursor"]), ...flags)).code).not.toBe(
        0,
      );
    }
    expect((await cli("add", "Bad Name", "--kind", "cursor")).code).not.toBe(0);
  });

  test("LiteLLM asks with a gateway token, which ends with the source", async () => {
    verifies("verdicts.source-settings", "verdicts.litellm");
    const added = await cli("add", "proxy", "--kind", "litellm", "--agent", world.agent.id);
    const { secret, url } = added.json;
    expect([secret.startsWith("gw-live-"), url.endsWith("/v1/guard/hooks/litellm")]).toEqual([true, true]);
    const ask = () =>
      world.hub.fetch("/v1/guard/hooks/litellm/beta/litellm_basic_guardrail_api", {
        token: secret,
        json: { input_type: "request", texts: ["Hello there"] },
      });
    expect((await ask()).status).toBe(200);
    const listed = (await cli("list")).json as readonly { name: string; activity: object }[];
    expect(listed.find(({ name }) => name === "proxy")?.activity).toMatchObject({ last: { decision: "allow" } });
    expect((await cli("remove", "proxy")).code).toBe(0);
    expect((await ask()).status).toBe(401);
  });
});

test("a source of the configuration is let in by either of its secrets, and changed nowhere else", async () => {
  verifies("verdicts.source-settings");
  const path = "/v1/guard/hooks/cursor";
  for (const secret of [GIVEN, OLD]) {
    const asked = await world.ask({ secret }, prompt("Hello there"), { path });
    expect(asked.answer).toEqual({ action: "allow" });
    const { final } = await world.world.recordsOf(asked.response);
    expect(final).toMatchObject({ kind: "hook.cursor", actor: { via: "source", agent_id: world.agent.id } });
  }
  const listed = (await cli("list")).json as readonly { name: string }[];
  expect(listed[0]).toMatchObject({ name: "seats", given_by: "configuration", user: OWNER, agent: "Claude seats" });
  expect((await cli("remove", "seats")).code).not.toBe(0);
  expect((await cli("add", "seats", "--kind", "cursor")).code).not.toBe(0);
});

test("an agent that somebody else names as the configuration does is not the source's", async () => {
  verifies("verdicts.source-settings");
  const ask = () => world.ask({ secret: LATER }, prompt("Hello there"), { path: "/v1/guard/hooks/cursor" });
  await world.hub.createAgent("Later seats", ADA);
  expect((await ask()).answer).toMatchObject({ action: "deny", deny_reason: expect.stringContaining("is gone") });
  await world.hub.createAgent("Later seats", OWNER);
  expect((await ask()).answer).toEqual({ action: "allow" });
});

test("by API: administrators alone, and secrets only where they are made", async () => {
  verifies("verdicts.source-settings");
  const key = await world.session(ADMIN);
  const json = { name: "api", kind: "anthropic", agent_id: world.agent.id, redact: "allow", budget_ms: 2_000 };
  const made = await world.hub.fetch("/api/hook-sources", { token: key, json });
  const source = await made.json();
  expect([made.status, source.redact, source.secrets, source.problem]).toEqual([201, "allow", 1, null]);
  const list = await (await world.hub.fetch("/api/hook-sources", { token: key })).text();
  expect(list).toContain('"api"');
  expect(list).not.toContain(source.secret);
  const test = await world.hub.fetch(`/api/hook-sources/${source.id}/test`, { token: key, method: "POST" });
  expect(await test.json()).toMatchObject({ ok: true, answer: "allow", problem: null });
  for (const body of [
    { ...json, name: "other", secret: "short" },
    { ...json, name: "other", secret: "not a signing secret" },
    { ...json, name: "other", budget_ms: 1 },
    { ...json, name: "other", kind: "carrier-pigeon" },
  ]) {
    expect((await world.hub.fetch("/api/hook-sources", { token: key, json: body })).status).toBe(400);
  }
  expect((await world.hub.fetch("/api/hook-sources", { token: await world.session(ADA), json })).status).toBe(403);
  const gone = await world.hub.fetch(`/api/hook-sources/${source.id}`, { token: key, method: "DELETE" });
  expect(await gone.json()).toEqual({ id: source.id, deleted: true });
});

describe("Copilot Studio", () => {
  const BASE = "/v1/guard/hooks/copilot-studio";
  const execution = (more: object = {}) => ({
    plannerContext: { userMessage: "Send the report to Ada.", chatHistory: [], previousToolOutputs: [] },
    toolDefinition: { id: "t1", type: "PrebuiltToolDefinition", name: "send_email", description: "Sends mail." },
    inputValues: { to: "Ada", body: "Hello there" },
    conversationMetadata: { agent: { id: "bot-1" }, user: { id: "aad-1", tenantId: "t" }, conversationId: "c-1" },
    ...more,
  });

  test("is told that it is let in, and whether a tool may be called", async () => {
    verifies("verdicts.copilot-studio");
    const { secret } = (await cli("add", "studio", "--kind", "copilot-studio", "--agent", world.agent.id)).json;
    const post = async (path: string, json: object | null, token = secret) => {
      const init = json === null ? { method: "POST" } : { json };
      const response = await world.hub.fetch(`${BASE}/${path}?api-version=2025-05-01`, { token, ...init });
      return { response, status: response.status, answer: await response.json() };
    };
    const analyze = (more: object = {}) => post("analyze-tool-execution", execution(more));
    expect((await post("validate", null)).answer).toEqual({ isSuccessful: true, status: "OK" });
    const allowed = await analyze();
    expect(allowed.answer).toEqual({ blockAction: false });
    const { final } = await world.world.recordsOf(allowed.response);
    expect(final).toMatchObject({ kind: "hook.copilot-studio", outcome: "answered" });
    expect(final.actor).toMatchObject({ external: "aad-1", agent_id: world.agent.id });
    expect(final.call).toMatchObject({ conversation_id: "c-1", asked_tools: { count: 1 } });

    const blocked = await analyze({ inputValues: { body: `key ${KEY}` } });
    expect(blocked.answer).toMatchObject({ blockAction: true, reasonCode: 100 });
    expect(blocked.answer.reason).toContain("secret.aws_access_key");
    expect(JSON.parse(blocked.answer.diagnostics).reference_id).toMatch(/^[0-9a-f-]{36}$/);
    // What was said, by people and tools, counts too: nothing else asks about it.
    expect((await analyze({ plannerContext: { userMessage: `key ${KEY}` } })).answer.blockAction).toBe(true);
    const outputs = [{ toolName: "read", outputs: { value: `key ${KEY}` } }];
    expect((await analyze({ plannerContext: { previousToolOutputs: outputs } })).answer.blockAction).toBe(true);
    expect((await analyze({ toolDefinition: {} })).answer.blockAction).toBe(true);

    for (const token of ["wrong", `${secret}x`, GIVEN]) {
      const refused = await post("analyze-tool-execution", execution(), token);
      expect([refused.status, refused.answer.httpStatus]).toEqual([401, 401]);
    }
    expect((await cli("test", "studio")).json).toMatchObject({ ok: true, answer: "allow" });
  });
});

test("nothing of a frame or a secret is in records, metrics, errors or what the hub writes", async () => {
  verifies("verdicts.no-content");
  const { secret } = (await cli("add", "canary", "--kind", "anthropic", "--agent", world.agent.id)).json;
  const seen: string[] = [];
  const canaries = Array.from({ length: 12 }, (_, at) => `canary${at}qzx`);
  const [a, b, c, d, e, f, g, h] = canaries;
  const frame = prompt(`${a} key ${KEY}`, {
    ...{ [`${b}`]: c, metadata: { note: d }, tenant_id: e, session_id: "plain-conversation" },
    messages: [
      { role: "user", content: [{ type: f, text: g }] },
      { role: "user", content: [{ type: "text", text: `${h} key ${KEY}` }] },
      { role: "user", content: [{ type: "attachment", file_name: canaries[8], text: canaries[9] }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", tool_name: canaries[10], input: { [`${canaries[11]}`]: "x" } }],
      },
    ],
  });
  const frames = [
    frame,
    { ...frame, type: "tool_call" },
    { ...frame, type: canaries[0] },
    { ...frame, messages: canaries[1] },
  ];
  for (const one of frames) seen.push(JSON.stringify((await world.ask({ secret }, one)).answer));
  seen.push(JSON.stringify((await world.ask({ secret }, `{"${a}`)).answer));
  const wrong = new Webhook(OLD).sign("x", new Date(), "{}");
  seen.push(JSON.stringify((await world.ask({ secret }, frame, { signature: wrong })).answer));
  seen.push((await world.hub.cli("audit", "tail", "-n", "1000")).stdout);
  seen.push(JSON.stringify(world.hub.logs));
  await world.hub.kill("SIGTERM");
  seen.push(await world.hub.written());
  await world.hub.start();
  for (const canary of [...canaries, KEY, secret, GIVEN, OLD]) {
    expect([canary, seen.filter((text) => text.includes(canary)).length]).toEqual([canary, 0]);
  }
});

test("no gateway token is left of a source that there is no room for", async () => {
  verifies("verdicts.source-settings", "verdicts.litellm");
  const token = await world.session(ADMIN);
  const add = async (name: string, kind: string) =>
    (await world.hub.fetch("/api/hook-sources", { token, json: { name, kind } })).status;
  let statuses: number[] = [];
  for (let at = 0; !statuses.includes(409) && at < 60; at += 1) statuses = [...statuses, await add(`f${at}`, "cursor")];
  expect(statuses.at(-1)).toBe(409);
  expect(await add("over", "litellm")).toBe(409);
  const tokens: readonly object[] = Object.values(Object((await world.hub.cli("token", "list")).json()));
  const left = tokens.map((one) => Object(one)).filter(({ name }) => name === "Hook source over");
  expect(left.filter(({ state }) => state === "active")).toEqual([]);
  expect(left).toHaveLength(1);
}, 60_000);
