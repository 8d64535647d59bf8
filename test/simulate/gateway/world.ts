import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { profileOf, toolsOf } from "#test/flow/enforcement-world";
import { ADA, OAuthWorld } from "#test/flow/oauth-world";
import { anyPort } from "#test/support/port";

const MODULES = resolve(import.meta.dir, "../../../node_modules");
const program = (path: string, ...args: string[]): string[] => [process.execPath, join(MODULES, path), ...args];

/** The memory server keeps what it is told beside its own program unless it is told where. */
export const withMemory = (file: string, command: readonly string[]): string[] => [
  "/usr/bin/env",
  `MEMORY_FILE_PATH=${file}`,
  ...command,
];

/** Who asks. Each sees less than a person does. */
export const SCOPES = ["person", "agent", "profile", "OAuth client"] as const;
export type Scope = (typeof SCOPES)[number];

/** What the three narrow scopes may use: the rest is hidden from them, and refused. */
export const CHOSEN = ["everything__echo", "files__read_text_file"] as const;
export const HIDDEN = "everything__get-sum";

/** A hub with real tool servers behind it, programs and one over HTTP, and a token of every scope. */
export class GatewayWorld implements AsyncDisposable {
  private constructor(
    readonly world: OAuthWorld,
    readonly home: string,
    readonly tokens: Readonly<Record<Scope, string>>,
    private readonly playwright: Playwright,
  ) {}

  get url(): string {
    return this.world.resource;
  }

  static async open(): Promise<GatewayWorld> {
    const home = await mkdtemp(join(tmpdir(), "guardhouse-gateway-"));
    const folder = join(home, "files");
    await mkdir(folder);
    await Bun.write(join(folder, "a.txt"), "a file of this folder");
    const playwright = await Playwright.start(home);
    const world = await OAuthWorld.open({ env: { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" } });
    const { hub } = world;
    const stdio = {
      everything: program("@modelcontextprotocol/server-everything/dist/index.js"),
      files: program("@modelcontextprotocol/server-filesystem/dist/index.js", folder),
      memory: withMemory(join(home, "memory.jsonl"), program("@modelcontextprotocol/server-memory/dist/index.js")),
      browser: program("@playwright/mcp/cli.js", "--headless", "--isolated"),
    };
    for (const [slug, command] of Object.entries(stdio)) await hub.addToolServer(slug, { owner: ADA, stdio: command });
    await hub.addToolServer("pages", { owner: ADA, url: playwright.url });
    return new GatewayWorld(world, home, await tokensOf(world), playwright);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    await this.playwright.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}

const tokensOf = async (world: OAuthWorld): Promise<Record<Scope, string>> => {
  const { hub } = world;
  for (const name of ["assigned", "profiled"]) await hub.createAgent(name, ADA);
  const own = (name: string): string => name.slice(name.indexOf("__") + 2);
  const bySlug = Map.groupBy(CHOSEN, (name) => name.slice(0, name.indexOf("__")));
  for (const [slug, names] of bySlug) await hub.assignTools(slug, ADA, "assigned", names.map(own));
  for (const slug of ["everything", "files", "memory"]) await hub.assignTools(slug, ADA, "profiled");
  const agents = Object((await hub.cli("agent", "list")).json());
  const profiled = agents.find(({ name }: { name: string }) => name === "profiled").id;
  const rules = profileOf({ tools: toolsOf({ default: "deny", allow: [...CHOSEN] }) });
  const file = await hub.writeFile(JSON.stringify(rules));
  const done = await hub.cli("profile", "set", profiled, "--file", file, "--as", ADA);
  if (done.code !== 0) throw new Error(done.stderr);
  const client = await world.register();
  const issued = await world.connect(await world.signedIn(), client, CHOSEN);
  return {
    person: (await hub.createToken(ADA)).token,
    agent: (await hub.createToken(ADA, "assigned")).token,
    profile: (await hub.createToken(ADA, "profiled")).token,
    "OAuth client": issued.access,
  };
};

/** The same server over HTTP, in a process of its own. It opens no browser before somebody calls a tool. */
class Playwright {
  private constructor(
    readonly url: string,
    private readonly child: Bun.Subprocess,
  ) {}

  static async start(home: string): Promise<Playwright> {
    using held = anyPort();
    const { port } = held;
    const command = program("@playwright/mcp/cli.js", "--headless", "--isolated", "--port", `${port}`);
    const child = Bun.spawn(command, { cwd: home, stdout: "ignore", stderr: "pipe" });
    let said = "";
    for await (const piece of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += piece;
      // It answers to that name alone.
      if (said.includes("/mcp")) return new Playwright(`http://localhost:${port}/mcp`, child);
    }
    throw new Error(`playwright-mcp did not start: ${said}`);
  }

  async stop(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
  }
}
