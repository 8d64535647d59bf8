import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Lock, lockForServing, openDataDirectory } from "#platform/data-directory";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { McpFixture } from "#test/support/mcp-fixture";
import { Cluster } from "#test/support/postgres";
import { command } from "#test/support/program";
import { TcpProxy } from "#test/support/tcp-proxy";
import { HubProcess } from "./hub-process";
import { type Records, recordsIn } from "./ledger";
import { type Asking, Load, type LoadOptions } from "./load";

/* Several serving processes that are one installation, and what stands behind them. */

const WORKER = join(import.meta.dir, "../../hard/children/worker.ts");
const [ADA, EVE] = ["ada@example.com", "eve@example.com"];
const PASSWORD = "correct horse battery";
/** The same for all hubs on a database. */
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const MODEL = "fake-model";

export type Pace = Pick<LoadOptions, "callers" | "pauseMs" | "isKept">;

/** What holds the installation together beside its processes, let go of at the end. */
type Ground = {
  readonly hubs: readonly HubProcess[];
  /** What records are read by: one for each directory that holds some. */
  readonly readers: readonly Hub[];
  readonly database?: Database;
  /** Another executable than the usual for command lines; a round that upgrades replaces it. */
  readonly tools?: Tools;
  readonly release: () => Promise<void>;
};

/** The PostgreSQL of hubs, and the way of each to it. */
export type Database = { readonly name: string; readonly cluster: Cluster; readonly ways: readonly TcpProxy[] };

type Tools = { words: readonly string[] };

type Parts = {
  readonly name: string;
  readonly ground: Ground;
  readonly admin: Hub;
  readonly provider: FakeProvider;
  readonly tools: McpFixture;
};

export type FleetOptions = {
  readonly count: number;
  readonly pace: Omit<Pace, "isKept">;
  /** Of each hub on PostgreSQL, behind its address; left out for hubs of one process. */
  readonly workers?: number;
};

export class Fleet implements AsyncDisposable {
  readonly name: string;
  readonly hubs: readonly HubProcess[];
  private constructor(
    private readonly parts: Parts,
    private readonly pace: Pace,
    private readonly known: { readonly token: string; readonly session: string },
  ) {
    this.name = parts.name;
    this.hubs = parts.ground.hubs;
  }

  /** Processes that serve from one directory, each at an address of its own, so that one can be chosen. */
  static async workers({ count, pace }: FleetOptions): Promise<Fleet> {
    const begin = async (admin: Hub): Promise<Ground> => {
      const lock: Lock = lockForServing(openDataDirectory(admin.dataDir));
      const launch = (id: string) => ({
        command: [process.execPath, WORKER, admin.dataDir, id],
        env: { PATH: "/usr/bin:/bin" },
        cwd: admin.dataDir,
        listening: "worker.listening" as const,
      });
      const hubs = Array.from({ length: count }, (_, at) => new HubProcess(`${at}`, launch(`${at}`)));
      return { hubs, readers: [admin], release: async () => lock.release() };
    };
    return Fleet.#open("processes", await Hub.create(), begin, { ...pace, isKept: true });
  }

  /** The executable with `--workers`: one address, and the system chooses who is given a connection. */
  static async supervised({ count, pace }: FleetOptions): Promise<Fleet> {
    const begin = async (admin: Hub): Promise<Ground> => {
      const { dataDir } = admin;
      const serve = ["serve", "--workers", `${count}`, "--listen", "127.0.0.1:0", "--data-dir", dataDir];
      const place = { env: { PATH: "/usr/bin:/bin" }, cwd: dataDir, listening: "listening" as const };
      const hub = new HubProcess("workers", { command: [...command(), ...serve], ...place });
      return { hubs: [hub], readers: [admin], release: async () => {} };
    };
    return Fleet.#open("--workers", await Hub.create(), begin, { ...pace, isKept: false });
  }

