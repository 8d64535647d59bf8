import { join } from "node:path";
import { type Lock, lockForServing, openDataDirectory } from "#platform/data-directory";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { McpFixture } from "#test/support/mcp-fixture";
import { command } from "#test/support/program";
import { HubProcess } from "./hub-process";
import { type Records, recordsIn } from "./ledger";
import { type Asking, Load, type LoadOptions } from "./load";

/* Several serving processes that are one installation, and what stands behind them. */

const WORKER = join(import.meta.dir, "../../hard/children/worker.ts");
const [ADA, EVE] = ["ada@example.com", "eve@example.com"];
const MODEL = "fake-model";

export type Pace = Pick<LoadOptions, "callers" | "pauseMs" | "isKept">;

/** What holds the installation together beside its processes, let go of at the end. */
type Ground = { readonly hubs: readonly HubProcess[]; readonly release: () => Promise<void> };

type Parts = {
  readonly name: string;
  readonly ground: Ground;
  readonly admin: Hub;
  readonly provider: FakeProvider;
  readonly tools: McpFixture;
};

export type FleetOptions = { readonly count: number; readonly pace: Omit<Pace, "isKept"> };

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
      return { hubs, release: async () => lock.release() };
    };
    return Fleet.#open("processes", await Hub.create(), begin, { ...pace, isKept: true });
  }

  /** The executable with `--workers`: one address, and the system chooses who is given a connection. */
  static async supervised({ count, pace }: FleetOptions): Promise<Fleet> {
    const begin = async ({ dataDir }: Hub): Promise<Ground> => {
      const serve = ["serve", "--workers", `${count}`, "--listen", "127.0.0.1:0", "--data-dir", dataDir];
      const place = { env: { PATH: "/usr/bin:/bin" }, cwd: dataDir, listening: "listening" as const };
      const hub = new HubProcess("workers", { command: [...command(), ...serve], ...place });
      return { hubs: [hub], release: async () => {} };
    };
    return Fleet.#open("--workers", await Hub.create(), begin, { ...pace, isKept: false });
  }

  static async #open(name: string, admin: Hub, begin: (admin: Hub) => Promise<Ground>, pace: Pace): Promise<Fleet> {
    const provider = await FakeProvider.start([MODEL]);
    provider.always(says("one two three four five six seven eight nine ten", { gapMs: 5 }));
    const tools = McpFixture.start();
    await admin.createUser(EVE);
    await admin.createAdmin(ADA, "--random-password");
    const session = await admin.createSession(ADA);
    const { token } = await admin.createToken(EVE);
    await admin.addProvider("fake", { baseUrl: provider.url, models: [MODEL] });
    await admin.addToolServer("tools", { owner: EVE, url: tools.url });
    const ground = await begin(admin);
    const known = { token, session };
    const fleet = new Fleet({ name, ground, admin, provider, tools }, pace, known);
    try {
      for (const hub of fleet.hubs) await hub.start();
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

  async records(): Promise<Records> {
    const { code, stdout, stderr } = await this.parts.admin.cli("audit", "export", "--format", "ndjson");
    if (code !== 0) throw new Error(`audit export ended with ${code}: ${stderr}`);
    return recordsIn(stdout);
  }

  /** What `audit verify` says against the chains; null when they are whole. */
  async fault(): Promise<string | null> {
    const { code, stdout, stderr } = await this.parts.admin.cli("audit", "verify");
    return code === 0 ? null : `audit verify ended with ${code}: ${(stdout + stderr).slice(0, 300)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { ground, admin, provider, tools } = this.parts;
    await Promise.all(this.hubs.map((hub) => hub.end("SIGTERM")));
    await ground.release();
    await admin[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await tools[Symbol.asyncDispose]();
  }
}
