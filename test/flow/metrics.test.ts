import { expect, setDefaultTimeout, test } from "bun:test";
import { ChatWorld, MODEL, PROVIDER_KEY, USER } from "#test/flow/chat-world";
import { Hub } from "#test/support/hub";
import { figureOf, parseMetrics } from "#test/support/prometheus";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(180_000);

const LISTEN = { GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0" };
const TOKEN = "a-token-of-collectors-only";
const KEY = ["AKIA", "Q7DK3NFJ2LSPW5XT"].join("");

type Figures = ReturnType<typeof parseMetrics>;

const addressOf = async (hub: Hub): Promise<string> => String((await hub.log("metrics.listening", 20_000))["url"]);

const isAtRest = (figures: Figures): boolean => figureOf(figures, "guardhouse_open_calls") === 0;

const readUntil = async (address: string, isThere: (figures: Figures) => boolean): Promise<string> => {
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(50)) {
    const response = await fetch(address);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    if (isThere(parseMetrics(text))) return text;
    if (performance.now() > deadline) throw new Error(`it never came:\n${text}`);
  }
};

const GONE = { model: "gone-model" };

type Listed = { readonly name: string; readonly breaker: { readonly state: string } };

/** What the command line says of a provider: the hub writes it down a moment later. */
const untilListed = async (hub: Hub, isThere: (provider: Listed) => boolean): Promise<Listed> => {
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(50)) {
    const providers: Listed[] = JSON.parse((await hub.cli("provider", "list")).stdout);
    const found = providers.find(isThere);
    if (found) return found;
    if (performance.now() > deadline) throw new Error("it was never listed");
  }
};

test("/metrics has counters of calls and no content", async () => {
  verifies("metrics.figures", "metrics.format", "fairness.probe");
  await using world = await ChatWorld.open({
    env: { ...LISTEN, GUARDHOUSE_UPSTREAM__RETRIES: "0" },
    before: (hub) => hub.addProvider("down", { baseUrl: "http://127.0.0.1:9", models: ["gone-model"] }),
  });
  const address = await addressOf(world.hub);
  expect((await world.ask("Hello there")).status).toBe(200);
  expect((await world.ask(`My key is ${KEY}`)).status).toBe(400);
  expect((await world.ask({ model: "gone-model", messages: [{ role: "user", content: "Hello" }] })).status).toBe(502);

  // A call is counted when its last record is made, which may be after its answer.
  const text = await readUntil(address, (it) => figureOf(it, "guardhouse_scan_seconds_count") === 3 && isAtRest(it));
  const figures = parseMetrics(text);
  const calls = (decision: string, outcome: string) =>
    figureOf(figures, "guardhouse_calls_total", { kind: "chat.completion", decision, outcome });
  expect([calls("allow", "answered"), calls("block", "blocked_input"), calls("error", "upstream_error")]).toEqual([
    1, 1, 1,
  ]);
  expect(figureOf(figures, "guardhouse_flags_total", { category: "secret", action: "block" })).toBe(1);
  expect(figureOf(figures, "guardhouse_upstream_errors_total", { code: "upstream_error" })).toBe(1);
  expect(figureOf(figures, "guardhouse_scan_seconds_count")).toBe(3);
  expect(figureOf(figures, "guardhouse_upstream_seconds_count")).toBe(2);
  expect(figureOf(figures, "guardhouse_audit_healthy")).toBe(1);
  expect(figureOf(figures, "guardhouse_event_loop_delay_seconds_count")).toBeGreaterThan(0);
  for (const name of ["scan_threads", "scan_waiting", "scan_calls", "scan_wait_seconds_count", "scan_refused_total"]) {
    expect([name, figureOf(figures, `guardhouse_${name}`)]).toEqual([name, 0]);
  }
  for (const name of ["kill_switches", "restrictions", "holds_waiting", "agents", "event_streams", "audit_waiting"]) {
    expect([name, figureOf(figures, `guardhouse_${name}`)]).toEqual([name, 0]);
  }
  expect(figureOf(figures, "process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(figureOf(figures, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect([...(figures.get("guardhouse_build_info")?.samples.values() ?? [])].flat()).toMatchObject([
    { labels: { version: "0.1.0", bun: Bun.version }, value: 1 },
  ]);
  for (const said of [KEY, KEY.slice(0, 8), "Hello", USER, MODEL, "gone", PROVIDER_KEY, world.token]) {
    expect(text).not.toContain(said);
  }

  verifies("provider.breaker");
  const isOpen = (it: Figures) => figureOf(it, "guardhouse_provider_breaker_open", { provider: "down" });
  expect(isOpen(figures)).toBe(0);
  for (let failed = 1; failed < 5; failed += 1)
    await world.ask({ ...GONE, messages: [{ role: "user", content: "Hi" }] });
  await readUntil(address, (it) => isOpen(it) === 1);
  const listed = await untilListed(world.hub, ({ name, breaker }) => name === "down" && breaker.state === "open");
  expect(listed.breaker).toMatchObject({ failures: 5, cause: "connection", since: expect.any(String) });
  // It ends with the hub.
  expect(await world.hub.kill("SIGTERM")).toBe(0);
});

