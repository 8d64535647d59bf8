import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import { Hub } from "#test/support/hub";
import type { LogLine } from "#test/support/logbook";
import { verifies } from "#test/support/verifies";

/* A tool server that is a program, where several processes serve. */

const EVE = "eve@example.com";
const PROGRAM = join(import.meta.dir, "children", "pid-tools.ts");

let hub: Hub;
let home: string;
let token: string;

beforeAll(async () => {
  // The path of a socket may have some 100 bytes, the data directory's any number.
  home = await mkdtemp(join(tmpdir(), "long-".padEnd(80, "x")));
  hub = await Hub.create({ within: home, processes: "hub", serve: ["--workers", "3", "--durability", "normal"] });
  await hub.createUser(EVE);
  token = (await hub.createToken(EVE)).token;
  await hub.addToolServer("one", { owner: EVE, stdio: [process.execPath, PROGRAM] });
  await hub.start();
}, 120_000);

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const said = (event: string): LogLine[] => hub.logs.filter((line) => line.event === event);

/** Each on a connection of its own, so that any process may take it. */
const call = async (name: string, json: unknown = {}): Promise<string> => {
  const body = `{"method":"tools/call","params":{"name":"one__${name}","arguments":${
    typeof json === "string" ? json : JSON.stringify(json)
  }}}`;
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const answer = await hub.fetch("/mcp/gateway", { method: "POST", token, headers, body, keepalive: false });
  const said: unknown = await answer.json();
  const [part] = isRecord(said) && Array.isArray(said["content"]) ? said["content"] : [];
  if (answer.status !== 200 || !isRecord(part)) throw new Error(`${answer.status} ${JSON.stringify(said)}`);
  return String(part["text"]);
};

const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const programs = (): number[] => said("stdio.started").map(({ pid }) => Number(pid));

test("its program is started once, and every process answers by it", async () => {
  verifies("workers.stdio");
  const before = said("stdio.started").length;
  const answers = await many(40, () => call("pid"));
  expect(new Set(answers).size).toBe(1);
  const started = said("stdio.started");
  expect(started.length).toBeLessThanOrEqual(before + 1);
  expect(started.map(({ pid }) => String(pid))).toContain(answers[0] ?? "");
  // Every process was asked: that the system spreads so many connections over one alone is chance of 3^-39.
  const folder = join(hub.dataDir, "tool-sockets");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
}, 120_000);

test("numbers reach it as they were written, and calls of different length side by side", async () => {
  verifies("workers.stdio");
  const exact = await many(12, () => call("exact", '{"number":12345678901234567890}'));
  expect(new Set(exact)).toEqual(new Set(["12345678901234567890"]));
  // Longer than the runtime lets a connection be silent by itself.
  const waits = await many(12, () => call("wait", { ms: 11_000 }));
  expect(new Set(waits).size).toBe(1);
}, 120_000);

test("when its process is killed another starts it; when it is replaced no call fails", async () => {
  verifies("workers.stdio");
  const [program] = said("stdio.started").slice(-1);
  const ready = said("worker.ready");
  const owner = ready.findLast(({ worker }) => worker === program?.["worker"]);
  process.kill(Number(owner?.["pid"]), "SIGKILL");
  while (said("worker.ready").length === ready.length) await Bun.sleep(20);
  // Until the lease of the dead one has ended, callers wait.
  const after = await many(12, () => call("pid"));
  expect(new Set(after).size).toBe(1);
  expect(after[0]).not.toBe(String(program?.["pid"]));

  let goes = true;
  const failed: string[] = [];
  const pids = new Set<string>();
  const callers = many(6, async () => {
    while (goes) {
      try {
        pids.add(await call("wait", { ms: 50 }));
      } catch (error) {
        failed.push(String(error));
      }
    }
  });
  process.kill(hub.pid, "SIGHUP");
  await hub.log("reloaded", 90_000);
  goes = false;
  await callers;
  expect(failed).toEqual([]);
  expect(pids.size).toBeGreaterThan(1);
  // Those of workers that have ended are gone.
  while (programs().filter(lives).length > 1) await Bun.sleep(20);
}, 180_000);

test("a hub that is to run no programs starts none, and says so to who calls", async () => {
  verifies("workers.stdio-off");
  await using other = await Hub.create({ env: { GUARDHOUSE_TOOL_GATEWAY__STDIO: "off" } });
  await other.createUser(EVE);
  const { token: own } = await other.createToken(EVE);
  const add = ["tool-server", "add", "one", "--owner", EVE, "--stdio", "--", process.execPath, PROGRAM];
  // By another hub's command, which knows its tools from then on.
  const added = await other.cliWith({ env: { GUARDHOUSE_TOOL_GATEWAY__STDIO: "on" } }, ...add);
  expect(added.code).toBe(0);
  await other.start();
  const ask = async (method: string, params: unknown): Promise<string> => {
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await other.fetch("/mcp/gateway", { token: own, headers, json: { method, params } });
    return answer.text();
  };
  expect(await ask("tools/list", {})).toContain("one__pid");
  expect(await ask("tools/call", { name: "one__pid", arguments: {} })).toContain("tool_gateway.stdio");
  expect(other.logs.filter(({ event }) => event === "stdio.started")).toEqual([]);
}, 120_000);
