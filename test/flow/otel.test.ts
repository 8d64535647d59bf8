import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Collector, resourceOf, type Signal } from "#test/features/otel/collector";
import { attributesOf, CONVENTIONS, type Fields } from "#test/features/otel/strict-otlp";
import { answersJson } from "#test/flow/responses-world";
import { selfSigned } from "#test/support/certificate";
import { fails, says } from "#test/support/fake-provider";
import { answersMessage } from "#test/support/message-script";
import { figureOf, parseMetrics } from "#test/support/prometheus";
import { answersResponse } from "#test/support/response-script";
import { verifies } from "#test/support/verifies";
import { World, type WorldOptions } from "#test/support/world";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const MODEL = "fake-model";
const CREDENTIAL = "collector credential";
const KEY = ["AKIA", "Q7DK3NFJ2LSPW5XT"].join("");

const SEEDS = {
  users: { eve: {} },
  agents: { clerk: { owner: "eve" } },
  tokens: { clerk: { user: "eve", agent: "clerk" } },
  providers: {
    fake: { models: ["fake-*"], apis: ["chat", "responses", "messages"], apiKey: "provider-key-for-tests-only" },
  },
  toolServers: { desk: { owner: "eve", agents: ["clerk"] } },
};

type Env = NonNullable<WorldOptions["env"]>;

/** A hub with a provider and a tool server that exports to a collector. */
class OtelWorld extends World {
  readonly token = this.tokenOf("clerk");
  readonly provider = this.providerOf("fake");

  static async exporting(env: Env, options: Omit<WorldOptions, "env" | "seeds"> = {}): Promise<OtelWorld> {
    return new OtelWorld(await World.made({ ...options, env, seeds: SEEDS }));
  }

  ask(content: string, headers: Readonly<Record<string, string>> = {}, more: object = {}): Promise<Response> {
    const json = { model: MODEL, messages: [{ role: "user", content }], ...more };
    return this.hub.fetch("/v1/chat/completions", { token: this.token, json, headers });
  }

  tool(name: string, args: object, headers: Readonly<Record<string, string>> = {}, meta: object = {}) {
    const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: meta } };
    const accept = { accept: "application/json, text/event-stream", ...headers };
    return this.hub.fetch("/mcp/gateway", { token: this.token, json, headers: accept });
  }
}

const idOf = ({ headers }: Response): string => headers.get("x-request-id") ?? headers.get("request-id") ?? "";

const valueIn = (item: Fields, key: string): unknown => attributesOf(item)[key]?.[1];

const SERVER = 2;
const CLIENT = 3;

/** The span of the call and, where there is one, what was done of it elsewhere. */
const spansOf = async (collector: Collector, response: Response): Promise<{ own: Fields; sent: Fields | null }> => {
  const id = idOf(response);
  const own = await collector.until(() =>
    collector.items("traces").find((span) => valueIn(span, "guardhouse.call.id") === id),
  );
  const sent = collector
    .items("traces")
    .find(({ parentSpanId, traceId }) => parentSpanId === own["spanId"] && traceId === own["traceId"]);
  return { own, sent: sent ?? null };
};

const logsOf = (collector: Collector, response: Response): Promise<Fields[]> => {
  const id = idOf(response);
  return collector.until(() => {
    const logs = collector.items("logs").filter((log) => valueIn(log, "guardhouse.call.id") === id);
    return logs.some(({ eventName }) => eventName === "guardhouse.call") && logs;
  });
};

/** Holds every attribute that is not the hub's own against the published conventions. */
const assertConventional = (items: readonly Fields[]): void => {
  for (const item of items) {
    for (const [key, [type, value]] of Object.entries(attributesOf(item))) {
      if (key.startsWith("guardhouse.")) continue;
      const convention = CONVENTIONS.get(key);
      expect({ key, type }).toEqual({ key, type: convention?.type ?? "none" });
      if (convention?.known) expect(convention.known).toContain(`${value}`);
    }
  }
};

