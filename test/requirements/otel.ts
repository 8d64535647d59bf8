import type { Requirement } from "./requirement";

/** What is promised of traces and logs for OpenTelemetry. */
export const OTEL: readonly Requirement[] = [
  {
    id: "otel.traceparent",
    promise:
      "A valid traceparent and tracestate of the caller is continued and passed on, bounded; an invalid one is left out.",
    source: "docs/tracing.md#continue-a-callers-trace",
  },
  {
    id: "otel.spans",
    promise: "A call is a span of the hub, and what a provider or tool server did of it a span below.",
    source: "docs/tracing.md#what-is-exported",
  },
  {
    id: "otel.tools",
    promise: "Tool calls carry their trace in `_meta`, which goes before HTTP headers, to every kind of tool server.",
    source: "docs/tracing.md#continue-a-callers-trace",
  },
  {
    id: "otel.verdicts",
    promise: "Spans and log records say what the hub decided and found, each call and each finding.",
    source: "docs/tracing.md#what-is-exported",
  },
  {
    id: "otel.conventions",
    promise: "Attributes that are not the hub's own are of OpenTelemetry's semantic conventions, in name and type.",
    source: "docs/tracing.md#what-is-exported",
  },
  {
    id: "otel.answers",
    promise: "A span of a model call says the answer's id, model, finish reasons and tokens as its provider does.",
    source: "docs/tracing.md#what-is-exported",
  },
  {
    id: "otel.tls",
    promise: "A collector is known by its certificate, and can be shown one of the hub's; neither is logged.",
    source: "docs/tracing.md#send-to-a-collector",
  },
  {
    id: "otel.no-content",
    promise:
      "Nothing of what is asked or answered, and no secret, is in spans, log records or a trace state that leaves.",
    source: "docs/tracing.md#what-is-never-exported",
  },
  {
    id: "otel.wire",
    promise: "Exports are OTLP/HTTP, as protobuf or JSON, by the published schema.",
    source: "docs/tracing.md#send-to-a-collector",
  },
  {
    id: "otel.endpoints",
    promise: "Settings and the standard variables name the endpoint, for each signal if wanted, and its headers.",
    source: "docs/tracing.md#send-to-a-collector",
  },
  {
    id: "otel.environment",
    promise: "Standard variables that the hub cannot use are left out and logged; they do not keep it from starting.",
    source: "docs/tracing.md#standard-variables",
  },
  {
    id: "otel.sampling",
    promise: "Traces are sampled as the caller decided or as configured; all processes decide alike of a trace.",
    source: "docs/tracing.md#sample",
  },
  {
    id: "otel.never-delays",
    promise: "No call waits for a collector: a bounded queue, and what does not fit is left out and counted.",
    source: "docs/tracing.md#delivery",
  },
  {
    id: "otel.retry",
    promise:
      "What a collector may take later is sent again, with growing waits or after the time it asks for; what it refuses is not.",
    source: "docs/tracing.md#delivery",
  },
  {
    id: "otel.partial-success",
    promise: "What a collector rejects of a request is counted, logged and not sent again.",
    source: "docs/tracing.md#delivery",
  },
  {
    id: "otel.metrics",
    promise: "What was exported, waits and was left out is in /metrics, by signal and reason.",
    source: "docs/tracing.md#delivery",
  },
  {
    id: "otel.flush",
    promise: "A hub that stops exports what waits within its grace, and does not wait for a collector that is away.",
    source: "docs/tracing.md#delivery",
  },
  {
    id: "otel.instances",
    promise: "Each process exports its own calls, under a service.instance.id of its own.",
    source: "docs/tracing.md#what-is-exported",
  },
  {
    id: "otel.propagate",
    promise: "Where the operator says so, providers and tool servers are told nothing of the trace.",
    source: "docs/tracing.md#continue-a-callers-trace",
  },
  {
    id: "otel.off",
    promise: "A hub without an endpoint neither exports nor passes on any trace, and loads nothing for it.",
    source: "docs/tracing.md#send-to-a-collector",
  },
];
