import { World } from "/work/wt/otlp/test/support/world.ts";
const [protocol, compression] = process.argv.slice(2);
const w = await World.open({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:14318", OTEL_EXPORTER_OTLP_PROTOCOL: protocol!, OTEL_EXPORTER_OTLP_COMPRESSION: compression!, OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=hand%20test", GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0" },
 seeds: { users: {eve:{}}, agents:{clerk:{owner:"eve"}}, tokens:{clerk:{user:"eve",agent:"clerk"}}, providers:{fake:{models:["fake-*"],apiKey:"provider-key-for-tests"}}, toolServers:{desk:{owner:"eve",agents:["clerk"]}} } });
const token = w.tokenOf("clerk");
const ask = (content: string, h = {}) => w.hub.fetch("/v1/chat/completions", { token, json: { model: "fake-model", messages: [{ role: "user", content }] }, headers: h });
console.log((await ask("Hello", { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "rojo=1" })).status);
console.log((await ask("key " + "AKIA" + "Q7DK3NFJ2LSPW5XT")).status);
console.log((await w.hub.fetch("/mcp/gateway", { token, json: { method: "tools/call", params: { name: "desk__echo", arguments: { message: "x" } } } })).status);
await Bun.sleep(1500);
const m = String((await w.hub.log("metrics.listening", 9000))["url"]);
console.log((await (await fetch(m)).text()).split("\n").filter((l) => l.includes("otel")).join("\n"));
await w[Symbol.asyncDispose]();
process.exit(0);
