import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { type Answer, ReviewWorld, type Who } from "./review-world";

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const make = (who: Who, body: object = {}): Promise<Answer> => world.as(who, "POST", "/tokens", body);
const made = async (who: Who, body: object = {}) => {
  const { status, json } = await make(who, body);
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json;
};
const opens = async (token: string): Promise<number> => (await world.hub.fetch("/v1/models", { token })).status;
const codeOf = ({ status, json }: Answer) => [status, json.error?.code];
const ids = async (who: Who, query: string): Promise<string[]> => {
  const { json } = await world.as(who, "GET", `/tokens${query}`);
  return json.data.map(({ id }: { id: string }) => id);
};
const agentOf = async (who: Who, name: string): Promise<string> =>
  (await world.hub.createAgent(name, world.email(who))).id;

test("a token is shown once, then only by its first and last characters", async () => {
  verifies("token.managed");
  const token = await made("owner", { name: "laptop", expires_in_days: 30 });
  expect(token.token).toMatch(/^gw-live-[0-9A-Za-z]{38}$/);
  expect(await opens(token.token)).toBe(200);
  const { json, status } = await world.as("owner", "GET", `/tokens/${token.id}`);
  expect(status).toBe(200);
  expect(JSON.stringify(json)).not.toContain(token.token);
  const { token: _secret, ...shown } = token;
  expect(json).toEqual({ ...shown, last_used_at: expect.any(String) });
  expect(json).toEqual({
    object: "token",
    id: token.id,
    name: "laptop",
    display: `gw-live-…${token.token.slice(-4)}`,
    user: { id: world.id("owner"), email: world.email("owner") },
    agent: null,
    state: "active",
    disabled: null,
    scopes: ["chat", "models", "scan", "reports", "tools", "health", "profile", "tuning"],
    created_at: expect.any(String),
    expires_at: new Date(Date.parse(json.created_at) + 30 * 86_400_000).toISOString(),
    last_used_at: expect.any(String),
    rotated_to: null,
  });
  const at = new Date(Date.now() + 3_600_000).toISOString();
  expect((await made("owner", { expires_at: at })).expires_at.slice(0, 16)).toBe(at.slice(0, 16));
});

test("agent tokens: scope and who may create them", async () => {
  verifies("token.managed-own");
  const helper = await agentOf("owner", "helper");
  const token = await made("owner", { agent_id: helper });
  expect(token.agent).toEqual({ id: helper, name: "helper" });
  expect(token.scopes).not.toContain("tuning");
  expect(await opens(token.token)).toBe(200);
  expect(await ids("owner", `?agent_id=${helper}`)).toEqual([token.id]);

  expect(codeOf(await make("stranger", { agent_id: helper }))).toEqual([404, "not_found"]);
  expect(codeOf(await make("stranger", { agent_id: "helper" }))).toEqual([404, "not_found"]);
  for (const who of ["stranger", "auditor", "ann"] as const) {
    expect(codeOf(await make(who, { user_id: world.id("owner") }))).toEqual([403, "insufficient_scope"]);
  }
  const given = await made("root", { user_id: world.id("owner") });
  expect(given.user.id).toBe(world.id("owner"));
  expect((await made("root", { agent_id: helper })).user.id).toBe(world.id("owner"));
  const mixed = { agent_id: helper, user_id: world.id("stranger") };
  expect(codeOf(await make("root", mixed))).toEqual([404, "not_found"]);
});

test("others' tokens are not there for members, and only to be seen for auditors", async () => {
  verifies("token.managed-own");
  const token = await made("owner");
  const path = `/tokens/${token.id}`;
  expect(await ids("stranger", "?limit=200")).not.toContain(token.id);
  expect(codeOf(await world.as("stranger", "GET", "/tokens?all"))).toEqual([403, "insufficient_scope"]);
  expect(codeOf(await world.as("ann", "GET", "/tokens?all=true"))).toEqual([403, "insufficient_scope"]);
  expect(await ids("auditor", "?all&limit=200")).toContain(token.id);
  expect(await ids("auditor", "?limit=200")).not.toContain(token.id);
  for (const act of ["rotate", "disable", "enable", "revoke"]) {
    expect(codeOf(await world.as("stranger", "POST", `${path}/${act}`, {}))).toEqual([404, "not_found"]);
    expect(codeOf(await world.as("auditor", "POST", `${path}/${act}`, {}))).toEqual([403, "insufficient_scope"]);
  }
  expect(codeOf(await world.as("stranger", "GET", path))).toEqual([404, "not_found"]);
  expect(await opens(token.token)).toBe(200);
  expect((await world.as("root", "POST", `${path}/disable`)).json.state).toBe("disabled");
});

