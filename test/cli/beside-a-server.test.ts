import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { FakeProvider } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { command } from "#test/support/program";

const EVE = "eve@example.com";
let hub: Hub;
beforeAll(async () => {
  hub = await Hub.create({ processes: "all" });
  await hub.createUser(EVE);
  await hub.start();
});
afterAll(() => hub[Symbol.asyncDispose]());

const ask = async (token: string, model = "guardhouse/echo"): Promise<number> => {
  const response = await hub.fetch("/v1/chat/completions", {
    token,
    json: { model, messages: [{ role: "user", content: "Good morning." }] },
  });
  await response.body?.cancel();
  return response.status;
};

test("a token holds from the moment `token create` returns, and no longer than `token revoke` takes", async () => {
  const { id, token } = await hub.createToken(EVE);
  expect(await ask(token)).toBe(200);
  expect((await hub.cli("token", "disable", id)).code).toBe(0);
  expect(await ask(token)).toBe(401);
  expect((await hub.cli("token", "enable", id)).code).toBe(0);
  expect(await ask(token)).toBe(200);
  const { code, complaints } = await hub.cli("token", "revoke", id);
  expect(code).toBe(0);
  expect(complaints).toBe("");
  expect(await ask(token)).toBe(401);
});

test("rotating lets both in, or only the new one", async () => {
  const { id, token } = await hub.createToken(EVE);
  const next = Object(await hub.cli("token", "rotate", id).then((result) => result.json()));
  expect(await ask(token)).toBe(200);
  expect(await ask(next.token)).toBe(200);
  const last = Object(await hub.cli("token", "rotate", next.id, "--grace", "0").then((result) => result.json()));
  expect(await ask(next.token)).toBe(401);
  expect(await ask(last.token)).toBe(200);
});

test("an imported legacy token is accepted", async () => {
  const legacy = `gwk_${"z9".repeat(20)}`;
  expect(await ask(legacy)).toBe(401);
  expect((await hub.cliWith({ stdin: legacy }, "token", "import", "--user", EVE)).code).toBe(0);
  expect(await ask(legacy)).toBe(200);
});

test("a provider serves as soon as it is added, and no more once removed", async () => {
  await using provider = await FakeProvider.start(["new-model"]);
  const { token } = await hub.createToken(EVE);
  expect(await ask(token, "new-model")).toBe(404);
  await hub.addProvider("new", { baseUrl: provider.url, models: ["new-*"], apiKey: "sk-local-key-1" });
  expect(await ask(token, "new-model")).toBe(200);
  expect(provider.calls.at(-1)?.headers.get("authorization")).toBe("Bearer sk-local-key-1");
  expect((await hub.cli("provider", "remove", "new")).code).toBe(0);
  expect(await ask(token, "new-model")).toBe(404);
});

test("health tells whether the service of this configuration is alive", async () => {
  const listen = new URL(hub.url).host;
  expect((await hub.cli("health", "--listen", listen)).code).toBe(0);
  expect((await hub.cli("health", "--listen", "127.0.0.1:9")).code).toBe(1);
  const env = { GUARDHOUSE_LISTEN: listen };
  expect((await hub.cliWith({ env }, "health")).json()).toMatchObject({ ok: true, status: 200 });
});

test("doctor sees that the service runs; verify works beside it", async () => {
  const { stdout } = await hub.cli("doctor");
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ name: "lock", finding: "a hub is running on it" }),
  );
  expect((await hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
});

test("a second service on the same data ends with 5", async () => {
  const { code, stderr } = await hub.cli("serve", "--listen", "127.0.0.1:0");
  expect(code).toBe(5);
  expect(stderr).toContain("Another process is serving from");
});

test.each([
  ["--listen", "GUARDHOUSE_LISTEN", "GUARDHOUSE_METRICS__LISTEN"],
  ["metrics.listen", "GUARDHOUSE_METRICS__LISTEN", "GUARDHOUSE_LISTEN"],
])("an address in use ends with 6, whichever of the two: %s", async (named, taken, free) => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
  const { port } = Object(blocker.address());
  await using other = await Hub.create({
    processes: "all",
    env: { [taken]: `127.0.0.1:${port}`, [free]: "127.0.0.1:0" },
  });
  const { code, stderr } = await other.cli("serve");
  blocker.close();
  expect(code).toBe(6);
  expect(stderr).toContain(named);
});

test("serve makes room for many connections, and lets the heap grow less, before it begins", async () => {
  const environment = (await Bun.file(`/proc/${hub.pid}/environ`).text()).split("\0");
  expect(environment).toContain("BUN_CONFIG_MAX_HTTP_REQUESTS=16384");
  expect(environment).toContain("BUN_JSC_heapGrowthMaxIncrease=1");
  expect(environment).toContain("MIMALLOC_PURGE_HOLES_MIN_INTERVAL=2000");
});

test("the calls of this test are in the log, by token and model", async () => {
  const { stdout } = await hub.cli("audit", "export", "--format", "ocsf");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const call = events.find(
    ({ metadata, unmapped }) => metadata.event_code === "chat.completion" && unmapped.phase === "final",
  );
  expect(call).toMatchObject({
    class_uid: 6003,
    category_uid: 6,
    activity_id: 99,
    type_uid: 600399,
    api: { operation: "chat.completion", response: { code: 200 } },
    src_endpoint: { uid: expect.any(String) },
    actor: { user: { uid: expect.any(String) } },
    ai_model: { name: "guardhouse/echo" },
    action_id: 1,
  });
  expect(command().length).toBeGreaterThan(0);
});

test("the process that serves is listed as a node, and only when it has stopped it can be removed", async () => {
  const only = async () => Object(Object((await hub.cli("node", "list")).json())[0]);
  const before = await only();
  expect(before).toMatchObject({ id: "0", state: "live", url: hub.url });
  const refused = await hub.cli("node", "remove", "0");
  expect({ code: refused.code, says: refused.stderr }).toMatchObject({
    code: 1,
    says: expect.stringContaining("live"),
  });
  expect((await hub.cli("node", "remove", "7")).code).toBe(9);
  await hub.kill("SIGTERM");
  expect(await only()).toMatchObject({ state: "left", epoch: before.epoch });
  await hub.start();
  expect(await only()).toMatchObject({ state: "live", epoch: before.epoch + 1 });
  await hub.kill("SIGKILL");
  await hub.start();
  expect(await only()).toMatchObject({ state: "live", epoch: before.epoch + 2 });
});
