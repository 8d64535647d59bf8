import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import { callsTools } from "#test/support/fake-provider";
import { text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { ADMIN, BOB, EVE, RestrictedWorld } from "./restricted-world";

const REV = "rev@example.com";
const AUD = "aud@example.com";

/** Asks its user before it does anything. */
const confirms = tool("confirm", ({ params }) => {
  if (isRecord(params["inputResponses"])) return text("sent");
  const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } } };
  const q = { method: "elicitation/create", params: { message: "Are you sure?", requestedSchema } };
  return { resultType: "input_required", inputRequests: { q }, requestState: "own" };
});

let world: RestrictedWorld;
const keys = { admin: "", eve: "", bob: "", rev: "", aud: "" };
beforeAll(async () => {
  world = await RestrictedWorld.open({
    tools: [tool("send", () => text("sent")), tool("read", () => text("hello")), confirms],
    before: async (hub) => {
      await hub.createUser(REV, "--role", "reviewer");
      await hub.createUser(AUD, "--role", "auditor");
    },
  });
  for (const [name, email] of [
    ["admin", ADMIN],
    ["eve", EVE],
    ["bob", BOB],
    ["rev", REV],
    ["aud", AUD],
  ] as const) {
    keys[name] = await world.session(email);
  }
  await world.restrict(keys.admin, "human_approval", { params: { tools: ["files__send", "files__confirm"] } });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const send = (args: object) => world.call("files__send", args);
/** The hold a refused call names. */
const firstEnforcedDenial = ({ json }: { json: { _meta?: { "guardhouse/guard"?: { hold_id?: string } } } }): string =>
  json._meta?.["guardhouse/guard"]?.hold_id ?? "";
const isServed = ({ json }: { json: { isError?: boolean; content: { text: string }[] } }): boolean =>
  json.isError !== true && (json.content[0]?.text ?? "").startsWith("sent");
const decide = async (key: string, id: string, what: string, body?: object) => {
  const { status, json } = await world.api(key, "POST", `/holds/${id}/${what}`, body);
  return [status, json.error?.code ?? json.state];
};

describe("a call that needs a person", () => {
  test("is held, is approved, passes once as it was, and is held again", async () => {
    verifies("hold.once");
    const first = await send({ to: "ann", amount: 5 });
    const id = firstEnforcedDenial(first);
    expect([isServed(first), id.length]).toEqual([false, 36]);
    // Made again it waits for the same person.
    expect(firstEnforcedDenial(await send({ amount: 5, to: "ann" }))).toBe(id);
    expect(await decide(keys.eve, id, "approve", { reason: "known to me" })).toEqual([200, "approved"]);
    expect(isServed(await send({ to: "ann", amount: 6 }))).toBe(false);
    expect(isServed(await world.call("files__read"))).toBe(false);
    const both = await Promise.all([send({ amount: 5, to: "ann" }), send({ to: "ann", amount: 5 })]);
    expect(both.filter(isServed)).toHaveLength(1);
    const again = await send({ to: "ann", amount: 5 });
    expect([isServed(again), firstEnforcedDenial(again) === id]).toEqual([false, false]);
    expect((await world.api(keys.eve, "GET", `/holds/${id}`)).json.state).toBe("used");
    expect(await decide(keys.eve, id, "approve")).toEqual([409, "state_conflict"]);
  });

  test("and whose tool then asks its user, is repeated once with the answer", async () => {
    verifies("hold.once");
    const version = "2026-07-28";
    const confirm = async (args: object, more: object = {}) => {
      const capabilities = { elicitation: {} };
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      };
      const headers = { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "files__confirm" };
      const params = { name: "files__confirm", arguments: args, _meta, ...more };
      const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const response = await world.hub.fetch("/mcp/gateway", { token: world.tokens.agent, headers, json });
      return { json: (await response.json()).result };
    };
    const held = firstEnforcedDenial(await confirm({ to: "ann" }));
    expect(await decide(keys.eve, held, "approve", { reason: "known to me" })).toEqual([200, "approved"]);
    const { json } = await confirm({ to: "ann" });
    expect(json.resultType).toBe("input_required");
    const inputResponses = { q: { action: "accept", content: { sure: true } } };
    const answered = { inputResponses, requestState: json.requestState };
    const sent = await confirm({ to: "ann" }, answered);
    expect(isServed(sent)).toBe(true);
    // One approval, one call.
    expect(firstEnforcedDenial(await confirm({ to: "ann" }, answered))).toHaveLength(36);
    expect(await decide(keys.eve, firstEnforcedDenial(await confirm({ to: "ben" })), "approve")).toEqual([
      200,
      "approved",
    ]);
    const { json: other } = await confirm({ to: "ben" });
    const changed = await confirm({ to: "carl" }, { inputResponses, requestState: other.requestState });
    expect([isServed(changed), firstEnforcedDenial(changed).length]).toEqual([false, 36]);
  });

  test("stays denied for every later call", async () => {
    verifies("hold.denied");
    const id = firstEnforcedDenial(await send({ to: "mallory" }));
    expect(await decide(keys.rev, id, "deny")).toEqual([200, "denied"]);
    const again = await send({ to: "mallory" });
    expect([isServed(again), firstEnforcedDenial(again)]).toEqual([false, id]);
    expect(await decide(keys.admin, id, "approve")).toEqual([409, "state_conflict"]);
  });

  test("of a model is withheld from its answer, whole and streamed, until it is approved", async () => {
    verifies("hold.chat");
    const ask = async (stream: boolean) => {
      world.provider.next(callsTools([{ name: "files__send", arguments: '{"to":"carl"}' }]));
      return (await world.ask({ stream })).text();
    };
    const whole = await ask(false);
    const { code, guard } = JSON.parse(whole).error;
    expect([code, guard.action, whole.includes("carl")]).toEqual(["content_filter", "hold", false]);
    const streamed = await ask(true);
    expect([streamed.includes("carl"), streamed.includes(guard.hold_id)]).toEqual([false, true]);
    expect(await decide(keys.eve, guard.hold_id, "approve")).toEqual([200, "approved"]);
    expect(await ask(true)).toContain("carl");
    expect(JSON.parse(await ask(false)).error.guard.action).toBe("hold");
  });
});

describe("one approval for an answer and the call it asks for", () => {
  const declared = async (description?: string) => {
    const { json } = await world.hub
      .fetch("/mcp/gateway", { token: world.tokens.agent, json: { method: "tools/list", params: {} } })
      .then(async (response) => ({ json: await response.json() }));
    const listed = json.tools.find(({ name }: { name: string }) => name === "files__send");
    const { name, inputSchema } = listed;
    return [
      { type: "function", function: { name, description: description ?? listed.description, parameters: inputSchema } },
    ];
  };
  const asked = async (to: string, tools: object[], stream = false) => {
    world.provider.next(callsTools([{ name: "files__send", arguments: JSON.stringify({ to }) }]));
    const text = await (await world.ask({ stream, tools })).text();
    return { text, hold: /"hold_id":"([^"]+)"/.exec(text)?.[1] ?? "" };
  };

  test("the gateway's tool: approved once, called once, each on record", async () => {
    verifies("hold.once-for-both");
    const tools = await declared();
    for (const [to, stream] of [
      ["gus", false],
      ["hal", true],
    ] as const) {
      const { hold } = await asked(to, tools, stream);
      expect(await decide(keys.eve, hold, "approve")).toEqual([200, "approved"]);
      expect((await asked(to, tools, stream)).text).toContain(to);
      expect((await world.api(keys.eve, "GET", `/holds/${hold}`)).json.state).toBe("released");
      expect(isServed(await send({ to: `${to}!` }))).toBe(false);
      const both = await Promise.all([send({ to }), send({ to })]);
      expect(both.filter(isServed)).toHaveLength(1);
      expect((await world.api(keys.eve, "GET", `/holds/${hold}`)).json.state).toBe("used");
      for (const [kind, at] of [
        ["hold.release", "answer"],
        ["hold.use", "gateway"],
      ] as const) {
        const records = await world.records(kind);
        const record = records.find(({ change }: { change: { subject_id: string } }) => change.subject_id === hold);
        expect(record.change.detail).toMatchObject({ tool: "files__send", at });
      }
    }
  });

  test("a function of the client's that has the tool's name: no approval of it counts at the gateway", async () => {
    verifies("hold.once-for-both");
    const tools = await declared("Notes in a local diary that something was sent.");
    const { hold } = await asked("ivy", tools);
    expect(await decide(keys.eve, hold, "approve")).toEqual([200, "approved"]);
    expect(isServed(await send({ to: "ivy" }))).toBe(false);
    expect((await asked("ivy", tools)).text).toContain("ivy");
    expect((await world.api(keys.eve, "GET", `/holds/${hold}`)).json.state).toBe("used");
    expect(isServed(await send({ to: "ivy" }))).toBe(false);
  });
});

