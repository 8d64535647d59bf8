import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { callsTools, says } from "#test/support/fake-provider";
import { tool } from "#test/support/mcp-fixture";
import { answersMessage } from "#test/support/message-script";
import { answersResponse } from "#test/support/response-script";
import { verifies } from "#test/support/verifies";
import { World } from "#test/support/world";

setDefaultTimeout(120_000);

const MODEL = "gpt-test";
const CLAUDE = "claude-test";
const TALK = "talk/7 of Eve";

let world: World;
beforeAll(async () => {
  world = await World.open({
    seeds: {
      users: { eve: { session: true }, bob: { session: true }, ann: { role: "analyst", session: true } },
      agents: { helper: { owner: "eve" } },
      tokens: { helper: { user: "eve", agent: "helper" }, eve: { user: "eve" } },
      providers: { main: { models: [MODEL] }, claude: { models: [CLAUDE], kind: "anthropic" } },
      toolServers: {
        crm: {
          owner: "eve",
          agents: ["helper"],
          tools: [tool("find", () => ({ content: [{ type: "text", text: "jane.doe@example.org" }] }))],
        },
      },
    },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

type Token = "helper" | "eve";

const ask = async (token: Token, conversation: string, body: object = {}): Promise<string> => {
  const response = await world.hub.fetch("/v1/chat/completions", {
    token: world.tokenOf(token),
    json: { model: MODEL, messages: [{ role: "user", content: "Find Jane." }], ...body },
    headers: { "x-conversation-id": conversation },
  });
  await response.text();
  return response.headers.get("x-request-id") ?? "";
};

const useTool = async (token: Token, conversation: string, name = "crm__find"): Promise<string> => {
  const response = await world.hub.fetch("/mcp/gateway", {
    token: world.tokenOf(token),
    json: { method: "tools/call", params: { name, arguments: {} } },
    headers: { "x-conversation-id": conversation },
  });
  await response.text();
  return response.headers.get("x-request-id") ?? "";
};

const asks = (...names: readonly string[]) => callsTools(names.map((name) => ({ name, arguments: ["{}"] })));

const get = async (who: string, path: string) => {
  const response = await world.hub.fetch(`/api${path}`, { token: world.userOf(who).session });
  return { status: response.status, json: Object(await response.json()) };
};

/** A first turn with a tool that the model asked for, and a second. */
const talk = async (token: Token, conversation: string, stream = false) => {
  const { provider } = { provider: world.providerOf("main") };
  provider.always(asks("mcp__hub__crm__find", "jane_doe_private_note"));
  const first = await ask(token, conversation, { stream });
  const found = await useTool(token, conversation);
  provider.always(says("Jane is there."));
  const answer = await ask(token, conversation, { stream });
  const second = await ask(token, conversation, { stream });
  return { first, found, answer, second };
};

test("conversation: calls by start, each tool call under the model call that asked for it, with totals", async () => {
  verifies("trace.shown", "trace.nested");
  for (const [token, stream] of [
    ["helper", false],
    ["helper", true],
    ["eve", false],
    ["eve", true],
  ] as const) {
    const conversation = `${TALK} ${token} ${stream}`;
    const { first, found, answer, second } = await talk(token, conversation, stream);
    const { status, json } = await get("eve", `/calls/${found}/conversation`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: "conversation",
      conversation_id: conversation,
      user: world.userOf("eve").email,
      agent: token === "helper" ? "helper" : null,
      has_more: false,
      has_later: false,
      next_cursor: null,
      latest_call_id: second,
      totals: { calls: 4, model_calls: 3, tool_calls: 1, blocked: 0, failed: 0, is_complete: true },
    });
    const [one, two, three, four] = json.calls;
    expect(json.calls).toHaveLength(4);
    // Names that are not the gateway's are content: they are counted, and not recorded.
    expect(one).toMatchObject({
      ...{ call_id: first, ends_turn: false, asked_by: null },
      asked_tools: { count: 2, names: ["crm__find"] },
    });
    expect(two).toMatchObject({ call_id: found, tool: "crm__find", asked_by: { call_id: first, basis: "named" } });
    expect(three).toMatchObject({ call_id: answer, ends_turn: true, asked_tools: null });
    expect(four).toMatchObject({ call_id: second, ends_turn: true });
    expect(JSON.stringify(json)).not.toContain("jane_doe_private_note");
    expect(json.totals.tokens.prompt).toBeGreaterThan(0);
    expect(json.totals.elapsed_ms).toBeGreaterThan(0);
  }
});

test.each([
  ["messages", false],
  ["messages", true],
  ["responses", false],
  ["responses", true],
] as const)(
  "conversation: tools that a model asked for over %s, streamed %p, and the tool call below it",
  async (api, stream) => {
    verifies("trace.nested");
    const conversation = `${TALK} ${api} ${stream}`;
    const [tool, note] = ["mcp__hub__crm__find", "jane_doe_private_note"];
    const isMessages = api === "messages";
    if (isMessages) {
      const blocks = [tool, note].map((name) => ({ tool: name, input: {} }));
      world.providerOf("claude").next(answersMessage({ blocks }));
    } else {
      world
        .providerOf("main")
        .next(answersResponse({ items: [tool, note].map((name) => ({ tool: name, arguments: "{}" })) }));
    }
    const asked = "Find Jane.";
    const answer = await world.hub.fetch(isMessages ? "/v1/messages" : "/v1/responses", {
      token: world.tokenOf("helper"),
      headers: { "x-conversation-id": conversation, ...(isMessages && { "anthropic-version": "2023-06-01" }) },
      json: {
        stream,
        ...(isMessages
          ? { model: CLAUDE, max_tokens: 64, messages: [{ role: "user", content: asked }] }
          : { model: MODEL, input: asked }),
      },
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(tool)]);
    const first = answer.headers.get("x-request-id") ?? "";
    const found = await useTool("helper", conversation);
    const { json } = await get("eve", `/calls/${found}/conversation`);
    expect(json.calls).toMatchObject([
      { call_id: first, ends_turn: false, asked_tools: { count: 2, names: ["crm__find"] } },
      { call_id: found, tool: "crm__find", asked_by: { call_id: first, basis: "named" } },
    ]);
    expect(JSON.stringify(json)).not.toContain(note);
  },
);

test("conversation: a block and what was found stand at the call", async () => {
  verifies("trace.shown");
  const conversation = `${TALK} blocked`;
  const key = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;
  const blocked = await ask("helper", conversation, { messages: [{ role: "user", content: `My key is ${key}` }] });
  const { json } = await get("ann", `/calls/${blocked}/conversation`);
  expect(json.totals).toMatchObject({ calls: 1, blocked: 1 });
  expect(json.calls).toMatchObject([{ decision: "block", code: "content_filter", flags: [{ action: "block" }] }]);
  expect(JSON.stringify(json)).not.toContain(key);
});

test("conversation: a call's neighbours, from a tool call to the model call that asked for it and back", async () => {
  verifies("trace.links");
  const { first, found, answer, second } = await talk("helper", `${TALK} links`);
  expect((await get("eve", `/calls/${found}/links`)).json).toMatchObject({
    object: "call_links",
    conversation_id: `${TALK} links`,
    asked_by: { call_id: first, model: MODEL, basis: "named" },
    asked: [],
    previous: { call_id: first },
    next: { call_id: answer },
  });
  expect((await get("eve", `/calls/${first}/links`)).json).toMatchObject({
    ...{ asked_by: null, asked: [{ call_id: found, tool: "crm__find" }], previous: null, next: { call_id: found } },
  });
  expect((await get("eve", `/calls/${second}/links`)).json).toMatchObject({
    previous: { call_id: answer },
    next: null,
  });
});

test("conversation: previous and next are the caller's own others", async () => {
  verifies("trace.links");
  const one = await talk("helper", `${TALK} one`);
  await talk("eve", `${TALK} of another caller`);
  const two = await talk("helper", `${TALK} two`);
  const { json } = await get("eve", `/calls/${one.found}/conversation`);
  expect(json.next).toMatchObject({ conversation_id: `${TALK} two` });
  const { json: next } = await get("eve", `/calls/${json.next.call_id}/conversation`);
  expect(next.calls.map(({ call_id }: { call_id: string }) => call_id)).toContain(two.first);
  expect(next).toMatchObject({ previous: { conversation_id: `${TALK} one` }, next: null });
});

test("conversation: the same id of another caller is another conversation; strangers see none", async () => {
  verifies("trace.whose");
  const conversation = `${TALK} shared name`;
  world.providerOf("main").always(says("Hello."));
  const agents = await ask("helper", conversation);
  const own = await ask("eve", conversation);
  const idsOf = async (who: string, id: string) =>
    (await get(who, `/calls/${id}/conversation`)).json.calls.map(({ call_id }: { call_id: string }) => call_id);
  expect(await idsOf("ann", agents)).toEqual([agents]);
  expect(await idsOf("eve", own)).toEqual([own]);
  for (const path of ["conversation", "links"]) {
    expect((await get("bob", `/calls/${own}/${path}`)).status).toBe(404);
    expect((await get("eve", `/calls/${Bun.randomUUIDv7()}/${path}`)).status).toBe(404);
  }
});

test("conversation: long ones come in pages that join up, and the first page has the call that was asked for", async () => {
  verifies("trace.paged");
  const conversation = `${TALK} long`;
  world.providerOf("main").always(says("Hello."));
  const made: string[] = [];
  for (let at = 0; at < 9; at += 1) made.push(await ask("eve", conversation));
  const newest = made[8] ?? "";
  const read: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { json } = await get("eve", `/calls/${newest}/conversation?limit=4&cursor=${encodeURIComponent(cursor)}`);
    read.unshift(...json.calls.map(({ call_id }: { call_id: string }) => call_id));
    // Totals are of all of it, and told once.
    expect(json.totals?.calls ?? null).toBe(cursor === "" ? 9 : null);
    cursor = json.next_cursor;
  }
  expect(read).toEqual(made);
  const { json: early } = await get("eve", `/calls/${made[2]}/conversation?limit=4`);
  expect(early).toMatchObject({ has_later: true, latest_call_id: newest, totals: { calls: 9 } });
  expect(early.calls.map(({ call_id }: { call_id: string }) => call_id)).toEqual(made.slice(0, 3));
  for (const query of ["limit=201", "limit=0", "cursor=x", "since=x"]) {
    expect([query, (await get("eve", `/calls/${newest}/conversation?${query}`)).status]).toEqual([query, 400]);
  }
});

test("conversation: a call of none is shown alone, and an administrative change has none", async () => {
  verifies("trace.shown");
  const response = await world.hub.fetch("/v1/chat/completions", {
    token: world.tokenOf("eve"),
    json: { model: MODEL, messages: [{ role: "user", content: "Hello." }] },
  });
  await response.text();
  const id = response.headers.get("x-request-id") ?? "";
  const { json } = await get("eve", `/calls/${id}/conversation`);
  expect(json).toMatchObject({ conversation_id: null, calls: [{ call_id: id }], previous: null, next: null });
  expect((await get("eve", `/calls/${id}/links`)).json).toMatchObject({ conversation_id: null, previous: null });
  const [change] = (await get("ann", "/calls?decision=change&limit=1")).json.data;
  expect((await get("ann", `/calls/${change.call_id}/conversation`)).json).toMatchObject({ calls: [] });
});
