import type { Metric } from "#core/metrics";
import type { TracedCall } from "#guard/call-trace";
import type { Log } from "#platform/log";
import type { RepeatedFault } from "#platform/repeated-fault";
import type { Slices } from "#platform/slices";
import type { OtlpAnswer, OtlpSender } from "#upstream/otlp-port";
import type { Encoding, RequestWriter } from "./otlp";
import { BATCH_CALLS, type Signal } from "./signal";

/** Why something was not delivered. `rejected`: the collector took the rest of its request. */
const REASONS = ["queue_full", "rejected", "refused", "unreachable", "stopping"] as const;
type Reason = (typeof REASONS)[number];

/** Statuses after which the specification has a request sent again: opentelemetry.io/docs/specs/otlp, "Retryable Response Codes". */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** The first wait before another attempt; each further one doubles. Milliseconds. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** A collector that asks for more is taken at this word. Milliseconds. */
const MAX_ASKED_WAIT_MS = 300_000;
/** After so long a request is given up. Milliseconds. */
const GIVE_UP_MS = 300_000;

export type ExportFault = { readonly signal: Signal; readonly status: number | null; readonly cause: string };

export type ExporterOptions<Item> = {
  readonly signal: Signal;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding: Encoding;
  /** Spans or log records of one call. */
  readonly itemsOf: (call: TracedCall) => readonly Item[];
  readonly writer: () => RequestWriter<Item>;
  readonly send: OtlpSender;
  readonly slices: Pick<Slices, "begin">;
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds that only grow. */
  readonly tick: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly faults: Pick<RepeatedFault<ExportFault>, "happened">;
  readonly log: Pick<Log, "warn">;
};

type Request = { readonly body: Uint8Array<ArrayBuffer> | string; readonly items: number };

/** Takes calls of the queue and sends what is told of them, one request after the other. */
export class Exporter<Item> {
  private exported = 0;
  private readonly dropped = new Map<Reason, number>();
  /** Aborts when the hub stops: then nothing is waited for. */
  private readonly stopping = new AbortController();
  /** Aborts when the time for stopping is over. */
  private readonly over = new AbortController();
  private running: Promise<void> | null = null;

  constructor(
    private readonly queue: {
      take(most: number): readonly TracedCall[];
      readonly size: number;
      readonly refused: number;
    },
    private readonly options: ExporterOptions<Item>,
  ) {}

  /** Sends what waits. One run at a time; what comes meanwhile is sent too. */
  run(): Promise<void> {
    this.running ??= this.drain().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Sends what waits, once and without waiting for a collector that cannot take it; what is left after so long is dropped. */
  async stop(withinMs: number): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => this.over.abort(), withinMs);
    try {
      await this.run();
      // What had come while the run before ended.
      await this.run();
    } finally {
      clearTimeout(timer);
    }
  }

  metrics(): {
    readonly exported: number;
    readonly waiting: number;
    readonly dropped: readonly (readonly [string, number])[];
  } {
    const dropped = REASONS.map((reason) => [reason, this.dropped.get(reason) ?? 0] as const);
    return {
      exported: this.exported,
      waiting: this.queue.size,
      dropped: dropped.map(
        ([reason, count]) => [reason, reason === "queue_full" ? this.queue.refused : count] as const,
      ),
    };
  }

  private async drain(): Promise<void> {
    for (let due = this.queue.size; due > 0; ) {
      const calls = this.queue.take(Math.min(due, BATCH_CALLS));
      const request = await this.written(calls);
      if (request.items > 0) await this.deliver(request);
      // What has come meanwhile waits for its turn, unless it fills a request.
      due = this.queue.size >= BATCH_CALLS ? this.queue.size : due - calls.length;
    }
  }

  /** In slices: what is served goes first. */
  private async written(calls: readonly TracedCall[]): Promise<Request> {
    const pause = this.options.slices.begin();
    const writer = this.options.writer();
    let items = 0;
    for (const call of calls) {
      for (const item of this.options.itemsOf(call)) {
        writer.add(item);
        items += 1;
      }
      const wait = pause();
      if (wait) await wait;
    }
    return { body: writer.finish(), items };
  }

  /** Again as long as the collector may take it later. */
  private async deliver(request: Request): Promise<void> {
    const until = this.options.tick() + GIVE_UP_MS;
    for (let attempt = 0; ; attempt += 1) {
      if (this.over.signal.aborted) return this.drop("stopping", request.items);
      const answer = await this.send(request);
      const { status, cause } = answer;
      if (status !== null && status >= 200 && status < 300) return this.taken(request, answer);
      this.options.faults.happened({ signal: this.options.signal, status, cause: cause ?? "status" });
      if (status !== null && !RETRYABLE.has(status)) return this.drop("refused", request.items);
      const wait = this.waitFor(answer, attempt);
      if (this.stopping.signal.aborted) return this.drop("stopping", request.items);
      if (this.options.tick() + wait > until) return this.drop("unreachable", request.items);
      await this.pause(wait);
    }
  }

  private send({ body }: Request): Promise<OtlpAnswer> {
    const { url, headers, encoding } = this.options;
    return this.options.send({ url, headers, contentType: encoding.contentType, body }, this.over.signal);
  }

  /** Exponential, with jitter, unless the collector says how long. */
  private waitFor({ retryAfterMs }: OtlpAnswer, attempt: number): number {
    if (retryAfterMs !== null) return Math.min(retryAfterMs, MAX_ASKED_WAIT_MS);
    return Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt, 10), MAX_WAIT_MS) * (0.5 + this.options.random() / 2);
  }

  /** Until then, or until the hub stops. */
  private async pause(ms: number): Promise<void> {
    const { signal } = this.stopping;
    try {
      await this.options.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** What a collector rejects it rejects for good: it must not be sent again. */
  private taken({ items }: Request, { body }: OtlpAnswer): void {
    const { signal, encoding, log } = this.options;
    const partial = encoding.partialSuccess(signal, body);
    const rejected = Math.min(partial?.rejected ?? 0, items);
    this.exported += items - rejected;
    if (rejected > 0) this.drop("rejected", rejected);
    if (partial !== null && (rejected > 0 || partial.message !== ""))
      log.warn("otel.partial_success", { signal, rejected, message: partial.message });
  }

  private drop(reason: Reason, items: number): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + items);
  }
}

type Exporters = readonly (readonly [Signal, Pick<Exporter<unknown>, "metrics">])[];

/** What was delivered and what was not, of each signal. */
export const exportMetrics = (exporters: Exporters): Metric[] => {
  const read = exporters.map(([signal, exporter]) => ({ signal, ...exporter.metrics() }));
  return [
    {
      name: "guardhouse_otel_exported_total",
      help: "Spans and log records that a collector has taken.",
      type: "counter",
      samples: read.map(({ signal, exported }) => ({ labels: { signal }, value: exported })),
    },
    {
      name: "guardhouse_otel_dropped_total",
      help: "Spans and log records that were not delivered; of a full queue, calls.",
      type: "counter",
      samples: read.flatMap(({ signal, dropped }) =>
        dropped.map(([reason, value]) => ({ labels: { signal, reason }, value })),
      ),
    },
    {
      name: "guardhouse_otel_waiting",
      help: "Calls that wait to be exported.",
      type: "gauge",
      samples: read.map(({ signal, waiting }) => ({ labels: { signal }, value: waiting })),
    },
  ];
};
