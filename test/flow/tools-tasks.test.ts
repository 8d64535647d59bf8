import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { type FixtureTool, McpFixture, text, tool } from "#test/support/mcp-fixture";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { EVE, ToolWorld } from "./tools-world";

/** The official example server, which has a tool that runs as a task alone, and tools that ask. */
const EVERYTHING = Bun.resolveSync("@modelcontextprotocol/server-everything/dist/index.js", import.meta.dir);

const taskOnly: FixtureTool = tool(
  "only_as_task",
  () => text("never"),
  { type: "object" },
  { execution: { taskSupport: "required" } },
);

let world: ToolWorld;
let without: McpFixture;
let client: Client;
let asked: string[];
beforeAll(async () => {
  without = McpFixture.start({ era: "2025", tools: [taskOnly, tool("plain", () => text("here"))] });
  world = await ToolWorld.open({
    before: async (hub) => {
      await hub.addToolServer("without", { owner: EVE, url: without.url });
      const added = await hub.cli(
        "tool-server",
        "add",
        "all",
        "--owner",
        EVE,
        "--stdio",
        "--",
        process.execPath,
        EVERYTHING,
        "stdio",
      );
      if (added.code !== 0) throw new Error(added.stderr);
    },
  });
  asked = [];
  client = new Client(
    { name: "guardhouse-tests", version: "1.0.0" },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { interpretation: "technical", name: "Ada" } };
  });
  const requestInit = { headers: { authorization: `Bearer ${world.token}` } };
  await client.connect(asTransport(new StreamableHTTPClientTransport(new URL(world.url), { requestInit })));
});
afterAll(async () => {
  await client?.close();
  await world?.[Symbol.asyncDispose]();
  await without?.[Symbol.asyncDispose]();
});

test("a tool that runs as a task alone is listed as any other, and is run to its end", async () => {
  verifies("tools.tasks");
  const tools = await world.tools();
  const research = tools.find(({ name }) => name === "all__simulate-research-query");
  expect(research).toBeDefined();
  expect(research?.["execution"]).toBeUndefined();
  const result = await world.call("all__simulate-research-query", { topic: "tides" });
  expect(result.content[0]?.text).toContain("tides");
});

test("what it asks meanwhile is answered by its caller's user", async () => {
  verifies("tools.tasks", "elicitation.relayed");
  const args = { topic: "python", ambiguous: true };
  const result = await client.callTool({ name: "all__simulate-research-query", arguments: args });
  expect(asked.at(-1)).toStartWith("all asks: The research query");
  expect(JSON.stringify(result.content)).toContain("technical");
});

test("the example server's questions reach the user", async () => {
  verifies("elicitation.relayed");
  const form = await client.callTool({ name: "all__trigger-elicitation-request", arguments: {} });
  expect(asked.at(-1)).toBe("all asks: Please provide inputs for the following fields:");
  expect(JSON.stringify(form.content)).toContain("Ada");
});

test("a tool whose server runs no tasks is not listed, and its owner is told why", async () => {
  verifies("tools.tasks");
  expect(await world.names()).not.toContain("without__only_as_task");
  const report = await world.cli("tool-server", "test", "without", "--json");
  expect(report).toMatchObject({
    left_out: [{ tool: "only_as_task", reason: "runs as a task, which its server does not offer" }],
  });
});
