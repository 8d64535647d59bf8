import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ProfileBody } from "#policy/profile/profile";
import { verifies } from "#test/support/verifies";
import { EnforcementWorld, toolsOf } from "./enforcement-world";

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const SEARCH = { type: "web_search_20250305", name: "web_search" };
const CODE = { type: "code_execution_20260521", name: "code_execution" };
const UNKNOWN = { type: "mind_reading_20310101", name: "mind_reading" };
const CLIENT = [
  { type: "bash_20250124", name: "bash" },
  { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
  { name: "look_up", input_schema: { type: "object" } },
];
const server = (host: string) => ({ type: "url", name: "tools", url: `https://${host}/mcp` });

const ECHO = { model: "guardhouse/echo", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
const ask = async (body: object) => {
  const { status, json: answer } = await world.post("/v1/messages", { ...ECHO, ...body });
  return status === 200 ? [status] : [status, answer.error.type, answer.error.guard?.rule, answer.error.message];
};
const refused = (rule: string, param: string) => [
  400,
  "invalid_request_error",
  rule,
  expect.stringMatching(new RegExp(`^${RegExp.escape(param)}: This agent may not turn on the provider's `)),
];
const governed = (server_tools?: ProfileBody["server_tools"]) =>
  world.govern({ tools: toolsOf(), ...(server_tools && { server_tools }) });

describe("tools that run at the provider", () => {
  test("are refused where the profile lists none, wherever they are turned on", async () => {
    verifies("models.server-tools");
    await governed();
    const rule = "server_tools.allow";
    expect(await ask({ tools: CLIENT })).toEqual([200]);
    expect(await ask({ tools: [...CLIENT, SEARCH] })).toEqual(refused(rule, "tools[3]"));
    expect(await ask({ tools: [UNKNOWN] })).toEqual(refused(rule, "tools[0]"));
    expect(await ask({ mcp_servers: [server("mcp.example.org")] })).toEqual(refused(rule, "mcp_servers[0]"));
    const added = { type: "tool_addition", tool: { type: "tool_definition", definition: CODE } };
    const messages = [{ role: "user", content: [{ type: "text", text: "Hi" }, added] }];
    expect(await ask({ messages })).toEqual(refused(rule, "messages[0].content[1].tool[0]"));
    const compaction = { type: "compaction", content: "So far", tool_changes: [added] };
    expect(await ask({ messages: [{ role: "assistant", content: [compaction] }] })).toEqual(
      refused(rule, "messages[0].content[0].tool_changes.tool[0]"),
    );
  });

  test("pass where it lists them, remote MCP servers at its hosts alone", async () => {
    verifies("models.server-tools");
    await governed({ allow: ["mcp", "web_search"], mcp_hosts: ["mcp.example.org", "*.example.com"] });
    expect(await ask({ tools: [SEARCH] })).toEqual([200]);
    expect(await ask({ tools: [SEARCH, CODE] })).toEqual(refused("server_tools.allow", "tools[1]"));
    const servers = [server("mcp.example.org"), server("tools.example.com")];
    const toolset = { type: "mcp_toolset", mcp_server_name: "tools" };
    expect(await ask({ tools: [toolset], mcp_servers: servers })).toEqual([200]);
    for (const host of ["example.com", "mcp.example.org.evil.test", "mcp.example.org:8443"]) {
      expect(await ask({ mcp_servers: [...servers, server(host)] })).toEqual(
        refused("server_tools.mcp_hosts", "mcp_servers[2]"),
      );
    }
    expect(await ask({ mcp_servers: [{ type: "url", name: "tools" }] })).toEqual(
      refused("server_tools.mcp_hosts", "mcp_servers[0]"),
    );
  });

  test("are recorded, refused or not", async () => {
    verifies("models.server-tools");
    await governed({ allow: ["mcp"], mcp_hosts: ["mcp.example.org"] });
    const used = async (body: object) => {
      const { call } = await world.record(await world.post("/v1/messages", { ...ECHO, ...body }));
      return call.server_tools;
    };
    expect(await used({ mcp_servers: [server("mcp.example.org")] })).toEqual([
      { type: "mcp", host: "mcp.example.org" },
    ]);
    expect(await used({ tools: [SEARCH], mcp_servers: [server("evil.test")] })).toEqual([
      { type: "web_search" },
      { type: "mcp" },
    ]);
    expect(await used({ tools: CLIENT })).toBeUndefined();
  });
});
