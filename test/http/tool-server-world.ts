import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { AccessService } from "#features/access/service";
import { SessionService } from "#features/access/sessions";
import { toolServerCallbackRoutes, toolServerRoutes } from "#features/tool-servers/endpoints";
import type { DiscoverTools, SignIn } from "#features/tool-servers/port";
import { ToolServerService } from "#features/tool-servers/service";
import { ToolSignInService } from "#features/tool-servers/sign-in";
import { ToolDiscovery } from "#guard/tools/discovery";
import { sessionAuth } from "#http/auth/session";
import { errors } from "#http/errors";
import { methodsAt } from "#http/not-offered";
import { QueryChecks } from "#http/openapi/query-check";
import { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import type { Role, User } from "#model/person";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { MasterKeys } from "#platform/master-keys";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { LABELS } from "#test/support/labels";
import { ToolFailure } from "#upstream/tool-port";

/** What a tool server says to whoever looks: its tools, or why it gives none. */
export type Script = readonly object[] | ToolFailure;

/** The addresses of `/api/tool-servers` on a store of their own, over HTTP. What stands behind a URL is a script. */
export class ToolServerWorld implements AsyncDisposable {
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
    private readonly principals: PrincipalCache,
    private readonly access: AccessService,
    readonly sessions: SessionService,
  ) {}

  private server: ReturnType<typeof Bun.serve> | undefined;

  static async open(): Promise<ToolServerWorld> {
    const home = await mkdtemp(join(tmpdir(), "guardhouse-api-"));
    const store = await openSqliteStore({ dataDir: home, durability: "normal", writer: "inline" });
    const { users, agents, tokens, sessions } = store;
    const clock = () => world.now;
    const basics = { now: clock, ids: systemIds };
    const principals = new PrincipalCache(clock);
    const access = new AccessService({ users, agents, tokens, ...basics });
    const world = new ToolServerWorld(home, store, principals, access, new SessionService({ sessions, ...basics }));
    world.serve();
    return world;
  }

  private serve(): void {
    const { store, principals } = this;
    const now = () => this.now;
    const basics = { now, ids: systemIds };
    const { tools, users, agents } = store;
    const { seal, unseal } = new MasterKeys(store.directory, null);
    const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
    const discovery = new ToolDiscovery({ tools, policy: () => policy, newTools: "pin", labels: LABELS, ...basics });
    const discover: DiscoverTools = async (server) => {
      const script = this.scripts.get(server.slug) ?? [];
      if (script instanceof ToolFailure) {
        return { ok: false, tools: await tools.pins(server.id), reason: script.reason, problem: script.message };
      }
      const pins = await discovery.record(server, { tools: script, instructions: null });
      return { ok: true, tools: pins, ms: 1, protocol: "2025-11-25", withoutTasks: [] };
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
    const auth = sessionAuth({
      authenticate: (text) => principals.authenticatePerson(text),
      isToken: (text) => principals.authenticate(text) !== null,
      onRefused: () => {},
      now: Date.now,
      queries: new QueryChecks(() => this.routes),
    });
    const shared = {
      signIns: new ToolSignInService({ tools, signIn, discover, writeRecord, ...basics }),
      auth,
      bodyBytes: 100_000,
      assertAcceptingWork: () => {},
      onChanged: () => this.refresh(),
    };
    const service = new ToolServerService({ tools, users, agents, discover, ...secrets, ...basics });
    const cookieAuth = { person: async () => null, checkOrigin: () => {} };
    const routes = new Elysia()
      .use(toolServerCallbackRoutes({ ...shared, cookieAuth }))
      .use(toolServerRoutes({ ...shared, service, people: users }));
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
    this.principals.apply(await this.store.changes.changesSince(this.principals.revision));
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