describe("held calls: who may decide", () => {
  test("the owner, reviewers and administrators; nobody else, and no gateway token", async () => {
    verifies("hold.who");
    const id = firstEnforcedDenial(await send({ to: "dora" }));
    expect(await decide(keys.bob, id, "approve")).toEqual([404, "not_found"]);
    expect(await decide(keys.aud, id, "approve")).toEqual([403, "insufficient_scope"]);
    for (const token of [world.tokens.agent, world.tokens.eve]) {
      expect(await decide(token, id, "approve")).toEqual([403, "insufficient_scope"]);
      expect((await world.api(token, "GET", "/holds")).status).toBe(403);
    }
    expect((await world.api(keys.bob, "GET", "/holds")).json.data).toEqual([]);
    const { json } = await world.api(keys.aud, "GET", `/holds?state=waiting&agent_id=${world.ids.agent}`);
    expect(json.data.map((hold: { id: string }) => hold.id)).toContain(id);
    expect(json.data[0]).not.toHaveProperty("sealed_arguments");
    expect(await decide(keys.rev, id, "approve", { because: "no such field" })).toEqual([400, "invalid_value"]);
    expect(await decide(keys.rev, id, "approve")).toEqual([200, "approved"]);
  });

  test("sees what the tool would be given, and that is on record; the arguments are nowhere in the clear", async () => {
    verifies("hold.sealed");
    const canary = "canary-4711-argument";
    const id = firstEnforcedDenial(await send({ to: "ed", note: canary }));
    expect((await world.api(keys.bob, "GET", `/holds/${id}`)).status).toBe(404);
    expect((await world.api(keys.aud, "GET", `/holds/${id}`)).json.arguments).toBeNull();
    const before = (await world.records("hold.read")).length;
    const { json } = await world.api(keys.eve, "GET", `/holds/${id}`);
    expect(json).toMatchObject({ tool: "files__send", state: "waiting", arguments: { to: "ed", note: canary } });
    const [read, ...more] = await world.records("hold.read");
    expect([read.change.subject_id, read.actor.user_id, more.length]).toEqual([id, world.ids.eve, before]);
    const { stdout } = await world.hub.cli("audit", "tail", "-n", "2000");
    expect(stdout).not.toContain(canary);
    const database = new Database(join(world.hub.dataDir, "guardhouse.db"), { readonly: true });
    const row = JSON.stringify(database.query("SELECT * FROM hold WHERE id = ?").get(id));
    database.close();
    expect([row.includes(id), row.includes(canary)]).toEqual([true, false]);
  });

  test("every step is on record", async () => {
    verifies("hold.on-record");
    const id = firstEnforcedDenial(await send({ to: "fay" }));
    await decide(keys.eve, id, "approve", { reason: "fine" });
    await world.hub.restart();
    expect(isServed(await send({ to: "fay" }))).toBe(true);
    const of = async (kind: string) =>
      (await world.records(kind)).find(({ change }: { change: { subject_id: string } }) => change.subject_id === id);
    expect((await of("hold.create")).change.detail).toMatchObject({ tool: "files__send", cause: "human_approval" });
    expect((await of("hold.decide")).change.detail).toMatchObject({ state: "approved", reason: "fine" });
    expect((await of("hold.use")).actor).toMatchObject({ via: "token", agent_id: world.ids.agent });
  });
});
