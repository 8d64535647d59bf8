/** Tool servers that take their time to list, each at a port of its own, as a hub meets them. Not ready until told. */
import { serveParent } from "./child.ts";
import { FAN, type FanJob, type FanResult } from "./fan-job.ts";
import { answerMcp, toolsJson } from "./mcp-server.ts";

let isReady = false;
const tools = toolsJson(FAN.tools);

const urls = Array.from({ length: FAN.servers }, (_, at) => {
  const mcp = { era: "2025", tools, listMs: at === 0 ? FAN.slowestMs : FAN.othersMs } as const;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => (isReady ? answerMcp(request, mcp) : new Response("not ready", { status: 503 })),
  });
  return `http://127.0.0.1:${server.port}/mcp`;
});

serveParent<FanJob, FanResult>("", async (job) => {
  isReady = job.isReady;
  return { urls };
});
