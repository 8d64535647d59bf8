import type { Auditor } from "#audit/auditor";
import type { Metric, Over } from "#core/metrics";
import type { CallMetrics } from "#guard/call-metrics";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { OpenCalls } from "#guard/open-calls";
import type { PoolFigures } from "#guard/scan-pool/meters";
import type { Scanner } from "#guard/scanner";
import type { LoopDelay } from "#hub/loop-delay";
import type { ProviderRouting } from "#hub/provider-routing";
import type { Scheduler } from "#hub/scheduler";
import type { PrincipalCache } from "#identity/principal-cache";
import { SEVERITIES } from "#model/alert";
import type { Clock } from "#platform/clock";
import type { Total } from "#platform/total";
import type { Store } from "#store/port";
import type { Shipping, ShippingLag } from "#store/shipped-port";

/** What the process takes of its machine; null for what the system does not tell. */
export type ProcessFigures = {
  readonly cpu_seconds: number;
  readonly resident_bytes: number;
  readonly open_files: number | null;
  /** Unix milliseconds. */
  readonly started_at: number;
};

export type MetricsOptions = {
  readonly build: Readonly<Record<"version" | "commit" | "bun", string>>;
  readonly process: () => ProcessFigures;
};

type FiguresNeeds = {
  readonly options: MetricsOptions;
  readonly callMetrics: CallMetrics;
  readonly audit: Pick<Store["audit"], "waiting">;
  readonly shipping: Shipping | null;
  readonly holds: Pick<Store["holds"], "waiting">;
  readonly killSwitches: Pick<Store["killSwitches"], "list">;
  readonly alerts: Pick<Store["alerts"], "open">;
  readonly scanner: Scanner;
  readonly untracedTexts: Pick<Total, "value">;
  readonly auditor: Auditor;
  readonly principals: PrincipalCache;
  readonly policyResolver: PolicyResolver;
  readonly openCalls: OpenCalls;
  readonly live: { readonly size: number };
  readonly loopDelay: LoopDelay;
  readonly scheduler: Pick<Scheduler, "metrics">;
  readonly providerRouting: Pick<ProviderRouting, "breakers">;
  /** Of what is exported to collectors of OpenTelemetry. */
  readonly exportMetrics: () => readonly Metric[];
  readonly now: Clock;
};

const gauge = (name: string, help: string, value: number, over: Over = "sum"): Metric => ({
  name,
  help,
  type: "gauge",
  over,
  samples: [{ value }],
});

/** What collectors ask for: figures as of now, by names of our own and by nothing that callers say. */
export const metricsReader = (needs: FiguresNeeds) => async (): Promise<readonly Metric[]> => {
  const { options, scanner, callMetrics, loopDelay, scheduler } = needs;
  const build: Metric = {
    name: "guardhouse_build_info",
    help: "What runs.",
    type: "gauge",
    over: "max",
    samples: [{ labels: options.build, value: 1 }],
  };
  const gaugeValues = await gauges(needs);
  const pool = scanner.pool === null ? [] : poolMetrics(scanner.pool.figures);
  return [
    ...[build, ...callMetrics.read(), ...gaugeValues, delayMetric(loopDelay), ...scheduler.metrics(), ...pool],
    {
      name: "guardhouse_untraced_texts_total",
      help: "Texts whose values are not traced, because their conversation has more than are kept.",
      type: "counter",
      samples: [{ value: needs.untracedTexts.value }],
    },
    breakerMetric(needs.providerRouting),
    ...needs.exportMetrics(),
    await alertMetric(needs.alerts),
    ...processMetrics(options.process()),
  ];
};

