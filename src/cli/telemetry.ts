import type { HubInputs } from "#app";
import { headersOf } from "#config/otel-environment";
import type { Config } from "#config/schema";
import { systemClock } from "#platform/clock";
import { otlpSender } from "#upstream/otlp-sender";
import { VERSION } from "./version";

type Otel = Config["otel"];

/** Where traces and logs go; null for a hub that exports nothing. */
export const telemetryOf = ({ otel, shutdown_grace_ms }: Config): HubInputs["telemetryOptions"] => {
  const signals = { traces: signalOf(otel, "traces"), logs: signalOf(otel, "logs") };
  if (signals.traces === null && signals.logs === null) return null;
  return {
    signals,
    protocol: otel.protocol,
    resource: { ...otel.resource_attributes, "service.name": serviceName(otel) },
    sampling: { sampler: otel.sampler, ratio: otel.sampler_ratio },
    propagates: otel.propagate === "on",
    queueCalls: otel.queue_calls,
    graceMs: shutdown_grace_ms,
    send: otlpSender({
      gzip: otel.compression === "gzip",
      timeoutMs: otel.timeout_ms,
      now: systemClock,
      version: VERSION,
    }),
  };
};

/** Both may name the service; the setting of its own counts where it was given. */
const serviceName = ({ service_name, resource_attributes }: Otel): string =>
  service_name || (resource_attributes["service.name"] ?? "guardhouse");

const signalOf = (otel: Otel, signal: "traces" | "logs") => {
  const own = otel[`${signal}_endpoint`];
  if (otel[signal] === "off" || (own === "" && otel.endpoint === "")) return null;
  const url = own === "" ? `${otel.endpoint.replace(/\/+$/, "")}/v1/${signal}` : own;
  const headers = otel[`${signal}_headers`] ?? otel.headers;
  return { url, headers: headers === null ? {} : (headersOf(headers) ?? {}) };
};
