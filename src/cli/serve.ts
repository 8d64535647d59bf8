import { type App, createApp } from "#app";
import { endInterrupted } from "#audit/auditor";
import { parseListen, publicUrlOf } from "#config/address";
import type { Environment } from "#config/environment";
import { hubPlace, type Setting } from "#config/load";
import { policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import { noteServed } from "#config/served";
import type { Metric } from "#core/metrics";
import type { SetUpLink } from "#features/sign-in/first-run";
import { offerBuiltTablesSoon } from "#guard/built-tables";
import { contentHash } from "#guard/content/hub-secret";
import { policyInForce } from "#guard/enforcement/policy-in-force";
import { crashedAt, recoverUsage } from "#guard/limits/usage-recovery";
import { labelSecret } from "#guard/redaction-labels";
import { Scanner } from "#guard/scanner";
import { systemClock } from "#platform/clock";
import { childrenOf, FIRST_NODE, lockForNode, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { MasterKeys } from "#platform/master-keys";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";
import { hubInputs, scanPoolOf } from "./adapters";
import { drain, inMs, leaveAddress } from "./drain";
import { EXIT } from "./exit";
import { bootstrapAdmin, showSetUp } from "./first-admin";
import type { Host } from "./host";
import { assertSharedKey, type HubStore, openHubStore } from "./hub-store";
import { keepLease, START_MS } from "./lease";
import { lockWhenLeft } from "./lock-when-left";
import { listenForCollectors } from "./metrics-listener";
import { operatingOf } from "./operating";
import { backupSigning, masterKeysOf, sealingWith } from "./sealing";
import { sweepDirectory } from "./sweep";
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
  /** The place of this process among several; null for one that serves alone. */
  readonly worker?: Worker | null;
};

/** One of several processes that serve from a directory at one address, for one that has its lock and started them. */
export type Worker = {
  readonly id: string;
  /** The link for the first administrator that all of them take, and whether this one shows it. */
  readonly setUp?: SetUpLink & { readonly isShown: boolean };
  /** Resolves when this process is to stop while others go on at the address. */
  readonly leave?: Promise<unknown>;
  /** Called with what reads the figures of this process. */
  readonly onFigures?: (read: () => Promise<readonly Metric[]>) => void;
  /** Called once calls are answered without delay. */
  readonly onReady?: (ready: { url: string; revision: number; interrupted: number }) => void;
  /** Called when no call is answered any more. */
  readonly onStopped?: () => Promise<void>;
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
  const lock = worker === null ? await lockWhenLeft(directory, config, log) : lockForNode(directory, worker.id);
  const endOutliving = host.surviveUnhandledErrors(log);
  try {
    const keys = masterKeysOf(directory, config);
    if (config.database.url === null) {
      keys.settle();
      keys.current();
    }
    const store = await openHubStore({
      config,
      writer: "worker",
      node:
        worker === null
          ? { id: FIRST_NODE, version: VERSION, leaseMs: LEASE_MS, startMs: START_MS, isAlone: true }
          : { id: worker.id, version: VERSION, leaseMs: WORKER_LEASE_MS, startMs: START_MS, isAlone: false },
      onHealth: (healthy, reason) => log[healthy ? "info" : "error"]("audit.health", { healthy, reason }),
    });
    using lease = keepLease(store.nodes, log);
    try {
      if (store.common !== null) {
        // Before one is made here: it would not be that of the others.
        await assertSharedKey(store, keys);
        keys.settle();
        keys.current();
      }
      await bootstrapAdmin(config.bootstrap, store, log);
      const running = { config, settings, file, log, environment, host, store, keys, stop, onListening, worker };
      return await run({ ...running, onStarted: () => lease[Symbol.dispose]() });
    } finally {
      await store.close();
    }
  } finally {
    endOutliving();
    lock.release();
  }
};

type Running = Omit<ServeOptions, "stop" | "onListening" | "worker"> & {
  readonly worker: Worker | null;
  readonly store: HubStore;
  readonly keys: MasterKeys;
  readonly stop: Promise<unknown> | undefined;
  readonly onListening: ((url: string) => void) | undefined;
  /** Called when the jobs run that keep this process live. */
  readonly onStarted: () => void;
};

const run = async ({ stop, onListening, onStarted, keys, worker, ...running }: Running): Promise<number> => {
  const { config, log, store, settings = [], file = null } = running;
  running.host.compile("late");
  // Without them the scanner makes its own.
  const tables = logging("reading the scanner's tables", log, offerBuiltTablesSoon);
  const place = hubPlace({ config, settings, file });
  const { self } = store.nodes;
  const isAlone = self?.isAlone !== false;
  if (worker === null) sweepDirectory(store.directory, log);
  else sweepOrphans(childrenOf(store.directory, worker.id), log);
  // What a process counted and did not store cannot be told from what others have not stored yet.
  const crash = isAlone ? await crashedAt(store) : null;
  const interrupted = await endInterrupted(store.audit, systemClock, systemIds);
  const policy = await policyOfHub(config, store);
  const sealing = sealingWith(keys);
  // Known once the hub listens, and asked for by nobody before.
  const address: Address = {
    isLeaving: false,
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
  const leave = worker?.leave?.then(() => "reload") ?? new Promise<never>(() => {});
  const asked = stopped(running.host, stop);
  const stopping = Promise.race([asked, lost, leave]);
  // What fails from here on ends the process: neither address may keep it, with a store that is closed.
  using collectors = worker === null ? listenForCollectors(parts.readMetrics, config.metrics, log) : null;
  if (parts.readMetrics !== null) worker?.onFigures?.(parts.readMetrics);
  using listener = listen(app, config, address, worker !== null);
  // Where several serve, joining and leaving are on record in the log of each, and in the main one, which names it.
  const member = isAlone || self === null ? {} : { node: self.id, epoch: self.epoch };
  const begun = { version: VERSION, policy_revision: policy.revision, interrupted, ...member };
  await store.audit.append(parts.systemRecord("system.start", begun));
  await parts.membership.anchorAll();
  const named = parts.recorder
    .loadNames(systemClock())
    .catch((error: unknown) => log.warn("usage.names_not_read", causeOf(error)));
  const url = listener.url.href.replace(/\/$/, "");
  await store.nodes.listens(url);
  log.info(worker === null ? "listening" : "worker.listening", {
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
  const warmedUp = tables.then(() => logging("warming up the scanner", log, () => scanner.warmUp()));
  parts.membership.starting(START_MS, warmedUp);
  lifecycle.start(warmedUp);
  onStarted();
  await using _hearing = await hearing(store, parts, log);
  const setUp = parts.openFirstRun(worker?.setUp);
  if (worker?.setUp?.isShown !== false) showSetUp(setUp, place, running.host);
  const ending = new AbortController();
  const readied = warmedUp.then(() => {
    running.host.compile("soon");
    worker?.onReady?.({ url, revision: policy.revision, interrupted });
    return logging("settling after the start", log, () => settle(scanner, running.host, ending.signal));
  });

  const reason = await stopping;
  log.info("stopping", { reason });
  ending.abort();
  // Others go on unless all were asked to stop: a signal to this process alone is no word to them.
  const isLeaving = worker !== null && reason !== "request";
  if (isLeaving) {
    await leaveAddress(
      listener.port,
      () => {
        address.isLeaving = true;
      },
      log,
    );
  }
  const quiet = lifecycle.quiesce();
  const { hostname } = parseListen(config.listen);
  await using _refusing = await drain(listener, parts, {
    graceOver: graceOver(config, reason === "reload" ? asked : null),
    hostname,
    isShared: worker !== null,
    isLeaving,
    log,
  });
  await quiet;
  await collectors?.stop(true);
  await Promise.all([recovered, readied, named]);
  await worker?.onStopped?.();
  await lifecycle.stop();
  await store.audit.append(parts.systemRecord("system.stop", { reason, ...member }));
  await store.audit.flush();
  await parts.membership.anchorAll();
  log.info("stopped");
  // What supervises it starts it again after a failure alone.
  return reason === "lost" ? EXIT.failure : EXIT.ok;
};

/** Changes of other hubs are looked for all the same: being told of them is only sooner. */
const hearing = async ({ common }: HubStore, { onChanged }: App["parts"], log: Log): Promise<AsyncDisposable> => {
  const heard = () => {
    onChanged().catch((error: unknown) => log.warn("changes.not_read", causeOf(error)));
  };
  try {
    const end = (await common?.listen(heard)) ?? (async () => {});
    return { [Symbol.asyncDispose]: end };
  } catch (error) {
    log.warn("changes.not_heard", causeOf(error));
    return { [Symbol.asyncDispose]: async () => {} };
  }
};

/** How long the engine is given to be idle, so that memory is given back. Milliseconds. */
const GIVING_BACK_MS = 100;

/** Beside the first calls: what some of them would wait for is made, and what the start alone needed is given back. */
const settle = async (scanner: Scanner, host: Host, signal: AbortSignal): Promise<void> => {
  await scanner.warmUpDetectors(signal);
  if (signal.aborted) return;
  host.giveBackMemory();
  await Bun.sleep(GIVING_BACK_MS);
  // That takes the code of the warm-up along, which is what calls run.
  if (!signal.aborted) await scanner.warmUp();
};

/** For what a start goes on without. A scanner that fails here fails at each call, where the profile says what follows. */
const logging = async (task: string, log: Log, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    log.error("task.failed", { task, ...causeOf(error) });
  }
};

/** Beside the calls, for counting a busy hour again takes seconds. What is stored it reads before anything is added. */
const recovery = async (
  { recorder, callMemory }: App["parts"],
  { store, log, crash }: { store: HubStore; log: Log; crash: number | null },
) => {
  if (crash === null) return;
  await logging("recovery after a crash", log, async () => {
    const now = systemClock();
    const recovering = callMemory.recover(store.audit, crash);
    const [lacking, events] = await Promise.all([recoverUsage(store, crash, now), recovering]);
    recorder.regain(lacking, now);
    log.info("usage.recovered", { hours: lacking.length, events });
  });
};

const policyOfHub = (config: Config, store: HubStore): Promise<CompiledPolicy> =>
  policyInForce({
    policies: store.policies,
    source: (edits) => policyOf(config, edits),
    compile: (source, revision) => compilePolicy(source, revision, DETECTORS),
    now: systemClock,
    ids: systemIds,
  });

type Address = {
  /** Callers are to go elsewhere with what they ask next. */
  isLeaving: boolean;
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
    fetch: reusePort
      ? async (request) => leavingWith(await app.entry.answer(request), address)
      : (request) => app.entry.answer(request),
  });
  address.disableIdleTimeout = (request) => listener.timeout(request, 0);
  address.socketOf = (request) => listener.requestIP(request)?.address ?? null;
  if (port === 0 && address.publicUrl === publicUrlOf(config.listen)) {
    address.publicUrl = publicUrlOf(config.listen.replace(/:0$/, `:${listener.port}`));
  }
  return listener;
};

/** The last answer on its connection, once this process is to leave. */
const leavingWith = (answer: Response, { isLeaving }: Address): Response => {
  if (isLeaving) answer.headers.set("connection", "close");
  return answer;
};

/**
 * When calls under way are cut off. Nobody waits for a process that leaves: then not before the longest of them is over,
 * or the whole hub is told to stop.
 */
const graceOver = ({ shutdown_grace_ms, upstream, tool_gateway }: Config, stop: Promise<unknown> | null) => {
  if (stop === null) return inMs(shutdown_grace_ms);
  const longest = Math.max(shutdown_grace_ms, upstream.total_ms, tool_gateway.total_ms);
  return Promise.race([inMs(longest), stop.then(() => inMs(shutdown_grace_ms))]);
};

/** Resolves with what ended the hub. */
const stopped = (host: Host, stop: Promise<unknown> = new Promise(() => {})): Promise<string> => {
  const asked = () => "request";
  return Promise.race([host.stopSignal(), stop.then(asked, asked)]);
};
