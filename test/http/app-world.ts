import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "#app";
import { bundledDashboard } from "#cli/adapters";
import { renderedDocumentation } from "#cli/documentation";
import { NO_PLACE } from "#core/command-line";
import { AccessService } from "#features/access/service";
import { Scanner } from "#guard/scanner";
import { documentText } from "#http/openapi-routes";
import { betterAuthIdentity } from "#identity/better-auth/index";
import type { Identity } from "#identity/port";
import { CONTENT_HMAC } from "#model/kept-content";
import { systemClock } from "#platform/clock";
import { keyedHash } from "#platform/hash";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { SqliteBackupDirectory } from "#store/sqlite/backup-directory";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { asDocumented } from "#test/support/answer-check";
import { ECHO_APIS, EchoUpstream } from "#upstream/echo";
import { ECHO_MODEL } from "#upstream/echo-text";

const CLI = { via: "cli", user_id: null, agent_id: null, token_id: null } as const;

/** The whole app inside the test, on a store of its own; nothing listens. Requests go through its HTTP entry. */
export class AppWorld implements AsyncDisposable {
  private constructor(
    private readonly home: string,
    readonly app: App,
    readonly store: SqliteStore,
    /** A valid human gateway token. */
    readonly token: string,
    /** What was logged, line by line. */
    readonly logs: readonly string[],
    private readonly basePath: string,
  ) {}

  static async open(publicUrl = "http://localhost:8787", isPublic = false): Promise<AppWorld> {
    const home = await mkdtemp(join(tmpdir(), "guardhouse-app-"));
    const store = await openSqliteStore({ dataDir: home, durability: "normal", writer: "inline" });
    const logs: string[] = [];
    const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
    const log = jsonLog("debug", (line) => void logs.push(line), systemClock);
    let identity: Identity | undefined;
    const app = createApp({
      store,
      scanner: new Scanner(policy, crypto.getRandomValues(new Uint8Array(32)), 1_000),
      now: systemClock,
      ids: systemIds,
      random: () => 0,
      seal: (_purpose, secret) => secret,
      unseal: (_purpose, sealed) => sealed,
      version: "test",
      log,
      processId: systemIds(),
      sweepNode: () => {},
      connect: () => {
        throw new Error("no provider is stored in this world");
      },
      builtIn: [
        {
          name: "guardhouse",
          models: [ECHO_MODEL],
          priority: 1,
          apis: new Set(ECHO_APIS),
          upstream: new EchoUpstream(),
        },
      ],
      dispatch: { retries: 0, retryBaseMs: 1, maxConcurrent: 8, sleep: () => Promise.resolve(), random: () => 0 },
      limits: {
        bodyBytes: 100_000,
        jsonDepth: 50,
        idleMs: 5_000,
        answerBytes: 1_048_576,
        totalMs: 10_000,
        keepAliveMs: 5_000,
      },
      publicUrl: () => publicUrl,
      automatic: { suspendable: [] },
      baseline: { source: () => DEFAULT_POLICY, configured: [], floor: [] },
      configuredPrices: [],
      hookOptions: { configured: [], ask: () => Promise.reject(new Error("no hub is served in this world")) },
      governance: { floor: [], ungoverned: "baseline", staleMs: Number.POSITIVE_INFINITY },
      toolOptions: {
        connect: () => {
          throw new Error("no tool server is stored in this world");
        },
        sharing: null,
        signIn: { begin: () => Promise.resolve(""), finish: async () => ({ kind: "not_begun" }) },
        fetchRegistry: async () => ({ kind: "none", why: "unreachable" }),
        limits: { totalMs: 10_000, callMs: 5_000 },
        process: "hub",
        elicitation: null,
        relay: null,
        listMs: 1_000,
        discoveryMs: 30_000,
        listFreshMs: 1_000,
        idleMs: 10_000,
        maxConcurrent: 8,
        newTools: "pin",
        hasRegistry: true,
        hasWhoami: true,
        searchAbove: null,
        allowedOrigins: [],
      },
      allowedHosts: [],
      clientDocuments: { hosts: [], fetch: async () => ({ kind: "none", why: "unreachable" }) },
      people: {
        identity: () => {
          identity ??= betterAuthIdentity({ auth: store.auth, secret: "s".repeat(43), publicUrl, ids: systemIds, log });
          return Promise.resolve(identity);
        },
        socketOf: () => "127.0.0.1",
        trustedProxies: [],
        isPublic,
        byPassword: true,
        oidc: null,
      },
      management: {
        checkProvider: () => Promise.reject(new Error("no provider is here")),
        allowPrivate: [],
        operating: {
          ...{ version: "test", commit: null, startedAt: 0, listen: "127.0.0.1:8787", guardMode: "enforce" },
          ...{
            auditRetentionDays: 400,
            keepBlockedHours: 24,
            reviewerModel: null,
            passwordSignIn: true,
            signInProvider: null,
          },
          place: NO_PLACE,
          configuration: () => [],
          storage: () => ({ data_dir: home, database_bytes: 0, wal_bytes: 0, backup_bytes: 0, disk_free_bytes: 0 }),
          tell: () => {},
          checks: () => Promise.resolve([]),
        },
      },
      telemetryOptions: null,
      metricsOptions: null,
      backupOptions: {
        backupDirectory: new SqliteBackupDirectory(store.directory, "test", systemClock, {
          current: () => ({ keyId: "test", key: "00" }),
          all: () => ({ test: "00" }),
        }),
        ...{ everyHours: 0, keep: 7, hasKey: () => true },
      },
      alertOptions: {
        post: () => Promise.resolve({ status: 200, error: null }),
        mail: () => Promise.resolve({ status: 250, error: null }),
        sendWebhook: () => Promise.resolve({ status: 204, error: null }),
        allowPrivate: [],
        everyMs: 15_000,
        verifyMs: 0,
      },
      proofOptions: { isPublished: true, witnesses: [], post: async () => null },
      webhookOptions: { send: () => Promise.resolve({ status: 204, error: null }), allowPrivate: [] },
      reviewer: null,
      nonce: () => "0".repeat(32),
      retentionOptions: { keepBlockedHours: 24, hash: keyedHash(new Uint8Array(32), CONTENT_HMAC) },
      labelSecret: new Uint8Array(32),
      dashboard: bundledDashboard(),
      documentation: renderedDocumentation(),
      disableIdleTimeout: () => {},
    });
    const token = await issueToken(store);
    await app.parts.feedPoller.refresh();
    return new AppWorld(home, app, store, token, logs, new URL(publicUrl).pathname.replace(/\/$/, ""));
  }

