import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import type { Agent } from "#core/agent";
import { CLI_ACTOR } from "#core/change";
import type { Role, User } from "#core/person";
import { DEFAULT_POLICY } from "#core/scan/defaults";
import { DETECTORS } from "#core/scan/detectors/index";
import { compilePolicy } from "#core/scan/policy";
import { Directory } from "#engine/directory";
import { ToolIntake } from "#engine/tools/intake";
import { errors } from "#http/errors";
import { methodsAt } from "#http/methods";
import { signedInPerson } from "#http/person";
import { QueryChecks } from "#http/query-check";
import { AccessService } from "#modules/access/service";
import { SessionService } from "#modules/access/sessions";
import type { Look, SignIn } from "#modules/tool-servers/port";
import { toolServerRoutes } from "#modules/tool-servers/routes";
import { ToolServerService } from "#modules/tool-servers/service";
import { SignInService } from "#modules/tool-servers/sign-in";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { MasterKeys } from "#platform/master-keys";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { ToolFailure } from "#upstream/tool-port";

/** What a tool server says to whoever looks: its tools, or why it gives none. */
export type Script = readonly object[] | ToolFailure;

/** The addresses of `/api/tool-servers` on a store of their own, over HTTP. What stands behind a URL is a script. */
export class ApiHouse implements AsyncDisposable {
  /** By slug; a server nobody wrote a script for lists nothing. */
  readonly scripts = new Map<string, Script>();
  /** What the sign-in port was asked, and what it answers. */
  readonly signIn: { begun: string[]; states: Map<string, string>; failure: ToolFailure | null } = {
    begun: [],
    states: new Map(),
    failure: null,
  };
  now = Date.now();

  private constructor(
    private readonly home: string,
    readonly store: SqliteStore,
    private readonly directory: Directory,
    private readonly access: AccessService,
    readonly sessions: SessionService,
  ) {}

  private server: ReturnType<typeof Bun.serve> | undefined;

  static async open(): Promise<ApiHouse> {
    const home = await mkdtemp(join(tmpdir(), "guardhouse-api-"));
    const store = await openSqliteStore({ dataDir: home, durability: "normal", writer: "inline" });
    const { users, agents, tokens, sessions } = store;
    const clock = () => house.now;
    const basics = { now: clock, ids: systemIds };
    const directory = new Directory(clock);
    const access = new AccessService({ users, agents, tokens, ...basics });
    const house = new ApiHouse(home, store, directory, access, new SessionService({ sessions, ...basics }));
    house.serve();
    return house;
  }

  private serve(): void {
    const { store, directory } = this;
    const now = () => this.now;
    const basics = { now, ids: systemIds };
    const { tools, users, agents } = store;
    const { seal, unseal } = new MasterKeys(store.directory, null);
    const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
    const intake = new ToolIntake({ tools, policy: () => policy, newTools: "pin", ...basics });
    const look: Look = async (server) => {
      const script = this.scripts.get(server.slug) ?? [];
      if (script instanceof ToolFailure) {
        return { ok: false, tools: await tools.pins(server.id), reason: script.reason, problem: script.message };
      }
      const pins = await intake.take(server, { tools: script, instructions: null });
      return { ok: true, tools: pins, ms: 1, protocol: "2025-11-25" };
    };
    const signIn: SignIn = {
      begin: async (server, userId) => {
        this.signIn.begun.push(`${server.slug} ${userId}`);
        if (this.signIn.failure) throw this.signIn.failure;
        const state = `state-${this.signIn.begun.length}`;
        this.signIn.states.set(state, server.id);
        return `https://auth.example.com/authorize?state=${state}`;
      },
      finish: async ({ state }) => {
        if (this.signIn.failure) throw this.signIn.failure;
        const server_id = this.signIn.states.get(state);
        this.signIn.states.delete(state);
        return server_id === undefined ? { kind: "not_begun" } : { kind: "signed_in", server_id };
      },
    };
    const secrets = {
      seal,
      unseal,
    };
    const writeRecord = (line: string) => store.audit.append(line);
    const door = signedInPerson({
      authenticate: (text) => directory.authenticatePerson(text),
      isToken: (text) => directory.authenticate(text) !== null,
      onRefused: () => {},
      now: Date.now,
      queries: new QueryChecks(() => this.routes),
    });
    const routes = toolServerRoutes({
      service: new ToolServerService({ tools, users, agents, look, ...secrets, ...basics }),
      signIns: new SignInService({ tools, signIn, look, writeRecord, ...basics }),
      people: users,
      door,
      browsers: { person: async () => null },
      bodyBytes: 100_000,
      admit: () => {},
      onChanged: () => this.refresh(),
    });
    const web = new Elysia()
      .use(
        errors(
          jsonLog("error", () => {}, now),
          methodsAt(() => routes.routes),
        ),
      )
      .use(routes);
    this.routes = routes.routes;
    this.server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => web.fetch(request) });
  }

  routes: readonly { readonly method: string; readonly path: string; readonly hooks: object }[] = [];

  async person(email: string, role: Role = "member"): Promise<{ user: User; key: string; id: string }> {
    const wanted = { email, name: null, role, password: null };
    const user = (await this.store.users.byEmail(email)) ?? (await this.access.createUser(CLI_ACTOR, wanted));
    if (!user) throw new Error("the user was not created");
    const { session, key } = await this.sessions.create(CLI_ACTOR, user, 3_600_000);
    await this.refresh();
    return { user, key, id: session.id };
  }

  async agent(owner: User, name: string): Promise<Agent> {
    const agent = await this.access.createAgent(CLI_ACTOR, owner, name);
    if (!agent) throw new Error("the agent was not created");
    return agent;
  }

  async token(user: User): Promise<string> {
    const issued = await this.access.issueToken(CLI_ACTOR, { user, agent: null, name: null, lifetimeMs: null });
    await this.refresh();
    return issued.secret;
  }

  async refresh(): Promise<void> {
    this.directory.take(await this.store.changes.changesSince(this.directory.revision));
  }

  /** `path` follows `/api/tool-servers`. A body is sent as JSON. */
  async fetch(key: string, method: string, path = "", body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.server?.url}api/tool-servers${path}`, {
      method,
      headers: key === "" ? {} : { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      redirect: "manual",
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
  }

  /** Connects a server that lists these tools; its id. */
  async connect(key: string, slug: string, tools: readonly object[], more: object = {}): Promise<string> {
    this.scripts.set(slug, tools);
    const { status, text, json } = await this.fetch(key, "POST", "", { slug, url: "https://h.example/mcp", ...more });
    if (status !== 201) throw new Error(`${slug} was not connected: ${text}`);
    return json.id;
  }

  /** All audit records, oldest first. */
  async records(): Promise<string[]> {
    return (await this.store.audit.tail(10_000)).map(({ body }) => body).reverse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server?.stop(true);
    await this.store.close();
    await rm(this.home, { recursive: true, force: true });
  }
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: ReturnType<typeof JSON.parse>;
};

export const codeOf = ({ status, json }: Answer) => [status, json?.error?.code];
