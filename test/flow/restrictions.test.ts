import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callsTools, says } from "#test/support/fake-provider";
import { numbered } from "#test/support/labels";
import { promptly } from "#test/support/promptly";
import { verifies } from "#test/support/verifies";
import { ADMIN, type Answer, BOB, EVE, RestrictedWorld, until } from "./restricted-world";

const ANN = "ann@example.com";
const REV = "rev@example.com";

let world: RestrictedWorld;
const keys = { admin: "", eve: "", bob: "", ann: "", rev: "" };
beforeAll(async () => {
  world = await RestrictedWorld.open({
    before: async (hub) => {
      await hub.createUser(ANN, "--role", "analyst");
      await hub.createUser(REV, "--role", "reviewer");
    },
  });
  for (const [name, email] of [
    ["admin", ADMIN],
    ["eve", EVE],
    ["bob", BOB],
    ["ann", ANN],
    ["rev", REV],
  ] as const) {
    keys[name] = await world.session(email);
  }
});
afterAll(() => world?.[Symbol.asyncDispose]());

const SERVED: [number, null] = [200, null];
const path = () => `/agents/${world.ids.agent}/restrictions`;
const pointsOf = ({ receipts }: { receipts: { point: string }[] }) => receipts.map(({ point }) => point).sort();

describe("each kind has its effect from the next request on, and none once it is lifted", () => {
  test("suspended: nothing is served, and a stream that is open ends", async () => {
    verifies("restriction.kinds", "restriction.open-streams");
    const suspended = async (streamed: (ms: number) => void) => {
      world.provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
      const stream = await world.ask({ stream: true });
      const begin = performance.now();
      const made = await world.restrict(keys.admin, "suspended", { expires_in: undefined });
      const events = (await stream.text()).trim().split("\n\n");
      streamed(performance.now() - begin);
      expect([made.in_force, made.expires_at]).toEqual([true, null]);
      expect(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "").error.code).toBe("agent_suspended");
      return made;
    };
    await promptly(1_500, async () => {
      let ms = 0;
      const one = await suspended((took) => {
        ms = took;
      });
      await world.lift(keys.admin, one);
      return one.contained ? ms : Number.POSITIVE_INFINITY;
    });
    const made = await suspended(() => {});
    const refused: [number, string] = [403, "agent_suspended"];
    expect([await world.chat(), await world.chat({ stream: true }), await world.scan()]).toEqual([
      refused,
      refused,
      refused,
    ]);
    expect((await world.call()).json.error.code).toBe("agent_suspended");
    // Eve's own token is not the agent.
    expect(await world.chat({}, world.tokens.eve)).toEqual(SERVED);
    expect((await world.lift(keys.admin, made)).json).toMatchObject({
      in_force: false,
      lift: { reason: "the test is over" },
    });
    expect([await world.chat(), (await world.call()).status]).toEqual([SERVED, 200]);
  });

  test("model_restricted: other models are refused, for calls and in the list", async () => {
    verifies("restriction.kinds");
    const made = await world.restrict(keys.eve, "model_restricted", { params: { models_allow: ["fake-good*"] } });
    const response = await world.ask();
    expect(response.status).toBe(403);
    expect(Object(await response.json()).error).toMatchObject({
      code: "model_not_allowed",
      guard: { layer: `restriction ${made.id}` },
    });
    expect(await world.chat({ model: "fake-good-one" })).toEqual(SERVED);
    await world.lift(keys.eve, made);
    expect(await world.chat()).toEqual(SERVED);
  });

  test("set on the command line beside a hub that serves: in force when the command has ended", async () => {
    verifies("cli.restrictions");
    const { hub, ids } = world;
    const flags = ["--kind", "model_restricted", "--models", "fake-good*", "--expires-in", "1h", "--reason", "a test"];
    const made = Object((await hub.cli("restriction", "set", ids.agent, ...flags)).json());
    expect(await world.chat()).toEqual([403, "model_not_allowed"]);
    expect(await world.chat({ model: "fake-good-one" })).toEqual(SERVED);
    expect((await hub.cli("restriction", "lift", ids.agent, made.id)).code).toBe(0);
    expect(await world.chat()).toEqual(SERVED);
  });

  test("rate_limited: what is more waits", async () => {
    verifies("restriction.kinds");
    const made = await world.restrict(keys.eve, "rate_limited", { params: { concurrent: 1 } });
    world.provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
    const gone = new AbortController();
    const stream = await world.hub.fetch("/v1/chat/completions", {
      token: world.tokens.agent,
      signal: gone.signal,
      json: { model: "fake-model", stream: true, messages: [{ role: "user", content: "Hello there" }] },
    });
    expect(await world.chat()).toEqual([429, "rate_limit_exceeded"]);
    await world.lift(keys.eve, made);
    expect(await world.chat()).toEqual(SERVED);
    gone.abort();
    await stream.body?.cancel().catch(() => undefined);
  });

  test("output_redaction: what is only noted otherwise is taken out, whole and streamed", async () => {
    verifies("restriction.kinds");
    const answer = "Write to jane.doe@example.org about it.";
    const ask = async (stream: boolean) => {
      world.provider.next(says(answer));
      return (await world.ask({ stream })).text();
    };
    expect(await ask(false)).toContain("jane.doe@example.org");
    const made = await world.restrict(keys.eve, "output_redaction");
    expect(numbered(await ask(false))).toContain("[pii.email:1]");
    expect(await ask(true)).not.toContain("jane.doe");
    await world.lift(keys.eve, made);
    expect(await ask(true)).toContain("jane.doe");
  });

  test("tool_restricted: a tool is not there, for lists and calls, nor for the model's own calls", async () => {
    verifies("restriction.kinds");
    const listed = async () => {
      const response = await world.hub.fetch("/mcp/gateway", {
        token: world.tokens.agent,
        json: { method: "tools/list" },
      });
      return Object(await response.json()).tools.map(({ name }: { name: string }) => name);
    };
    const declares = { tools: [{ type: "function", function: { name: "files__read" } }] };
    expect([await listed(), await world.chat(declares)]).toEqual([expect.arrayContaining(["files__read"]), SERVED]);
    for (const params of [{ tools_deny: ["files__*"] }, { read_only: true }]) {
      const made = await world.restrict(keys.eve, "tool_restricted", { params });
      expect(await listed()).not.toContain("files__read");
      expect((await world.call()).json.error.code).toBe("tool_not_found");
      expect(await world.chat(declares)).toEqual([400, "tool_not_allowed"]);
      world.provider.next(callsTools([{ name: "files__read", arguments: "{}" }]));
      expect(await world.chat()).toEqual([400, "content_filter"]);
      // Eve's own token is not the agent.
      expect((await world.call("files__read", {}, world.tokens.eve)).json.error).toBeUndefined();
      await world.lift(keys.eve, made);
    }
    expect((await world.call()).json.error).toBeUndefined();
  });
});

