import { type App, createApp } from "#app";
import { parseListen, publicUrlOf } from "#config/address";
import type { Environment } from "#config/environment";
import type { Setting } from "#config/load";
import { policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import { noteServed } from "#config/served";
import { changeRecord } from "#core/change";
import { DETECTORS } from "#core/scan/detectors/index";
import { type CompiledPolicy, compilePolicy } from "#core/scan/policy";
import { contentHash } from "#engine/content-hash";
import { endInterrupted } from "#engine/interrupted";
import { PROBE_MS } from "#engine/loop-delay";
import { policyInForce } from "#engine/policy-in-force";
import { Scanner } from "#engine/scanner";
import { crashedAt, recoverUsage } from "#engine/usage-recovery";
import { systemClock } from "#platform/clock";
import { lockForServing, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { MasterKeys } from "#platform/master-keys";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";
import { appDeps } from "./adapters";
import { bootstrapAdmin, showSetUp } from "./first-admin";
import { listenForCollectors } from "./metrics-listener";
import { operatingOf } from "./operating";
import { hubPlace } from "./place";
import { Retention } from "./retention";
import { scanPoolOf } from "./scan-pool";
import { backupSigning, masterKeysOf, sealingWith } from "./sealing";
import { STANDING_MS, writeStanding } from "./standing";
import { outliveStrayFaults } from "./stray-faults";
import { VERSION } from "./version";

/** How often changes of other processes are looked for. The promise is one second. */
const SYNC_MS = 200;
/** How often open calls are looked at: time limits are kept, and open calls written down, to this exactness. */
const BEAT_MS = 100;
const REFUSALS_MS = 1_000;
/** How often what has changed is told of, and stored work is taken up. */
const EVENTS_MS = 250;
const JOBS_MS = 500;
/** How often connections to tool servers are looked after. */
const TOOLS_MS = 15_000;
/** How often counters are stored; a crash takes what is younger, and it is counted again. */
const USAGE_MS = 5_000;
/** How often tuning rules and approvals that have run out are ended on record; nothing holds longer than it should. */
const TUNING_MS = 60_000;
/** How often it is stored when tokens were last used. */
const USES_MS = 60_000;
/** How often it is computed how agents fare. */
const WATCH_MS = 300_000;
/** How often it is told whose calls were blocked. */
const BLOCKED_MS = 300_000;
/** How often reviews that nobody goes on with are looked for. */
const REVIEWS_MS = 3_600_000;
/** How often kept content that has expired is deleted. */
const CONTENT_MS = 3_600_000;
/** How often it is looked whether a backup is due. */
const BACKUPS_MS = 30_000;
/** How often it is looked whether what is kept is to be measured again. */
const STORAGE_MS = 600_000;
const RETENTION_MS = 6 * 3_600_000;
/** How long calls that were cut off may take to say so to their clients and to the record. */
const CUT_OFF_MS = 2_000;

export type ServeOptions = {
  readonly config: Config;
  /** Where each setting comes from. */
  readonly settings?: readonly Setting[];
  /** The TOML file among those places; null for none. */
  readonly file?: string | null;
  readonly log: Log;
  /** What stdio tool servers are given the bare necessities of. */
  readonly environment: Environment;
  /** Ends the hub as SIGTERM does. For those who run it inside their own process. */
  readonly stop?: Promise<unknown>;
  /** Called with the address once calls are answered. */
  readonly onListening?: (url: string) => void;
};

/** Runs the hub until it is told to stop. Returns the exit code. */
export const serve = async ({
  config,
  settings = [],
  file = null,
  log,
  environment,
  stop,
  onListening,
}: ServeOptions): Promise<number> => {
  const directory = openDataDirectory(config.data_dir);
  const lock = lockForServing(directory);
  const endOutliving = outliveStrayFaults(log);
  try {
    const keys = masterKeysOf(directory, config);
    keys.settle();
    keys.current();
    const store = await openSqliteStore({
      dataDir: config.data_dir,
      durability: config.durability,
      writer: "worker",
      onHealth: (healthy, reason) => log[healthy ? "info" : "error"]("audit.health", { healthy, reason }),
    });
    try {
      await bootstrapAdmin(config.bootstrap, store, log);
      return await run({ config, settings, file, log, environment, store, keys, stop, onListening });
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
  const place = hubPlace({ config, settings, file });
  await store.changes.forgetAll();
  sweepOrphans(store.directory.children, log);
  const crash = await crashedAt(store);
  const interrupted = await endInterrupted(store.audit, systemClock, systemIds);
  const policy = await policyOfHub(config, store);
  const sealing = sealingWith(keys);
  // Known once the hub listens, and asked for by nobody before.
  const address: Address = {
    keepOpen: () => {},
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
    appDeps({
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
      scanner,
      hasKey: (id) => keys.has(id),
      backupSigning: backupSigning(keys),
      keepOpen: (request) => address.keepOpen(request),
      socketOf: (request) => address.socketOf(request),
      publicUrl: () => address.publicUrl,
    }),
  );
  await app.sync.refresh();
  await app.recorder.load(systemClock());
  const recovered = recovery(app, { store, log, crash });
  // Before anything answers: a health check that is answered may be followed by a SIGTERM at once.
  const stopping = stopped(stop);
  // What fails from here on ends the process: neither address may keep it, with a store that is closed.
  using collectors = listenForCollectors(app.readMetrics, config.metrics, log);
  using listener = listen(app, config, address);
  await store.audit.append(system("system.start", { version: VERSION, policy_revision: policy.revision, interrupted }));
  const retention = new Retention({ app, store, config, log, recordOf: system });
  const named = app.recorder
    .loadNames(systemClock())
    .catch((error: unknown) => log.warn("usage.names_not_read", causeOf(error)));
  const timers = startTimers(app, store, retention, log);
  const url = listener.url.href.replace(/\/$/, "");
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
  const warmedUp = warmUp(scanner, log);
  showSetUp(app.signIn.openFirstRun(), place);

  const reason = await stopping;
  log.info("stopping", { reason });
  app.auditor.stopAdmitting();
  app.tools.stopListening();
  app.live.close();
  const atRest = Promise.all([app.jobs.stop(), retention.stop()]);
  await drain(listener, app, { graceMs: config.shutdown_grace_ms, log });
  for (const timer of timers) clearInterval(timer);
  await collectors?.stop(true);
  await atRest;
  await app.tools.close();
  await app.refusals.flush();
  await Promise.all([recovered, warmedUp, named]);
  await app.recorder.flush();
  await app.hits.flush();
  await app.uses.flush();
  await app.loop.tend();
  await app.keptContent.settled();
  await app.sync.leave();
  await store.audit.append(system("system.stop", { reason }));
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
  { recorder, loop }: App,
  { store, log, crash }: { store: SqliteStore; log: Log; crash: number | null },
) => {
  if (crash === null) return;
  try {
    const now = systemClock();
    const recovering = loop.pastEvents.recover(store.audit, crash);
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
  keepOpen: (request: Request) => void;
  socketOf: (request: Request) => string | null;
  publicUrl: string;
};

const listen = (app: App, config: Config, address: Address) => {
  const { hostname, port } = parseListen(config.listen);
  const listener = Bun.serve({
    hostname,
    port,
    // Stops slow-body attacks; calls under way are lifted out of it.
    idleTimeout: Math.ceil(config.limits.request_idle_ms / 1_000),
    // Ours is counted where bodies are read and answers in the envelope; the runtime's would answer without one.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request) => app.door.answer(request),
  });
  address.keepOpen = (request) => listener.timeout(request, 0);
  address.socketOf = (request) => listener.requestIP(request)?.address ?? null;
  if (port === 0 && address.publicUrl === publicUrlOf(config.listen)) {
    address.publicUrl = publicUrlOf(config.listen.replace(/:0$/, `:${listener.port}`));
  }
  return listener;
};

/** Told to commands beside the hub, now and again. */
const tellOf =
  (app: App, { directory }: SqliteStore, failed: (error: unknown) => void) =>
  (): void => {
    try {
      const loop_delay_max_ms = Math.round(app.loopDelay.recentMaxMs);
      const scan_waiting = app.scanPool?.figures.waitingJobs ?? 0;
      writeStanding(directory, { at: systemClock(), loop_delay_max_ms, scan_waiting });
    } catch (error) {
      failed(error);
    }
  };

const startTimers = (app: App, store: SqliteStore, retention: Retention, log: Log) => {
  const failed = (task: string) => (error: unknown) => log.error("task.failed", { task, ...causeOf(error) });
  retention.retain();
  retention.forget();
  void app.backups.tend();
  void app.storage.tend().catch(failed("storage"));
  const tell = tellOf(app, store, failed("telling of itself"));
  tell();
  return [
    setInterval(() => app.loopDelay.beat(performance.now()), PROBE_MS),
    setInterval(tell, STANDING_MS),
    setInterval(() => void app.sync.refresh().catch(failed("sync")), SYNC_MS),
    setInterval(() => {
      app.heartbeat.beat(performance.now());
      app.live.beat();
      app.restrictions.containment.look();
      void app.restrictions.triggers?.tend().catch(failed("triggers"));
    }, BEAT_MS),
    setInterval(() => void app.refusals.flush().catch(failed("refusals")), REFUSALS_MS),
    setInterval(() => void app.recorder.flush().catch(failed("usage")), USAGE_MS),
    setInterval(() => void app.uses.flush().catch(failed("token uses")), USES_MS),
    setInterval(() => void app.hits.flush().catch(failed("hits")), USAGE_MS),
    setInterval(() => void app.loop.tend().catch(failed("reports")), USAGE_MS),
    setInterval(() => void app.webhooks.tend().catch(failed("events")), EVENTS_MS),
    setInterval(() => void app.webhooks.summarise().catch(failed("blocked calls")), BLOCKED_MS),
    setInterval(() => void app.jobs.tick().catch(failed("jobs")), JOBS_MS),
    setInterval(() => void app.tuning.tend().catch(failed("tuning")), TUNING_MS),
    setInterval(() => void app.review.tend().catch(failed("reviews")), REVIEWS_MS),
    setInterval(() => void app.watch.tend().catch(failed("watch")), WATCH_MS),
    setInterval(() => void app.backups.tend(), BACKUPS_MS),
    setInterval(() => void app.storage.tend().catch(failed("storage")), STORAGE_MS),
    setInterval(() => void app.tools.tend().catch(failed("tools")), TOOLS_MS),
    setInterval(() => retention.forget(), CONTENT_MS),
    setInterval(() => retention.retain(), RETENTION_MS),
  ];
};

/** Resolves with what ended the hub. A second signal ends it at once. */
const stopped = (stop: Promise<unknown> | undefined): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        resolve(signal);
        process.once(signal, () => process.exit(1));
      });
    }
    stop?.then(
      () => resolve("request"),
      () => resolve("request"),
    );
  });

/** Calls under way may finish; what takes longer than the grace is cut off, and recorded so before this returns. */
const drain = async (
  server: { stop(force?: boolean): Promise<void> },
  { heartbeat }: Pick<App, "heartbeat">,
  { graceMs, log }: { graceMs: number; log: Log },
): Promise<void> => {
  const finished = server.stop();
  if (await within(finished, graceMs)) return;
  log.warn("stopping.cut_off", { grace_ms: graceMs, calls: heartbeat.size });
  heartbeat.cutOff();
  if (await within(finished, CUT_OFF_MS)) return;
  await server.stop(true);
  // Clients that took no answer are gone now; their calls still write how they ended.
  for (let waited = 0; heartbeat.size > 0 && waited < CUT_OFF_MS; waited += 10) await Bun.sleep(10);
};

/** Whether it was done within so many milliseconds. */
const within = (done: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([done.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref())]);

const system = (kind: string, detail: Readonly<Record<string, unknown>>): string => {
  const by = { via: "system", user_id: null, agent_id: null, token_id: null } as const;
  return changeRecord(
    { kind, by, subject: "hub", subject_id: VERSION, detail },
    { id: systemIds(), at: systemClock() },
  );
};
