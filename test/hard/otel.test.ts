import { expect, test } from "bun:test";
import { Collector, resourceOf } from "#test/features/otel/collector";
import { attributesOf } from "#test/features/otel/strict-otlp";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

/* Workers of the executable, each of which exports its own calls. */

const EVE = "eve@example.com";
const CALL = { model: "guardhouse/echo", messages: [{ role: "user", content: "Hello there" }] };
const COUNT = 40;

test("two workers export each call once, each under an instance of its own, until they have stopped", async () => {
  verifies("otel.instances", "otel.flush", "otel.wire");
  await using collector = new Collector();
  await using hub = await Hub.create({
    processes: "hub",
    serve: ["--workers", "2"],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" },
  });
  await hub.createUser(EVE);
  const { token } = await hub.createToken(EVE);
  await hub.start();
  const asked = new Set<string>();
  const instances = () => new Set(collector.received.map((one) => resourceOf(one)["service.instance.id"]?.[1]));
  // A connection a call, so that both workers have some.
  const ask = async () => {
    const answer = await hub.fetch("/v1/chat/completions", { token, json: CALL, keepalive: false });
    expect(answer.status).toBe(200);
    asked.add(answer.headers.get("x-request-id") ?? "");
  };
  await Promise.all(Array.from({ length: COUNT }, ask));
  while (instances().size < 2) {
    await ask();
    await Bun.sleep(50);
  }
  expect(await hub.kill("SIGTERM")).toBe(0);
  expect(collector.faults).toEqual([]);
  expect(instances().size).toBe(2);
  const told = (signal: "traces" | "logs") =>
    collector.items(signal).flatMap((item) => attributesOf(item)["guardhouse.call.id"]?.[1] ?? []);
  expect(told("logs").toSorted()).toEqual([...asked].toSorted());
  expect(told("traces").toSorted()).toEqual([...asked].toSorted());
  const nodes = new Set(collector.received.map((one) => resourceOf(one)["guardhouse.node.id"]?.[1]));
  expect(nodes.size).toBe(2);
}, 180_000);
