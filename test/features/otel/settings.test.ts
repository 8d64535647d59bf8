import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { telemetryOf } from "#cli/telemetry";
import type { Environment } from "#config/environment";
import { ConfigError, loadConfig } from "#config/load";
import { headersOf, pairsOf } from "#config/otel-environment";
import { selfSigned } from "#test/support/certificate";
import { verifies } from "#test/support/verifies";

const ENDPOINT = "http://collector.example.org:4318";

const optionsOf = (environment: Environment) => telemetryOf(loadConfig({ environment }).config);

const ignoredOf = (environment: Environment) => loadConfig({ environment }).ignored.map(({ variable }) => variable);

test("settings: without an endpoint nothing is exported", () => {
  verifies("otel.off");
  expect(optionsOf({})).toBeNull();
  expect(optionsOf({ OTEL_SERVICE_NAME: "hub", OTEL_TRACES_EXPORTER: "otlp" })).toBeNull();
  expect(optionsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: "True" })).toBeNull();
  expect(
    optionsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }),
  ).toBeNull();
});

test("settings: the standard variables say all that the hub's own settings say", () => {
  verifies("otel.environment", "otel.endpoints");
  const options = optionsOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${ENDPOINT}/base/`,
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://logs.example.org/in?key=1",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-tenant = one",
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: "api-key=two",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_SERVICE_NAME: "hub",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=the%20test,service.name=other",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    OTEL_PROPAGATORS: "tracecontext,baggage",
  });
  expect(options).toMatchObject({
    signals: {
      traces: {
        url: `${ENDPOINT}/base/v1/traces`,
        headers: { authorization: "Bearer abc", "x-tenant": "one" },
        protocol: "http/json",
      },
      logs: { url: "https://logs.example.org/in?key=1", headers: { "api-key": "two" }, protocol: "http/json" },
    },
    resource: { "service.name": "hub", "deployment.environment.name": "the test" },
    sampling: { sampler: "parentbased_traceidratio", ratio: 0.25 },
    propagates: true,
  });
});

test("settings: the hub's own go before the standard variables, and these before the file", async () => {
  verifies("otel.endpoints");
  const home = await mkdtemp(join(tmpdir(), "guardhouse-otel-"));
  const file = join(home, "guardhouse.toml");
  await Bun.write(file, '[otel]\nendpoint = "http://file.example.org"\nservice_name = "file"\nsampler_ratio = 0.5\n');
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
    GUARDHOUSE_OTEL__ENDPOINT: "http://own.example.org",
    OTEL_SERVICE_NAME: "standard",
  };
  const { config, settings } = loadConfig({ environment, file });
  expect(config.otel).toMatchObject({
    endpoint: "http://own.example.org",
    service_name: "standard",
    sampler_ratio: 0.5,
  });
  const origin = (path: string) => settings.find(({ key }) => key.path === path)?.origin;
  expect(origin("otel.service_name")).toBe("OTEL_SERVICE_NAME");
});

test("settings: a service is named by its attributes where nothing else names it", () => {
  verifies("otel.endpoints");
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_RESOURCE_ATTRIBUTES: "service.name=other" };
  expect(optionsOf(named)?.resource["service.name"]).toBe("other");
  expect(optionsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT })?.resource["service.name"]).toBe("guardhouse");
});

test.each([
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:secret@example.org"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "no-value"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%zz"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=a%0d%0ab"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER_ARG", "2"],
  ["OTEL_TRACES_EXPORTER", "console"],
  ["OTEL_RESOURCE_ATTRIBUTES", "=x"],
  ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/etc/ca.pem"],
  ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"],
])("settings: %s=%s is left out and told of", (variable, text) => {
  verifies("otel.environment");
  const { ignored } = loadConfig({ environment: { [variable]: text } });
  expect(ignored.map((one) => one.variable)).toEqual([variable]);
  expect(JSON.stringify(ignored)).not.toContain("secret");
});

test("settings: each signal has its own, of the standard variables and of the hub's", () => {
  verifies("otel.endpoints", "otel.environment");
  const { config } = loadConfig({
    environment: {
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "2500",
      GUARDHOUSE_OTEL__LOGS_TIMEOUT_MS: "700",
    },
  });
  expect(config.otel).toMatchObject({
    ...{ protocol: "http/protobuf", traces_protocol: "http/json", logs_protocol: "" },
    ...{ compression: "none", traces_compression: "", logs_compression: "gzip" },
    ...{ timeout_ms: 10_000, traces_timeout_ms: 2_500, logs_timeout_ms: 700 },
  });
});

test("settings: files of certificates are read; what is none, or lacks its other half, is left out and told of", async () => {
  verifies("otel.tls", "otel.environment");
  const home = await mkdtemp(join(tmpdir(), "guardhouse-otel-"));
  const { cert, key } = selfSigned("hub");
  const [good, other, words] = [join(home, "hub.pem"), join(home, "hub.key"), join(home, "words.txt")];
  await Bun.write(good, cert);
  await Bun.write(other, key);
  await Bun.write(words, "no certificate");
  const TRACES = "OTEL_EXPORTER_OTLP_TRACES_";
  expect(ignoredOf({ OTEL_EXPORTER_OTLP_CERTIFICATE: good })).toEqual([]);
  expect(ignoredOf({ OTEL_EXPORTER_OTLP_CERTIFICATE: words })).toEqual(["OTEL_EXPORTER_OTLP_CERTIFICATE"]);
  expect(ignoredOf({ [`${TRACES}CLIENT_CERTIFICATE`]: good })).toEqual([`${TRACES}CLIENT_CERTIFICATE`]);
  expect(ignoredOf({ [`${TRACES}CLIENT_KEY`]: other })).toEqual([`${TRACES}CLIENT_KEY`]);
  const pair = { [`${TRACES}CLIENT_CERTIFICATE`]: good, [`${TRACES}CLIENT_KEY`]: other };
  const { config, ignored } = loadConfig({ environment: pair });
  expect(ignored).toEqual([]);
  expect(config.otel).toMatchObject({ traces_client_key: key.trim(), client_key: null, logs_client_key: null });
});

test("settings: variables that say nothing or are of other programs are no matter", () => {
  verifies("otel.environment");
  const environment = { OTEL_EXPORTER_OTLP_PROTOCOL: "", OTEL_METRICS_EXPORTER: "none", OTEL_BSP_MAX_QUEUE_SIZE: "1" };
  expect(ignoredOf(environment)).toEqual([]);
});

test("settings: what an operator sets wrongly in the hub's own settings stops the start, and is not repeated", () => {
  verifies("otel.endpoints");
  for (const [variable, text] of [
    ["GUARDHOUSE_OTEL__PROTOCOL", "grpc"],
    ["GUARDHOUSE_OTEL__ENDPOINT", "https://user:hunter2@example.org"],
    ["GUARDHOUSE_OTEL__HEADERS", "authorization=hunter2%0d%0a"],
    ["GUARDHOUSE_OTEL__HEADERS", "hunter2"],
    ["GUARDHOUSE_OTEL__CLIENT_KEY", "hunter2"],
    ["GUARDHOUSE_OTEL__CLIENT_KEY", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nhunter2"],
    ["GUARDHOUSE_OTEL__CLIENT_KEY", "-----BEGIN PRIVATE KEY-----\nhunter2"],
  ] as const) {
    try {
      loadConfig({ environment: { [variable]: text } });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.problems).toHaveLength(1);
      expect(error.message).not.toContain("hunter2");
    }
  }
});

test("settings: pairs are read as they were written, and headers hold nothing that HTTP cannot send", () => {
  verifies("otel.endpoints");
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.dictionary(word, word), (pairs) => {
      const text = Object.entries(pairs)
        .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
        .join(",");
      const own = Object.fromEntries(Object.entries(pairs));
      expect(pairsOf(text)).toEqual(own);
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      const headers = headersOf(text);
      for (const value of Object.values(headers ?? {})) expect(value).toMatch(/^[\t\x20-\x7e]*$/);
    }),
  );
});