  /** Hubs with a directory each over one PostgreSQL, each with a way to it that can be cut. By another executable. */
  static async postgres({ count, pace, workers }: FleetOptions, other?: readonly string[]): Promise<Fleet> {
    const executable = other ?? command();
    const cluster = await Cluster.start();
    const database = await cluster.database();
    const ways = Array.from({ length: count }, () => new TcpProxy(cluster.port));
    const environments = ways.map(({ port }) => ({
      GUARDHOUSE_DATABASE__URL: cluster.url(database, port),
      GUARDHOUSE_MASTER_KEY: MASTER_KEY,
    }));
    const tools: Tools | undefined = other && { words: other };
    const commandsOf = tools && { commandsOf: () => tools.words };
    const readers = await Promise.all(environments.map((env) => Hub.create({ env, ...commandsOf })));
    const hubs = readers.map(({ dataDir }, at) => {
      const several = workers === undefined ? [] : ["--workers", `${workers}`];
      const serve = ["serve", ...several, "--listen", "127.0.0.1:0", "--data-dir", dataDir];
      const env = {
        ...environments[at],
        PATH: "/usr/bin:/bin",
        GUARDHOUSE_ADMIN_EMAIL: ADA,
        GUARDHOUSE_ADMIN_PASSWORD: PASSWORD,
      };
      return new HubProcess(`${at}`, {
        command: [...executable, ...serve],
        env,
        cwd: tmpdir(),
        listening: "listening",
      });
    });
    const release = async (): Promise<void> => {
      for (const reader of readers.slice(1)) await reader[Symbol.asyncDispose]();
      for (const way of ways) way[Symbol.dispose]();
      await cluster[Symbol.asyncDispose]();
    };
    const begin = async (): Promise<Ground> => {
      // The first makes the tables, and what the others find there.
      for (const hub of hubs) await hub.start();
      return { hubs, readers, database: { name: database, cluster, ways }, ...(tools && { tools }), release };
    };
    const [admin] = readers;
    if (admin === undefined) throw new Error("no hub");
    const name = workers === undefined ? "PostgreSQL" : `PostgreSQL, --workers ${workers}`;
    return Fleet.#open(name, admin, begin, { ...pace, isKept: workers === undefined }, true);
  }

