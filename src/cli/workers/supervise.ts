import { EXIT } from "#cli/exit";
import { lockWhenLeft } from "#cli/lock-when-left";
import { listenForCollectors } from "#cli/metrics-listener";
import { sweepDirectory } from "#cli/sweep";
import type { Invocation } from "#cli/verb";
import { VERSION } from "#cli/version";
import { parseListen } from "#config/address";
import { lastingMetrics, mergedMetrics } from "#core/merged-metrics";
import type { Metric } from "#core/metrics";
import { newSetUpLink } from "#features/sign-in/first-run";
import { systemClock } from "#platform/clock";
import { openDataDirectory } from "#platform/data-directory";
import type { Log } from "#platform/log";
import { forgetSharing } from "#upstream/mcp/sharing";
import { NotStarted, Supervisor } from "./supervisor";

/** `serve` with several workers: serves nothing itself, and keeps them serving. Returns the exit code. */
export const superviseWorkers = async (invocation: Invocation, args: readonly string[], log: Log): Promise<number> => {
  const { config, host, environment } = invocation;
  const { server, listen, data_dir, shutdown_grace_ms: graceMs, metrics, durability } = config();
  const directory = openDataDirectory(data_dir);
  const lock = await lockWhenLeft(directory, config(), log);
  forgetSharing(directory.toolSockets);
  sweepDirectory(directory, log);
  const endOutliving = host.surviveUnhandledErrors(log);
  let ended: Metric[] = [];
  const setUp = { ...newSetUpLink(systemClock()), isShown: true };
  const supervisor = new Supervisor({
    ...{ workers: server.workers, args, environment, graceMs, log },
    begin: { kind: "begin", listen, dataDir: directory.path, port: null, setUp },
    onEnded: (figures) => {
      if (figures !== null) ended = mergedMetrics([ended, lastingMetrics(figures)].map(nameless));
    },
  });
  // A second signal ends this process at once: workers that nobody would start again end with it.
  const kill = () => supervisor.kill();
  process.on("exit", kill);
  const reload = () => void supervisor.reload();
  process.on("SIGHUP", reload);
  try {
    isFree(listen);
    using collectors = listenForCollectors(() => figuresOf(supervisor, ended), metrics, log);
    const stopSignal = host.stopSignal();
    const begun = await Promise.race([supervisor.start(), stopSignal]);
    if (typeof begun === "object") {
      const { url, policyRevision: policy_revision, interrupted } = begun;
      const known = { url, version: VERSION, pid: process.pid, data_dir: directory.path, durability };
      log.info("listening", { ...known, policy_revision, interrupted, workers: server.workers });
      host.giveBackMemory();
    }
    log.info("stopping", { reason: await stopSignal });
    const isInOrder = await supervisor.stop();
    await collectors?.stop(true);
    log.info("stopped");
    return isInOrder ? EXIT.ok : EXIT.failure;
  } catch (error) {
    await supervisor.stop();
    if (error instanceof NotStarted) return error.code;
    throw error;
  } finally {
    process.off("exit", kill);
    process.off("SIGHUP", reload);
    endOutliving();
    lock.release();
  }
};

const nameless = (metrics: readonly Metric[]) => ({ worker: null, metrics });

/** Several of one user may listen on a port that all of them share, and so would another hub: nobody may be there yet. */
const isFree = (listen: string): void => {
  const { hostname, port } = parseListen(listen);
  if (port !== 0) Bun.listen({ hostname, port, socket: { data: () => {} } }).stop(true);
};

/** Of all workers that answer in time, as one. */
const figuresOf = async (supervisor: Supervisor, ended: readonly Metric[]): Promise<Metric[]> => {
  const readings = await Promise.all(
    supervisor.serving().map(async (child) => ({ child, metrics: await child.figures() })),
  );
  const known = readings.map(({ child, metrics }) => ({
    worker: child.id,
    // What it counted it has counted.
    metrics: metrics ?? lastingMetrics(child.lastFigures ?? []),
  }));
  const workers: Metric = {
    name: "guardhouse_workers",
    help: "Processes that serve together: those that answered, and those that are wanted.",
    type: "gauge",
    samples: [
      { labels: { state: "answering" }, value: readings.filter(({ metrics }) => metrics !== null).length },
      { labels: { state: "wanted" }, value: supervisor.workers },
    ],
  };
  return [...mergedMetrics([...known, nameless(ended)]), workers];
};
