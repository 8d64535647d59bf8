import type { Metric } from "#core/metrics";
import type { Log } from "#platform/log";
import { RepeatedFault } from "#platform/repeated-fault";
import { slices } from "#platform/slices";
import type { CallQueue } from "./call-queue";
import { logsOf, type Names, spansOf } from "./calls";
import { Exporter, type ExportFault, exportMetrics } from "./exporter";
import type { ProcessNames, TelemetryOptions } from "./options";
import { Attributes, type Origin } from "./otlp";
import { JSON_ENCODING } from "./otlp-json";
import { PROTOBUF_ENCODING } from "./otlp-protobuf";
import type { Signal } from "./signal";

/** How often it is logged how many exports failed. Milliseconds. */
const FAULTS_MS = 60_000;

export type Exporting = {
  run(): Promise<void>;
  stop(withinMs: number): Promise<void>;
  metrics(): readonly Metric[];
};

type ExportingNeeds = {
  readonly options: TelemetryOptions;
  readonly names: Names;
  readonly process: ProcessNames;
  readonly version: string;
  readonly random: () => number;
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
};

/** What makes requests of the calls that wait and sends them, a signal each. */
export const exportingOf = (
  queues: Readonly<Record<Signal, CallQueue | null>>,
  { options, names, process, version, random, sleep, log }: ExportingNeeds,
): Exporting => {
  const encoding = options.protocol === "http/json" ? JSON_ENCODING : PROTOBUF_ENCODING;
  const origin = originOf(options.resource, process, version);
  const faults = new RepeatedFault<ExportFault>((fault) => log.warn("otel.not_exported", fault), FAULTS_MS);
  const shared = { encoding, send: options.send, slices, sleep, tick: () => performance.now(), random, faults, log };
  const { traces, logs } = options.signals;
  const all = [
    ...(traces && queues.traces
      ? [
          [
            "traces",
            new Exporter(queues.traces, {
              ...{ ...shared, ...traces, signal: "traces" },
              itemsOf: (call) => spansOf(call, names),
              writer: () => encoding.spans(origin),
            }),
          ] as const,
        ]
      : []),
    ...(logs && queues.logs
      ? [
          [
            "logs",
            new Exporter(queues.logs, {
              ...{ ...shared, ...logs, signal: "logs" },
              itemsOf: (call) => logsOf(call, names),
              writer: () => encoding.logs(origin),
            }),
          ] as const,
        ]
      : []),
  ];
  return {
    run: async () => void (await Promise.all(all.map(([, exporter]) => exporter.run()))),
    stop: async (withinMs) => {
      await Promise.all(all.map(([, exporter]) => exporter.stop(withinMs)));
      faults.flush();
    },
    metrics: () => exportMetrics(all),
  };
};

const originOf = (
  resource: Readonly<Record<string, string>>,
  { instance, node }: ProcessNames,
  version: string,
): Origin => {
  const attributes = new Attributes();
  const own = { "service.version": version, "service.instance.id": instance, "guardhouse.node.id": node };
  for (const [key, value] of Object.entries({ ...own, ...resource })) attributes.string(key, value);
  return { resource: attributes.list, scope: { name: "guardhouse", version } };
};
