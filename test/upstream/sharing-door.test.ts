import { expect, test } from "bun:test";
import { join } from "node:path";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import type { ToolServer } from "#model/tools/tool";
import { verifies } from "#test/support/verifies";
import { aCall, child, StdioServers } from "#test/upstream/stdio-servers";
import { ownerDoor } from "#upstream/mcp/sharing-door";
import { textOf } from "#upstream/mcp/sharing-wire";

const SERVER: ToolServer = {
  id: "0197f000-0000-7000-8000-000000000001",
  owner_id: "0197f000-0000-7000-8000-000000000002",
  slug: "files",
  transport: "stdio",
  url: null,
  command: ["program"],
  given_by: "operator",
  active: true,
  credential_kind: "none",
  sealed_credentials: null,
  credential_version: 0,
  call_ms: null,
  list_ms: null,
  published_at: null,
  published_as: null,
  protocol: null,
  elicitation_hosts: [],
  created_at: 0,
};

test("of what a program logs as much waits for another process as it wants and may", async () => {
  verifies("tools.logging-guarded");
  await using servers = new StdioServers();
  const upstream = servers.start([child("scripted")]);
  const path = join(servers.path, "door.sock");
  const tools = {
    find: () => SERVER,
    list: (_server: ToolServer, signal: AbortSignal) => upstream.list(signal),
    call: (_server: ToolServer, call: Parameters<typeof upstream.call>[0]) => upstream.call(call),
    ask: (_server: ToolServer, request: Parameters<typeof upstream.ask>[0]) => upstream.ask(request),
    watch: (_server: ToolServer, watch: Parameters<typeof upstream.watch>[0]) => upstream.watch(watch),
  };
  const door = ownerDoor({ path, tools, isOwned: () => true, longest: 1_000_000, log: servers.log });
  const { signal: _signal, onProgress: _progress, ...rest } = aCall("logs-much");
  const call = { ...rest, wantsProgress: false, isAskable: false, logLevel: "info" as const };
  const body = await textOf({ serverId: SERVER.id, credentialVersion: 0, call });
  const answer = await fetch("http://owner/", { unix: path, method: "POST", body });
  const told = (await answer.text()).split("\n").map(parseJson).filter(isRecord);
  await door.stop();
  const logged = told.map((one) => one["logged"]).filter((one): one is JsonRecord => isRecord(one));
  expect(logged.every(({ level }) => level === "info")).toBe(true);
  expect(logged.length).toBeGreaterThanOrEqual(100);
  expect(logged.length).toBeLessThan(5_000);
  expect(told.at(-1)).toHaveProperty("answer");
});
