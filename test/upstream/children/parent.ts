import { jsonLog } from "#platform/log";
import { aCall } from "#test/upstream/stdio-servers";
import { StdioUpstream } from "#upstream/mcp/stdio";

/* `parent.ts PID_DIRECTORY COMMAND…`: starts a server, prints what its tool `grandchild` says, and waits to be killed. */
const [pidDirectory = "", ...command] = process.argv.slice(2);
const upstream = new StdioUpstream({
  slug: "scripted",
  version: "0",
  limits: { connectMs: 10_000, handshakeMs: 10_000, listMs: 10_000, resultBytes: 100_000 },
  events: { onListChanged: () => {} },
  command,
  pidDirectory,
  serverId: "s1",
  log: jsonLog("error", () => {}, Date.now),
  now: Date.now,
  environment: process.env,
  variables: () => ({}),
});
const answer = await upstream.call(aCall("grandchild"));
console.log(JSON.stringify(answer.kind === "result" ? answer.result["structuredContent"] : answer));
setInterval(() => {}, 1_000);
