import { type App, createApp } from "#app";
import { endInterrupted } from "#audit/auditor";
import { parseListen, publicUrlOf } from "#config/address";
import type { Environment } from "#config/environment";
import { hubPlace, type Setting } from "#config/load";
import { policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import { noteServed } from "#config/served";
import { offerBuiltTables } from "#guard/built-tables";
import { contentHash } from "#guard/content/hub-secret";
import { policyInForce } from "#guard/enforcement/policy-in-force";
import { crashedAt, recoverUsage } from "#guard/limits/usage-recovery";
import { labelSecret } from "#guard/redaction-labels";
import { Scanner } from "#guard/scanner";
import { systemClock } from "#platform/clock";
import { childrenOf, FIRST_NODE, lockForNode, lockForServing, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { MasterKeys } from "#platform/master-keys";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";
import { hubInputs, scanPoolOf } from "./adapters";
import { drain } from "./drain";
import { bootstrapAdmin, showSetUp } from "./first-admin";
import type { Host } from "./host";
import { listenForCollectors } from "./metrics-listener";
import { operatingOf } from "./operating";
import { backupSigning, masterKeysOf, sealingWith } from "./sealing";
import { VERSION } from "./version";

export type ServeOptions = {
  readonly config: Config;
  /** Where each setting comes from. */
  readonly settings?: readonly Setting[];
  /** The TOML file among those places; null for none. */
  readonly file?: string | null;
  readonly log: Log;
  /** What stdio tool servers are given the bare necessities of. */
  readonly environment: Environment;
  readonly host: Host;
  /** Ends the hub as SIGTERM does. For those who run it inside their own process. */
  readonly stop?: Promise<unknown>;
  /** Called with the address once calls are answered. */
  readonly onListening?: (url: string) => void;
  /**
   * The id of this process among several that serve from the directory at one address, for one that has the directory's
   * lock and started them; null for a process that serves alone.
   */
  readonly worker?: string | null;
};

/** How long a process that serves alone may be silent before those who look at it call it dead. Milliseconds. */
const LEASE_MS = 30_000;
/** The same for one of several, before the others take over what is its own. Milliseconds. */
const WORKER_LEASE_MS = 10_000;

/** Runs the hub until it is told to stop. Returns the exit code. */
export const serve = async ({
  config,
  settings = [],
  file = null,
  log,
  environment,
  host,
  stop,
  onListening,
  worker = null,
}: ServeOptions): Promise<number> => {
  const directory = openDataDirectory(config.data_dir);
  const lock = worker === null ? lockForServing(directory) : lockForNode(directory, worker);
  const endOutliving = host.surviveUnhandledErrors(log);
  try {
    const keys = masterKeysOf(directory, config);
    keys.settle();
    keys.current();
    const store = await openSqliteStore({
      dataDir: config.data_dir,
      durability: config.durability,
      writer: "worker",
      node:
        worker === null
          ? { id: FIRST_NODE, version: VERSION, leaseMs: LEASE_MS, isAlone: true }
          : { id: worker, version: VERSION, leaseMs: WORKER_LEASE_MS, isAlone: false },
      onHealth: (healthy, reason) => log[healthy ? "info" : "error"]("audit.health", { healthy, reason }),
    });
    try {
      await bootstrapAdmin(config.bootstrap, store, log);
      return await run({ config, settings, file, log, environment, host, store, keys, stop, onListening });
    } finally {
      await store.close();
    }
  } finally {
    endOutliving();
    lock.release();
  }
};

type Running = Omit<ServeOptions, "stop" | "onListening"> & {
  readonly store: SqliteStore;
  readonly keys: MasterKeys;
  readonly stop: Promise<unknown> | undefined;
  readonly onListening: ((url: string) => void) | undefined;
};

const run = async ({ stop, onListening, keys, ...running }: Running): Promise<number> => {
  const { config, log, store, settings = [], file = null } = running;
  offerBuiltTables();
  const place = hubPlace({ config, settings, file });
  const { self } = store.nodes;
  const isAlone = self?.isAlone !== false;
  for (const { id } of await store.nodes.list()) {
    if (isAlone || id === self.id) sweepOrphans(childrenOf(store.directory, id), log);
  }
  // What a process counted and did not store cannot be told from what others have not stored yet.
  const crash = isAlone ? await crashedAt(store) : null;
  const interrupted = await endInterrupted(store.audit, systemClock, systemIds);
  const policy = await policyOfHub(config, store);
  const sealing = sealingWith(keys);
  // Known once the hub listens, and asked for by nobody before.
  const address: Address = {
    disableIdleTimeout: () => {},
    socketOf: () => null,
    publicUrl: config.public_url || publicUrlOf(config.listen),
  };
  const pool = scanPoolOf(config, log);
  using _pool = { [Symbol.dispose]: () => pool.close() };
  const scanner = new Scanner(
    policy,
    crypto.getRandomValues(new Uint8Array(32)),
    config.guard.cache_entries,
    false,
    pool,
  );
  const app = createApp(
    hubInputs({
      ...running,
      ...sealing,
      operating: operatingOf({
        config,
        settings,
        place,
        store,
        keys,
        ...sealing,
        startedAt: systemClock(),
      }),
      contentHash: await contentHash({ secrets: store.secrets, ...sealing }),
      labelSecret: await labelSecret({ secrets: store.secrets, ...sealing }),
      scanner,
      hasKey: (id) => keys.has(id),
      backupSigning: backupSigning(keys),
      disableIdleTimeout: (request) => address.disableIdleTimeout(request),
      socketOf: (request) => address.socketOf(request),
      publicUrl: () => address.publicUrl,
    }),
  );
  const { parts, lifecycle } = app;
  await lifecycle.prepare();
  const recovered = recovery(parts, { store, log, crash });
  // Before anything answers: a health check that is answered may be followed by a SIGTERM at once.
  const lost = parts.membership.lost.then(() => "lost");
  const stopping = Promise.race([stopped(running.host, stop), lost]);
  // What fails from here on ends the process: neither address may keep it, with a store that is closed.
  using collectors = listenForCollectors(parts.readMetrics, config.metrics, log);
  using listener = listen(app, config, address, !isAlone);
  const begun = { version: VERSION, policy_revision: policy.revision, interrupted };
  await store.audit.append(parts.systemRecord("system.start", begun));
  const named = parts.recorder
    .loadNames(systemClock())
    .catch((error: unknown) => log.warn("usage.names_not_read", causeOf(error)));
  lifecycle.start();
  const url = listener.url.href.replace(/\/$/, "");
  await store.nodes.listens(url);
  log.info("listening", {
    url,
    version: VERSION,
    pid: process.pid,
    data_dir: store.directory.path,
    durability: config.durability,
    policy_revision: policy.revision,
    interrupted,
  });
  const { publicUrl } = address;
  noteServed(config.data_dir, { settings, listen: config.listen.replace(/:0$/, `:${listener.port}`), publicUrl });
  onListening?.(url);
  // What was compiled for the start alone: some 8 MB. Not later, for what the warm-up compiles is for the calls.
  running.host.giveBackMemory();
  const warmedUp = warmUp(scanner, log);
  showSetUp(parts.openFirstRun(), place, running.host);

  const reason = await stopping;
  log.info("stopping", { reason });
  const quiet = lifecycle.quiesce();
  const { hostname } = parseListen(config.listen);
  await using _refusing = await drain(listener, parts, {
    graceMs: config.shutdown_grace_ms,
    hostname,
    isShared: !isAlone,
    log,
  });
  await quiet;
  await collectors?.stop(true);
  await Promise.all([recovered, warmedUp, named]);
  await lifecycle.stop();
  await store.audit.append(parts.systemRecord("system.stop", { reason }));
  await store.audit.flush();
  log.info("stopped");
  return 0;
};

/** `/readyz` waits for it. A scanner that fails here fails at each call, where the profile says what follows. */
const warmUp = async (scanner: Scanner, log: Log): Promise<void> => {
  try {
    await scanner.warmUp();
  } catch (error) {
    log.error("task.failed", { task: "warming up the scanner", ...causeOf(error) });
  }
};

/** Beside the calls, for counting a busy hour again takes seconds. What is stored it reads before anything is added. */
const recovery = async (
  { recorder, callMemory }: App["parts"],
  { store, log, crash }: { store: SqliteStore; log: Log; crash: number | null },
) => {
  if (crash === null) return;
  try {
    const now = systemClock();
    const recovering = callMemory.recover(store.audit, crash);
    const [lacking, events] = await Promise.all([recoverUsage(store, crash, now), recovering]);
    recorder.regain(lacking, now);
    log.info("usage.recovered", { hours: lacking.length, events });
  } catch (error) {
    log.error("task.failed", { task: "recovery after a crash", ...causeOf(error) });
  }
};

const policyOfHub = (config: Config, store: SqliteStore): Promise<CompiledPolicy> =>
  policyInForce({
    policies: store.policies,
    source: (edits) => policyOf(config, edits),
    compile: (source, revision) => compilePolicy(source, revision, DETECTORS),
    now: systemClock,
    ids: systemIds,
  });

type Address = {
  disableIdleTimeout: (request: Request) => void;
  socketOf: (request: Request) => string | null;
  publicUrl: string;
};

const listen = (app: App, config: Config, address: Address, reusePort: boolean) => {
  const { hostname, port } = parseListen(config.listen);
  const listener = Bun.serve({
    hostname,
    port,
    reusePort,
    // Stops slow-body attacks; calls under way are lifted out of it.
    idleTimeout: Math.ceil(config.limits.request_idle_ms / 1_000),
    // Ours is counted where bodies are read and answers in the envelope; the runtime's would answer without one.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request) => app.entry.answer(request),
  });
  address.disableIdleTimeout = (request) => listener.timeout(request, 0);
  address.socketOf = (request) => listener.requestIP(request)?.address ?? null;
  if (port === 0 && address.publicUrl === publicUrlOf(config.listen)) {
    address.publicUrl = publicUrlOf(config.listen.replace(/:0$/, `:${listener.port}`));
  }
  return listener;
};

/** Resolves with what ended the hub. */
const stopped = (host: Host, stop: Promise<unknown> = new Promise(() => {})): Promise<string> => {
  const asked = () => "request";
  return Promise.race([host.stopSignal(), stop.then(asked, asked)]);
};
