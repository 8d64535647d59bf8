import type { Log } from "#platform/log";
import type { OtlpSender } from "#upstream/otlp-port";
import type { Names } from "./calls";
import type { Sampling } from "./sampling";
import type { Signal } from "./signal";

export type SignalOptions = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: "http/protobuf" | "http/json";
  readonly send: OtlpSender;
};

export type TelemetryOptions = {
  /** Null for a signal that is not exported. */
  readonly signals: Readonly<Record<Signal, SignalOptions | null>>;
  /** Of the hub, beside what it says itself: `service.name` and what the operator adds. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
  readonly propagates: boolean;
  readonly queueCalls: number;
  /** What the hub takes to stop at most, in milliseconds. */
  readonly graceMs: number;
};

/** This process among all there are, and among those that share its store. */
export type ProcessNames = { readonly instance: string; readonly node: string };

/** What gives calls their place in a trace, and exports them, works with. */
export type TelemetryNeeds = {
  readonly options: TelemetryOptions;
  readonly names: Names;
  readonly process: ProcessNames;
  readonly version: string;
  readonly random: () => number;
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
};