  /** What the app answers. `path` begins with a slash; the Host is the public URL's unless a header says otherwise. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "localhost");
    const answer = await this.app.entry.answer(
      new Request(`http://${headers.get("host")}${path}`, { ...init, headers }),
    );
    if (!path.startsWith(this.basePath)) return answer;
    const load = async () => documentText(this.app.web().routes, "http://localhost:8787", "test");
    return asDocumented(answer, { method: init.method ?? "GET", path: path.slice(this.basePath.length), load });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await rm(this.home, { recursive: true, force: true });
  }
}

const issueToken = async (store: SqliteStore): Promise<string> => {
  const { users, agents, tokens } = store;
  const access = new AccessService({ users, agents, tokens, now: systemClock, ids: systemIds });
  const user = await access.createUser(CLI, { email: "eve@example.com", name: null, role: "member", password: null });
  if (!user) throw new Error("the user was not created");
  const { secret } = await access.issueToken(CLI, { user, agent: null, name: null, lifetimeMs: null });
  return secret;
};

/** One address of the app with one of its methods. */
export type Route = { readonly method: string; readonly path: string };

/** The methods an address that answers all of them is tried with. */
export const EVERY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Every address with every method it takes, as the app itself has them. */
export const routesOf = ({ web }: App): Route[] =>
  web().routes.flatMap(({ method, path }) =>
    (method === "ALL" ? EVERY_METHOD : [method]).map((one) => ({ method: one, path })),
  );
