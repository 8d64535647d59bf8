/** The upstream of the tool bench: MCP servers without latency, at `/{era}/{number of tools}`. */
import { serveParent } from "./child.ts";
import { answerMcp, type McpServer, toolsJson } from "./mcp-server.ts";
import { serverPath, TOOL_SHAPES } from "./shape.ts";

const servers = new Map<string, McpServer>(
  Object.values(TOOL_SHAPES).map((shape) => [
    serverPath(shape),
    { era: shape.era, tools: toolsJson(shape.tools), listMs: 0 },
  ]),
);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const found = servers.get(new URL(request.url).pathname);
    return found ? answerMcp(request, found) : new Response("no such server", { status: 404 });
  },
});
serveParent(`http://127.0.0.1:${server.port}`);