describe("restrictions: who may set and lift", () => {
  test("set and lift", async () => {
    verifies("restriction.who");
    const set = async (key: string, body: object) => {
      const { status, json } = await world.api(key, "POST", path(), { reason: "r", ...body });
      return [status, json.error?.code ?? json.kind];
    };
    const redact = { kind: "output_redaction" };
    expect(await set(keys.bob, { ...redact, expires_in: "1h" })).toEqual([404, "not_found"]);
    expect(await set(keys.rev, { ...redact, expires_in: "1h" })).toEqual([403, "insufficient_scope"]);
    expect(await set(keys.ann, { ...redact, expires_in: "25h" })).toEqual([403, "insufficient_scope"]);
    expect(await set(keys.ann, { kind: "suspended" })).toEqual([403, "insufficient_scope"]);
    expect(await set(world.tokens.agent, { ...redact, expires_in: "1h" })).toEqual([403, "insufficient_scope"]);
    expect(await set(keys.ann, { ...redact, expires_in: 86_400 })).toEqual([201, "output_redaction"]);
    const made = await world.restrict(keys.admin, "output_redaction", { expires_in: "30d" });
    for (const key of [keys.eve, keys.ann, keys.rev]) {
      const { status, json } = await world.lift(key, made);
      expect([status, json.error.code]).toEqual([403, "insufficient_scope"]);
    }
    expect((await world.lift(keys.bob, made)).status).toBe(404);
    expect((await world.api(keys.bob, "GET", path())).status).toBe(404);
    expect((await world.api(keys.bob, "GET", `${path()}/${made.id}`)).status).toBe(404);
    const { json } = await world.api(keys.rev, "GET", `${path()}?in_force=true`);
    expect([json.object, json.data.length, json.data[0].id]).toEqual(["list", 2, made.id]);
    for (const one of json.data) expect((await world.lift(keys.admin, one)).status).toBe(200);
    expect((await world.lift(keys.admin, made)).json.error.code).toBe("state_conflict");
    expect((await world.api(keys.rev, "GET", `${path()}?in_force=true`)).json.data).toEqual([]);
  });

  test.each([
    [{ kind: "output_redaction" }, "expires_in"],
    [{ kind: "output_redaction", expires_in: "0h" }, "expires_in"],
    [{ kind: "output_redaction", expires_at: "2020-01-01T00:00:00Z" }, "expires_in"],
    [{ kind: "output_redaction", expires_at: "soon" }, "expires_at"],
    [{ kind: "output_redaction", expires_at: "2026-99-99T00:00:00Z" }, "expires_at"],
    [{ kind: "output_redaction", expires_in: "4 h" }, "expires_in"],
    [{ kind: "output_redaction", expires_in: "1h", expires_at: "2099-01-01T00:00:00Z" }, "expires_in"],
    [{ kind: "output_redaction", expires_in: "1h", reason: "" }, "reason"],
    [{ kind: "tool_restricted", expires_in: "1h" }, "params"],
    [{ kind: "tool_restricted", expires_in: "1h", params: { tools_deny: [], read_only: false } }, "params"],
    [{ kind: "tool_restricted", expires_in: "1h", params: { tools_allow: ["x"] } }, "params.tools_allow"],
    [{ kind: "rate_limited", expires_in: "1h", params: {} }, "params"],
    [{ kind: "rate_limited", expires_in: "1h", params: { concurrent: 0 } }, "params.concurrent"],
    [{ kind: "human_approval", expires_in: "1h", params: { tools: [] } }, "params"],
    [{ kind: "model_restricted", expires_in: "1h" }, "params.models_allow"],
    [{ kind: "mute", expires_in: "1h" }, "kind"],
    [{ kind: "suspended", days: 3 }, "days"],
  ])("what restricts nothing, or not for a time, is refused: %j", async (body, param) => {
    const { status, json } = await world.api(keys.admin, "POST", path(), { reason: "r", ...body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_value", param]);
  });
});

test("of one kind 50 are in force at most", async () => {
  verifies("restriction.bounded");
  const set = () => world.restrict(keys.eve, "rate_limited", { params: { tokens_per_minute: 1_000_000 } });
  const made = await Promise.all(Array.from({ length: 50 }, set));
  const body = { kind: "rate_limited", params: { concurrent: 1 }, expires_in: "1h", reason: "r" };
  const { status, json } = await world.api(keys.eve, "POST", path(), body);
  expect([status, json.error.code]).toEqual([409, "state_conflict"]);
  // Nobody keeps an administrator from suspending.
  made.push(await world.restrict(keys.admin, "suspended"));
  for (const one of made) expect((await world.lift(keys.admin, one)).status).toBe(200);
  expect(await world.chat()).toEqual(SERVED);
});

describe("for how long, and on whose word", () => {
  test("it ends by itself", async () => {
    verifies("restriction.expires");
    const ending = async (lasts: number): Promise<[end: string, made: Answer["json"]]> => {
      const expires_at = new Date(Date.now() + lasts).toISOString();
      const made = await world.restrict(keys.ann, "suspended", { expires_in: undefined, expires_at });
      // As long as it takes to be seen, however slow the setting of it is.
      const isSeen = (await world.chat())[1] === "agent_suspended";
      return isSeen ? [expires_at, made] : ending(lasts * 2);
    };
    const [end, made] = await ending(2_000);
    expect(made.expires_at).toBe(end);
    await until(async () => (await world.chat())[0] === 200);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(end));
    expect((await world.api(keys.eve, "GET", `${path()}/${made.id}`)).json).toMatchObject({
      in_force: false,
      lift: null,
    });
    expect((await world.lift(keys.admin, made)).json.error.code).toBe("state_conflict");
  });

  test("it survives a restart, and who did what is on record", async () => {
    verifies("restriction.on-record");
    const made = await world.restrict(keys.eve, "suspended", { reason: "looks odd" });
    await world.hub.restart();
    expect((await world.chat())[1]).toBe("agent_suspended");
    await world.lift(keys.eve, made);
    const of = async (kind: string) =>
      (await world.records(kind)).find(
        ({ change }: { change: { subject_id: string } }) => change.subject_id === made.id,
      );
    expect((await of("restriction.set")).change.detail).toMatchObject({
      agent_id: world.ids.agent,
      kind: "suspended",
      source: "manual",
      reason: "looks odd",
    });
    expect((await of("restriction.set")).actor).toMatchObject({ via: "session", user_id: world.ids.eve });
    expect((await of("restriction.confirm")).actor.via).toBe("system");
    expect((await of("restriction.lift")).change.detail.reason).toBe("the test is over");
    expect((await world.hub.cli("audit", "verify")).code).toBe(0);
  });

  test("a call keeps the rules it began with, and the receipt for streams says when the last of them has ended", async () => {
    verifies("restriction.receipts");
    const over = Promise.withResolvers<void>();
    world.provider.next(says(["Once ", "upon ", "a ", "time"], { last: over.promise }));
    const stream = await world.ask({ stream: true });
    const begin = performance.now();
    const made = await world.restrict(keys.eve, "output_redaction");
    expect([pointsOf(made), made.contained]).toEqual([["calls", "tools"], false]);
    // The stream, which takes longer, was not waited for to its end.
    expect(performance.now() - begin).toBeGreaterThanOrEqual(900);
    over.resolve();
    expect(await stream.text()).toContain("[DONE]");
    let now = made;
    await until(async () => {
      now = (await world.api(keys.eve, "GET", `${path()}/${made.id}`)).json;
      return now.contained;
    });
    expect(pointsOf(now)).toEqual(["calls", "streams", "tools"]);
    await world.lift(keys.eve, made);
  });
});