describe.each(["http/protobuf", "http/json"])("otel: calls as %s", (protocol) => {
  let collector: Collector;
  let world: OtelWorld;

  beforeAll(async () => {
    collector = new Collector();
    world = await OtelWorld.exporting({
      GUARDHOUSE_OTEL__ENDPOINT: `${collector.url}/`,
      GUARDHOUSE_OTEL__HEADERS: `authorization=Bearer%20${encodeURIComponent(CREDENTIAL)},x-tenant=one`,
      GUARDHOUSE_OTEL__PROTOCOL: protocol,
      GUARDHOUSE_OTEL__COMPRESSION: protocol === "http/json" ? "gzip" : "none",
      GUARDHOUSE_OTEL__RESOURCE_ATTRIBUTES: "deployment.environment.name=tests",
      GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact",
    });
  });

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  test("a model call is two spans in its caller's trace, by the GenAI conventions", async () => {
    verifies("otel.spans", "otel.conventions", "otel.traceparent", "otel.wire");
    world.provider.next(says("Good morning."));
    const response = await world.ask("Hello", {
      traceparent: TRACEPARENT,
      tracestate: "rojo=1",
      "x-conversation-id": "talk-1",
    });
    expect(response.status).toBe(200);
    const { own, sent } = await spansOf(collector, response);
    expect(own).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      traceState: "rojo=1",
      name: "POST /v1/chat/completions",
      kind: SERVER,
      flags: 0x301,
    });
    expect(attributesOf(own)).toMatchObject({
      "http.request.method": ["string", "POST"],
      "http.route": ["string", "/v1/chat/completions"],
      "http.response.status_code": ["int", 200],
      "guardhouse.decision": ["string", "allow"],
      "guardhouse.outcome": ["string", "answered"],
      "guardhouse.agent.name": ["string", "clerk"],
      "guardhouse.agent.id": ["string", world.agentOf("clerk").id],
      "guardhouse.model": ["string", MODEL],
    });
    expect(sent).toMatchObject({ traceId: TRACE, name: `chat ${MODEL}`, kind: CLIENT, flags: 0x101 });
    const url = new URL(world.provider.url);
    expect(attributesOf(sent ?? {})).toMatchObject({
      "gen_ai.operation.name": ["string", "chat"],
      "gen_ai.provider.name": ["string", "openai"],
      "gen_ai.request.model": ["string", MODEL],
      "gen_ai.conversation.id": ["string", "talk-1"],
      "gen_ai.response.id": ["string", "chatcmpl-fake0001"],
      "gen_ai.response.model": ["string", MODEL],
      "gen_ai.response.finish_reasons": ["string[]", ["stop"]],
      "gen_ai.usage.input_tokens": ["int", expect.any(Number)],
      "gen_ai.usage.output_tokens": ["int", expect.any(Number)],
      "gen_ai.agent.id": ["string", world.agentOf("clerk").id],
      "server.address": ["string", url.hostname],
      "server.port": ["int", Number(url.port)],
    });
    const [start, end] = [BigInt(String(own["startTimeUnixNano"])), BigInt(String(own["endTimeUnixNano"]))];
    expect(end).toBeGreaterThan(start);
    expect(BigInt(String(sent?.["startTimeUnixNano"]))).toBeGreaterThanOrEqual(start);
    expect(BigInt(String(sent?.["endTimeUnixNano"]))).toBeLessThanOrEqual(end);
    const { headers } = world.provider.lastCall;
    expect(headers.get("traceparent")).toBe(`00-${TRACE}-${sent?.["spanId"]}-01`);
    expect(headers.get("tracestate")).toBe("rojo=1");
    expect(headers.get("authorization")).toBe("Bearer provider-key-for-tests-only");
  });

  test("without a trace of the caller's one begins at the hub", async () => {
    verifies("otel.traceparent");
    for (const traceparent of [undefined, "00-zz", `00-${TRACE}-${"0".repeat(16)}-01`]) {
      const response = await world.ask("Hello", traceparent === undefined ? {} : { traceparent, tracestate: "rojo=1" });
      const { own, sent } = await spansOf(collector, response);
      expect(own["parentSpanId"]).toBeUndefined();
      expect(own["traceId"]).toMatch(/^[0-9a-f]{32}$/);
      expect(own["traceId"]).not.toBe(TRACE);
      expect(world.provider.lastCall.headers.get("traceparent")).toBe(`00-${own["traceId"]}-${sent?.["spanId"]}-03`);
      expect(world.provider.lastCall.headers.get("tracestate")).toBeNull();
    }
  });

  test("a caller's trace that is not sampled is passed on as such, and only logged", async () => {
    verifies("otel.sampling");
    const response = await world.ask("Hello", { traceparent: `00-${TRACE}-${PARENT}-00` });
    expect(world.provider.lastCall.headers.get("traceparent")).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    const [log] = await logsOf(collector, response);
    expect(log).toMatchObject({ traceId: TRACE, flags: 0 });
    await spansOf(collector, await world.ask("Hello"));
    const spans = collector.items("traces").filter((span) => valueIn(span, "guardhouse.call.id") === idOf(response));
    expect(spans).toEqual([]);
  });

  test("a stream's span ends with the stream", async () => {
    verifies("otel.spans");
    world.provider.next(says(["Good ", "morning."]));
    const response = await world.ask("Hello", {}, { stream: true });
    await response.text();
    const { own, sent } = await spansOf(collector, response);
    expect(sent?.["endTimeUnixNano"]).toBe(own["endTimeUnixNano"]);
    expect(attributesOf(sent ?? {})).toMatchObject({
      "gen_ai.request.stream": ["boolean", true],
      "gen_ai.response.id": ["string", "chatcmpl-fake0001"],
      "gen_ai.response.model": ["string", MODEL],
      "gen_ai.response.finish_reasons": ["string[]", ["stop"]],
      "gen_ai.usage.input_tokens": ["int", 11],
      "gen_ai.usage.output_tokens": ["int", 2],
    });
  });

  test("what a provider answers as, and the tokens it counts, by the GenAI conventions", async () => {
    verifies("otel.answers", "otel.conventions");
    world.provider.next(
      answersJson({
        ...{ id: "chatcmpl-77", object: "chat.completion", created: 1, model: "fake-model-2026-11" },
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "length" }],
        usage: {
          ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
          prompt_tokens_details: { cached_tokens: 400 },
          completion_tokens_details: { reasoning_tokens: 40 },
        },
      }),
    );
    const { sent } = await spansOf(collector, await world.ask("Hello"));
    expect(attributesOf(sent ?? {})).toMatchObject({
      "gen_ai.request.model": ["string", MODEL],
      "gen_ai.response.id": ["string", "chatcmpl-77"],
      "gen_ai.response.model": ["string", "fake-model-2026-11"],
      "gen_ai.response.finish_reasons": ["string[]", ["length"]],
      "gen_ai.usage.input_tokens": ["int", 1_000],
      "gen_ai.usage.output_tokens": ["int", 100],
      "gen_ai.usage.cache_read.input_tokens": ["int", 400],
      "gen_ai.usage.reasoning.output_tokens": ["int", 40],
    });
  });

  test("a response has the id that its provider knows it by, whole and streamed", async () => {
    verifies("otel.answers");
    for (const stream of [false, true]) {
      world.provider.next(answersResponse([{ text: "Hello" }]));
      const json = { model: MODEL, input: "Hello", stream };
      const response = await world.hub.fetch("/v1/responses", { token: world.token, json });
      const text = await response.text();
      const { sent } = await spansOf(collector, response);
      expect(attributesOf(sent ?? {})).toMatchObject({
        "gen_ai.response.id": ["string", "resp_0123"],
        "gen_ai.response.model": ["string", MODEL],
      });
      expect(text).not.toContain('"resp_0123"');
    }
  });

  test("a message has its id and model, whole and streamed", async () => {
    verifies("otel.answers");
    for (const stream of [false, true]) {
      world.provider.next(answersMessage({ blocks: [{ text: "Hello" }] }));
      const json = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "Hello" }], stream };
      const response = await world.hub.fetch("/v1/messages", { token: world.token, json });
      await response.text();
      const { sent } = await spansOf(collector, response);
      expect(attributesOf(sent ?? {})).toMatchObject({
        "gen_ai.response.id": ["string", "msg_fake0001"],
        "gen_ai.response.model": ["string", MODEL],
        "gen_ai.response.finish_reasons": ["string[]", ["end_turn"]],
        // All that was read, from the cache or not, or written into it.
        "gen_ai.usage.input_tokens": ["int", 23],
        "gen_ai.usage.cache_read.input_tokens": ["int", 7],
        "gen_ai.usage.cache_creation.input_tokens": ["int", 5],
      });
    }
  });

  test("nothing but a name is taken for one: what else stands in its place is not exported", async () => {
    verifies("otel.answers", "otel.no-content");
    world.provider.next(
      answersJson({
        ...{ id: "the words that were answered", object: "chat.completion", created: 1, model: ["Hello"] },
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      }),
    );
    const { sent } = await spansOf(collector, await world.ask("Hello"));
    expect(Object.keys(attributesOf(sent ?? {})).filter((key) => key.startsWith("gen_ai.response."))).toEqual([
      "gen_ai.response.finish_reasons",
    ]);
  });

  test("what is blocked is told with its findings, and was sent nowhere", async () => {
    verifies("otel.verdicts");
    const before = world.provider.calls.length;
    const response = await world.ask(`My key is ${KEY}, mail ann@example.com`);
    expect(response.status).toBe(400);
    const { own, sent } = await spansOf(collector, response);
    expect(sent).toBeNull();
    expect(world.provider.calls.length).toBe(before);
    expect(attributesOf(own)).toMatchObject({
      "guardhouse.decision": ["string", "block"],
      "guardhouse.outcome": ["string", "blocked_input"],
      "guardhouse.error.code": ["string", "content_filter"],
      "guardhouse.event.id": ["string", expect.any(String)],
    });
    const logs = await logsOf(collector, response);
    const findings = logs.filter(({ eventName }) => eventName === "guardhouse.finding");
    expect(findings.map((log) => valueIn(log, "guardhouse.finding.type"))).toContain("secret.aws_access_key");
    const call = logs.find(({ eventName }) => eventName === "guardhouse.call");
    expect(call).toMatchObject({ severityText: "WARN", traceId: own["traceId"], spanId: own["spanId"] });
  });

  test("a provider's failure is an error of its span, and of the call's", async () => {
    verifies("otel.spans");
    world.provider.next(fails(400));
    const refused = await spansOf(collector, await world.ask("Hello"));
    expect(refused.sent).toMatchObject({ status: { code: 2 } });
    expect(valueIn(refused.sent ?? {}, "error.type")).toBe("upstream_rejected");
    expect(refused.own["status"]).toBeUndefined();
  });

  test("a tool call is told by the MCP conventions, and its server learns of the trace in its message", async () => {
    verifies("otel.tools", "otel.conventions", "otel.traceparent");
    const { fixture } = world.toolServerOf("desk");
    const response = await world.tool("desk__echo", { message: "Good morning" }, { traceparent: TRACEPARENT });
    expect(response.status).toBe(200);
    const { own, sent } = await spansOf(collector, response);
    expect(own).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, name: "tools/call desk__echo", kind: SERVER });
    expect(sent).toMatchObject({ name: "tools/call echo", kind: CLIENT });
    expect(attributesOf(sent ?? {})).toMatchObject({
      "mcp.method.name": ["string", "tools/call"],
      "gen_ai.operation.name": ["string", "execute_tool"],
      "gen_ai.tool.name": ["string", "echo"],
      "guardhouse.tool_server": ["string", "desk"],
      "network.transport": ["string", "tcp"],
    });
    const came = fixture.calls("echo").at(-1);
    const expected = `00-${TRACE}-${sent?.["spanId"]}-01`;
    expect(came?.params["_meta"]).toMatchObject({ traceparent: expected });
    expect(came?.headers.get("traceparent")).toBe(expected);
  });

  test("of two traces a tool call is of the one that its message says", async () => {
    verifies("otel.tools");
    const other = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
    const meta = { traceparent: other, tracestate: "blau=2" };
    const response = await world.tool("desk__echo", {}, { traceparent: TRACEPARENT }, meta);
    const { own } = await spansOf(collector, response);
    expect(own).toMatchObject({ traceId: "1".repeat(32), parentSpanId: "2".repeat(16), traceState: "blau=2" });
    const came = world.toolServerOf("desk").fixture.calls("echo").at(-1)?.params["_meta"];
    expect(came).toMatchObject({ tracestate: "blau=2" });
    expect(came).not.toMatchObject({ traceparent: other });
  });

  test("a secret in a trace state does not leave the hub", async () => {
    verifies("otel.no-content");
    const before = world.provider.calls.length;
    const response = await world.ask("Hello", { traceparent: TRACEPARENT, tracestate: `rojo=${KEY}` });
    expect(response.status).toBe(400);
    expect(world.provider.calls.length).toBe(before);
    await spansOf(collector, response);
  });

  test("the collector is sent what it is to be sent, and nothing of what was asked or answered", async () => {
    verifies("otel.no-content", "otel.conventions", "otel.endpoints", "otel.wire");
    const ask = "the-word-that-was-asked";
    const answer = "the-word-that-was-answered";
    world.provider.next(says(`${answer} ann@example.com`));
    await logsOf(collector, await world.ask(`${ask} bob@example.com`));
    await spansOf(collector, await world.tool("desk__echo", { message: ask }));
    expect(collector.faults).toEqual([]);
    const paths: Readonly<Record<Signal, string>> = { traces: "/v1/traces", logs: "/v1/logs" };
    for (const one of collector.received) {
      for (const word of [ask, answer, "example.com", KEY, world.token, CREDENTIAL])
        expect(one.text).not.toContain(word);
      expect(one.path).toBe(paths[one.signal]);
      expect(one.headers.get("authorization")).toBe(`Bearer ${CREDENTIAL}`);
      expect(one.headers.get("x-tenant")).toBe("one");
      expect(one.headers.get("user-agent")).toMatch(/^guardhouse\//);
      expect(resourceOf(one)).toMatchObject({
        "service.name": ["string", "guardhouse"],
        "service.version": ["string", expect.any(String)],
        "service.instance.id": ["string", expect.any(String)],
        "deployment.environment.name": ["string", "tests"],
      });
    }
    assertConventional([...collector.items("traces"), ...collector.items("logs")]);
    const spans = new Set(collector.items("traces").map(({ spanId }) => spanId));
    expect(spans.size).toBe(collector.items("traces").length);
  });
});