test("without a token the second address answers to loopback names only, and to /metrics only", async () => {
  verifies("metrics.guarded");
  await using hub = await Hub.started({ env: LISTEN });
  const address = await addressOf(hub);
  const asked = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;
  expect(await asked(address)).toBe(200);
  expect(await asked(address, { method: "HEAD" })).toBe(200);
  expect(await asked(address, { headers: { host: "evil.example" } })).toBe(400);
  expect(await asked(address, { method: "POST" })).toBe(405);
  for (const path of ["/", "/healthz", "/api/settings", "/v1/models"]) {
    expect([path, await asked(new URL(path, address).href)]).toEqual([path, 404]);
  }
  // Nothing of it stands at the hub's own address.
  expect(await asked(`${hub.url}/metrics`)).toBe(404);
});

test("/metrics with a token refuses requests without it", async () => {
  verifies("metrics.guarded");
  await using hub = await Hub.started({ env: { ...LISTEN, GUARDHOUSE_METRICS__TOKEN: TOKEN } });
  const address = await addressOf(hub);
  const status = async (authorization: string) => (await fetch(address, { headers: { authorization } })).status;
  for (const wrong of ["", "Bearer", "Bearer wrong", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
    expect([wrong, await status(wrong)]).toEqual([wrong, 401]);
  }
  expect(await status(`Bearer ${TOKEN}`)).toBe(200);
  const elsewhere = { authorization: `bearer ${TOKEN}`, host: "guardhouse:9464" };
  expect((await fetch(address, { headers: elsewhere })).status).toBe(200);
  expect(await hub.kill("SIGTERM")).toBe(0);
  expect(await hub.written()).not.toContain(TOKEN);
});

test("an address that others reach is not opened without a token", async () => {
  verifies("metrics.guarded");
  await using hub = await Hub.create();
  for (const listen of ["0.0.0.0:9464", "[::]:9464", "10.0.0.1:9464", "metrics.internal:9464"]) {
    const env = { GUARDHOUSE_METRICS__LISTEN: listen };
    const { code, stderr } = await hub.cliWith({ env }, "config", "check");
    expect([listen, code]).toEqual([listen, 3]);
    expect(stderr).toContain("metrics.token");
  }
  const given = { GUARDHOUSE_METRICS__LISTEN: "0.0.0.0:9464", GUARDHOUSE_METRICS__TOKEN: TOKEN };
  expect((await hub.cliWith({ env: given }, "config", "check")).code).toBe(0);
  expect((await hub.cliWith({ env: given }, "config", "show")).stdout).not.toContain(TOKEN);
});
