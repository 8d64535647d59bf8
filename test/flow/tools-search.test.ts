import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";

import { SECRETS } from "#test/scan/samples";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { BOB, EVE, type Result, ToolWorld, WHOAMI } from "./tools-world";

const AWS_KEY = SECRETS.awsAccessKey;
const SEARCH = "guardhouse__search_tools";
const CALL = "guardhouse__call_tool";
const THINGS = ["issue", "branch", "invoice", "channel", "deployment", "calendar", "contact", "ticket"];
const TOOLS = THINGS.flatMap((thing) =>
  ["create", "list", "delete"].map((verb) =>
    tool(
      `${verb}_${thing}`,
      ({ arguments: given }) => text(`${verb} ${thing} ${JSON.stringify(given)}`),
      { type: "object", properties: { title: { type: "string", description: `Title of the ${thing}` } } },
      { description: `Use it to ${verb} one ${thing}.` },
    ),
  ),
);

let world: ToolWorld;
let fixture: McpFixture;
const tokens = { few: "", many: "" };

beforeAll(async () => {
  fixture = McpFixture.start({ tools: TOOLS });
  world = await ToolWorld.open({
    env: { GUARDHOUSE_TOOL_GATEWAY__SEARCH_ABOVE: "10", GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" },
    before: async (hub) => {
      await hub.createUser(BOB);
      await hub.addToolServer("work", { owner: EVE, url: fixture.url });
      await hub.addToolServer("other", { owner: BOB, url: fixture.url });
      for (const name of ["few", "many"]) await hub.createAgent(name, EVE);
      await hub.assignTools("work", EVE, "few", ["list_issue", "list_ticket"]);
      const most = TOOLS.map(({ definition }) => definition.name).filter((name) => !name.startsWith("delete"));
      await hub.assignTools("work", EVE, "many", most);
      tokens.few = (await hub.createToken(EVE, "few")).token;
      tokens.many = (await hub.createToken(EVE, "many")).token;
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const found = (result: Result): JsonRecord[] => {
  const answer = parseJson(result.content[0]?.text ?? "");
  return isRecord(answer) && Array.isArray(answer["tools"]) ? answer["tools"].filter(isRecord) : [];
};
const search = async (query: string, options: { token?: string; limit?: number } = {}) => {
  const { token, ...more } = options;
  return found(await world.call(SEARCH, { query, ...more }, token === undefined ? {} : { token }));
};
const received = () => fixture.requests.filter(({ method }) => method === "tools/call");

describe("more tools than are listed", () => {
  test("are searched instead; those who have fewer are listed theirs", async () => {
    verifies("tools.search");
    expect((await world.tools()).map(({ name }) => name)).toEqual([CALL, SEARCH, WHOAMI]);
    expect((await world.tools({ token: tokens.many })).map(({ name }) => name)).toEqual([CALL, SEARCH, WHOAMI]);
    expect(await world.names(tokens.few)).toEqual(["work__list_issue", "work__list_ticket"]);
    const { structuredContent } = await world.call(WHOAMI);
    expect(structuredContent).toMatchObject({ listed: 0, searchable: TOOLS.length });
  });

  test("the best match comes first, with what is needed to call it", async () => {
    verifies("tools.search");
    for (const [query, name] of [
      ["create invoice", "work__create_invoice"],
      ["deleting branches", "work__delete_branch"],
      ["List all Tickets!", "work__list_ticket"],
      ["calendar", "work__create_calendar"],
      ["work__list_channel", "work__list_channel"],
    ] as const) {
      expect([query, (await search(query))[0]?.["name"]]).toEqual([query, name]);
    }
    const [best] = await search("create an issue");
    expect(best).toMatchObject({
      name: "work__create_issue",
      description: "Use it to create one issue.",
      inputSchema: { properties: { title: { type: "string" } } },
    });
    expect(await search("issue", { limit: 2 })).toHaveLength(2);
    expect((await search("list")).length).toBe(5);
    expect(await search("zebra")).toEqual([]);
    expect(await world.text(SEARCH, { query: "zebra" })).toContain("None of your 24 tools");
  });

  test("a search finds what the caller may use, and nothing else", async () => {
    verifies("tools.search-scope");
    const names = async (token: string) =>
      (await search("delete list issue", { token, limit: 20 })).map(({ name }) => name);
    expect((await names(tokens.many)).some((name) => `${name}`.includes("delete"))).toBe(false);
    expect(await names(tokens.few)).toEqual(["work__list_issue", "work__list_ticket"]);
    expect((await search("delete issue", { limit: 20 })).some(({ name }) => `${name}`.startsWith("other"))).toBe(false);
  });

  test("calling one by its name, or by the tool that calls, is the same call", async () => {
    verifies("tools.search-call");
    const direct = await world.call("work__create_issue", { title: "one" });
    const before = received().length;
    const asked = { name: CALL, arguments: { name: "work__create_issue", arguments: { title: "one" } } };
    const answer = await world.minimal("tools/call", asked);
    expect(answer.body).toEqual({ ...direct });
    expect(
      received()
        .slice(before)
        .map(({ params }) => params["name"]),
    ).toEqual(["create_issue"]);
    const { call, kind } = await world.recordOf(answer);
    expect([kind, call.tool]).toMatchObject([
      "tool.call",
      { server: "work", tool: "create_issue", name: "work__create_issue" },
    ]);
    expect((await world.legacy("tools/call", asked)).result.content).toEqual(direct.content);
    expect((await world.modern("tools/call", asked)).result.content).toEqual(direct.content);
    expect(await world.text(CALL, { name: "work__list_issue" })).toBe("list issue {}");
  });

  test("hidden and unknown tools are refused alike, with the layer on record", async () => {
    verifies("tools.search-scope", "tools.search-call");
    for (const [name, by] of [
      ["work__delete_issue", "agent"],
      ["other__list_issue", "unknown"],
      [CALL, "unknown"],
      ["", "unknown"],
    ] as const) {
      const before = received().length;
      const answer = await world.minimal("tools/call", { name: CALL, arguments: { name } }, { token: tokens.many });
      expect([name, answer.status]).toEqual([name, 404]);
      expect(answer.body["error"]).toMatchObject({ code: "tool_not_found" });
      expect((await world.recordOf(answer)).call.tool.denied_by).toBe(by);
      expect(received()).toHaveLength(before);
    }
  });

  test("what is asked is scanned, and recorded", async () => {
    verifies("tools.search-scan");
    const searching = await world.minimal("tools/call", { name: SEARCH, arguments: { query: `with ${AWS_KEY}` } });
    expect(searching.body).toMatchObject({ isError: true });
    const blocked = await world.recordOf(searching);
    expect(blocked).toMatchObject({ outcome: "blocked_input", kind: "tool.call" });
    expect(blocked.call.tool).toMatchObject({ server: "guardhouse", tool: "search_tools", is_error: true });
    const before = received().length;
    const calling = { name: CALL, arguments: { name: "work__create_issue", arguments: { title: AWS_KEY } } };
    const answer = await world.minimal("tools/call", calling);
    expect(answer.body).toMatchObject({ isError: true });
    expect((await world.recordOf(answer)).outcome).toBe("blocked_input");
    expect(received()).toHaveLength(before);
    const fine = await world.minimal("tools/call", { name: SEARCH, arguments: { query: "issue", limit: 3 } });
    expect((await world.recordOf(fine)).call.tool).toMatchObject({ tool: "search_tools", listed: 3, is_error: false });
  });

  test("wrong arguments are refused", async () => {
    verifies("tools.search");
    for (const [name, args] of [
      [SEARCH, {}],
      [SEARCH, { query: "" }],
      [SEARCH, { query: "x".repeat(1_001) }],
      [SEARCH, { query: "issue", limit: 21 }],
      [SEARCH, { query: "issue", limit: "3" }],
      [CALL, {}],
      [CALL, { name: 3 }],
      [CALL, { name: "work__create_issue", title: "not in arguments" }],
      [CALL, { name: "work__create_issue", arguments: "{}" }],
    ] as const) {
      const { status, body } = await world.minimal("tools/call", { name, arguments: args });
      expect([name, args, status]).toEqual([name, args, 400]);
      expect(body["error"]).toMatchObject({ code: "invalid_value" });
    }
  });

  test("the official client searches and calls", async () => {
    verifies("tools.search-call");
    const requestInit = { headers: { authorization: `Bearer ${world.token}` } };
    const client = new Client({ name: "guardhouse-tests", version: "1.0.0" });
    await client.connect(asTransport(new StreamableHTTPClientTransport(new URL(world.url), { requestInit })));
    try {
      const listed = await client.listTools();
      expect(listed.tools.map(({ name }) => name)).toEqual([CALL, SEARCH, WHOAMI]);
      const answer = await client.callTool({ name: SEARCH, arguments: { query: "create contact" } });
      expect(JSON.stringify(answer.content)).toContain("work__create_contact");
      const called = { name: "work__create_contact", arguments: { title: "Mia" } };
      const result = await client.callTool({ name: CALL, arguments: called });
      expect(result.content).toEqual([{ type: "text", text: 'create contact {"title":"Mia"}' }]);
    } finally {
      await client.close();
    }
  });
});
