import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { HubInputs } from "#app";
import { parseListen } from "#config/address";
import type { Environment } from "#config/environment";
import { configuredSources } from "#config/hook-sources";
import { configuredRules, floorOf, policyOf } from "#config/policy";
import { configuredPrices } from "#config/prices";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine } from "#core/command-line";
import { isLoopback } from "#core/ip-range";
import type { AlertOptions } from "#features/alerts/feature";
import type { SignIn } from "#features/tool-servers/port";
import { hubSecret } from "#guard/content/hub-secret";
import { ScanPool, threadsFor } from "#guard/scan-pool/pool";
import type { Scanner } from "#guard/scanner";
import type { DashboardFile, DashboardFiles, DashboardManifest } from "#http/dashboard";
import type { Identity } from "#identity/port";
import { type Clock, systemClock } from "#platform/clock";
import { childrenOf, FIRST_NODE } from "#platform/data-directory";
import type { KeyedHash } from "#platform/hash";
import { systemIds } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import { TIERS } from "#policy/review/review";
import { processIdOf } from "#store/node-port";
import { type BackupSigning, SqliteBackupDirectory } from "#store/sqlite/backup-directory";
import { BadNote, type NoteKey, readKey, SIGNS_COSIGNATURES } from "#store/tlog/note";
import { askHub } from "#upstream/ask-hub";
import { clientDocuments } from "#upstream/client-documents";
import { ECHO_APIS, EchoUpstream } from "#upstream/echo";
import { ECHO_MODEL } from "#upstream/echo-text";
import { guardedFetch } from "#upstream/guarded-fetch";
import { mailSender } from "#upstream/mail-sender";
import { mcpConnector } from "#upstream/mcp/connector";
import { fetchFor } from "#upstream/mcp/guarded-fetch";
import type { RenewalTurns } from "#upstream/mcp/oauth-grant";
import { toolSignIn as signInAt } from "#upstream/mcp/oauth-sign-in";
import { HostProcessRelay } from "#upstream/mcp/process-relay";
import { HostToolSharing } from "#upstream/mcp/sharing";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";
import { OpenIdProvider } from "#upstream/oidc";
import type { WebhookSender } from "#upstream/outbound-port";
import { outboundPost } from "#upstream/outbound-post";
import type { Provider } from "#upstream/port";
import { registryDocuments } from "#upstream/registry-documents";
import type { ProcessRelay, ToolConnector, ToolSharing } from "#upstream/tool-port";
import { webhookSender } from "#upstream/webhook-sender";
import { witnessPost } from "#upstream/witness-client";
import { renderedDocumentation } from "./documentation";
import { CliExit, EXIT } from "./exit";
import type { HubStore } from "./hub-store";
import { metricsOfProcess } from "./metrics-listener";
import { providerCheck, providerConnector } from "./provider-adapters";
import { telemetryOf } from "./telemetry";
import { VERSION } from "./version";

/** Beside the code in the executable, which embeds the folder; where the build leaves it in a checkout. */
const PLACES = ["dashboard", "../../dist/dashboard"].map((path) => join(import.meta.dir, path));

const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** The dashboard as `.ci/dashboard.ts` bundled it. Files are read when they are asked for; none stays in memory. */
export const bundledDashboard = (): DashboardFiles => {
  const place = PLACES.find((path) => existsSync(join(path, "manifest.json")));
  return {
    // Read each time: it is a few hundred bytes, and in a checkout the build may replace it while the hub runs.
    manifest: async (): Promise<DashboardManifest | null> =>
      place === undefined ? null : Bun.file(join(place, "manifest.json")).json(),
    file: (name, encodings): DashboardFile => {
      const accepted = ENCODINGS.find((encoding) => encodings.includes(encoding.name));
      const body = Bun.file(join(place ?? "", `${name}${accepted?.ending ?? ""}`));
      return { body, encoding: accepted?.name ?? null };
    },
  };
};