test("otel: a collector that hangs delays no call; what does not fit is left out and counted", async () => {
  verifies("otel.never-delays", "otel.metrics");
  await using collector = new Collector();
  const { promise: never, resolve: release } = Promise.withResolvers<void>();
  collector.script(...Array.from({ length: 50 }, () => ({ after: never })));
  await using world = await OtelWorld.exporting({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_EXPORTER: "none",
    GUARDHOUSE_OTEL__QUEUE_CALLS: "64",
    GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0",
  });
  const metrics = String((await world.hub.log("metrics.listening", 20_000))["url"]);
  const figures = async () => parseMetrics(await (await fetch(metrics)).text());
  await world.ask("Hello");
  // From now on the collector holds the one request under way.
  await collector.until(() => collector.received.length > 0);
  const answers = await Promise.all(Array.from({ length: 80 }, () => world.ask("Hello")));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const now = await figures();
  expect(figureOf(now, "guardhouse_otel_waiting", { signal: "logs" })).toBe(64);
  expect(figureOf(now, "guardhouse_otel_dropped_total", { signal: "logs", reason: "queue_full" })).toBe(16);
  expect(figureOf(now, "guardhouse_otel_exported_total", { signal: "logs" })).toBe(0);
  release();
  await collector.until(() => collector.items("logs").length === 65);
});

