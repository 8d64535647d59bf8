import type { AppDeps } from "#app";
import { parseListen } from "#config/address";
import type { Environment } from "#config/environment";
import { configuredRules, floorOf, policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import { TIERS } from "#core/review/review";
import { hubSecret } from "#engine/hub-secret";
import type { Scanner } from "#engine/scanner";
import { isLoopback } from "#http/hosts";
import type { Identity } from "#identity/port";
import { keyPurpose } from "#modules/providers/service";
import type { SignIn } from "#modules/tool-servers/port";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import type { KeyedHash } from "#platform/keyed-hash";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import { type BackupSigning, SqliteBackupShelf } from "#store/sqlite/backup-shelf";
import type { SqliteStore } from "#store/sqlite/index";
import { clientDocuments } from "#upstream/client-documents";
import { ECHO_MODEL, EchoUpstream } from "#upstream/echo";
import { type GuardedFetch, guardedFetch } from "#upstream/guarded-fetch";
import { mcpConnector } from "#upstream/mcp/connector";
import { fetchFor } from "#upstream/mcp/guarded-fetch";
import { toolSignIn as signInAt } from "#upstream/mcp/oauth-sign-in";
import { OpenIdProvider } from "#upstream/oidc";
import { OpenAiUpstream } from "#upstream/openai";
import type { Provider } from "#upstream/port";
import { askForModels } from "#upstream/provider-check";
import { Reachability } from "#upstream/reachability";
import type { ToolConnector } from "#upstream/tool-port";
import type { WebhookSender } from "#upstream/webhook-port";
import { webhookSender } from "#upstream/webhook-sender";
import { bundledDashboard } from "./dashboard-files";
import { metricsOfProcess } from "./metrics-listener";
import { VERSION } from "./version";

/** Silence after which a client or a proxy between might give up on a stream. */
const KEEP_ALIVE_MS = 15_000;
/** Longest silence while a server lists its tools. Callers wait less, but what comes later is kept. */
const LONGEST_LIST_MS = 30_000;

/** Changes are looked for several times a second: not hearing of the store for this long is a fault. */
const STALE_MS = 10_000;

/** What adapters to the world are made of. */
export type World = Sealing & {
  readonly config: Config;
  readonly log: Log;
  readonly environment: Environment;
  readonly store: SqliteStore;
  readonly publicUrl: () => string;
};

/** Where people come back to from the sign-in of a tool server. */
const SIGN_IN_PATH = "/api/tool-servers/oauth/callback";

/** Makes stored tool servers callable. */
export const toolConnector = ({ config, log, environment, store, unseal, seal }: World): ToolConnector => {
  const { tool_gateway, upstream } = config;
  return mcpConnector({
    version: VERSION,
    limits: {
      connectMs: upstream.connect_ms,
      handshakeMs: tool_gateway.handshake_ms,
      listMs: LONGEST_LIST_MS,
      resultBytes: tool_gateway.result_bytes,
    },
    allowPrivate: tool_gateway.allow_private,
    open: unseal,
    seal,
    grants: store.tools,
    pidDirectory: store.directory.children,
    environment,
    log,
    now: systemClock,
  });
};

/** The longest a tool server may take from a cold start to its list, milliseconds. */
export const toolLookMs = ({ tool_gateway }: Config): number => tool_gateway.handshake_ms + LONGEST_LIST_MS;

/** How people sign the hub in at tool servers. */
export const toolSignIn = ({ config, store, unseal, seal, publicUrl }: World): SignIn =>
  signInAt({
    store: store.tools,
    fetchFor: fetchFor({
      allowPrivate: config.tool_gateway.allow_private,
      connectMs: config.upstream.connect_ms,
    }),
    open: unseal,
    seal,
    callbackUrl: () => publicUrl() + SIGN_IN_PATH,
    // The hub publishes no metadata of itself as a client: it registers.
    clientUrl: () => null,
    now: systemClock,
  });

/** Browser sessions. Its library is loaded when the first person signs in, and then knows the hub's address. */
const identityOf = ({ store, log, seal, unseal, publicUrl }: AppParts): (() => Promise<Identity>) => {
  const begin = async (): Promise<Identity> => {
    const { betterAuthIdentity } = await import("#identity/better-auth/index");
    const { key } = await hubSecret({ secrets: store.secrets, seal, unseal }, "identity");
    const secret = Buffer.from(key).toString("base64url");
    return betterAuthIdentity({ auth: store.auth, secret, publicUrl: publicUrl(), ids: systemIds, log });
  };
  let identity: Promise<Identity> | null = null;
  return () => {
    identity ??= begin().catch((error: unknown) => {
      // What failed once may go well the next time: a disk that was full, a key that was not there.
      identity = null;
      throw error;
    });
    return identity;
  };
};

/** Where people sign in beside here; null for a hub without. */
const oidcOf = ({ config, store, seal, unseal }: AppParts): AppDeps["people"]["oidc"] => {
  const { oidc, upstream } = config;
  if (oidc.issuer === "") return null;
  const role_claim = oidc.role_claim === "" ? null : oidc.role_claim;
  const rules = {
    ...{
      issuer: oidc.issuer,
      name: oidc.name,
      newUsers: oidc.new_users,
      emailVerifiedClaim: oidc.email_verified_claim,
    },
    ...{ roleClaim: role_claim, roleMap: oidc.role_map, defaultRole: oidc.default_role },
    allowedDomains: oidc.allowed_domains.map((domain) => domain.toLowerCase()),
  };
  const fetch = guardedFetch({
    ...{ allowPrivate: oidc.allow_private, setting: "oidc.allow_private", http: "allowed networks" },
    connectMs: upstream.connect_ms,
  });
  const provider = new OpenIdProvider({
    ...{ issuer: oidc.issuer, clientId: oidc.client_id, clientSecret: oidc.client_secret, scopes: oidc.scopes },
    wanted: role_claim === null ? [] : [role_claim],
    together: ["email", oidc.email_verified_claim],
    ...{ fetch, now: systemClock },
  });
  const key = async () => (await hubSecret({ secrets: store.secrets, seal, unseal }, "oidc")).key;
  return { provider, rules, key, endsThere: oidc.sign_out === "provider" };
};

/** Sends to receivers of webhooks. */
export const webhookSending = ({ webhooks }: Config): WebhookSender =>
  webhookSender({ allowPrivate: webhooks.allow_private, now: systemClock, version: VERSION });

type AppParts = World & {
  readonly operating: AppDeps["management"]["operating"];
  /** For the hashes of kept content. */
  readonly contentHash: KeyedHash;
  readonly scanner: Scanner;
  readonly keepOpen: (request: Request) => void;
  /** Whether what is sealed with the master key of this id opens here. */
  readonly hasKey: (id: string) => boolean;
  /** What backups are signed with. */
  readonly backupSigning: BackupSigning;
  /** The address at the other end of a request's connection. */
  readonly socketOf: (request: Request) => string | null;
};

export const appDeps = (parts: AppParts): AppDeps => {
  const { scanner, keepOpen, contentHash, socketOf, operating, ...world } = parts;
  const { config, log, store, publicUrl } = world;
  const { upstream, limits } = config;
  return {
    store,
    scanner,
    log,
    keepOpen,
    publicUrl,
    clock: systemClock,
    ids: systemIds,
    processId: systemIds(),
    builtIn: [echoProvider()],
    connect: providerConnector(world),
    tools: toolOptions(world),
    dispatch: {
      retries: upstream.retries,
      retryBaseMs: upstream.retry_base_ms,
      maxConcurrent: upstream.max_concurrent,
      sleep: pause,
      random: Math.random,
    },
    limits: {
      bodyBytes: limits.body_bytes,
      jsonDepth: limits.json_depth,
      idleMs: upstream.idle_ms,
      answerBytes: upstream.answer_bytes,
      totalMs: upstream.total_ms,
      keepAliveMs: KEEP_ALIVE_MS,
    },
    allowedHosts: config.allowed_hosts,
    dashboard: bundledDashboard(),
    people: {
      identity: identityOf(parts),
      socketOf,
      trustedProxies: config.trusted_proxies,
      isPublic: !isLoopback(parseListen(config.listen).hostname),
      byPassword: config.password_sign_in === "on",
      oidc: oidcOf(parts),
    },
    reviewer: reviewerOf(config),
    nonce: () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex"),
    management: { checkProvider: providerCheck(world), allowPrivate: config.upstream.allow_private, operating },
    metrics: config.metrics.listen === "" ? null : metricsOfProcess(),
    clientDocuments: {
      hosts: config.oauth.client_documents,
      fetch: clientDocuments({ allowPrivate: config.oauth.allow_private, version: VERSION }),
    },
    backups: {
      shelf: new SqliteBackupShelf(store.directory, VERSION, systemClock, parts.backupSigning),
      everyHours: config.backups.every_hours,
      keep: config.backups.keep,
      hasKey: parts.hasKey,
    },
    webhooks: { send: webhookSending(config), allowPrivate: config.webhooks.allow_private },
    keeping: { keepBlockedHours: config.guard.keep_blocked_hours, hash: contentHash },
    baseline: {
      source: (edits) => policyOf(config, edits),
      configured: configuredRules(config),
      floor: floorOf(config),
    },
    governance: {
      floor: floorOf(config),
      ungoverned: config.guard.ungoverned,
      staleMs: STALE_MS,
    },
    automatic:
      config.guard.automatic_restrictions === "off"
        ? null
        : { suspendable: TIERS.filter((tier) => config.guard.automatic_suspension.includes(tier)) },
  };
};

/** Where reports are read; null for a hub without a reviewer. */
const reviewerOf = ({ reviewer }: Config): AppDeps["reviewer"] => {
  const { model, provider, timeout_ms, daily_budget } = reviewer;
  if (model === "") return null;
  return { model, provider: provider === "" ? null : provider, timeoutMs: timeout_ms, dailyBudget: daily_budget };
};

const echoProvider = (): Provider => ({
  name: "guardhouse",
  models: [ECHO_MODEL],
  priority: Number.MAX_SAFE_INTEGER,
  upstream: new EchoUpstream(),
});

/** For providers whose address a person gave at `/api`. */
const providerFetch = ({ upstream }: Config): GuardedFetch =>
  guardedFetch({
    allowPrivate: upstream.allow_private,
    setting: "upstream.allow_private",
    http: "allowed networks",
    connectMs: upstream.connect_ms,
  });

const providerCheck = ({ config, unseal }: World): AppDeps["management"]["checkProvider"] => {
  const guarded = providerFetch(config);
  return ({ id, base_url, sealed_key, given_by }) =>
    askForModels(
      base_url,
      sealed_key === null ? null : unseal(keyPurpose(id), sealed_key),
      config.upstream.answer_bytes,
      given_by === "user" ? guarded : undefined,
    );
};

const providerConnector = ({ config, unseal }: World): AppDeps["connect"] => {
  const { connect_ms, first_byte_ms, answer_bytes } = config.upstream;
  const reachability = new Reachability(connect_ms, systemClock);
  const guarded = providerFetch(config);
  return (row) => ({
    name: row.name,
    models: row.models,
    priority: row.priority,
    upstream: new OpenAiUpstream({
      name: row.name,
      baseUrl: row.base_url,
      apiKey: row.sealed_key === null ? null : unseal(keyPurpose(row.id), row.sealed_key),
      firstByteMs: first_byte_ms,
      answerBytes: answer_bytes,
      reachability,
      guarded: row.given_by === "user" ? guarded : undefined,
    }),
  });
};

const toolOptions = (world: World): AppDeps["tools"] => {
  const { tool_gateway } = world.config;
  return {
    connect: toolConnector(world),
    signIn: toolSignIn(world),
    seal: world.seal,
    unseal: world.unseal,
    version: VERSION,
    limits: { totalMs: tool_gateway.total_ms, callMs: tool_gateway.call_ms },
    listMs: tool_gateway.list_ms,
    lookMs: toolLookMs(world.config),
    listFreshMs: tool_gateway.list_fresh_ms,
    idleMs: tool_gateway.idle_ms,
    maxConcurrent: tool_gateway.max_concurrent,
    newTools: tool_gateway.new_tools,
    hasWhoami: tool_gateway.whoami === "on",
    allowedOrigins: tool_gateway.allowed_origins,
  };
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    return signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
