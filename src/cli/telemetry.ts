import type { HubInputs } from "#app";
import { headersOf } from "#config/otel-environment";
import type { Config } from "#config/schema";
import { systemClock } from "#platform/clock";
import { type OtlpTls, otlpSender } from "#upstream/otlp-sender";
import { VERSION } from "./version";

type Otel = Config["otel"];

/** Where traces and logs go; null for a hub that exports nothing. */
export const telemetryOf = ({ otel, shutdown_grace_ms }: Config): HubInputs["telemetryOptions"] => {
  const signals = { traces: signalOf(otel, "traces"), logs: signalOf(otel, "logs") };
  if (signals.traces === null && signals.logs === null) return null;
  return {
    signals,
    resource: { ...otel.resource_attributes, "service.name": serviceName(otel) },
    sampling: { sampler: otel.sampler, ratio: otel.sampler_ratio },
    propagates: otel.propagate === "on",
    queueCalls: otel.queue_calls,
    graceMs: shutdown_grace_ms,
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
  return {
    url,
    headers: headers === null ? {} : (headersOf(headers) ?? {}),
    protocol: otel[`${signal}_protocol`] || otel.protocol,
    send: otlpSender({
      gzip: (otel[`${signal}_compression`] || otel.compression) === "gzip",
      timeoutMs: otel[`${signal}_timeout_ms`] || otel.timeout_ms,
      tls: tlsOf(otel, signal),
      now: systemClock,
      version: VERSION,
    }),
  };
};

/** The certificate and the key of a client are of one scope: neither fits to another. */
const tlsOf = (otel: Otel, signal: "traces" | "logs"): OtlpTls => {
  const ca = otel[`${signal}_certificate`] ?? otel.certificate;
  const own = { cert: otel[`${signal}_client_certificate`], key: otel[`${signal}_client_key`] };
  const { cert, key } = own.cert === null ? { cert: otel.client_certificate, key: otel.client_key } : own;
  return { ...(ca !== null && { ca }), ...(cert !== null && key !== null && { cert, key }) };
};