test("otel: stopping exports what waits, within the grace", async () => {
  verifies("otel.flush");
  await using collector = new Collector();
  await using world = await OtelWorld.exporting({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const response = await world.ask("Hello");
  expect(await world.hub.kill("SIGTERM")).toBe(0);
  const { sent } = await spansOf(collector, response);
  expect(sent).not.toBeNull();
  expect(await logsOf(collector, response)).toHaveLength(1);
});

test("otel: stopping does not wait for a collector that is not there", async () => {
  verifies("otel.flush");
  await using world = await OtelWorld.exporting({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/etc/ca.pem",
  });
  expect((await world.ask("Hello")).status).toBe(200);
  expect(await world.hub.log("otel.not_exported", 20_000)).toMatchObject({ cause: "unreachable", status: null });
  expect(await world.hub.kill("SIGTERM")).toBe(0);
});

test("otel: each signal by its own protocol and compression", async () => {
  verifies("otel.endpoints", "otel.wire");
  await using collector = new Collector();
  await using world = await OtelWorld.exporting({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "gzip",
  });
  const response = await world.ask("Hello");
  await spansOf(collector, response);
  await logsOf(collector, response);
  expect(collector.faults).toEqual([]);
  const forms = collector.received.map(({ signal, headers }) =>
    [signal, headers.get("content-type"), headers.get("content-encoding")].join(" "),
  );
  expect([...new Set(forms)].toSorted()).toEqual(["logs application/json ", "traces application/x-protobuf gzip"]);
});

describe("otel: a collector behind TLS", () => {
  const [own, hub, stranger] = [selfSigned("localhost"), selfSigned("hub"), selfSigned("localhost")];
  let home: string;
  const fileOf = (name: string) => join(home, name);

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "guardhouse-otel-"));
    const files = { "ca.pem": own.cert, "hub.pem": hub.cert, "hub.key": hub.key, "stranger.pem": stranger.cert };
    for (const [name, text] of Object.entries(files)) await Bun.write(fileOf(name), text);
  });

  afterAll(() => rm(home, { recursive: true }));

  test.each([
    [
      "by the standard variables",
      () => ({
        OTEL_EXPORTER_OTLP_CERTIFICATE: fileOf("ca.pem"),
        OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: fileOf("hub.pem"),
        OTEL_EXPORTER_OTLP_CLIENT_KEY: fileOf("hub.key"),
      }),
    ],
    [
      "by settings, of each signal",
      () => ({
        GUARDHOUSE_OTEL__CERTIFICATE_FILE: fileOf("ca.pem"),
        GUARDHOUSE_OTEL__TRACES_CLIENT_CERTIFICATE_FILE: fileOf("hub.pem"),
        GUARDHOUSE_OTEL__TRACES_CLIENT_KEY_FILE: fileOf("hub.key"),
        GUARDHOUSE_OTEL__LOGS_CLIENT_CERTIFICATE_FILE: fileOf("hub.pem"),
        GUARDHOUSE_OTEL__LOGS_CLIENT_KEY_FILE: fileOf("hub.key"),
      }),
    ],
  ])("is known by its certificate, and knows the hub by the hub's, %s", async (_, env) => {
    verifies("otel.tls");
    await using collector = new Collector({ own, hubs: hub.cert });
    await using world = await OtelWorld.exporting({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env() });
    const response = await world.ask("Hello");
    await spansOf(collector, response);
    await logsOf(collector, response);
  });

  test.each([
    ["with another certificate", () => ({ OTEL_EXPORTER_OTLP_CERTIFICATE: fileOf("stranger.pem") })],
    ["with one of no authority that the system knows", () => ({})],
    ["that the hub shows no certificate", () => ({ OTEL_EXPORTER_OTLP_CERTIFICATE: fileOf("ca.pem") })],
  ])("is sent nothing, %s", async (_, env) => {
    verifies("otel.tls");
    await using collector = new Collector({ own, hubs: hub.cert });
    await using world = await OtelWorld.exporting({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env() });
    expect((await world.ask("Hello")).status).toBe(200);
    expect(await world.hub.log("otel.not_exported", 20_000)).toMatchObject({ cause: "broken", status: null });
    expect(collector.received).toEqual([]);
  });
});

test("otel: a hub without a collector passes on no trace", async () => {
  verifies("otel.off");
  await using world = await OtelWorld.exporting({});
  await world.ask("Hello", { traceparent: TRACEPARENT, tracestate: `rojo=${KEY}` });
  expect(world.provider.lastCall.headers.has("traceparent")).toBe(false);
  expect(world.provider.lastCall.headers.has("tracestate")).toBe(false);
});

test("otel: providers and tool servers are told nothing where the operator says so", async () => {
  verifies("otel.propagate");
  await using collector = new Collector();
  await using world = await OtelWorld.exporting({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom/v1/traces`,
    OTEL_PROPAGATORS: "b3",
  });
  const { sent } = await spansOf(collector, await world.ask("Hello", { traceparent: TRACEPARENT }));
  expect(sent).toMatchObject({ traceId: TRACE });
  expect(world.provider.lastCall.headers.has("traceparent")).toBe(false);
  expect(collector.received.map(({ signal, path }) => ({ signal, path }))).toEqual(
    collector.received.map(() => ({ signal: "traces", path: "/custom/v1/traces" })),
  );
});