/** Silence after which a client or a proxy between might give up on a stream. */
const KEEP_ALIVE_MS = 15_000;
/** Longest silence while a server lists its tools. Callers wait less, but what comes later is kept. */
const MAX_LIST_MS = 30_000;

/** Changes are looked for several times a second: not hearing of the store for this long is a fault. */
const STALE_MS = 10_000;

/** What adapters to the world are made of. */
export type World = Sealing & {
  readonly config: Config;
  readonly log: Log;
  readonly environment: Environment;
  readonly store: HubStore;
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
      listMs: MAX_LIST_MS,
      resultBytes: tool_gateway.result_bytes,
    },
    isAskable: tool_gateway.elicitation === "on",
    allowPrivate: tool_gateway.allow_private,
    open: unseal,
    seal,
    grants: store.tools,
    turns: renewalTurns(store),
    runsPrograms: tool_gateway.stdio === "on",
    pidDirectory: childrenOf(store.directory, store.nodes.here.self?.id ?? FIRST_NODE),
    environment,
    log,
    now: systemClock,
  });
};

/** Longer than an authorization server may take to answer. */
const TURN_MS = 60_000;

const renewalTurns = ({ oauth, nodes }: HubStore): RenewalTurns | undefined =>
  nodes.self?.isAlone === false
    ? {
        acquire: (key) => oauth.acquireTurn(key, systemClock(), systemClock() + TURN_MS),
        end: (key) => oauth.endTurn(key),
      }
    : undefined;

/** With the other processes that serve from the directory; null where none do. Other hosts run programs of their own. */
const toolSharing = ({ config, log, store }: World): ToolSharing | null => {
  const { directory } = store;
  const nodes = store.nodes.here;
  const { self } = nodes;
  if (self === null || self.isAlone) return null;
  return new HostToolSharing({
    process: `${self.id}-${self.epoch}`,
    folder: directory.toolSockets,
    holds: (name) => nodes.holds(name),
    release: (name) => nodes.release(name),
    longest: Math.max(config.tool_gateway.result_bytes, config.limits.body_bytes),
    log,
  });
};

/** The longest a tool server may take from a cold start to its list, milliseconds. */
export const toolDiscoveryMs = ({ tool_gateway }: Config): number => tool_gateway.handshake_ms + MAX_LIST_MS;

