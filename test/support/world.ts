import { setDefaultTimeout } from "bun:test";
import { FakeProvider } from "./fake-provider.ts";
import { Hub, type HubOptions, type User } from "./hub.ts";
import { type FixtureTool, McpFixture } from "./mcp-fixture.ts";

// A hub that starts while other test files run takes its time.
setDefaultTimeout(120_000);

type Named<T> = Readonly<Record<string, T>>;

/** What is in a hub before it serves. Whatever is named here is asked for by that name. */
export type Seeds = {
  readonly users?: Named<UserSeed>;
  readonly agents?: Named<{ readonly owner: string }>;
  /** Each of a user, or of an agent of theirs. */
  readonly tokens?: Named<{ readonly user: string; readonly agent?: string }>;
  /** Each with a fake provider behind it. */
  readonly providers?: Named<ProviderSeed>;
  /** Each with an MCP server of these tools behind it; the fixture's own tools unless some are given. */
  readonly toolServers?: Named<ToolServerSeed>;
};

type ProviderSeed = {
  readonly models: readonly string[];
  readonly apiKey?: string;
  readonly kind?: string;
  readonly apis?: readonly string[];
};

export type UserSeed = {
  /** `NAME@example.com` unless said. */
  readonly email?: string;
  readonly role?: string;
  /** Who has one can sign in. */
  readonly password?: string;
  /** Whether there is a session key of theirs. */
  readonly session?: boolean;
};

type ToolServerSeed = {
  readonly owner: string;
  readonly tools?: readonly FixtureTool[];
  /** Agents that may use all of its tools. */
  readonly agents?: readonly string[];
};

export type WorldOptions = HubOptions & {
  readonly seeds?: Seeds;
  /** Further set-up by command line, before the hub serves. */
  readonly before?: (hub: Hub) => Promise<unknown>;
};

export type SeededUser = User & { readonly session: string };

/** What was made of the seeds, by name. */
type Seeded = {
  readonly users: Map<string, SeededUser>;
  readonly agents: Map<string, { readonly id: string }>;
  readonly tokens: Map<string, string>;
  readonly providers: Map<string, FakeProvider>;
  readonly toolServers: Map<string, { readonly id: string; readonly fixture: McpFixture }>;
};

/** A hub that serves, with what the test needs in it, and what stands behind it. Subclasses add words for one feature. */
export class World implements AsyncDisposable {
  readonly hub: Hub;
  private readonly seeded: Seeded;

  protected constructor({ hub, seeded }: WorldParts) {
    this.hub = hub;
    this.seeded = seeded;
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    return new World(await World.made(options));
  }

  /** For subclasses: all of it, made and started. */
  protected static async made({ seeds = {}, before, ...options }: WorldOptions): Promise<WorldParts> {
    const hub = await Hub.create(options);
    const seeded: Seeded = {
      users: new Map(),
      agents: new Map(),
      tokens: new Map(),
      providers: new Map(),
      toolServers: new Map(),
    };
    try {
      await sow(hub, seeds, seeded);
      await before?.(hub);
      await hub.start();
    } catch (error) {
      await endOf({ hub, seeded });
      throw error;
    }
    return { hub, seeded };
  }

  userOf(name: string): SeededUser {
    return known(this.seeded.users, name);
  }

  agentOf(name: string): { readonly id: string } {
    return known(this.seeded.agents, name);
  }

  /** The text of a gateway token. */
  tokenOf(name: string): string {
    return known(this.seeded.tokens, name);
  }

  providerOf(name: string): FakeProvider {
    return known(this.seeded.providers, name);
  }

  toolServerOf(name: string): { readonly id: string; readonly fixture: McpFixture } {
    return known(this.seeded.toolServers, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endOf(this.parts);
  }

  /** For another view of the same world. */
  protected get parts(): WorldParts {
    return { hub: this.hub, seeded: this.seeded };
  }
}

export type WorldParts = { readonly hub: Hub; readonly seeded: Seeded };

const known = <T>(all: ReadonlyMap<string, T>, name: string): T => {
  const one = all.get(name);
  if (one === undefined) throw new Error(`no seed is called ${name}, but ${[...all.keys()].join(", ")}`);
  return one;
};

const sow = async (hub: Hub, seeds: Seeds, seeded: Seeded): Promise<void> => {
  for (const [name, seed] of Object.entries(seeds.users ?? {})) seeded.users.set(name, await madeUser(hub, name, seed));
  const emailOf = (user: string) => known(seeded.users, user).email;
  for (const [name, { owner }] of Object.entries(seeds.agents ?? {})) {
    seeded.agents.set(name, await hub.createAgent(name, emailOf(owner)));
  }
  for (const [name, { user, agent }] of Object.entries(seeds.tokens ?? {})) {
    seeded.tokens.set(name, (await hub.createToken(emailOf(user), agent)).token);
  }
  for (const [name, seed] of Object.entries(seeds.providers ?? {})) {
    const provider = await FakeProvider.start();
    seeded.providers.set(name, provider);
    await hub.addProvider(name, { ...seed, baseUrl: provider.url });
  }
  for (const [name, seed] of Object.entries(seeds.toolServers ?? {})) {
    seeded.toolServers.set(name, await madeToolServer(hub, name, emailOf(seed.owner), seed));
  }
};

const madeToolServer = async (hub: Hub, name: string, owner: string, { tools, agents = [] }: ToolServerSeed) => {
  const fixture = McpFixture.start(tools === undefined ? {} : { tools });
  const { id } = await hub.addToolServer(name, { owner, url: fixture.url });
  for (const agent of agents) await hub.assignTools(name, owner, agent);
  return { id, fixture };
};

const madeUser = async (hub: Hub, name: string, seed: UserSeed): Promise<SeededUser> => {
  const { email = `${name}@example.com`, role, password, session = false } = seed;
  const secret = password === undefined ? [] : ["--password-file", await hub.writeFile(`${password}\n`)];
  // The first administrator is made by a command of its own, and may be before any hub was served.
  const user =
    role === "admin" && password !== undefined
      ? await hub.createAdmin(email, ...secret)
      : await hub.createUser(email, ...(role === undefined ? [] : ["--role", role]), ...secret);
  return { ...user, session: session ? await hub.createSession(email) : "" };
};

const endOf = async ({ hub, seeded }: WorldParts): Promise<void> => {
  await hub[Symbol.asyncDispose]();
  for (const provider of seeded.providers.values()) await provider[Symbol.asyncDispose]();
  for (const { fixture } of seeded.toolServers.values()) await fixture[Symbol.asyncDispose]();
};
