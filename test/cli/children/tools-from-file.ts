import { readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

/* An MCP server over its standard streams: it lists the tools that stand in the file it is given. */

const [, , file = ""] = process.argv;
const server = new Server({ name: "from-file", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: JSON.parse(readFileSync(file, "utf8")) }));
await server.connect(new StdioServerTransport());
