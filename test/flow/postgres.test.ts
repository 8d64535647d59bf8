import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyInto } from "#store/postgres/copy";
import { TableRows } from "#store/sqlite/table-rows";
import { Browser } from "#test/flow/browser";
import { Hub } from "#test/support/hub";
import { Cluster, onPostgres, sharedCluster } from "#test/support/postgres";
import { TcpProxy } from "#test/support/tcp-proxy";
import { verifies } from "#test/support/verifies";

const ADA = "ada@example.org";
const PASSWORD = "correct horse battery";
const KEY = Buffer.alloc(32, 7).toString("base64");
/** What a process may be silent for before others end it, and a way so long that a start takes longer. Milliseconds. */
const [LEASE_MS, FAR_MS] = [10_000, 60];
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");

onPostgres("a hub whose configuration is in PostgreSQL", () => {
  const cluster = sharedCluster();
  const hubOn = async (
    database: string,
    env: Readonly<Record<string, string>> = {},
    processes: "hub" | null = null,
  ): Promise<Hub> => {
    const admin = { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD };
    const url = (await cluster()).url(database);
    return Hub.create({
      ...(processes && { processes }),
      env: { ...admin, GUARDHOUSE_DATABASE__URL: url, GUARDHOUSE_MASTER_KEY: KEY, ...env },
    });
  };
  const ask = async (hub: Hub, token: string): Promise<number> => {
    const messages = [{ role: "user", content: "Good morning." }];
    const answer = await hub.fetch("/v1/chat/completions", { token, json: { model: "guardhouse/echo", messages } });
    await answer.text();
    return answer.status;
  };

  test("does what one on SQLite does: people, sign-in, tokens, calls and their records", async () => {
    verifies("postgres.serves");
    const database = await (await cluster()).database();
    await using hub = await hubOn(database);
    await hub.start();
    const ada = new Browser(hub);
    expect((await ada.signIn(ADA, PASSWORD)).status).toBe(204);
    expect(await ada.me()).toBe(ADA);
    const made = await ada.send("/api/tokens", { json: { name: "mine" } });
    const { token, id } = Object(await made.json());
    expect([made.status, await ask(hub, token)]).toEqual([201, 200]);
    const kinds = (rows: unknown) => (Array.isArray(rows) ? rows.map((row) => Object(row).kind) : []);
    const tail = kinds((await hub.cli("audit", "tail", "-n", "50")).json());
    expect(tail).toContain("chat.completion");
    expect(tail).toContain("token.create");
    expect((await hub.cli("audit", "verify")).json()).toMatchObject({ ok: true, faults: [] });
    const { ok, checks } = Object((await hub.cli("doctor")).json());
    const looked = Object.fromEntries(checks.map((one: unknown) => [Object(one).name, Object(one).state]));
    expect([ok, looked]).toEqual([true, expect.objectContaining({ postgresql: "ok", "chain of changes": "ok" })]);
    expect(looked["postgresql tls"]).toBe("ok");
    await hub.restart();
    expect([await ada.me(), await ask(hub, token)]).toEqual([ADA, 200]);
    const { code, complaints } = await hub.cli("token", "revoke", id);
    expect([code, complaints, await ask(hub, token)]).toEqual([0, "", 401]);
    expect((await ada.send("/api/auth/sign-out", { method: "POST" })).status).toBe(204);
    expect(await ada.me()).toBeNull();
    await hub.kill("SIGTERM");
    const written = await hub.written();
    expect(written).not.toContain(database);
    expect(hub.logs.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("shows the records of every hub on its database, and verifies them as one", async () => {
    verifies("postgres.records");
    const database = await (await cluster()).database();
    await using one = await hubOn(database);
    await one.start();
    await using other = await hubOn(database);
    await other.start();
    const ada = new Browser(one);
    await ada.signIn(ADA, PASSWORD);
    const { token } = Object(await (await ada.send("/api/tokens", { json: { name: "mine" } })).json());
    expect(await ask(one, token)).toBe(200);
    const calls = async (hub: Hub): Promise<unknown[]> => {
      const rows = (await hub.cli("audit", "tail", "-n", "50")).json();
      return Array.isArray(rows) ? rows.filter((row) => Object(row).kind === "chat.completion") : [];
    };
    let found: unknown[] = [];
    while (found.length === 0) found = await calls(other);
    const [own] = await calls(one);
    expect(Object(own).node).toBeUndefined();
    expect(found.map((row) => [Object(row).seq, Object(row).hash])).toEqual([[Object(own).seq, Object(own).hash]]);
    const report = Object((await other.cli("audit", "verify")).json());
    expect([report.ok, report.faults]).toEqual([true, []]);
    expect(report.nodes.map((it: unknown) => [Object(it).node, Object(it).ok])).toEqual([
      [Object(found[0]).node, true],
    ]);
    const lists = new Browser(other);
    await lists.signIn(ADA, PASSWORD);
    const { data } = Object(await (await lists.send("/api/calls?kind=chat.completion")).json());
    expect(data).toHaveLength(1);
  });

  test("belongs to its database, and to its master key", async () => {
    verifies("postgres.belongs");
    const databases = await cluster();
    const database = await databases.database();
    const other = await databases.database();
    await using hub = await hubOn(database);
    await hub.start();
    await hub.kill("SIGTERM");
    const refused = async (env: Readonly<Record<string, string>>): Promise<readonly [number, string]> => {
      const { code, stderr } = await hub.cliWith({ env }, "user", "list");
      expect(stderr).not.toContain("postgres://");
      return [code, stderr];
    };
    const [noneCode, none] = await refused({ GUARDHOUSE_DATABASE__URL: "" });
    expect([noneCode, none]).toEqual([3, expect.stringContaining("set database.url")]);
    const [otherCode, another] = await refused({ GUARDHOUSE_DATABASE__URL: databases.url(other) });
    expect([otherCode, another]).toEqual([3, expect.stringContaining("belongs to another database")]);

    await using stranger = await hubOn(database, { GUARDHOUSE_MASTER_KEY: OTHER_KEY });
    const failed = await stranger.start().then(
      () => "started",
      (error: unknown) => String(error),
    );
    expect(failed).toContain("another master key");
    expect(failed).not.toContain("postgres://");

    await using own = await Hub.create();
    await own.createAdmin(ADA, "--random-password");
    const copied = await own.cliWith({ env: { GUARDHOUSE_DATABASE__URL: databases.url(other) } }, "user", "list");
    expect([copied.code, copied.stderr]).toEqual([3, expect.stringContaining("configuration of its own")]);
    rmSync(join(hub.dataDir, "configuration.json"));
    expect((await hub.cli("user", "list")).code).toBe(0);
  });

  test("holds within a second to what was changed at another hub", async () => {
    verifies("postgres.hubs");
    const database = await (await cluster()).database();
    await using one = await hubOn(database, {}, "hub");
    await using two = await hubOn(database, {}, "hub");
    await one.start();
    await two.start();
    const ada = new Browser(one);
    expect((await ada.signIn(ADA, PASSWORD)).status).toBe(204);
    const there = new Browser(two);
    there.cookie = ada.cookie;
    expect(await there.me()).toBe(ADA);
    for (let round = 0; round < 5; round++) {
      const { token, id } = Object(await (await ada.send("/api/tokens", { json: { name: `round ${round}` } })).json());
      while ((await ask(two, token)) !== 200) await Bun.sleep(5);
      expect((await ada.send(`/api/tokens/${id}/revoke`, { json: {} })).ok).toBe(true);
      expect(await ask(one, token)).toBe(401);
      while ((await ask(two, token)) !== 401) await Bun.sleep(5);
    }
    const nodes = (await two.cli("node", "list")).json();
    expect(Array.isArray(nodes) && nodes.map((node) => Object(node).state)).toEqual(["live", "live"]);
    await one.kill("SIGKILL");
    expect(await there.me()).toBe(ADA);
  });

  test("answers calls without the database for a while, changes nothing, and goes on by itself", async () => {
    verifies("postgres.away");
    await using server = await Cluster.start();
    await using hub = await Hub.create({
      env: {
        ...{ GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD, GUARDHOUSE_MASTER_KEY: KEY },
        GUARDHOUSE_DATABASE__URL: server.url(await server.database()),
      },
    });
    await hub.start();
    const ada = new Browser(hub);
    expect((await ada.signIn(ADA, PASSWORD)).status).toBe(204);
    const { token } = Object(await (await ada.send("/api/tokens", { json: { name: "mine" } })).json());
    expect(await ask(hub, token)).toBe(200);
    await server.end("immediate");
    expect(await ask(hub, token)).toBe(200);
    const refused = await ada.send("/api/tokens", { json: { name: "another" } });
    expect([refused.status, Object(await refused.json()).error?.code]).toEqual([503, "database_unavailable"]);
    while ((await ask(hub, token)) === 200) await Bun.sleep(100);
    expect(await ask(hub, token)).toBe(503);
    await server.begin();
    while ((await ask(hub, token)) !== 200) await Bun.sleep(50);
    expect((await ada.send("/api/tokens", { json: { name: "another" } })).status).toBe(201);
    await hub.kill("SIGTERM");
    expect(await hub.written()).not.toContain("postgres://");
  });

  test("takes over what a hub on SQLite had, once", async () => {
    verifies("postgres.copy");
    const url = (await cluster()).url(await (await cluster()).database());
    await using hub = await Hub.create();
    await hub.createAdmin(ADA, "--random-password");
    const { id } = await hub.createAgent("bot \u{1F600}", ADA);
    await hub.addProvider("openai", { baseUrl: "https://api.example.com/v1", models: ["gpt-*"] });
    const { token } = await hub.createToken(ADA);
    const copy = () => hub.cli("store", "copy", "--to", url);
    expect((await hub.cli("store", "copy")).code).toBe(2);
    expect((await hub.cli("store", "copy", "--to", "mysql://there/it")).code).toBe(2);
    const { code, stderr } = await copy();
    expect([code, stderr]).toEqual([0, ""]);
    expect((await copy()).code).toBe(3);
    expect((await hub.cli("agent", "list")).code).toBe(3);
    const asked = async (...verb: readonly string[]) =>
      (await hub.cliWith({ env: { GUARDHOUSE_DATABASE__URL: url } }, ...verb)).json();
    expect(await asked("agent", "list")).toEqual([expect.objectContaining({ id })]);
    expect(await asked("provider", "list")).toEqual([expect.objectContaining({ name: "openai" })]);
    expect(await asked("audit", "verify")).toMatchObject({ ok: true });
    const changed = await hub.cliWith({ env: { GUARDHOUSE_DATABASE__URL: url } }, "token", "create", "--user", ADA);
    expect([changed.code, token.length > 0]).toEqual([0, true]);
    expect(await asked("audit", "tail", "-n", "100")).toContainEqual(expect.objectContaining({ kind: "store.copy" }));
    await using other = await Hub.create();
    await other.createAdmin(ADA, "--random-password");
    const second = await other.cliWith({ env: { GUARDHOUSE_DATABASE__URL: url } }, "store", "copy");
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("holds a configuration already")]);
  });

  test("a start that takes longer than a lease is not ended by the other hubs", async () => {
    verifies("postgres.slow-start");
    const database = await (await cluster()).database();
    await using first = await hubOn(database);
    await first.start();
    using way = new TcpProxy((await cluster()).port);
    way.delay(FAR_MS);
    const url = (await cluster()).url(database, way.port);
    await using second = await hubOn(database, { GUARDHOUSE_DATABASE__URL: url }, "hub");
    const began = performance.now();
    await second.start();
    expect(performance.now() - began).toBeGreaterThan(LEASE_MS);
    // It would hear that it was ended when it renews its lease.
    await Bun.sleep(LEASE_MS / 2);
    expect((await second.fetch("/healthz")).status).toBe(200);
    expect(second.logs.filter(({ event }) => event === "node.lost")).toEqual([]);
  });

  test("goes on with a copy that was broken off", async () => {
    verifies("postgres.copy");
    const url = (await cluster()).url(await (await cluster()).database());
    await using hub = await Hub.create();
    await hub.createAdmin(ADA, "--random-password");
    const { id } = await hub.createAgent("bot", ADA);
    const copy = () => hub.cli("store", "copy", "--to", url);
    // All is copied, and the process ends before the directory says so.
    const { head } = Object((await hub.cli("audit", "verify")).json());
    using source = new TableRows(join(hub.dataDir, "guardhouse.db"));
    await copyInto({ options: { url }, source, name: String(head) });
    await expect(copyInto({ options: { url }, source, name: "another" })).rejects.toThrow(
      "holds a configuration already",
    );
    expect((await hub.cli("agent", "list")).json()).toEqual([expect.objectContaining({ id })]);
    const { code, stderr } = await copy();
    expect([code, stderr]).toEqual([0, ""]);
    const env = { GUARDHOUSE_DATABASE__URL: url };
    expect((await hub.cliWith({ env }, "agent", "list")).json()).toEqual([expect.objectContaining({ id })]);
    expect((await hub.cliWith({ env }, "audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await copy()).code).toBe(3);
  });
});
