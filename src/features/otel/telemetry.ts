import type { Metric } from "#core/metrics";
import { Tracing } from "#guard/call-trace";
import { causeOf } from "#platform/log";
import { RandomHex } from "#platform/random-hex";
import { CallQueue } from "./call-queue";
import type { Exporting } from "./exporting";
import type { TelemetryNeeds } from "./options";
import { samplerOf } from "./sampling";
import { BATCH_CALLS, type Signal } from "./signal";

/** What is left of the grace is used for the last export, and this at least. Milliseconds. */
const LEAST_STOP_MS = 1_000;

/**
 * Gives calls their place in a trace and keeps those that ended until they are exported. What exports is loaded when the
 * hub starts, and works in slices beside the calls.
 */
export class Telemetry {
  readonly tracing: Tracing;
  private readonly queues: Readonly<Record<Signal, CallQueue | null>>;
  private exporting: Exporting | null = null;
  private quietSince: number | null = null;

  constructor(private readonly needs: TelemetryNeeds) {
    const { options } = needs;
    const { signals, queueCalls } = options;
    const full = { calls: BATCH_CALLS, tell: () => void setImmediate(() => this.runSoon()) };
    const traces = signals.traces && new CallQueue(queueCalls, full);
    const logs = signals.logs && new CallQueue(queueCalls, full);
    this.queues = { traces, logs };
    const randomHex = new RandomHex();
    this.tracing = new Tracing({
      randomHex: (bytes) => randomHex.next(bytes),
      // Without traces nobody is told that there are any.
      isSampled: traces === null ? () => false : samplerOf(options.sampling),
      propagates: options.propagates,
      sink: (call) => {
        if (call.trace.isSampled) traces?.add(call);
        logs?.add(call);
      },
    });
  }

  /** Loads what exports. To be called before the first call. */
  async load(): Promise<void> {
    const { exportingOf } = await import("./exporting");
    this.exporting = exportingOf(this.queues, this.needs);
  }

  /** Exports what waits. Ends when the collectors have taken it, or it is given up. */
  async run(): Promise<void> {
    await this.exporting?.run();
  }

  /** The hub is about to stop. */
  quiesce(): void {
    this.quietSince = performance.now();
  }

  async stop(): Promise<void> {
    const since = this.quietSince === null ? 0 : performance.now() - this.quietSince;
    await this.exporting?.stop(Math.max(LEAST_STOP_MS, this.needs.options.graceMs - since));
  }

  metrics(): readonly Metric[] {
    return this.exporting?.metrics() ?? [];
  }

  private runSoon(): void {
    this.run().catch((error: unknown) => this.needs.log.error("task.failed", { task: "telemetry", ...causeOf(error) }));
  }
}