/** How people sign the hub in at tool servers. */
const toolSignIn = ({ config, store, unseal, seal, publicUrl }: World): SignIn =>
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
const identityOf = ({ store, log, seal, unseal, publicUrl }: InputParts): (() => Promise<Identity>) => {
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
const oidcOf = ({ config, store, seal, unseal }: InputParts): HubInputs["people"]["oidc"] => {
  const { oidc, upstream } = config;
  if (oidc.issuer === "") return null;
  const role_claim = oidc.role_claim === "" ? null : oidc.role_claim;
  const rules = {
    issuer: oidc.issuer,
    name: oidc.name,
    newUsers: oidc.new_users,
    emailVerifiedClaim: oidc.email_verified_claim,
    roleClaim: role_claim,
    roleMap: oidc.role_map,
    defaultRole: oidc.default_role,
    allowedDomains: oidc.allowed_domains.map((domain) => domain.toLowerCase()),
  };
  const fetch = guardedFetch({
    allowPrivate: oidc.allow_private,
    setting: "oidc.allow_private",
    http: "allowed networks",
    connectMs: upstream.connect_ms,
  });
  const provider = new OpenIdProvider({
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    clientSecret: oidc.client_secret,
    scopes: oidc.scopes,
    wanted: role_claim === null ? [] : [role_claim],
    together: ["email", oidc.email_verified_claim],
    fetch,
    now: systemClock,
  });
  const key = async () => (await hubSecret({ secrets: store.secrets, seal, unseal }, "oidc")).key;
  return { provider, rules, key, endsThere: oidc.sign_out === "provider" };
};

/** Sends to receivers of webhooks. */
export const webhookSending = ({ webhooks }: Config): WebhookSender =>
  webhookSender({ allowPrivate: webhooks.allow_private, now: systemClock, version: VERSION });

/** Sends to destinations of alerts. */
export const alertSending = (config: Config): AlertOptions => {
  const { allow_private: allowPrivate } = config.webhooks;
  const options = { allowPrivate, version: VERSION };
  return {
    post: outboundPost(options),
    mail: mailSender(options),
    sendWebhook: webhookSending(config),
    allowPrivate,
    everyMs: config.alerts.every_seconds * 1_000,
    verifyMs: config.audit.verify_hours * 3_600_000,
  };
};

/** What the configuration says of the baseline policy. */
export const baselineSettings = (config: Config): HubInputs["baseline"] => ({
  source: (edits) => policyOf(config, edits),
  configured: configuredRules(config),
  floor: floorOf(config),
});

type InputParts = World & {
  readonly operating: HubInputs["management"]["operating"];
  /** For the hashes of kept content. */
  readonly contentHash: KeyedHash;
  /** What redaction labels are made under. */
  readonly labelSecret: Uint8Array;
  readonly scanner: Scanner;
  readonly disableIdleTimeout: (request: Request) => void;
  /** Whether what is sealed with the master key of this id opens here. */
  readonly hasKey: (id: string) => boolean;
  /** What backups are signed with. */
  readonly backupSigning: BackupSigning;
  /** The address at the other end of a request's connection. */
  readonly socketOf: (request: Request) => string | null;
};

/** Hubs of one store agree on the time, however wrong the clocks of their hosts are: on what is over, and whose turn it is. */
const storeClock = ({ nodes }: Pick<HubStore, "nodes">): Clock => {
  return () => systemClock() + nodes.ahead;
};

export const hubInputs = (parts: InputParts): HubInputs => {
  const { self } = parts.store.nodes;
  const processId = self === null ? systemIds() : processIdOf(self);
  const { scanner, disableIdleTimeout, contentHash, labelSecret, socketOf, operating, ...world } = parts;
  const { config, log, store, publicUrl } = world;
  const { upstream, limits } = config;
  return {
    store,
    scanner,
    log,
    disableIdleTimeout,
    publicUrl,
    seal: world.seal,
    unseal: world.unseal,
    version: VERSION,
    now: storeClock(store),
    ids: systemIds,
    random: Math.random,
    processId,
    sweepNode: (id) => void sweepOrphans(childrenOf(store.directory, id), log),
    builtIn: [echoProvider()],
    connect: providerConnector({ ...world, processId }),
    toolOptions: toolOptions(world),
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
    documentation: renderedDocumentation(),
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
    telemetryOptions: telemetryOf(config),
    metricsOptions: config.metrics.listen === "" ? null : metricsOfProcess(),
    clientDocuments: {
      hosts: config.oauth.client_documents,
      fetch: clientDocuments({ allowPrivate: config.oauth.allow_private, version: VERSION }),
    },
    backupOptions: {
      backupDirectory: new SqliteBackupDirectory(store.directory, VERSION, systemClock, parts.backupSigning),
      everyHours: config.backups.every_hours,
      keep: config.backups.keep,
      hasKey: parts.hasKey,
    },
    proofOptions: proofOptions(config),
    webhookOptions: { send: webhookSending(config), allowPrivate: config.webhooks.allow_private },
    alertOptions: alertSending(config),
    retentionOptions: { keepBlockedHours: config.guard.keep_blocked_hours, hash: contentHash },
    labelSecret,
    baseline: baselineSettings(config),
    configuredPrices: configuredPrices(config),
    hookOptions: { configured: configuredSources(config, world.environment), ask: askHub(VERSION) },
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
const reviewerOf = ({ reviewer }: Config): HubInputs["reviewer"] => {
  const { model, provider, timeout_ms, daily_budget } = reviewer;
  if (model === "") return null;
  return { model, provider: provider === "" ? null : provider, timeoutMs: timeout_ms, dailyBudget: daily_budget };
};

const echoProvider = (): Provider => ({
  name: "guardhouse",
  models: [ECHO_MODEL],
  priority: Number.MAX_SAFE_INTEGER,
  apis: new Set(ECHO_APIS),
  upstream: new EchoUpstream(),
});

/** Throws a `CliExit` that names a witness whose key is none. */
const proofOptions = ({ audit }: World["config"]): HubInputs["proofOptions"] => ({
  isPublished: audit.publish,
  witnesses: audit.witnesses.map(({ url, key }) => ({ url, key: witnessKey(url, key) })),
  post: witnessPost({ version: VERSION }),
});

const witnessKey = (url: string, text: string): NoteKey => {
  try {
    const key = readKey(text);
    if (key.use === SIGNS_COSIGNATURES) return key;
  } catch (error) {
    if (!(error instanceof BadNote)) throw error;
  }
  throw new CliExit(
    EXIT.configuration,
    `audit.witnesses: the key of ${url} is not one that ${commandLine(COMMANDS.witness())} prints`,
  );
};

export const toolOptions = (world: World): HubInputs["toolOptions"] => {
  const { tool_gateway } = world.config;
  return {
    connect: toolConnector(world),
    sharing: toolSharing(world),
    signIn: toolSignIn(world),
    fetchRegistry: registryDocuments({ allowPrivate: tool_gateway.allow_private, version: VERSION }),
    limits: { totalMs: tool_gateway.total_ms, callMs: tool_gateway.call_ms },
    process: gatewayProcess(world.store.nodes),
    elicitation: elicitationOf(world),
    relay: processRelay(world),
    listMs: tool_gateway.list_ms,
    discoveryMs: toolDiscoveryMs(world.config),
    listFreshMs: tool_gateway.list_fresh_ms,
    idleMs: tool_gateway.idle_ms,
    maxConcurrent: tool_gateway.max_concurrent,
    newTools: tool_gateway.new_tools,
    hasRegistry: tool_gateway.registry === "on",
    hasWhoami: tool_gateway.whoami === "on",
    searchAbove: tool_gateway.search_above === 0 ? null : tool_gateway.search_above,
    allowedOrigins: tool_gateway.allowed_origins,
  };
};

/** With the other processes that serve from the directory; null where none do. */
const processRelay = ({ config, store: { directory, nodes } }: World): ProcessRelay | null => {
  const { self } = nodes.here;
  if (self === null || self.isAlone) return null;
  const bodyBytes = 2 * config.limits.body_bytes;
  return new HostProcessRelay({ process: gatewayProcess(nodes), folder: directory.toolSockets, bodyBytes });
};

/** How callers' sessions and questions name this process. */
const gatewayProcess = ({ here: { self } }: World["store"]["nodes"]): string =>
  self === null ? "hub" : `${self.id}-${self.epoch}`;

const elicitationOf = ({ config: { tool_gateway } }: World): HubInputs["toolOptions"]["elicitation"] => {
  if (tool_gateway.elicitation === "off") return null;
  const { elicitation_ms: waitMs, elicitation_hosts: hosts } = tool_gateway;
  return { waitMs, hosts };
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

/** The threads that scan long texts, as configured. None is started before there is one. */
export const scanPoolOf = ({ guard }: Config, log: Log): ScanPool =>
  new ScanPool({
    threads: guard.scan_threads === 0 ? threadsFor(availableParallelism()) : guard.scan_threads,
    limits: {
      units: guard.scan_queue_chars,
      unitsPerCaller: guard.scan_queue_chars_per_token,
      calls: guard.scan_queue_calls,
      callsPerCaller: guard.scan_queue_calls_per_token,
    },
    onFault: ({ reason, units }) => log.error("guard.scan_thread_lost", { reason, units }),
  });