test("states change with the next request, and revoked is final", async () => {
  verifies("token.managed", "token.revocation");
  const { id, token } = await made("owner");
  const act = (what: string) => world.as("owner", "POST", `/tokens/${id}/${what}`, {});
  expect((await act("disable")).json.state).toBe("disabled");
  expect(await opens(token)).toBe(401);
  expect(await ids("owner", "?state=disabled")).toContain(id);
  expect(await ids("owner", "?state=active")).not.toContain(id);
  expect(codeOf(await act("rotate"))).toEqual([409, "state_conflict"]);
  expect((await act("enable")).json.state).toBe("active");
  expect(await opens(token)).toBe(200);
  expect((await act("revoke")).json.state).toBe("revoked");
  expect(await opens(token)).toBe(401);
  for (const what of ["enable", "disable", "rotate"]) expect(codeOf(await act(what))).toEqual([409, "state_conflict"]);
});

test("a token disabled by an administrator cannot be enabled or rotated by its holder", async () => {
  verifies("token.disabled-above");
  const { id, token } = await made("owner", { name: "stopped" });
  const act = (who: Who, what: string) => world.as(who, "POST", `/tokens/${id}/${what}`, {});
  const { json } = await act("root", "disable");
  const stopped = { right: "administrator", by: world.email("root"), at: expect.any(String) };
  expect([json.state, json.disabled]).toEqual(["disabled", stopped]);
  expect((await world.as("owner", "GET", `/tokens/${id}`)).json.disabled).toEqual(stopped);
  const refused = await act("owner", "enable");
  expect(codeOf(refused)).toEqual([403, "insufficient_scope"]);
  expect(refused.json.error.message).toContain("only an administrator");
  expect(codeOf(await act("owner", "rotate"))).toEqual([409, "state_conflict"]);
  // Disabling it once more does not make it theirs.
  expect((await act("owner", "disable")).json.disabled).toEqual(stopped);
  expect(codeOf(await act("owner", "enable"))).toEqual([403, "insufficient_scope"]);
  expect(await opens(token)).toBe(401);
  expect((await act("root", "enable")).json).toMatchObject({ state: "active", disabled: null });
  expect(await opens(token)).toBe(200);
});

test("disabling by an administrator or the command line replaces the holder's", async () => {
  verifies("token.disabled-above");
  const { id } = await made("owner");
  const act = (who: Who, what: string) => world.as(who, "POST", `/tokens/${id}/${what}`, {});
  expect((await act("owner", "disable")).json.disabled.right).toBe("owner");
  expect((await act("root", "disable")).json.disabled.right).toBe("administrator");
  expect(codeOf(await act("owner", "enable"))).toEqual([403, "insufficient_scope"]);
  await act("root", "enable");
  await world.hub.cli("token", "disable", id);
  const { json } = await world.as("owner", "GET", `/tokens/${id}`);
  expect(json.disabled).toEqual({ right: "operator", by: null, at: expect.any(String) });
  expect(codeOf(await act("owner", "enable"))).toEqual([403, "insufficient_scope"]);
  expect((await act("owner", "revoke")).json.state).toBe("revoked");
  const rights = (await world.records())
    .filter(({ kind }) => kind === "token.disable")
    .map(({ detail }) => detail["right"]);
  expect(rights.slice(-3)).toEqual(["owner", "administrator", "operator"]);
});

test("an administrator's own token is theirs as anybody's is", async () => {
  verifies("token.disabled-above");
  const { id } = await made("root");
  expect((await world.as("root", "POST", `/tokens/${id}/disable`)).json.disabled.right).toBe("owner");
  expect((await world.as("root", "POST", `/tokens/${id}/enable`)).json.state).toBe("active");
});

