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
  protocol: oneOf(["http/protobuf", "http/json"], "http/protobuf", "How exports are written. gRPC is not spoken."),
  compression: oneOf(["none", "gzip"], "none", "How exports are compressed."),
  timeout_ms: ms(10_000, "Timeout of one export.", 100),
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
