import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import type { LogLine } from "#test/support/logbook";
import { Cluster, onPostgres } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";
import { isWhole, Ledger } from "./ledger";

/* Two hubs of two workers each on one PostgreSQL: the executable, its processes and their signals. */

const [ADA, EVE] = ["ada@example.com", "eve@example.com"];
const PROGRAM = join(import.meta.dir, "children", "pid-tools.ts");
const WORKERS = 2;
const CALLERS = 8;

onPostgres("hubs with workers on one PostgreSQL", () => {
  let cluster: Cluster;
  let provider: FakeProvider;
  let hubs: Hub[] = [];
  let token: string;
  let session: string;
  let agent: { readonly id: string };

  const at = (n: number): Hub => {
    const hub = hubs[n % hubs.length];
    if (hub === undefined) throw new Error("no hub");
    return hub;
  };

  beforeAll(async () => {
    cluster = await Cluster.start();
    provider = await FakeProvider.start();
    provider.always(says("one two three four five", { gapMs: 4 }));
    const env = {
      GUARDHOUSE_DATABASE__URL: cluster.url(await cluster.database()),
      GUARDHOUSE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0",
      GUARDHOUSE_SERVER__WORKERS: String(WORKERS),
    };
    const serve = ["--durability", "normal"];
    hubs = [await Hub.create({ processes: "hub", serve, env }), await Hub.create({ processes: "hub", serve, env })];
    await at(0).createUser(EVE);
    await at(0).createAdmin(ADA, "--random-password");
    session = await at(0).createSession(ADA);
    token = (await at(0).createToken(EVE)).token;
    agent = await at(0).createAgent("bot", EVE);
    await at(0).addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
    await at(0).addToolServer("one", { owner: EVE, stdio: [process.execPath, PROGRAM] });
    await at(0).start();
    await at(1).start();
  });

  afterAll(async () => {
    for (const hub of hubs) await hub[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const said = (hub: Hub, event: string): LogLine[] => hub.logs.filter((line) => line.event === event);
  const until = async (is: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await is())) await Bun.sleep(20);
  };

  /** The processes of a hub that serve now, by its log. */
  const pids = (hub: Hub): number[] => {
    const ended = new Set(said(hub, "worker.ended").map(({ pid }) => pid));
    const ready = said(hub, "worker.ready").map(({ pid }) => Number(pid));
    return ready.filter((pid) => !ended.has(pid));
  };

  type Asking = { readonly token?: string; readonly stream?: boolean };
  /** Each on a connection of its own, so that any process of the hub may take it. */
  const ask = (hub: Hub, asking: Asking = {}): Promise<Response> => {
    const json = {
      model: "fake-model",
      stream: asking.stream === true,
      messages: [{ role: "user", content: "hello" }],
    };
    return hub.fetch("/v1/chat/completions", { token: asking.token ?? token, json, keepalive: false });
  };
  const answers = async (count: number, of: string): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const answer = await ask(at(n), { token: of });
        await answer.body?.cancel();
        return answer.status;
      }),
    );
  /** 10 calls at each hub: that the system gives all of them to one process is chance of 2^-9. */
  const everywhere = async (of: string): Promise<Set<number>> => new Set(await answers(20, of));

  /** Calls at both hubs until it is told to end: the ids of whole ones, and what became of the others. */
  const load = () => {
    const [whole, failed]: [string[], { readonly hub: Hub; readonly why: string }[]] = [[], []];
    let goes = true;
    const call = async (hub: Hub, stream: boolean): Promise<string> => {
      const answer = await ask(hub, { stream });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${answer.status}: ${text.slice(0, 200)}`);
      const id = answer.headers.get("x-request-id") ?? "";
      if (!/five|\[DONE\]/.test(text)) throw new Error(`cut off: ${id}`);
      return id;
    };
    const caller = async (_: unknown, n: number): Promise<void> => {
      const hub = at(n);
      while (goes)
        await call(hub, n % 4 < 2).then(
          (id) => whole.push(id),
          (error) => failed.push({ hub, why: `${error}` }),
        );
    };
    const all = Promise.all(Array.from({ length: CALLERS }, caller));
    const end = async (): Promise<void> => {
      goes = false;
      await all;
    };
    return { whole, failed, end, some: (count = CALLERS * 3) => until(() => whole.length >= count) };
  };

  /** How many final records each of these calls has, as a hub reads them: its own and what the other has shipped. */
  const endsOf = async (reader: Hub, ids: readonly string[]): Promise<Set<number>> => {
    const calls = (await Ledger.of(reader)).calls();
    const ends = ids.map((id) => (calls.get(id) ?? []).filter(({ phase }) => phase === "final").length);
    return new Set(ends);
  };
  /** Shipped within seconds, also of a process that was killed. */
  const isRecordedOnce = (ids: readonly string[]): Promise<void> =>
    until(async () => {
      for (const hub of hubs) if ([...(await endsOf(hub, ids))].join() !== "1") return false;
      return true;
    });

  const nodes = async (hub: Hub): Promise<Readonly<Record<string, unknown>>[]> => {
    const listed = (await hub.cli("node", "list")).json();
    if (!Array.isArray(listed)) throw new Error("no list");
    return listed.map(Object);
  };

  const figures = async (hub: Hub): Promise<string> => {
    const { url } = await hub.log("metrics.listening");
    return (await fetch(String(url))).text();
  };
  const figure = (text: string, name: string): number | undefined => {
    const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.length === 0 ? undefined : lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };

  /** Makes one that restricts, and waits until it says that it is contained, in its answer or later. Its id. */
  const contained = async (path: string, json: unknown): Promise<string> => {
    const made = await at(0).fetch(path, { token: session, json });
    expect(made.status).toBe(201);
    let it = Object(await made.json());
    while (it.contained !== true) {
      const { data } = Object(await (await at(0).fetch(path, { token: session })).json());
      it = data.map(Object).find(({ id }: { id: unknown }) => id === it.id);
      await Bun.sleep(50);
    }
    return String(it.id);
  };

  const tool = async (hub: Hub, name: string, json: unknown = {}): Promise<string> => {
    const body = JSON.stringify({ method: "tools/call", params: { name: `one__${name}`, arguments: json } });
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const answer = await hub.fetch("/mcp/gateway", { method: "POST", token, headers, body, keepalive: false });
    const told: unknown = await answer.json();
    const [part] = isRecord(told) && Array.isArray(told["content"]) ? told["content"] : [];
    if (answer.status !== 200 || !isRecord(part)) throw new Error(`${answer.status} ${JSON.stringify(told)}`);
    return String(part["text"]);
  };
  /** Of twelve calls: which programs answered. */
  const programsOf = async (hub: Hub): Promise<number[]> => {
    const told = await Promise.all(Array.from({ length: 12 }, () => tool(hub, "pid")));
    return [...new Set(told)].map(Number);
  };
  const lives = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test("all processes serve, are listed with the address of their hub, and doctor finds nothing wrong", async () => {
    verifies("workers.postgres");
    for (const hub of hubs) expect((await hub.fetch("/readyz")).status).toBe(200);
    const listed = await nodes(at(1));
    expect(listed.map(({ state }) => state)).toEqual(Array(2 * WORKERS).fill("live"));
    const urls = Map.groupBy(listed, ({ url }) => url);
    expect([...urls.keys()].sort()).toEqual(hubs.map(({ url }) => url).sort());
    for (const hub of hubs) {
      const { code, stdout } = await hub.cli("doctor");
      expect([code, Object(JSON.parse(stdout)).ok]).toEqual([0, true]);
      const checks: { name: string; finding: string }[] = Object(JSON.parse(stdout)).checks;
      expect(checks.find(({ name }) => name === "nodes")?.finding).toContain("4 live, 2 of this hub");
    }
  });

  test("what a command at one hub makes or revokes is so in all processes of both when it returns", async () => {
    verifies("workers.postgres", "node.commands");
    for (let round = 0; round < 3; round++) {
      const { id, token: made } = await at(round).createToken(EVE);
      expect(await everywhere(made)).toEqual(new Set([200]));
      expect((await at(round + 1).cli("token", "revoke", id)).code).toBe(0);
      expect(await everywhere(made)).toEqual(new Set([401]));
    }
    const on = (await at(0).cli("killswitch", "on", "--reason", "a test")).json();
    expect(await everywhere(token)).toEqual(new Set([403]));
    expect((await at(1).cli("killswitch", "off", "--id", Object(on).id, "--reason", "enough")).code).toBe(0);
    expect(await everywhere(token)).toEqual(new Set([200]));
  });

  test("a kill switch that says it is contained holds in every process of both hubs", async () => {
    verifies("workers.postgres", "restriction.receipts");
    const json = { level: "all", reason: "a test" };
    const id = await contained("/api/killswitch", json);
    expect(await everywhere(token)).toEqual(new Set([403]));
    const lifted = await at(1).fetch(`/api/killswitch/${id}/lift`, { token: session, json: { reason: "enough" } });
    expect(lifted.status).toBe(200);
    await until(async () => [...(await everywhere(token))].join() === "200");
  });

  test("a limit of an agent holds over all processes of both hubs, and refuses nothing below it", async () => {
    verifies("workers.postgres", "limits.shared");
    const { token: its } = await at(0).createToken(EVE, agent.id);
    const json = { kind: "rate_limited", reason: "a test", expires_in: "1h", params: { requests_per_minute: 30 } };
    await contained(`/api/agents/${agent.id}/restrictions`, json);
    const statuses = await answers(80, its);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  });

  test("of a process that is killed the records are shipped, the others go on, and it is started again", async () => {
    verifies("workers.postgres", "workers.restart", "crash.no-loss");
    const [first = 0] = pids(at(0));
    const ready = said(at(0), "worker.ready").length;
    const loading = load();
    await loading.some();
    process.kill(first, "SIGKILL");
    await until(() => said(at(0), "worker.ready").length > ready);
    await loading.some(loading.whole.length + CALLERS * 3);
    await loading.end();
    expect(loading.failed.filter(({ hub }) => hub === at(1))).toEqual([]);
    expect(loading.failed.filter(({ why }) => !/socket|connect|reset|closed/i.test(why))).toEqual([]);
    await isRecordedOnce(loading.whole);
    for (const hub of hubs) expect(await isWhole(hub)).toBe(true);
    expect((await nodes(at(1))).map(({ state }) => state)).toEqual(Array(2 * WORKERS).fill("live"));
  });

  test("SIGHUP replaces the processes of one hub under load, and no call fails at either", async () => {
    verifies("workers.postgres", "workers.reload");
    const before = pids(at(0));
    const loading = load();
    await loading.some();
    process.kill(at(0).pid, "SIGHUP");
    await at(0).log("reloaded", 120_000);
    await loading.end();
    expect(loading.failed).toEqual([]);
    expect(pids(at(0))).toHaveLength(WORKERS);
    expect(pids(at(0)).filter((pid) => before.includes(pid))).toEqual([]);
    await isRecordedOnce(loading.whole);
  });

  test("the figures of a hub are those of its processes, and say that nothing waits to be shipped", async () => {
    verifies("workers.postgres", "workers.metrics");
    for (const hub of hubs) {
      const before = figure(await figures(hub), "guardhouse_calls_total") ?? 0;
      await Promise.all(Array.from({ length: 12 }, async () => (await ask(hub)).text()));
      const text = await figures(hub);
      expect(figure(text, "guardhouse_calls_total")).toBe(before + 12);
      expect(text).toContain(`guardhouse_workers{state="answering"} ${WORKERS}\n`);
      await until(async () => figure(await figures(hub), "guardhouse_records_unshipped") === 0);
    }
  });

  test("each hub runs the program of a stdio tool server once, also after a process or a hub was killed", async () => {
    verifies("workers.postgres", "workers.stdio");
    const [one, other] = [await programsOf(at(0)), await programsOf(at(1))];
    expect([one, other].map(({ length }) => length)).toEqual([1, 1]);
    expect(one).not.toEqual(other);

    // The process that runs it is killed: another of the same hub starts it, and the dead one's is gone.
    const owner = said(at(0), "stdio.started").findLast(({ pid }) => pid === one[0])?.["worker"];
    const killed = said(at(0), "worker.ready").findLast(({ worker }) => worker === owner);
    const ready = said(at(0), "worker.ready").length;
    process.kill(Number(killed?.["pid"]), "SIGKILL");
    // Connections that were on their way to it are reset.
    await until(() => said(at(0), "worker.ready").length > ready);
    const next = await programsOf(at(0));
    expect(next).toHaveLength(1);
    expect(next).not.toEqual(one);
    await until(() => !one.some(lives));

    // A whole hub is killed and started again: the other's program is left alone, and its own of before is gone.
    for (const pid of [at(0).pid, ...pids(at(0))]) process.kill(pid, "SIGKILL");
    await at(0).kill("SIGKILL");
    expect(next.filter(lives)).toEqual(next);
    expect(await programsOf(at(1))).toEqual(other);
    await at(0).start();
    await until(() => !next.some(lives));
    expect(await programsOf(at(1))).toEqual(other);
    expect(await programsOf(at(0))).toHaveLength(1);
  });

  test("told to stop, a hub ends in order, and the other goes on", async () => {
    verifies("workers.postgres", "workers.serve");
    const { url } = at(0);
    expect(await at(0).kill("SIGTERM")).toBe(0);
    const live = async () => (await nodes(at(1))).filter(({ state }) => state === "live");
    // One that was killed before holds its lease for some seconds.
    await until(async () => !(await live()).some((node) => node["url"] === url));
    expect(await live()).toHaveLength(WORKERS);
    expect((await ask(at(1))).status).toBe(200);
    expect(await isWhole(at(1))).toBe(true);
    // A command at the directory of the hub that is down waits for the one that runs.
    const { token: made } = await at(0).createToken(EVE);
    expect((await ask(at(1), { token: made })).status).toBe(200);
    expect(await at(1).kill("SIGTERM")).toBe(0);
  });
});
