import type { Metric } from "#core/metrics";
import { RepeatedFault } from "#platform/repeated-fault";
import { slices } from "#platform/slices";
import type { CallQueue } from "./call-queue";
import { logsOf, spansOf } from "./calls";
import { Exporter, type ExporterOptions, type ExportFault, exportMetrics } from "./exporter";
import type { ProcessNames, TelemetryNeeds } from "./options";
import type { Encoding, Origin, RequestWriter } from "./otlp";
import { jsonEncoding } from "./otlp-json";
import { protobufEncoding } from "./otlp-protobuf";
import type { Signal } from "./signal";

/** How often it is logged how many exports failed. Milliseconds. */
const FAULTS_MS = 60_000;

export type Exporting = {
  run(): Promise<void>;
  stop(withinMs: number): Promise<void>;
  metrics(): readonly Metric[];
};

type Queues = Readonly<Record<Signal, CallQueue | null>>;

/** What makes requests of the calls that wait and sends them, a signal each. */
export const exportingOf = (queues: Queues, needs: TelemetryNeeds): Exporting => {
  const { options, names, version, random, sleep, log } = needs;
  const origin = originOf(options.resource, needs.process, version);
  const faults = new RepeatedFault<ExportFault>((fault) => log.warn("otel.not_exported", fault), FAULTS_MS);
  const shared = { slices, sleep, tick: () => performance.now(), random, faults, log };
  const exporterOf = <Item>(signal: Signal, { itemsOf, writer }: Told<Item>): [Signal, Exporter<Item>][] => {
    const [queue, to] = [queues[signal], options.signals[signal]];
    if (queue === null || to === null) return [];
    const { url, headers, send } = to;
    const encoding = to.protocol === "http/json" ? jsonEncoding() : protobufEncoding();
    const own = { url, headers, send, encoding, writer: () => writer(encoding) };
    return [[signal, new Exporter(queue, { ...shared, ...own, signal, itemsOf })]];
  };
  const all = [
    ...exporterOf("traces", { itemsOf: (call) => spansOf(call, names), writer: ({ spans }) => spans(origin) }),
    ...exporterOf("logs", { itemsOf: (call) => logsOf(call, names), writer: ({ logs }) => logs(origin) }),
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

type Told<Item> = Pick<ExporterOptions<Item>, "itemsOf"> & {
  readonly writer: (encoding: Encoding) => RequestWriter<Item>;
};

const originOf = (
  resource: Readonly<Record<string, string>>,
  { instance, node }: ProcessNames,
  version: string,
): Origin => {
  const own = { "service.version": version, "service.instance.id": instance, "guardhouse.node.id": node };
  const all = Object.entries({ ...own, ...resource });
  return {
    resource: (to) => {
      for (const [key, value] of all) to.string(key, value);
    },
    scope: { name: "guardhouse", version },
  };
};
