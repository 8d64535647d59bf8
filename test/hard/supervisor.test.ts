import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeProvider, hangs, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import type { LogLine } from "#test/support/logbook";
import { verifies } from "#test/support/verifies";
import { isWhole, Ledger } from "./ledger";

/* `serve --workers`: the executable, its processes and their signals. */

const [ADA, EVE] = ["ada@example.com", "eve@example.com"];
const CALLERS = 16;
const WORKERS = 2;

let hub: Hub;
let provider: FakeProvider;
let silent: FakeProvider;
let token: string;
let metrics: string;

beforeAll(async () => {
  provider = await FakeProvider.start();
  provider.always(says("one two three four five", { gapMs: 4 }));
  hub = await Hub.create({
    processes: "hub",
    serve: ["--workers", String(WORKERS), "--durability", "normal"],
    env: { GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0" },
  });
  await hub.createUser(EVE);
  await hub.createAdmin(ADA, "--random-password");
  silent = await FakeProvider.start(["slow-model", "silent-model"]);
  const slowly = says("one two three", { gapMs: 700 });
  silent.always((asking) => (asking.model === "silent-model" ? hangs() : slowly)(asking));
  token = (await hub.createToken(EVE)).token;
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
  await hub.start();
  metrics = String((await hub.log("metrics.listening"))["url"]);
}, 120_000);

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await silent[Symbol.asyncDispose]();
});

const said = (event: string): LogLine[] => hub.logs.filter((line) => line.event === event);

const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await Bun.sleep(20);
};

/** The processes that serve now, by the log. */
const pids = (): number[] => {
  const ended = new Set(said("worker.ended").map(({ pid }) => pid));
  return said("worker.ready")
    .map(({ pid }) => Number(pid))
    .filter((pid) => !ended.has(pid));
};

/** Every call on a connection of its own goes to any of the processes. */
const ask = (options: { readonly stream?: boolean; readonly keepalive?: boolean; readonly token?: string } = {}) => {
  const { stream = false, keepalive = false } = options;
  const json = { model: "fake-model", stream, messages: [{ role: "user", content: "hello" }] };
  return hub.fetch("/v1/chat/completions", { token: options.token ?? token, json, keepalive });
};

type Call = { readonly id: string; readonly whole: boolean };
type Load = { readonly whole: string[]; readonly failed: string[]; end(): Promise<void> };

