import { type Metric, metricsText } from "#core/metrics";
import type { Auditor } from "#engine/auditor";
import type { CallMetrics } from "#engine/call-metrics";
import type { Directory } from "#engine/directory";
import type { Governor } from "#engine/governance/governor";
import type { Heartbeat } from "#engine/heartbeat";
import type { LiveEvents } from "#engine/live-events";
import type { LoopDelay } from "#engine/loop-delay";
import type { PoolFigures } from "#engine/scan-pool/meters";
import type { Scanner } from "#engine/scanner";
import type { Clock } from "#platform/clock";
import type { Store } from "#store/port";

/** What the process takes of its machine; null for what the system does not tell. */
export type ProcessFigures = {
  readonly cpu_seconds: number;
  readonly resident_bytes: number;
  readonly open_files: number | null;
  /** Unix milliseconds. */
  readonly started_at: number;
};

export type MetricsDeps = {
  /** Null where nobody reads them: then nothing is counted either. */
  readonly metrics: {
    readonly build: Readonly<Record<"version" | "commit" | "bun", string>>;
    readonly process: () => ProcessFigures;
  } | null;
  readonly store: Pick<Store, "audit" | "holds" | "killSwitches">;
  readonly scanner: Scanner;
  readonly clock: Clock;
};

type Around = {
  readonly calls: CallMetrics;
  readonly auditor: Auditor;
  readonly directory: Directory;
  readonly governor: Governor;
  readonly heartbeat: Heartbeat;
  readonly live: LiveEvents;
  readonly loopDelay: LoopDelay;
};

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: "gauge",
  samples: [{ value }],
});

/** What Prometheus asks for: figures as of now, by names of our own and by nothing that callers say. */
export const metricsReader = (deps: MetricsDeps, around: Around): (() => Promise<string>) | null => {
  const { metrics } = deps;
  if (metrics === null) return null;
  return async () => {
    const build: Metric = {
      ...{ name: "guardhouse_build_info", help: "What runs.", type: "gauge" },
      samples: [{ labels: metrics.build, value: 1 }],
    };
    const standing = await standingMetrics(deps, around);
    const pool = deps.scanner.pool === null ? [] : poolMetrics(deps.scanner.pool.figures);
    const delay = delayMetric(around.loopDelay);
    return metricsText([
      ...[build, ...around.calls.read(), ...standing, delay, ...pool],
      ...processMetrics(metrics.process()),
    ]);
  };
};

const standingMetrics = async ({ store, scanner, clock }: MetricsDeps, around: Around): Promise<Metric[]> => {
  const { auditor, directory, governor, heartbeat, live } = around;
  const now = clock();
  const holds = await store.holds.waiting(null, now);
  const switches = (await store.killSwitches.list()).filter(({ lifted_at }) => lifted_at === null);
  const agents = directory.allAgents();
  const restrictions = agents.reduce((sum, { id }) => sum + governor.restrictionsOf(id).length, 0);
  return [
    gauge("guardhouse_open_calls", "Calls under way, streams among them.", heartbeat.size),
    gauge("guardhouse_event_streams", "Pages that are told what happens.", live.size),
    gauge(
      "guardhouse_audit_healthy",
      "1 while records can be written; calls are refused otherwise.",
      Number(auditor.healthy),
    ),
    gauge("guardhouse_audit_waiting", "Records that wait for the disk.", store.audit.waiting),
    gauge("guardhouse_holds_waiting", "Tool calls that wait for a person.", holds.length),
    gauge("guardhouse_restrictions", "Restrictions in force.", restrictions),
    gauge("guardhouse_kill_switches", "Kill switches that are on.", switches.length),
    gauge("guardhouse_agents", "Agents that are not retired.", agents.filter(isThere).length),
    gauge("guardhouse_policy_revision", "Of the policy in force.", scanner.snapshot().revision),
  ];
};

const delayMetric = (loopDelay: LoopDelay): Metric => ({
  name: "guardhouse_event_loop_delay_seconds",
  help: "How much later than due the event loop came round, asked 50 times a second.",
  type: "histogram",
  histogram: loopDelay.read(),
});

const counter = (name: string, help: string, value: number): Metric => ({
  ...{ name, help, type: "counter" },
  samples: [{ value }],
});

/** Of long texts. */
const poolMetrics = (figures: PoolFigures): Metric[] => [
  gauge("guardhouse_scan_threads", "Threads for long texts that have been started.", figures.threads),
  gauge("guardhouse_scan_threads_busy", "Of them, those that scan.", figures.busy),
  gauge("guardhouse_scan_waiting", "Batches of long texts that wait for a thread.", figures.waitingJobs),
  gauge("guardhouse_scan_calls", "Calls with long texts that wait or are scanned.", figures.admittedCalls),
  gauge("guardhouse_scan_chars", "Characters of their texts.", figures.admittedUnits),
  {
    ...{ name: "guardhouse_scan_wait_seconds", help: "What batches waited for a thread.", type: "histogram" },
    histogram: figures.waited,
  },
  counter("guardhouse_scan_refused_total", "Requests refused since too many long texts waited.", figures.refused),
  counter("guardhouse_scan_threads_lost_total", "Threads that died or hung.", figures.lost),
];

const isThere = ({ lifecycle }: { readonly lifecycle: string }): boolean => lifecycle !== "retired";

/** By the names all programs use. */
const processMetrics = ({ cpu_seconds, resident_bytes, open_files, started_at }: ProcessFigures): Metric[] => [
  {
    ...{ name: "process_cpu_seconds_total", help: "CPU time, of all threads.", type: "counter" },
    samples: [{ value: cpu_seconds }],
  },
  gauge("process_resident_memory_bytes", "Memory that is held.", resident_bytes),
  gauge("process_start_time_seconds", "Since the epoch.", started_at / 1_000),
  ...(open_files === null ? [] : [gauge("process_open_fds", "Open files and sockets.", open_files)]),
];
