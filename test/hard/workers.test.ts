import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Lock, lockForServing, openDataDirectory } from "#platform/data-directory";
import { processIdOf } from "#store/node-port";
import { openSqliteStore } from "#store/sqlite/index";
import { FakeProvider, hangs } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";
import { Worker } from "./worker";

/* Processes that serve from one directory, as a process that has its lock starts them. */

const [ADA, EVE] = ["ada@example.com", "eve@example.com"];

let hub: Hub;
let lock: Lock;
let provider: FakeProvider;
let receiver: WebhookReceiver;
let workers: Worker[];
let session: string;
let agent: { readonly id: string };

beforeAll(async () => {
  provider = await FakeProvider.start(["slow-model"]);
  provider.always(hangs());
  receiver = new WebhookReceiver();
  hub = await Hub.create({ env: { GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8" } });
  await hub.createUser(EVE);
  await hub.createAdmin(ADA, "--random-password");
  session = await hub.createSession(ADA);
  agent = await hub.createAgent("bot", EVE);
  await hub.addProvider("slow", { baseUrl: provider.url, models: ["slow-model"] });
  await hub.cli("webhook", "add", receiver.url, "--events", "*");
  lock = lockForServing(openDataDirectory(hub.dataDir));
  workers = ["0", "1", "2"].map((id) => new Worker(hub.dataDir, id));
  await Promise.all(workers.map((one) => one.ready()));
}, 120_000);

afterAll(async () => {
  await Promise.all(workers.map((one) => one.end("SIGTERM")));
  lock.release();
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
}, 120_000);

const at = (n: number): Worker => {
  const one = workers[n % workers.length];
  if (!one) throw new Error("no worker");
  return one;
};
const all = (token: string): Promise<number[]> => Promise.all(workers.map((one) => one.ask(token)));

const list = async (...verb: readonly string[]): Promise<Record<string, unknown>[]> => {
  const found = (await hub.cli(...verb)).json();
  if (!Array.isArray(found)) throw new Error("no list");
  return found.map(Object);
};

test("a token opens every process once `token create` has returned, and none after `token revoke`", async () => {
  verifies("node.commands");
  for (let round = 0; round < 5; round++) {
    const { id, token } = await hub.createToken(EVE);
    expect(await all(token)).toEqual([200, 200, 200]);
    const { code, complaints } = await hub.cli("token", "revoke", id);
    expect([code, complaints]).toEqual([0, ""]);
    expect(await all(token)).toEqual([401, 401, 401]);
  }
}, 120_000);

test("a command returns when each live process has taken its change in, however slow one is", async () => {
  verifies("node.commands");
  // One that lives, and takes in what is new when the test does.
  const node = { id: "slow", version: "0", leaseMs: 120_000, isAlone: false };
  const slow = await openSqliteStore({ dataDir: hub.dataDir, writer: "inline", node });
  const { self } = slow.nodes;
  if (self === null) throw new Error("no node");
  let hasReturned = false;
  const making = hub.createToken(EVE).finally(() => {
    hasReturned = true;
  });
  await Bun.sleep(4_000);
  expect(hasReturned).toBe(false);
  while (!hasReturned) {
    await slow.changes.acknowledge(processIdOf(self), await slow.changes.revision());
    await Bun.sleep(20);
  }
  await slow.close();
  expect(await all((await making).token)).toEqual([200, 200, 200]);
  expect((await hub.cli("node", "remove", "slow")).code).toBe(0);
}, 120_000);

test("a kill switch that says it is contained holds in every process", async () => {
  verifies("restriction.receipts");
  const { token } = await hub.createToken(EVE);
  const made = await at(0).fetch("/api/killswitch", session, { level: "all", reason: "a test" });
  const { id, contained } = Object(await made.json());
  expect([made.status, contained]).toEqual([201, true]);
  expect(await all(token)).toEqual([403, 403, 403]);
  const { status } = await at(1).fetch(`/api/killswitch/${id}/lift`, session, { reason: "enough" });
  expect(status).toBe(200);
  for (const one of workers) while ((await one.ask(token)) !== 200) await Bun.sleep(20);
}, 120_000);

test("a limit of an agent holds over all processes, and refuses nothing below it", async () => {
  verifies("limits.shared");
  const { token } = await hub.createToken(EVE, agent.id);
  const limit = { kind: "rate_limited", reason: "a test", expires_in: "1h", params: { requests_per_minute: 30 } };
  const made = await at(2).fetch(`/api/agents/${agent.id}/restrictions`, session, limit);
  expect(made.status).toBe(201);
  expect(Object(await made.json()).contained).toBe(true);
  const answers = await Promise.all(Array.from({ length: 90 }, (_, n) => at(n).ask(token)));
  expect(answers.filter((status) => status === 200)).toHaveLength(30);
  expect(answers.filter((status) => status === 429)).toHaveLength(60);
}, 120_000);

test("a receiver of webhooks is told of each change once", async () => {
  verifies("webhook.at-least-once");
  const names = Array.from({ length: 6 }, (_, n) => `told-${n}`);
  for (const name of names) await hub.createAgent(name, EVE);
  const told = () => receiver.received.filter(({ body }) => JSON.parse(body).type === "agent.created");
  // One more, so that what comes twice would have come by then.
  await hub.createAgent("last", EVE);
  const last = (await list("agent", "list")).find(({ name }) => name === "last")?.["id"];
  while (!told().some(({ body }) => JSON.parse(body).data.id === last)) await Bun.sleep(20);
  const ids = told().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const subjects = told().map(({ body }) => JSON.parse(body).data.id);
  expect(new Set(subjects).size).toBe(subjects.length);
}, 120_000);

test("no other process may serve from the directory, nor as a node that lives", async () => {
  verifies("data.one-server");
  expect(() => lockForServing(openDataDirectory(hub.dataDir))).toThrow("Another process is serving");
  const twice = new Worker(hub.dataDir, "1");
  await expect(twice.ready()).rejects.toThrow("node 1");
}, 120_000);

test("of a process that is killed the others end the calls, and the next one goes on as it", async () => {
  verifies("node.take-over");
  const { token } = await hub.createToken(EVE);
  const killed = at(0)
    .ask(token, "slow-model")
    .catch(() => "gone");
  const going = at(1)
    .ask(token, "slow-model")
    .catch(() => "gone");
  // A call that takes longer is written down as open.
  const open = async () => (await list("audit", "tail", "-n", "20")).filter(({ phase }) => phase === "request");
  while ((await open()).length < 2) await Bun.sleep(50);
  expect(await at(0).end("SIGKILL")).not.toBe(0);
  expect(await killed).toBe("gone");
  const { node, epoch } = await Promise.any([at(1), at(2)].map((one) => one.said("node.ended")));
  expect([node, epoch]).toEqual(["0", 1]);
  const said = await Promise.any([at(1), at(2)].map((one) => one.said("node.calls_ended")));
  expect(said["interrupted"]).toBe(1);
  const states = (await list("node", "list")).map(({ id, state }) => `${id} ${state}`);
  expect(states).toEqual(["0 ended", "1 live", "2 live"]);
  expect((await hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
  workers[0] = await new Worker(hub.dataDir, "0").ready();
  expect(await at(0).ask(token)).toBe(200);
  expect((await list("node", "list")).map((one) => `${one["id"]} ${one["epoch"]}`)).toEqual(["0 2", "1 1", "2 1"]);
  await at(1).end("SIGKILL");
  expect(await going).toBe("gone");
}, 120_000);

test("processes that were started serve to their end, and until then nobody else does", async () => {
  verifies("data.one-server");
  lock.release();
  expect(() => lockForServing(openDataDirectory(hub.dataDir))).toThrow("Another process is serving");
  const orphan = new Worker(hub.dataDir, "7");
  await expect(orphan.ready()).rejects.toThrow("starts others");
  expect([await at(0).end("SIGTERM"), await at(2).end("SIGTERM")]).toEqual([0, 0]);
  lock = lockForServing(openDataDirectory(hub.dataDir));
}, 120_000);