test("a rotated token works on for its grace, and says what took its place", async () => {
  verifies("token.managed-rotation");
  const old = await made("owner", { name: "ci", expires_in_days: 10 });
  const { status, json: next } = await world.as("owner", "POST", `/tokens/${old.id}/rotate`, { grace_hours: 1 });
  expect(status).toBe(201);
  expect(next).toMatchObject({ name: "ci", state: "active", replaces: { id: old.id, display: old.display } });
  expect(Date.parse(next.replaces.ends_at) - Date.parse(next.created_at)).toBeGreaterThan(3_590_000);
  expect([await opens(old.token), await opens(next.token)]).toEqual([200, 200]);
  const { json } = await world.as("owner", "GET", `/tokens/${old.id}`);
  expect(json).toMatchObject({ state: "rotated", rotated_to: next.id, expires_at: next.replaces.ends_at });
  const { json: last } = await world.as("owner", "POST", `/tokens/${next.id}/rotate`, { grace_hours: 0 });
  expect([await opens(next.token), await opens(last.token)]).toEqual([401, 200]);
});

test("at most 100 tokens per user; invalid requests name the fault", async () => {
  verifies("token.managed-limit");
  const wrong: [object, string][] = [
    [{ expires_in_days: 0 }, "expires_in_days"],
    [{ expires_in_days: 1, expires_at: "2999-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "tomorrow" }, "expires_at"],
    [{ expires_at: "2027-02-30T00:00:00Z" }, "expires_at"],
    [{ expires_at: "9999-12-31T00:00:00Z" }, "expires_at"],
    [{ scopes: ["chat"] }, "scopes"],
  ];
  for (const [body, param] of wrong) {
    const { status, json } = await make("ann", body);
    expect([status, json.error.param]).toEqual([400, param]);
  }
  const answers = [];
  for (let count = 0; count < 101; count += 1) answers.push(await make("bob"));
  expect(answers.map(({ status }) => status)).toEqual([...Array(100).fill(201), 409]);
  await world.as("bob", "POST", `/tokens/${answers[0]?.json.id}/revoke`);
  expect((await make("bob")).status).toBe(201);
});

test("concurrent requests create at most 100 tokens", async () => {
  verifies("token.managed-limit");
  const answers = await Promise.all(Array.from({ length: 130 }, () => make("auditor")));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(new Set(refused.map((answer) => codeOf(answer).join(" ")))).toEqual(new Set(["409 state_conflict"]));
  expect(await ids("auditor", "?state=active&limit=200")).toHaveLength(100);
});

test("a disabled user's tokens open nothing, and no new ones are made", async () => {
  verifies("token.managed-own");
  const { id, token } = await made("sponsor");
  const user = `/users/${world.id("sponsor")}`;
  await world.as("root", "PATCH", user, { state: "disabled" });
  expect(await opens(token)).toBe(401);
  expect(codeOf(await make("root", { user_id: world.id("sponsor") }))).toEqual([409, "state_conflict"]);
  expect(codeOf(await world.as("root", "POST", `/tokens/${id}/rotate`))).toEqual([409, "state_conflict"]);
  await world.as("root", "PATCH", user, { state: "active" });
  expect(await opens(token)).toBe(200);
});

test("every change is on record with who made it, and no record holds a token", async () => {
  verifies("token.managed-record");
  const { id, token } = await made("ann", { name: "kept" });
  await world.as("ann", "POST", `/tokens/${id}/rotate`, {});
  await world.as("root", "POST", `/tokens/${id}/revoke`);
  const tail = await world.hub.cli("audit", "tail", "-n", "1000");
  expect(tail.stdout).not.toContain(token);
  const records = tail.json();
  if (!Array.isArray(records)) throw new Error("no records");
  const about = records.filter(({ change }) => change?.subject_id === id).reverse();
  expect(about.map(({ kind, actor }) => [kind, actor.via, actor.user_id])).toEqual([
    ["token.create", "session", world.id("ann")],
    ["token.rotate", "session", world.id("ann")],
    ["token.revoke", "session", world.id("root")],
  ]);
});

test("when a token was last used outlives the process", async () => {
  verifies("token.last-used");
  const { id, token } = await made("ann");
  expect((await world.as("ann", "GET", `/tokens/${id}`)).json.last_used_at).toBe(null);
  await opens(token);
  const { last_used_at } = (await world.as("ann", "GET", `/tokens/${id}`)).json;
  expect(Date.now() - Date.parse(last_used_at)).toBeLessThan(60_000);
  await world.hub.restart();
  expect((await world.as("ann", "GET", `/tokens/${id}`)).json.last_used_at).toBe(last_used_at);
});
