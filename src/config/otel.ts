import { Type } from "#core/schema";
import { SAMPLERS } from "#model/sampler";
import { count, ms, oneOf } from "./setting";

/* Where traces and logs are sent. Variables that OpenTelemetry's specification names stand for these too: `otel-environment`. */

const URL_PATTERN = "https?://[^\\s/?#@]+(/[^\\s?#]*)?";

const endpoint = (description: string) =>
  Type.String({
    default: "",
    pattern: `^(${URL_PATTERN}(\\?[^\\s#]*)?)?$`,
    expects: "an http or https URL without user or fragment",
    description,
  });

/** `name=value,name=value`, with what HTTP does not allow as percent signs and hexadecimal. */
const HEADER = "[!#$%&'*+.^_`|~0-9A-Za-z-]+\\s*=[\\x20-\\x2b\\x2d-\\x7e]*";

const headers = (description: string) =>
  Type.Union([Type.String({ pattern: `^\\s*${HEADER}(,\\s*${HEADER})*,?\\s*$`, maxLength: 16_384 }), Type.Null()], {
    default: null,
    secret: true,
    expects: "NAME=VALUE,NAME=VALUE with values percent-encoded, e.g. authorization=Bearer%20abc",
    description,
  });

/** What one signal has otherwise; nothing, where it has what both have. */
const ofSignal = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Union(
    ["" as const, ...values].map((value) => Type.Literal<"" | T[number]>(value)),
    { default: "", description, expects: `one of ${values.join(", ")}, or nothing` },
  );

/** Not all of it is secret; whole, it would make a listing of settings unreadable. */
const pem = (what: "CERTIFICATE" | "PRIVATE KEY", description: string) =>
  Type.Union(
    [
      Type.String({
        pattern: `-----BEGIN (?!ENCRYPTED)[A-Z ]{0,32}${what}-----`,
        maxLength: 1_048_576,
      }),
      Type.Null(),
    ],
    {
      default: null,
      secret: true,
      expects: `PEM with BEGIN ${what}, unencrypted; to name a file, use the setting that ends in _file`,
      description,
    },
  );

const PROTOCOLS = ["http/protobuf", "http/json"] as const;
const COMPRESSIONS = ["none", "gzip"] as const;

export const Otel = Type.Object({
  endpoint: Type.String({
    default: "",
    pattern: `^(${URL_PATTERN})?$`,
    expects: "an http or https URL without user, query or fragment",
    description: "OpenTelemetry collector to send to (OTLP/HTTP); /v1/traces and /v1/logs are appended. Default: none.",
  }),
  traces_endpoint: endpoint("The same for traces alone, as it is. Default: derived from otel.endpoint."),
  logs_endpoint: endpoint("The same for logs alone, as it is. Default: derived from otel.endpoint."),
  headers: headers("HTTP headers sent with each export, such as credentials."),
  traces_headers: headers("The same for traces alone, instead of otel.headers."),
  logs_headers: headers("The same for logs alone, instead of otel.headers."),
  traces: oneOf(["on", "off"], "on", "Export a span of each call, where there is an endpoint."),
  logs: oneOf(["on", "off"], "on", "Export a log record of each call and of each finding, where there is an endpoint."),
  protocol: oneOf(PROTOCOLS, "http/protobuf", "How exports are written. gRPC is not spoken."),
  traces_protocol: ofSignal(PROTOCOLS, "The same for traces alone. Default: otel.protocol."),
  logs_protocol: ofSignal(PROTOCOLS, "The same for logs alone. Default: otel.protocol."),
  compression: oneOf(COMPRESSIONS, "none", "How exports are compressed."),
  traces_compression: ofSignal(COMPRESSIONS, "The same for traces alone. Default: otel.compression."),
  logs_compression: ofSignal(COMPRESSIONS, "The same for logs alone. Default: otel.compression."),
  timeout_ms: ms(10_000, "Timeout of one export.", 100),
  traces_timeout_ms: ms(0, "The same for traces alone. 0: otel.timeout_ms.", 0),
  logs_timeout_ms: ms(0, "The same for logs alone. 0: otel.timeout_ms.", 0),
  certificate: pem("CERTIFICATE", "Certificates that a collector's must be signed by. Default: those of the system."),
  traces_certificate: pem("CERTIFICATE", "The same for traces alone, instead of otel.certificate."),
  logs_certificate: pem("CERTIFICATE", "The same for logs alone, instead of otel.certificate."),
  client_certificate: pem("CERTIFICATE", "Certificate that the hub shows to a collector; needs otel.client_key."),
  traces_client_certificate: pem("CERTIFICATE", "The same for traces alone; needs otel.traces_client_key."),
  logs_client_certificate: pem("CERTIFICATE", "The same for logs alone; needs otel.logs_client_key."),
  client_key: pem("PRIVATE KEY", "Its private key."),
  traces_client_key: pem("PRIVATE KEY", "The same for traces alone."),
  logs_client_key: pem("PRIVATE KEY", "The same for logs alone."),
  queue_calls: count(
    4_096,
    64,
    262_144,
    "Calls that wait to be exported, of traces and of logs each. Further calls are left out and counted.",
  ),
  service_name: Type.String({
    default: "",
    pattern: "^[!-~ ]{0,128}$",
    expects: "up to 128 characters",
    description: "service.name of the hub. Default: of otel.resource_attributes, else guardhouse.",
  }),
  resource_attributes: Type.Record(Type.String({ pattern: "^[!-~]{1,256}$" }), Type.String({ maxLength: 1_024 }), {
    default: {},
    maxProperties: 64,
    expects: 'names with a text each, e.g. "deployment.environment.name" = "production"',
    description: "Further attributes of the hub as a resource.",
  }),
  sampler: oneOf(
    SAMPLERS,
    "parentbased_always_on",
    "Which traces are exported. parentbased: as the caller decided, else as said. Logs are not sampled.",
  ),
  sampler_ratio: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    expects: "a number from 0 to 1",
    description: "Share of traces of the samplers with traceidratio.",
  }),
  propagate: oneOf(
    ["on", "off"],
    "on",
    "Tell providers and tool servers of the trace (traceparent, tracestate), where traces or logs are exported.",
  ),
});
