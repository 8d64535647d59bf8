import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callsTools, says } from "#test/support/fake-provider";
import { promptly } from "#test/support/promptly";
import { verifies } from "#test/support/verifies";
import { ADMIN, type Answer, BOB, EVE, RestrictedHouse, until } from "./restricted-house";

const ANN = "ann@example.com";
const REV = "rev@example.com";

let house: RestrictedHouse;
const keys = { admin: "", eve: "", bob: "", ann: "", rev: "" };
beforeAll(async () => {
  house = await RestrictedHouse.open({
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
    keys[name] = await house.session(email);
  }
});
afterAll(() => house?.[Symbol.asyncDispose]());

const SERVED: [number, null] = [200, null];
const path = () => `/agents/${house.ids.agent}/restrictions`;
const pointsOf = ({ receipts }: { receipts: { point: string }[] }) => receipts.map(({ point }) => point).sort();

describe("each kind has its effect from the next request on, and none once it is lifted", () => {
  test("suspended: nothing is served, and a stream that is open ends", async () => {
    verifies("restriction.kinds", "restriction.open-streams");
    const suspended = async (streamed: (ms: number) => void) => {
      house.provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
      const stream = await house.ask({ stream: true });
      const begin = performance.now();
      const made = await house.restrict(keys.admin, "suspended", { expires_in: undefined });
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
      await house.lift(keys.admin, one);
      return one.contained ? ms : Number.POSITIVE_INFINITY;
    });
    const made = await suspended(() => {});
    const refused: [number, string] = [403, "agent_suspended"];
    expect([await house.chat(), await house.chat({ stream: true }), await house.scan()]).toEqual([
      refused,
      refused,
      refused,
    ]);
    expect((await house.call()).json.error.code).toBe("agent_suspended");
    // Eve's own token is not the agent.
    expect(await house.chat({}, house.tokens.eve)).toEqual(SERVED);
    expect((await house.lift(keys.admin, made)).json).toMatchObject({
      in_force: false,
      lift: { reason: "the test is over" },
    });
    expect([await house.chat(), (await house.call()).status]).toEqual([SERVED, 200]);
  });

  test("model_restricted: other models are refused, for calls and in the list", async () => {
    verifies("restriction.kinds");
    const made = await house.restrict(keys.eve, "model_restricted", { params: { models_allow: ["fake-good*"] } });
    const response = await house.ask();
    expect(response.status).toBe(403);
    expect(Object(await response.json()).error).toMatchObject({
      code: "model_not_allowed",
      guard: { layer: `restriction ${made.id}` },
    });
    expect(await house.chat({ model: "fake-good-one" })).toEqual(SERVED);
    await house.lift(keys.eve, made);
    expect(await house.chat()).toEqual(SERVED);
  });

  test("rate_limited: what is more waits", async () => {
    verifies("restriction.kinds");
    const made = await house.restrict(keys.eve, "rate_limited", { params: { concurrent: 1 } });
    house.provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
    const gone = new AbortController();
    const stream = await house.hub.fetch("/v1/chat/completions", {
      token: house.tokens.agent,
      signal: gone.signal,
      json: { model: "fake-model", stream: true, messages: [{ role: "user", content: "Hello there" }] },
    });
    expect(await house.chat()).toEqual([429, "rate_limit_exceeded"]);
    await house.lift(keys.eve, made);
    expect(await house.chat()).toEqual(SERVED);
    gone.abort();
    await stream.body?.cancel().catch(() => undefined);
  });

  test("output_redaction: what is only noted otherwise is taken out, whole and streamed", async () => {
    verifies("restriction.kinds");
    const answer = "Write to jane.doe@example.org about it.";
    const ask = async (stream: boolean) => {
      house.provider.next(says(answer));
      return (await house.ask({ stream })).text();
    };
    expect(await ask(false)).toContain("jane.doe@example.org");
    const made = await house.restrict(keys.eve, "output_redaction");
    expect(await ask(false)).toContain("[pii.email:1]");
    expect(await ask(true)).not.toContain("jane.doe");
    await house.lift(keys.eve, made);
    expect(await ask(true)).toContain("jane.doe");
  });

  test("tool_restricted: a tool is not there, for lists and calls, nor for the model's own calls", async () => {
    verifies("restriction.kinds");
    const listed = async () => {
      const response = await house.hub.fetch("/mcp/gateway", {
        token: house.tokens.agent,
        json: { method: "tools/list" },
      });
      return Object(await response.json()).tools.map(({ name }: { name: string }) => name);
    };
    const declares = { tools: [{ type: "function", function: { name: "files__read" } }] };
    expect([await listed(), await house.chat(declares)]).toEqual([expect.arrayContaining(["files__read"]), SERVED]);
    for (const params of [{ tools_deny: ["files__*"] }, { read_only: true }]) {
      const made = await house.restrict(keys.eve, "tool_restricted", { params });
      expect(await listed()).not.toContain("files__read");
      expect((await house.call()).json.error.code).toBe("tool_not_found");
      expect(await house.chat(declares)).toEqual([400, "tool_not_allowed"]);
      house.provider.next(callsTools([{ name: "files__read", arguments: "{}" }]));
      expect(await house.chat()).toEqual([400, "content_filter"]);
      // Eve's own token is not the agent.
      expect((await house.call("files__read", {}, house.tokens.eve)).json.error).toBeUndefined();
      await house.lift(keys.eve, made);
    }
    expect((await house.call()).json.error).toBeUndefined();
  });
});