const gauges = async (needs: FiguresNeeds): Promise<Metric[]> => {
  const { audit, auditor, principals, policyResolver, openCalls, live, scanner, shipping } = needs;
  const holds = await needs.holds.waiting(null, needs.now());
  const switches = (await needs.killSwitches.list()).filter(({ lifted_at }) => lifted_at === null);
  const agents = principals.allAgents();
  const restrictions = agents.reduce((sum, { id }) => sum + policyResolver.restrictionsOf(id).length, 0);
  return [
    gauge("guardhouse_open_calls", "Calls under way, streams among them.", openCalls.size),
    gauge("guardhouse_event_streams", "Open event streams of dashboard pages.", live.size),
    gauge(
      "guardhouse_audit_healthy",
      "1 while records can be written; calls are refused otherwise.",
      Number(auditor.healthy),
      "each",
    ),
    gauge("guardhouse_audit_waiting", "Records that wait for the disk.", audit.waiting),
    ...(shipping === null ? [] : lagOf(shipping.lag(), needs.now())),
    gauge("guardhouse_holds_waiting", "Tool calls that wait for a person.", holds.length, "max"),
    gauge("guardhouse_restrictions", "Restrictions in force.", restrictions, "max"),
    gauge("guardhouse_kill_switches", "Kill switches that are on.", switches.length, "max"),
    gauge("guardhouse_agents", "Agents that are not retired.", agents.filter(isThere).length, "max"),
    gauge("guardhouse_policy_revision", "Of the policy in force.", scanner.snapshot().revision, "each"),
  ];
};

const lagOf = ({ records, since }: ShippingLag, now: number): Metric[] => [
  gauge("guardhouse_records_unshipped", "Records that wait to be shipped to the shared database.", records, "max"),
  gauge(
    "guardhouse_records_lag_seconds",
    "For how long the oldest of them has waited.",
    since === null ? 0 : Math.max(0, now - since) / 1_000,
    "max",
  ),
];

const alertMetric = async (alerts: Pick<Store["alerts"], "open">): Promise<Metric> => {
  const firing = (await alerts.open()).filter(({ state }) => state === "firing");
  return {
    name: "guardhouse_alerts_firing",
    type: "gauge",
    over: "max",
    help: "Alerts that fire, by severity, silenced ones too.",
    samples: SEVERITIES.map((severity) => ({
      labels: { severity },
      value: firing.filter((alert) => alert.severity === severity).length,
    })),
  };
};

const breakerMetric = (routing: Pick<ProviderRouting, "breakers">): Metric => ({
  name: "guardhouse_provider_breaker_open",
  type: "gauge",
  over: "max",
  help: "1 while a provider is asked after all others, since its credential failed again and again.",
  samples: routing.breakers().map(({ provider, reading }) => ({
    labels: { provider },
    value: Number(reading.state !== "closed"),
  })),
});

const delayMetric = (loopDelay: LoopDelay): Metric => ({
  name: "guardhouse_event_loop_delay_seconds",
  help: "How much later than due the event loop came round, asked 50 times a second.",
  type: "histogram",
  histogram: loopDelay.read(),
});

const counter = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: "counter",
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
    name: "guardhouse_scan_wait_seconds",
    help: "What batches waited for a thread.",
    type: "histogram",
    histogram: figures.waited,
  },
  counter("guardhouse_scan_refused_total", "Requests refused since too many long texts waited.", figures.refused),
  counter("guardhouse_scan_threads_lost_total", "Threads that died or hung.", figures.lost),
];

const isThere = ({ lifecycle }: { readonly lifecycle: string }): boolean => lifecycle !== "retired";

/** By the names all programs use. */
export const processMetrics = ({ cpu_seconds, resident_bytes, open_files, started_at }: ProcessFigures): Metric[] => [
  {
    name: "process_cpu_seconds_total",
    help: "CPU time, of all threads.",
    type: "counter",
    over: "each",
    samples: [{ value: cpu_seconds }],
  },
  gauge("process_resident_memory_bytes", "Memory that is held.", resident_bytes, "each"),
  gauge("process_start_time_seconds", "Since the epoch.", started_at / 1_000, "each"),
  ...(open_files === null ? [] : [gauge("process_open_fds", "Open files and sockets.", open_files, "each")]),
];
