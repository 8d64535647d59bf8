import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/* A server of the official SDK that knows 2026-07-28 and nothing older. Its tool changes its own list. */
serveStdio(
  () => {
    const server = new McpServer({ name: "modern", version: "1" }, { instructions: "Modern." });
    server.registerTool("grow", { description: "Adds a tool" }, (context) => {
      server.registerTool("grown", { description: "New" }, () => ({ content: [] }));
      return { content: [{ type: "text", text: JSON.stringify(context.mcpReq.envelope ?? null) }] };
    });
    return server;
  },
  { legacy: "reject" },
);