describe("who may", () => {
  test("set and lift", async () => {
    verifies("restriction.who");
    const set = async (key: string, body: object) => {
      const { status, json } = await house.api(key, "POST", path(), { reason: "r", ...body });
      return [status, json.error?.code ?? json.kind];
    };
    const redact = { kind: "output_redaction" };
    expect(await set(keys.bob, { ...redact, expires_in: "1h" })).toEqual([404, "not_found"]);
    expect(await set(keys.rev, { ...redact, expires_in: "1h" })).toEqual([403, "insufficient_scope"]);
    expect(await set(keys.ann, { ...redact, expires_in: "25h" })).toEqual([403, "insufficient_scope"]);
    expect(await set(keys.ann, { kind: "suspended" })).toEqual([403, "insufficient_scope"]);
    expect(await set(house.tokens.agent, { ...redact, expires_in: "1h" })).toEqual([403, "insufficient_scope"]);
    expect(await set(keys.ann, { ...redact, expires_in: 86_400 })).toEqual([201, "output_redaction"]);
    const made = await house.restrict(keys.admin, "output_redaction", { expires_in: "30d" });
    for (const key of [keys.eve, keys.ann, keys.rev]) {
      const { status, json } = await house.lift(key, made);
      expect([status, json.error.code]).toEqual([403, "insufficient_scope"]);
    }
    expect((await house.lift(keys.bob, made)).status).toBe(404);
    expect((await house.api(keys.bob, "GET", path())).status).toBe(404);
    expect((await house.api(keys.bob, "GET", `${path()}/${made.id}`)).status).toBe(404);
    const { json } = await house.api(keys.rev, "GET", `${path()}?in_force=true`);
    expect([json.object, json.data.length, json.data[0].id]).toEqual(["list", 2, made.id]);
    for (const one of json.data) expect((await house.lift(keys.admin, one)).status).toBe(200);
    expect((await house.lift(keys.admin, made)).json.error.code).toBe("state_conflict");
    expect((await house.api(keys.rev, "GET", `${path()}?in_force=true`)).json.data).toEqual([]);
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
    const { status, json } = await house.api(keys.admin, "POST", path(), { reason: "r", ...body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_value", param]);
  });
});

test("of one kind 50 are in force at most", async () => {
  verifies("restriction.bounded");
  const set = () => house.restrict(keys.eve, "rate_limited", { params: { tokens_per_minute: 1_000_000 } });
  const made = await Promise.all(Array.from({ length: 50 }, set));
  const body = { kind: "rate_limited", params: { concurrent: 1 }, expires_in: "1h", reason: "r" };
  const { status, json } = await house.api(keys.eve, "POST", path(), body);
  expect([status, json.error.code]).toEqual([409, "state_conflict"]);
  // Nobody keeps an administrator from suspending.
  made.push(await house.restrict(keys.admin, "suspended"));
  for (const one of made) expect((await house.lift(keys.admin, one)).status).toBe(200);
  expect(await house.chat()).toEqual(SERVED);
});

describe("for how long, and on whose word", () => {
  test("it ends by itself", async () => {
    verifies("restriction.expires");
    const ending = async (lasts: number): Promise<[end: string, made: Answer["json"]]> => {
      const expires_at = new Date(Date.now() + lasts).toISOString();
      const made = await house.restrict(keys.ann, "suspended", { expires_in: undefined, expires_at });
      // As long as it takes to be seen, however slow the setting of it is.
      const isSeen = (await house.chat())[1] === "agent_suspended";
      return isSeen ? [expires_at, made] : ending(lasts * 2);
    };
    const [end, made] = await ending(2_000);
    expect(made.expires_at).toBe(end);
    await until(async () => (await house.chat())[0] === 200);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(end));
    expect((await house.api(keys.eve, "GET", `${path()}/${made.id}`)).json).toMatchObject({
      in_force: false,
      lift: null,
    });
    expect((await house.lift(keys.admin, made)).json.error.code).toBe("state_conflict");
  });

  test("it survives a restart, and who did what is on record", async () => {
    verifies("restriction.on-record");
    const made = await house.restrict(keys.eve, "suspended", { reason: "looks odd" });
    await house.hub.restart();
    expect((await house.chat())[1]).toBe("agent_suspended");
    await house.lift(keys.eve, made);
    const of = async (kind: string) =>
      (await house.records(kind)).find(
        ({ change }: { change: { subject_id: string } }) => change.subject_id === made.id,
      );
    expect((await of("restriction.set")).change.detail).toMatchObject({
      agent_id: house.ids.agent,
      kind: "suspended",
      source: "manual",
      reason: "looks odd",
    });
    expect((await of("restriction.set")).actor).toMatchObject({ via: "session", user_id: house.ids.eve });
    expect((await of("restriction.confirm")).actor.via).toBe("system");
    expect((await of("restriction.lift")).change.detail.reason).toBe("the test is over");
    expect((await house.hub.cli("audit", "verify")).code).toBe(0);
  });

  test("a call keeps the rules it began with, and the receipt for streams says when the last of them has ended", async () => {
    verifies("restriction.receipts");
    const over = Promise.withResolvers<void>();
    house.provider.next(says(["Once ", "upon ", "a ", "time"], { last: over.promise }));
    const stream = await house.ask({ stream: true });
    const begin = performance.now();
    const made = await house.restrict(keys.eve, "output_redaction");
    expect([pointsOf(made), made.contained]).toEqual([["calls", "tools"], false]);
    // The stream, which takes longer, was not waited for to its end.
    expect(performance.now() - begin).toBeGreaterThanOrEqual(900);
    over.resolve();
    expect(await stream.text()).toContain("[DONE]");
    let now = made;
    await until(async () => {
      now = (await house.api(keys.eve, "GET", `${path()}/${made.id}`)).json;
      return now.contained;
    });
    expect(pointsOf(now)).toEqual(["calls", "streams", "tools"]);
    await house.lift(keys.eve, made);
  });
});