  static async #open(
    name: string,
    admin: Hub,
    begin: (admin: Hub) => Promise<Ground>,
    pace: Pace,
    isServedFirst = false,
  ): Promise<Fleet> {
    const early = isServedFirst ? await begin(admin) : null;
    const provider = await FakeProvider.start([MODEL]);
    provider.always(says("one two three four five six seven eight nine ten", { gapMs: 5 }));
    const tools = McpFixture.start();
    await admin.createUser(EVE);
    if (early === null) await admin.createAdmin(ADA, "--random-password");
    const session = await admin.createSession(ADA);
    const { token } = await admin.createToken(EVE);
    await admin.addProvider("fake", { baseUrl: provider.url, models: [MODEL] });
    await admin.addToolServer("tools", { owner: EVE, url: tools.url });
    const ground = early ?? (await begin(admin));
    const known = { token, session };
    const fleet = new Fleet({ name, ground, admin, provider, tools }, pace, known);
    try {
      for (const hub of fleet.hubs) if (!hub.isUp) await hub.start();
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A new agent's id. */
  async agent(name: string): Promise<string> {
    return (await this.parts.admin.createAgent(name, EVE)).id;
  }

  /** Callers at all hubs, with a token of their own or with another. */
  load(token = this.known.token, pace: Partial<Pace> = {}): Load {
    return new Load(this.hubs, { ...this.pace, ...this.asking(token), ...pace });
  }

  asking(token = this.known.token): Asking {
    return { token, model: MODEL, tool: "tools__echo", isKept: this.pace.isKept };
  }

  at(position: number): HubProcess {
    const hub = this.hubs[position % this.hubs.length];
    if (hub === undefined) throw new Error("no hub");
    return hub;
  }

  /** The management API of one hub, as an administrator; throws what is not 2xx. */
  async api(hub: HubProcess, path: string, json: unknown = {}): Promise<Readonly<Record<string, unknown>>> {
    const headers = { authorization: `Bearer ${this.known.session}`, "content-type": "application/json" };
    const answer = await fetch(`${hub.url}/api${path}`, { method: "POST", headers, body: JSON.stringify(json) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} at ${hub.id}: ${answer.status} ${text.slice(0, 200)}`);
    return Object(JSON.parse(text));
  }

  /** A new token, which every process knows when this returns. */
  token(agent?: string): Promise<{ readonly id: string; readonly token: string }> {
    return this.parts.admin.createToken(EVE, agent);
  }

  /** The states of the processes as every one of them is known to the others. */
  async nodes(): Promise<string[]> {
    const listed = (await this.parts.admin.cli("node", "list")).json();
    if (!Array.isArray(listed)) throw new Error("node list gave no list");
    return listed.map(Object).map((node) => `${node["id"]} ${node["state"]}`);
  }

  /** Of all directories; what more than one of them holds is counted once. */
  async records(): Promise<Records> {
    const lines = new Set<string>();
    for (const reader of this.parts.ground.readers) {
      const { code, stdout, stderr } = await reader.cli("audit", "export", "--format", "ndjson");
      if (code !== 0) throw new Error(`audit export ended with ${code}: ${stderr}`);
      for (const line of stdout.split("\n")) lines.add(line);
    }
    return recordsIn(lines);
  }

  /** What `audit verify` says against the chains; null when they are whole. */
  async fault(): Promise<string | null> {
    for (const reader of this.parts.ground.readers) {
      const { code, stdout, stderr } = await reader.cli("audit", "verify");
      if (code !== 0) return `audit verify ended with ${code}: ${(stdout + stderr).slice(0, 300)}`;
    }
    return null;
  }

  /** The database of hubs that have one. */
  get database(): Database {
    const { database } = this.parts.ground;
    if (database === undefined) throw new Error("these hubs have no PostgreSQL");
    return database;
  }

  /** Commands are those of another executable from now on. */
  useCommandsOf(words: readonly string[]): void {
    const { tools } = this.parts.ground;
    if (tools !== undefined) tools.words = words;
  }

  /** What the database takes on disk. */
  databaseBytes(): Promise<number> {
    return this.#asked("SELECT pg_database_size(current_database()) AS it");
  }

  /** How many migrations the database has had. */
  databaseVersion(): Promise<number> {
    return this.#asked("SELECT version AS it FROM schema_version");
  }

  /** The database's clock, in Unix milliseconds. */
  databaseTime(): Promise<number> {
    return this.#asked("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS it");
  }

  /** Whether the hub has renewed its lease since then, by the database's clock. */
  async hasRenewed(hub: HubProcess, since: number): Promise<boolean> {
    const question = "SELECT count(*) AS it FROM node WHERE state = 'live' AND address = $1 AND heard_at > $2";
    return (await this.#asked(question, [hub.url, since])) > 0;
  }

  async #asked(question: string, values: readonly unknown[] = []): Promise<number> {
    const { cluster, name } = this.database;
    const sql = new Bun.SQL({ url: cluster.url(name), max: 1 });
    try {
      const [row]: { it: string }[] = await sql.unsafe(question, [...values]);
      return Number(row?.it);
    } finally {
      await sql.close();
    }
  }

  /** The way of one hub to its database. */
  wayOf(hub: HubProcess): TcpProxy {
    const way = this.database.ways[this.hubs.indexOf(hub)];
    if (way === undefined) throw new Error("no such hub");
    return way;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { ground, admin, provider, tools } = this.parts;
    await Promise.all(this.hubs.map((hub) => hub.end("SIGTERM")));
    await admin[Symbol.asyncDispose]();
    await ground.release();
    await provider[Symbol.asyncDispose]();
    await tools[Symbol.asyncDispose]();
  }
}
