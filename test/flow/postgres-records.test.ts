import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { Browser } from "#test/flow/browser";
import { eventually } from "#test/support/eventually";
import { FakeProvider } from "#test/support/fake-provider";
import { followedAudit } from "#test/support/followed-audit";
import { Hub } from "#test/support/hub";
import { Cluster, onPostgres, sharedCluster } from "#test/support/postgres";
import { says } from "#test/support/replies";
import { TcpProxy } from "#test/support/tcp-proxy";
import { verifies } from "#test/support/verifies";

const ADA = "ada@example.org";
const PASSWORD = "correct horse battery";
const KEY = Buffer.alloc(32, 7).toString("base64");

onPostgres("the records of hubs on one PostgreSQL", () => {
  const cluster = sharedCluster();
  const hubOn = (url: string, env: Readonly<Record<string, string>> = {}): Promise<Hub> =>
    Hub.create({
      processes: "hub",
      env: {
        ...{ GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD, GUARDHOUSE_MASTER_KEY: KEY },
        GUARDHOUSE_DATABASE__URL: url,
        ...env,
      },
    });
  const tokenOf = async (hub: Hub): Promise<string> => {
    const ada = new Browser(hub);
    expect((await ada.signIn(ADA, PASSWORD)).status).toBe(204);
    return Object(await (await ada.send("/api/tokens", { json: { name: "mine" } })).json()).token;
  };
  const asked = (hub: Hub, token: string, model = "guardhouse/echo", stream = false): Promise<Response> =>
    hub.fetch("/v1/chat/completions", {
      token,
      json: { model, stream, messages: [{ role: "user", content: "Good morning." }] },
    });
  const status = async (hub: Hub, token: string): Promise<number> => {
    const answer = await asked(hub, token);
    await answer.text();
    return answer.status;
  };
  const verified = async (hub: Hub): Promise<unknown> => Object((await hub.cli("audit", "verify")).json()).faults;
  const kinds = async (hub: Hub): Promise<string[]> => {
    const rows = (await hub.cli("audit", "tail", "-n", "100")).json();
    return Array.isArray(rows) ? rows.map((row) => Object(row).kind) : [];
  };

  test("of its own a hub proves to who has its public key, and those of others it does not", async () => {
    verifies("proofs.hubs");
    const url = (await cluster()).url(await (await cluster()).database());
    await using one = await hubOn(url);
    await one.start();
    await using other = await hubOn(url);
    await other.start();
    const answer = await asked(one, await tokenOf(one));
    await answer.text();
    const call = answer.headers.get("x-request-id") ?? "";
    const proof = Object((await one.cli("audit", "prove", call)).json()).proof;
    const key = Object((await one.cli("audit", "key")).json()).logs.map((log: { key: string }) => `${log.key}\n`);
    const files = [await one.writeFile(proof), "--key", await one.writeFile(key.join(""))];
    const checked = Object((await one.cli("audit", "check", ...files)).json());
    expect([checked.ok, checked.record.call_id]).toEqual([true, call]);
    // Once its record is shipped.
    await eventually(async () => (await other.cli("audit", "prove", call)).code, 1);
    const elsewhere = await other.cli("audit", "prove", call);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining("the log of another hub")]);
    // A change is in the chain that the hubs share.
    const rows = (await one.cli("audit", "tail", "-n", "100")).json();
    const change = Array.isArray(rows) ? rows.find(({ kind }) => kind === "token.create") : undefined;
    expect((await one.cli("audit", "prove", change.id)).code).toBeGreaterThan(0);
  });

  test("are bound when hubs join and leave; a dead one's calls are ended, and its log is closed when it is removed", async () => {
    verifies("postgres.anchors", "postgres.interrupted", "postgres.closed");
    const url = (await cluster()).url(await (await cluster()).database());
    await using provider = await FakeProvider.start();
    await using one = await hubOn(url);
    await one.start();
    await using other = await hubOn(url);
    await other.start();
    expect((await kinds(one)).filter((kind) => kind === "audit.anchor").length).toBeGreaterThanOrEqual(2);
    const token = await tokenOf(one);
    await one.addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
    provider.always(says(["An answer ", "that ", "never ends"], { stop: { after: 2, how: "hang" } }));
    let open = await asked(other, token, "fake-model", true);
    while (!open.ok) open = await asked(other, token, "fake-model", true);
    const call = open.headers.get("x-request-id") ?? "";
    // Read for as long as the hub lives: a client that goes ends the call.
    const reading = open.text().catch(() => "broken off");
    const ada = new Browser(one);
    await ada.signIn(ADA, PASSWORD);
    const shown = async (): Promise<string | undefined> => {
      const answer = await ada.send(`/api/calls/${call}`);
      return Object(await answer.json()).data?.outcome ?? (answer.ok ? "unread" : undefined);
    };
    const listed = async (): Promise<string[]> => {
      const { data } = Object(await (await ada.send("/api/calls?model=fake-model")).json());
      return Array.isArray(data) ? data.map((row: unknown) => Object(row).outcome) : [];
    };
    while ((await shown()) === undefined) await Bun.sleep(50);
    expect(await listed()).toEqual([]);
    await other.kill("SIGKILL");
    await reading;
    while ((await listed()).length === 0) await Bun.sleep(200);
    expect(await listed()).toEqual(["interrupted"]);
    expect(await kinds(one)).toContain("node.interrupted");
    expect(await verified(one)).toEqual([]);
    // It comes back, and ends the call in its own log: there is one end all the same.
    await other.start();
    while (!(await kinds(one)).some((kind) => kind === "chat.completion")) await Bun.sleep(100);
    await Bun.sleep(1_500);
    expect(await listed()).toEqual(["interrupted"]);
    expect(await verified(other)).toEqual([]);
    await other.kill("SIGTERM");
    expect(await verified(one)).toEqual([]);
    // Its host is gone for good.
    const nodes = (await one.cli("node", "list")).json();
    const gone = Array.isArray(nodes) ? nodes.map((node) => Object(node)).find(({ state }) => state === "left") : null;
    rmSync(other.dataDir, { recursive: true });
    const { code, complaints } = await one.cli("node", "remove", gone?.id);
    expect([code, complaints]).toEqual([0, ""]);
    expect(await verified(one)).toEqual([]);
    const [removed] = ((rows: unknown) => (Array.isArray(rows) ? rows : []))(
      (await one.cli("audit", "tail", "-n", "100")).json(),
    ).filter((row: unknown) => Object(row).kind === "node.remove");
    expect(Object.keys(Object(removed).change.detail.logs)).toEqual([gone?.id]);
  });

  test("are in PostgreSQL before an answer where the setting says so, and no call is served that cannot get there", async () => {
    verifies("postgres.sync");
    await using server = await Cluster.start();
    using proxy = new TcpProxy(server.port);
    const database = await server.database();
    await using hub = await hubOn(server.url(database, proxy.port), { GUARDHOUSE_AUDIT__SHIP: "sync" });
    await hub.start();
    const token = await tokenOf(hub);
    const sql = new Bun.SQL({ url: server.url(database), max: 1 });
    const stored = async (id: string | null): Promise<string[]> => {
      const rows = await sql.unsafe("SELECT outcome FROM record WHERE call_id = $1 AND phase = 'final'", [id]);
      return rows.map((row: unknown) => Object(row).outcome);
    };
    const answers = await Promise.all(Array.from({ length: 40 }, () => asked(hub, token)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(await stored(answer.headers.get("x-request-id"))).toEqual(["answered"]);
    }
    const stream = await asked(hub, token, "guardhouse/echo", true);
    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect(await stored(stream.headers.get("x-request-id"))).toEqual(["answered"]);
    expect((await hub.cli("doctor")).stdout).toContain("in PostgreSQL before an answer");

    // Nothing comes back from it: a call waits for some seconds, those after it are refused at once.
    proxy.silence();
    const waited = await asked(hub, token);
    expect([waited.status, Object(await waited.json()).error?.code]).toEqual([503, "audit_unavailable"]);
    const begun = performance.now();
    const next = await asked(hub, token);
    expect([next.status, Object(await next.json()).error?.code]).toEqual([503, "audit_unavailable"]);
    expect(performance.now() - begun).toBeLessThan(4_000);
    proxy.speak();
    while ((await status(hub, token)) !== 200) await Bun.sleep(100);

    // It crashes: refused at once, and served again when it is back.
    await server.end("immediate");
    expect(await status(hub, token)).toBe(503);
    await server.begin();
    while ((await status(hub, token)) !== 200) await Bun.sleep(100);
    await sql.close();
    expect(await verified(hub)).toEqual([]);
    await hub.kill("SIGTERM");
  });

  test("are followed from any hub: each record of all of them once", async () => {
    verifies("cli.follow");
    const url = (await cluster()).url(await (await cluster()).database());
    await using one = await hubOn(url);
    await one.start();
    await using other = await hubOn(url);
    await other.start();
    const token = await tokenOf(one);
    while ((await status(other, token)) !== 200) await Bun.sleep(50);
    const env = { GUARDHOUSE_DATABASE__URL: url, GUARDHOUSE_MASTER_KEY: KEY };
    const tail = followedAudit(one.dataDir, ["-n", "1", "--kind", "model", "--json"], env);
    await tail.until(() => tail.lines.length === 1);
    const called: string[] = [];
    for (const hub of [one, other, other, one, other]) {
      const answer = await asked(hub, token);
      await answer.text();
      called.push(answer.headers.get("x-request-id") ?? "");
    }
    const followed = () => tail.lines.slice(1).map((line) => String(Object(JSON.parse(line)).call_id));
    await tail.until(() => followed().length >= called.length);
    // Whatever would be told twice is told now.
    await Bun.sleep(1_500);
    tail.child.kill("SIGINT");
    expect(await tail.child.exited).toBe(0);
    await tail.ended;
    expect(followed().toSorted()).toEqual(called.toSorted());
    expect(await new Response(tail.child.stderr).text()).toBe("");
  });
});