/** Half of the callers keep their connection, and half of each stream. */
const load = (): Load => {
  const [whole, failed]: [string[], string[]] = [[], []];
  let goes = true;
  const call = async (at: number): Promise<Call> => {
    const answer = await ask({ stream: at % 4 < 2, keepalive: at % 2 === 0 });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status}: ${text.slice(0, 200)}`);
    return { id: answer.headers.get("x-request-id") ?? "", whole: /five|\[DONE\]/.test(text) };
  };
  const caller = async (_: unknown, at: number): Promise<void> => {
    while (goes) {
      try {
        const seen = await call(at);
        if (seen.whole) whole.push(seen.id);
        else failed.push(`cut off: ${seen.id}`);
      } catch (error) {
        failed.push(String(error));
      }
    }
  };
  const all = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    whole,
    failed,
    end: async () => {
      goes = false;
      await all;
    },
  };
};

/** Ids of calls that have exactly one final record, and are answered by it. */
const answered = async (): Promise<Set<string>> => {
  const calls = (await Ledger.of(hub)).calls();
  return new Set(
    [...calls].flatMap(([id, entries]) => {
      const ends = entries.filter(({ phase }) => phase === "final").map(({ outcome }) => outcome);
      return ends.join() === "answered" ? [id] : [];
    }),
  );
};

test("one line says that all processes serve, and each line of the log which of them wrote it", async () => {
  verifies("workers.serve");
  expect(said("listening")).toMatchObject([{ workers: WORKERS, url: hub.url, pid: hub.pid }]);
  expect(new Set(said("worker.listening").map(({ worker }) => worker))).toEqual(new Set(["0", "1"]));
  const nodes = (await hub.cli("node", "list")).json();
  expect(nodes).toMatchObject([
    { id: "0", state: "live", url: hub.url },
    { id: "1", state: "live", url: hub.url },
  ]);
});

test("what a command revokes is refused by every process", async () => {
  verifies("workers.serve");
  const { id, token: other } = await hub.createToken(EVE);
  const all = () => Promise.all(Array.from({ length: 24 }, async () => (await ask({ token: other })).status));
  expect(new Set(await all())).toEqual(new Set([200]));
  expect((await hub.cli("token", "revoke", id)).code).toBe(0);
  expect(new Set(await all())).toEqual(new Set([401]));
}, 120_000);

test("what one process revokes is refused by all a moment later, for good", async () => {
  verifies("workers.serve");
  const { id, token: other } = await hub.createToken(EVE);
  const all = () => Promise.all(Array.from({ length: 24 }, async () => (await ask({ token: other })).status));
  const session = await hub.createSession(ADA);
  const revoked = await hub.fetch(`/api/tokens/${id}/revoke`, { method: "POST", token: session, keepalive: false });
  expect(revoked.status).toBe(200);
  while ((await all()).some((status) => status !== 401)) await Bun.sleep(20);
  for (let round = 0; round < 5; round++) expect(new Set(await all())).toEqual(new Set([401]));
}, 120_000);

test("a call that outlasts the reload is answered; told to stop meanwhile, the hub stops in its grace", async () => {
  verifies("workers.reload", "workers.serve");
  await using other = await Hub.create({
    processes: "hub",
    serve: ["--workers", "2"],
    env: { GUARDHOUSE_SHUTDOWN_GRACE_MS: "300" },
  });
  await other.createUser(EVE);
  const { token: own } = await other.createToken(EVE);
  await other.addProvider("slow", { baseUrl: silent.url, models: ["slow-model", "silent-model"] });
  await other.start();
  const begun = async (model: string, soFar: number) => {
    const json = { model, messages: [{ role: "user", content: "hello" }] };
    const one = () =>
      other.fetch("/v1/chat/completions", { token: own, json, keepalive: false }).then(({ status }) => status, String);
    const calls = Array.from({ length: 6 }, one);
    await silent.call(soFar + 5, 30_000);
    return Promise.all(calls);
  };
  const slow = begun("slow-model", 0);
  await silent.call(5, 30_000);
  process.kill(other.pid, "SIGHUP");
  // They take longer than the grace.
  expect(await slow).toEqual(Array(6).fill(200));
  await other.log("reloaded", 60_000);
  const endless = begun("silent-model", 6);
  await silent.call(11, 30_000);
  process.kill(other.pid, "SIGHUP");
  const left = other.logs.filter(({ event }) => event === "stopping").length;
  await until(() => other.logs.filter(({ event }) => event === "stopping").length > left);
  expect(other.logs.filter(({ event }) => event === "stopping.cut_off")).toEqual([]);
  expect(await other.kill("SIGTERM")).toBe(0);
  expect((await endless).filter((status) => status === 200)).toEqual([]);
}, 120_000);

test("SIGHUP replaces every process under load, and no call fails", async () => {
  verifies("workers.reload");
  const before = pids();
  expect(before).toHaveLength(WORKERS);
  const loading = load();
  await until(() => loading.whole.length > CALLERS * 4);
  process.kill(hub.pid, "SIGHUP");
  await hub.log("reloaded", 90_000);
  await loading.end();
  expect(loading.failed).toEqual([]);
  expect(pids()).toHaveLength(WORKERS);
  expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
  const recorded = await answered();
  expect(loading.whole.filter((id) => !recorded.has(id))).toEqual([]);
}, 180_000);

test("of a process that is killed under load no record is lost, the others go on, and it is started again", async () => {
  verifies("workers.restart", "crash.no-loss");
  const [first = 0, second] = pids();
  const ready = said("worker.ready").length;
  const loading = load();
  await until(() => loading.whole.length > CALLERS * 4);
  process.kill(first, "SIGKILL");
  await until(() => said("worker.ready").length > ready);
  const then = loading.whole.length;
  await until(() => loading.whole.length > then + CALLERS * 4);
  await loading.end();
  // What was under way there, and what had connected to it and was not accepted yet.
  expect(loading.failed.filter((why) => !/socket|connect|reset|closed/i.test(why))).toEqual([]);
  expect(pids()).toContain(Number(second));
  const recorded = await answered();
  expect(loading.whole.filter((id) => !recorded.has(id))).toEqual([]);
  // What was under way in the dead process is ended by one of the others.
  const ends = async () =>
    [...(await Ledger.of(hub)).calls().values()].map((all) => all.filter(({ phase }) => phase === "final").length);
  while ((await ends()).includes(0)) await Bun.sleep(100);
  expect(new Set(await ends())).toEqual(new Set([1]));
  expect(await isWhole(hub)).toBe(true);
}, 180_000);

test("figures of all processes are one, also of those that have ended in order", async () => {
  verifies("workers.metrics");
  const counted = async (): Promise<number> => {
    const text = await (await fetch(metrics)).text();
    const lines = text.matchAll(/^guardhouse_calls_total\{[^}]*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await counted();
  await Promise.all(Array.from({ length: 40 }, async () => (await ask()).text()));
  expect(await counted()).toBe(before + 40);
  const ready = said("reloaded").length;
  process.kill(hub.pid, "SIGHUP");
  await until(() => said("reloaded").length > ready);
  expect(await counted()).toBe(before + 40);
  const text = await (await fetch(metrics)).text();
  expect(text).toContain(`guardhouse_workers{state="answering"} ${WORKERS}\n`);
  expect([...text.matchAll(/^guardhouse_audit_healthy\{worker="\d"\} 1$/gm)]).toHaveLength(WORKERS);
  expect([...text.matchAll(/^# TYPE guardhouse_open_calls gauge$/gm)]).toHaveLength(1);
}, 120_000);

test("a process that hangs is ended and started again", async () => {
  verifies("workers.restart");
  const [hanging = 0] = pids();
  const ready = said("worker.ready").length;
  process.kill(hanging, "SIGSTOP");
  await until(() => said("worker.hangs").some(({ pid }) => pid === hanging));
  await until(() => said("worker.ready").length > ready);
  expect(pids()).toHaveLength(WORKERS);
  expect(pids()).not.toContain(hanging);
}, 120_000);

test("an address that is in use stops the start, as it does for one process", async () => {
  verifies("workers.serve");
  await using other = await Hub.create({ processes: "all" });
  const { host } = new URL(hub.url);
  const { code, stderr } = await other.cli("serve", "--workers", "2", "--listen", host);
  expect([code, stderr.includes("in use")]).toEqual([6, true]);
}, 120_000);

test("a reload with a configuration that is refused leaves the processes as they are", async () => {
  verifies("workers.reload");
  const file = await hub.writeFile('log_level = "info"\n');
  await using configured = await Hub.create({ processes: "hub", serve: ["--workers", "2", "--config", file] });
  await configured.start();
  await Bun.write(file, 'log_level = "loud"\n');
  process.kill(configured.pid, "SIGHUP");
  expect((await configured.log("reloading.failed", 60_000))["code"]).toBe(3);
  expect((await configured.fetch("/readyz")).status).toBe(200);
  expect(await configured.kill("SIGTERM")).toBe(0);
}, 120_000);

test("told to stop, all answer what they have begun; killed, its processes stop and the directory is free", async () => {
  verifies("workers.serve", "data.one-server");
  const loading = load();
  await until(() => loading.whole.length > CALLERS);
  const going = await Promise.all(Array.from({ length: 4 }, () => ask({ stream: true })));
  const stopped = hub.kill("SIGTERM");
  const texts = await Promise.all(going.map((answer) => answer.text()));
  expect(await stopped).toBe(0);
  await loading.end();
  expect(texts.filter((text) => !text.includes("[DONE]"))).toEqual([]);
  await hub.start();
  const left = pids();
  await hub.kill("SIGKILL");
  const lives = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  // It waits until those that are left serve no more.
  await hub.start();
  await until(() => !left.some(lives));
  expect(await isWhole(hub)).toBe(true);
}, 180_000);
