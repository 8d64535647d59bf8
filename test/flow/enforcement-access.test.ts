import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { answers, callsTools, says, sends } from "#test/support/fake-provider";
import { text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { codeOf, EnforcementWorld, toolsOf } from "./enforcement-world";
import { ADMIN, EVE } from "./restricted-world";

setDefaultTimeout(120_000);

let world: EnforcementWorld;
let eve = "";
beforeAll(async () => {
  world = await EnforcementWorld.open({
    tools: [tool("read", () => text("hello")), tool("write", () => text("written"))],
    before: async (hub) => {
      await hub.addProvider("more", { baseUrl: "http://127.0.0.1:9/v1", models: ["other-model"] });
    },
  });
  eve = await world.world.session(EVE);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const fn = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const allowing = (...allow: string[]) => ({ tools: toolsOf({ default: "deny", allow }) });
const models = (allow: string[], deny: string[] = [], max_output_tokens: number | null = null) => ({
  models: { allow, deny, max_output_tokens },
});
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "fake-model", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const toolPiece = (called: object): string => chunk({ tool_calls: [{ index: 0, function: called }] });

describe("models", () => {
  test("those of the profile only: in calls, in the list, by name", async () => {
    verifies("enforce.models", "enforce.denied-by");
    const version = await world.govern(models(["fake-*"], ["fake-bad*"]));
    const layer = `profile v${version}`;
    const listed = await world.get("/v1/models");
    expect(listed.json.data.map(({ id }: { id: string }) => id)).toEqual(["fake-model"]);
    expect((await world.get("/v1/models/other-model")).status).toBe(404);
    expect((await world.get("/v1/models/fake-good")).status).toBe(200);
    expect(await world.both({ model: "fake-good" })).toEqual([
      [200, null],
      [200, null],
    ]);
    for (const [model, rule] of [
      ["other-model", "models.allow"],
      ["fake-bad-one", "models.deny"],
    ] as const) {
      expect(await world.both({ model })).toEqual([
        [403, "model_not_allowed"],
        [403, "model_not_allowed"],
      ]);
      const refused = await world.chat({ model });
      expect(refused.json.error).toMatchObject({ param: "model", guard: { layer, rule } });
      const { outcome, call } = await world.record(refused);
      expect([outcome, call.denied_by, call.profile_version]).toEqual(["refused", { layer, rule }, version]);
    }
  });

  test("none at all, where none is allowed", async () => {
    verifies("enforce.models");
    await world.govern(models([]));
    expect((await world.get("/v1/models")).json.data).toEqual([]);
    expect(codeOf(await world.chat())).toEqual([403, "model_not_allowed"]);
  });
});

describe("answers are as long as the profile allows", () => {
  test("longer is refused, open is bounded, and what no number bounds is open", async () => {
    verifies("enforce.output-tokens");
    const version = await world.govern(models(["*"], [], 100));
    for (const key of ["max_tokens", "max_completion_tokens"]) {
      expect(await world.both({ [key]: 101 })).toEqual([
        [400, "parameter_not_allowed"],
        [400, "parameter_not_allowed"],
      ]);
      const refused = await world.chat({ [key]: 101 });
      const by = { layer: `profile v${version}`, rule: "models.max_output_tokens" };
      expect(refused.json.error).toMatchObject({ param: key, guard: by });
      expect((await world.record(refused)).call.denied_by).toEqual(by);
      expect((await world.chat({ [key]: 100 })).status).toBe(200);
      expect(world.provider.lastCall.body[key]).toBe(100);
    }
    for (const open of [{}, { max_tokens: null }, { max_tokens: -1 }, { max_tokens: "9999" }]) {
      for (const stream of [false, true]) {
        await (await world.send({ ...open, stream })).text();
        const { max_tokens, max_completion_tokens } = world.provider.lastCall.body;
        expect([max_tokens, max_completion_tokens]).toEqual([undefined, 100]);
      }
    }
    // The looser of two names is no way around the stricter.
    expect(codeOf(await world.chat({ max_tokens: 10, max_completion_tokens: 500 }))[0]).toBe(400);
    await (await world.send({ max_tokens: 10, max_completion_tokens: "500" })).text();
    expect(world.provider.lastCall.body["max_completion_tokens"]).toBeUndefined();
  });
});

describe("tools that a request declares", () => {
  test("are those of the profile, by whatever name or kind", async () => {
    verifies("enforce.tools-declared", "enforce.denied-by");
    const version = await world.govern(allowing("weather", "files__*"));
    const by = { layer: `profile v${version}`, rule: "tools.allow" };
    for (const tools of [[fn("weather")], [fn("weather"), fn("files__read")]]) {
      expect(await world.both({ tools })).toEqual([
        [200, null],
        [200, null],
      ]);
    }
    for (const [body, param] of [
      [{ tools: [fn("weather"), fn("transfer")] }, "tools[1]"],
      [{ tools: [{ type: "custom", custom: { name: "transfer" } }] }, "tools[0]"],
      [{ tools: [{ type: "custom", function: { name: "weather" }, custom: { name: "transfer" } }] }, "tools[0]"],
      [{ tools: [{ type: "tool_search", name: "weather" }] }, "tools[0]"],
      [{ tools: [{ type: "function", name: "weather", function: { name: "transfer" } }] }, "tools[0]"],
      [{ tools: [{ type: "function" }] }, "tools[0]"],
      [{ functions: [{ name: "transfer" }] }, "functions[0]"],
    ] as const) {
      expect(await world.both(body)).toEqual([
        [400, "tool_not_allowed"],
        [400, "tool_not_allowed"],
      ]);
      const refused = await world.chat(body);
      expect(refused.json.error).toMatchObject({ param, guard: by });
      expect((await world.record(refused)).call).toMatchObject({ denied_by: by, profile_version: version });
    }
  });
});

describe("tools that chat turns on at the provider", () => {
  const SEARCH = { web_search_options: { search_context_size: "low" } };
  const server = (host: string) => ({ tools: [{ type: "mcp", server_url: `https://${host}/mcp` }] });
  const denied = async (body: object) => {
    const { status, json } = await world.chat(body);
    return status === 200 ? [status] : [status, json.error.code, json.error.guard?.rule, json.error.param];
  };
  const refused = (rule: string, param: string) => [400, "tool_not_allowed", rule, param];

  test("are refused where the profile lists none, whatever tools it allows", async () => {
    verifies("models.server-tools");
    await world.govern({ tools: toolsOf() });
    expect(await denied(SEARCH)).toEqual(refused("server_tools.allow", "web_search_options"));
    for (const type of ["web_search", "code_interpreter", "mind_reading"]) {
      const body = { tools: [fn("weather"), { type, name: "weather" }] };
      expect(await denied(body)).toEqual(refused("server_tools.allow", "tools[1]"));
    }
    expect(await denied({ ...SEARCH, stream: true })).toEqual(refused("server_tools.allow", "web_search_options"));
    expect(await denied({ web_search_options: null, tools: [fn("weather")] })).toEqual([200]);
  });

  test("pass where it lists them, remote MCP servers at its hosts alone, names beside them only if allowed", async () => {
    verifies("models.server-tools");
    await world.govern({
      ...allowing("weather"),
      server_tools: { allow: ["mcp", "web_search"], mcp_hosts: ["mcp.example.org"] },
    });
    expect(await denied({ ...SEARCH, ...server("mcp.example.org") })).toEqual([200]);
    expect(await denied(server("evil.test"))).toEqual(refused("server_tools.mcp_hosts", "tools[0]"));
    expect(await denied({ tools: [{ type: "web_search", name: "weather" }] })).toEqual([200]);
    const disguised = { type: "web_search", function: { name: "transfer" } };
    expect(await denied({ tools: [disguised] })).toEqual(refused("tools.allow", "tools[0]"));
  });

  test("are recorded, with a profile and without", async () => {
    verifies("models.server-tools");
    await world.govern({ server_tools: { allow: ["mcp", "web_search"], mcp_hosts: ["*"] } });
    const used = async (body: object, agent = world) => (await agent.record(await agent.chat(body))).call.server_tools;
    expect(await used({ ...SEARCH, ...server("mcp.example.org") })).toEqual([
      { type: "mcp", host: "mcp.example.org" },
      { type: "web_search" },
    ]);
    expect(await used({ tools: [fn("weather")] })).toBeUndefined();
    expect(await used(SEARCH, await world.another())).toEqual([{ type: "web_search" }]);
  });
});

describe("tools that a model calls", () => {
  test("are withheld when the profile does not allow them, whole and streamed", async () => {
    verifies("enforce.tools-called", "enforce.denied-by");
    const version = await world.govern(allowing("weather"));
    const by = { layer: `profile v${version}`, rule: "tools.allow" };
    const script = [
      { name: "weather", arguments: '{"city":"Bonn"}' },
      { name: "transfer", arguments: ['{"amount":', "99}"] },
    ];
    world.provider.next(callsTools(script), callsTools(script));
    const whole = await world.chat();
    expect(whole.json.error).toMatchObject({
      code: "content_filter",
      param: "choices[0].message.tool_calls[1]",
      guard: { ...by, stage: "output", flags: [{ type: "tool.not_allowed", score: 1 }] },
    });
    const streamed = await world.stream();
    expect(streamed.events.at(-1)?.error).toMatchObject({
      code: "content_filter",
      param: "choices[0].message.tool_calls[1]",
      guard: by,
    });
    expect(streamed.finishReasons).toEqual(["content_filter"]);
    expect([streamed.text.includes("amount"), streamed.text.includes("Bonn")]).toEqual([false, false]);
    for (const answer of [whole, streamed]) {
      const { outcome, call } = await world.record(answer);
      expect([outcome, call.denied_by, call.profile_version]).toEqual(["blocked_output", by, version]);
    }
    world.provider.next(callsTools(script.slice(0, 1)), callsTools(script.slice(0, 1)));
    expect((await world.chat()).json.choices[0].message.tool_calls[0].function.name).toBe("weather");
    expect((await world.stream()).finishReasons).toEqual(["tool_calls"]);
  });

  test("names come in pieces, with empty arguments, without a finish reason, or none at all", async () => {
    verifies("enforce.tools-called");
    await world.govern(allowing("weather"));
    const end = [chunk({}, "tool_calls"), "data: [DONE]\n\n"];
    const passing: string[][] = [
      [
        toolPiece({ name: "wea", arguments: "" }),
        toolPiece({ name: "ther", arguments: "" }),
        toolPiece({ arguments: "{}" }),
      ],
      [toolPiece({ name: "wea" }), toolPiece({ name: "ther", arguments: "{}" })],
      [toolPiece({ name: "weather" })],
    ];
    for (const pieces of passing) {
      world.provider.next(sends([...pieces, ...end]));
      const { finishReasons, text: said } = await world.stream();
      expect([finishReasons, said.includes("error")]).toEqual([["tool_calls"], false]);
    }
    const blocked: string[][] = [
      [toolPiece({ name: "trans", arguments: "" }), toolPiece({ name: "fer", arguments: '{"a":1}' }), ...end],
      // Allowed so far, and then no more.
      [toolPiece({ name: "weather", arguments: '{"a"' }), toolPiece({ name: "_delete", arguments: ":1}" }), ...end],
      [toolPiece({ name: "transfer" }), ...end],
      [toolPiece({ name: "transfer", arguments: '{"a":1}' }), "data: [DONE]\n\n"],
      [toolPiece({ name: "transfer" }), "data: [DONE]\n\n"],
      [chunk({ function_call: { name: "transfer", arguments: '{"a":1}' } }), ...end],
    ];
    for (const pieces of blocked) {
      world.provider.next(sends(pieces));
      const streamed = await world.stream();
      expect(streamed.events.at(-1)?.error?.["code"]).toBe("content_filter");
      expect(streamed.text).not.toContain('\\"a\\"');
    }
  });

  test("a call by guardhouse__call_tool is judged as the call of the tool it names", async () => {
    verifies("tools.search-model");
    const version = await world.govern(allowing("files__read"));
    const by = { layer: `profile v${version}`, rule: "tools.allow" };
    const own = ["whoami", "search_tools", "call_tool"].map((name) => `guardhouse__${name}`);
    const tools = own.map(fn);
    const calling = (name: string, inner: string) => {
      const given = JSON.stringify({ name: inner, arguments: { path: "a" } });
      return callsTools([{ name, arguments: [given.slice(0, 9), given.slice(9)] }]);
    };
    for (const name of ["guardhouse__call_tool", "mcp__hub__guardhouse__call_tool"]) {
      world.provider.next(calling(name, "files__write"), calling(name, "files__write"));
      const [whole, streamed] = [await world.chat({ tools }), await world.stream({ tools })];
      expect(whole.json.error).toMatchObject({ code: "content_filter", guard: by });
      expect(streamed.events.at(-1)?.error).toMatchObject({ code: "content_filter", guard: by });
      expect(streamed.text).not.toContain("files__write");
    }
    const passing = [callsTools([{ name: "guardhouse__search_tools", arguments: '{"query":"read"}' }])];
    passing.push(calling("guardhouse__call_tool", "files__read"));
    for (const answer of passing) {
      world.provider.next(answer, answer);
      expect((await world.chat({ tools })).json.choices[0].finish_reason).toBe("tool_calls");
      expect((await world.stream({ tools })).finishReasons).toEqual(["tool_calls"]);
    }
    await world.govern({ tools: toolsOf({ require_human: ["files__write"] }) });
    world.provider.next(calling("guardhouse__call_tool", "files__write"));
    const held = await world.chat({ tools });
    expect(held.json.error).toMatchObject({ code: "content_filter", guard: { action: "hold" } });
  });

  test("the older function_call is held to the same, and so is each of several choices", async () => {
    verifies("enforce.tools-called");
    await world.govern(allowing("weather"));
    const choice = { toolCalls: [{ name: "transfer", arguments: "{}" }] };
    world.provider.next(answers({ choices: [{ content: "Hello." }, choice] }));
    expect((await world.chat({ n: 2 })).json.error.param).toBe("choices[1].message.tool_calls[0]");
    world.provider.next(answers({ choices: [{ content: "Hello." }, choice] }));
    const { events } = await world.stream({ n: 2 });
    expect(events.at(-1)?.error?.["param"]).toBe("choices[1].message.tool_calls[0]");
  });
});

describe("tools of the gateway", () => {
  test("listed and callable are those of the profile, less what a restriction takes", async () => {
    verifies("enforce.tools-gateway", "enforce.denied-by");
    await world.govern({ tools: toolsOf({ effects: { files__read: "read", files__write: "write" } }) });
    expect(await world.tools()).toEqual(["files__read", "files__write"]);
    const version = await world.govern(allowing("files__read"));
    expect(await world.tools()).toEqual(["files__read"]);
    const hidden = await world.call("files__write");
    // To the caller it is like a tool that does not exist.
    const unknown = await world.call("files__unheard_of");
    expect([hidden.status, hidden.json.error.message]).toEqual([404, unknown.json.error.message]);
    expect((await world.record(hidden)).call).toMatchObject({
      denied_by: { layer: `profile v${version}`, rule: "tools.allow" },
      tool: { name: "files__write", denied_by: "profile" },
      profile_version: version,
    });
    expect((await world.record(unknown)).call.denied_by).toBeUndefined();

    await world.govern({ tools: toolsOf({ effects: { files__read: "read", files__write: "write" } }) });
    const made = await world.world.restrict(eve, "tool_restricted", { params: { read_only: true } });
    expect(await world.tools()).toEqual(["files__read"]);
    const by = { layer: `restriction ${made.id}`, rule: "tools.read_only" };
    expect((await world.record(await world.call("files__write"))).call.denied_by).toEqual(by);
    const declared = await world.chat({ tools: [fn("files__write")] });
    expect(declared.json.error.guard).toEqual(by);
    await world.world.lift(eve, made);
    expect((await world.call("files__write")).json.content[0].text).toBe("written");
  });
});

describe("suspension and kill switch refuse all calls of an agent", () => {
  test("is named too: a restriction, a person, a kill switch", async () => {
    verifies("enforce.denied-by");
    const version = await world.govern();
    const refused = async (): Promise<unknown> => {
      const whole = await world.chat();
      const { call } = await world.record(whole);
      expect([call.denied_by, call.profile_version]).toEqual([whole.json.error.guard, version]);
      expect([
        (await world.call("files__read")).json.error.guard,
        (await world.scan("Hello")).json.error.guard,
      ]).toEqual([whole.json.error.guard, whole.json.error.guard]);
      return whole.json.error.guard;
    };
    const made = await world.world.restrict(eve, "suspended", { expires_in: "1h" });
    expect(await refused()).toEqual({ layer: `restriction ${made.id}`, rule: "suspended" });
    await world.world.lift(eve, made);
    await world.world.api(eve, "POST", `/agents/${world.agent}/suspend`, { reason: "a test" });
    expect(await refused()).toEqual({ layer: "agent", rule: "lifecycle" });
    await world.world.api(eve, "POST", `/agents/${world.agent}/resume`);
    const admin = await world.world.session(ADMIN);
    const killed = { level: "agent", target: world.agent, reason: "a test" };
    const { json } = await world.world.api(admin, "POST", "/killswitch", killed);
    expect(await refused()).toEqual({ layer: `kill switch ${json.id}`, rule: "agent" });
    await world.world.api(admin, "POST", `/killswitch/${json.id}/lift`, { reason: "over" });
    expect((await world.chat()).status).toBe(200);
  });
});

describe("a profile that only watches", () => {
  test("refuses nothing of all this, and puts it on record", async () => {
    verifies("enforce.monitor");
    const version = await world.govern({ mode: "monitor", ...models([], [], 10), ...allowing() });
    const layer = `profile v${version}`;
    expect((await world.get("/v1/models")).json.data).toContainEqual(expect.objectContaining({ id: "other-model" }));
    expect(await world.tools()).toEqual(["files__read", "files__write"]);
    const called = callsTools([{ name: "transfer", arguments: "{}" }]);
    world.provider.next(called, called);
    const body = { tools: [fn("transfer")], max_tokens: 500 };
    const [whole, streamed] = [await world.chat(body), await world.stream(body)];
    expect([whole.status, streamed.finishReasons]).toEqual([200, ["tool_calls"]]);
    expect(world.provider.lastCall.body["max_tokens"]).toBe(500);
    for (const answer of [whole, streamed]) {
      const { call } = await world.record(answer);
      expect([call.mode, call.denied_by]).toEqual(["monitor", undefined]);
      const seen = call.flags.map(({ type, param, action, would, rule }) => [type, param, action, would, rule]);
      for (const wanted of [
        ["policy.model", "model", "flag", "block", "models.allow"],
        ["policy.tool", "tools[0]", "flag", "block", "tools.allow"],
        ["policy.limit", "max_tokens", "flag", "block", "models.max_output_tokens"],
        ["tool.not_allowed", "choices[0].message.tool_calls[0]", "flag", "block", "tools.allow"],
      ]) {
        expect(seen).toContainEqual(wanted);
      }
      expect(new Set(call.flags.map((flag) => flag.layer))).toEqual(new Set([layer]));
    }
    const call = await world.call("files__read");
    expect(call.json.content[0].text).toBe("hello");
    expect((await world.record(call)).call.flags).toMatchObject([{ type: "policy.tool", would: "block", layer }]);
    world.provider.next(says("Hello."));
    expect((await world.chat()).status).toBe(200);
    expect(world.provider.lastCall.body["max_completion_tokens"]).toBeUndefined();
  });

  test("hides no restriction: that holds all the same", async () => {
    verifies("enforce.monitor");
    await world.govern({ mode: "monitor", ...models([]), ...allowing() });
    const made = await Promise.all([
      world.world.restrict(eve, "model_restricted", { params: { models_allow: ["fake-good"] } }),
      world.world.restrict(eve, "tool_restricted", { params: { tools_deny: ["transfer", "files__write"] } }),
    ]);
    const refused = await world.chat();
    expect([refused.status, refused.json.error.guard.layer]).toEqual([403, `restriction ${made[0].id}`]);
    const declared = await world.chat({ model: "fake-good", tools: [fn("transfer")] });
    expect(declared.json.error.guard).toEqual({ layer: `restriction ${made[1].id}`, rule: "tools.deny" });
    expect(await world.tools()).toEqual(["files__read"]);
    for (const one of made) await world.world.lift(eve, one);
  });
});
