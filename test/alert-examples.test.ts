import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import { fails, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { anyPort } from "#test/support/port";
import { onPostgres, sharedCluster } from "#test/support/postgres";
import { parseMetrics } from "#test/support/prometheus";
import { verifies } from "#test/support/verifies";
import { World } from "#test/support/world";

/* docs/examples/prometheus and docs/examples/grafana: what they ask for is what a hub serves. */

setDefaultTimeout(180_000);

const EXAMPLES = join(import.meta.dir, "../docs/examples");
const RULES = join(EXAMPLES, "prometheus/guardhouse.rules.yaml");
const CONFIG = join(EXAMPLES, "prometheus/prometheus.yaml");
const METRICS = { GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0" };

type Families = ReturnType<typeof parseMetrics>;

/** Every text under one of these names, wherever it is. */
const textsUnder = (value: unknown, names: readonly string[]): string[] => {
  if (Array.isArray(value)) return value.flatMap((one) => textsUnder(one, names));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    names.includes(name) && typeof inner === "string" ? [inner] : textsUnder(inner, names),
  );
};

const ruleTexts = textsUnder(Bun.YAML.parse(await Bun.file(RULES).text()), ["expr"]);
const dashboard: unknown = await Bun.file(join(EXAMPLES, "grafana/guardhouse.json")).json();
const ALL = [...ruleTexts, ...textsUnder(dashboard, ["expr", "definition"])];

const SERIES = /\b((?:guardhouse|process)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g;
/** Collectors put these to every series themselves, or workers do. */
const GIVEN = new Set(["instance", "job", "worker", "exported_job"]);

const familyOf = (families: Families, series: string): string | null => {
  if (families.has(series)) return families.get(series)?.type === "histogram" ? null : series;
  const base = series.replace(/_(bucket|sum|count)$/, "");
  return families.get(base)?.type === "histogram" ? base : null;
};

/** Series and labels that are asked for and not served. */
const missingIn = (families: Families): string[] =>
  ALL.flatMap((text) =>
    [...text.matchAll(SERIES)].flatMap(([, series = "", selector = ""]) => {
      const family = familyOf(families, series);
      if (family === null) return [series];
      const samples = [...(families.get(family)?.samples.values() ?? [])].flat();
      const served = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
      const asked = [...selector.matchAll(/(\w+)\s*(?:=~?|!=|!~)/g)].map(([, label = ""]) => label);
      return samples.length === 0 ? [] : asked.filter((label) => !GIVEN.has(label) && !served.has(label));
    }),
  );

const figuresOf = async (hub: Hub): Promise<Families> => {
  const { url } = await hub.log("metrics.listening", 20_000);
  return parseMetrics(await (await fetch(String(url))).text());
};

/** Served only where hubs share a database. */
const SHARED = ["guardhouse_records_lag_seconds"];

test("Prometheus rules and the Grafana dashboard ask for what the hub serves", async () => {
  verifies("alert.examples");
  await using hub = await Hub.create({ env: METRICS });
  await hub.createAdmin("ada@example.com", "--random-password");
  const { token } = await hub.createToken("ada@example.com");
  await hub.start();
  const messages = [{ role: "user", content: "Hello" }];
  await (await hub.fetch("/v1/chat/completions", { token, json: { model: "guardhouse/echo", messages } })).text();
  expect(ALL.length).toBeGreaterThan(30);
  expect([...new Set(missingIn(await figuresOf(hub)))]).toEqual(SHARED);
});

onPostgres("on a shared database", () => {
  const cluster = sharedCluster();

  test("Prometheus rules and the Grafana dashboard ask for nothing that is not there", async () => {
    verifies("alert.examples");
    const databases = await cluster();
    const url = databases.url(await databases.database());
    await using hub = await Hub.started({ env: { ...METRICS, GUARDHOUSE_DATABASE__URL: url } });
    expect(missingIn(await figuresOf(hub))).toEqual([]);
  });
});

test("the dashboard is one that Grafana imports", () => {
  const panels = isRecord(dashboard) && Array.isArray(dashboard["panels"]) ? dashboard["panels"].filter(isRecord) : [];
  expect(panels.length).toBeGreaterThan(10);
  const ids = panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const sources = new Set(panels.map(({ datasource }) => JSON.stringify(datasource)));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana's
  expect([...sources]).toEqual([JSON.stringify({ type: "prometheus", uid: "${datasource}" })]);
  const placed = panels.map(({ gridPos }) => (isRecord(gridPos) ? Number(gridPos["x"]) + Number(gridPos["w"]) : 99));
  expect(Math.max(...placed)).toBeLessThanOrEqual(24);
});

/** What a panel asks for, with Grafana's variables as it would fill them in for one hub and the last minute. */
type PanelQuery = { readonly panel: string; readonly query: string };

const panelQueries = (): PanelQuery[] => {
  const panels = isRecord(dashboard) && Array.isArray(dashboard["panels"]) ? dashboard["panels"].filter(isRecord) : [];
  return panels.flatMap(({ title, targets }) =>
    textsUnder(targets, ["expr"]).map((text) => ({
      panel: String(title),
      query: text
        .replaceAll("$instance", "127.0.0.1:.*")
        .replaceAll("$__rate_interval", "15s")
        .replaceAll("$__range", "1m"),
    })),
  );
};

const PROMETHEUS = Bun.which("prometheus");

test.skipIf(PROMETHEUS === null)("each panel has data in the real Prometheus, and each rule is evaluated", async () => {
  verifies("alert.examples");
  await using world = await World.open({
    env: METRICS,
    seeds: {
      users: { eve: {} },
      tokens: { eve: { user: "eve" } },
      providers: { fake: { models: ["gpt-4o"], apiKey: "provider-key-for-tests-only" } },
    },
  });
  const place = await mkdtemp(join(tmpdir(), "guardhouse-prometheus-"));
  try {
    using held = anyPort();
    const { url } = await world.hub.log("metrics.listening", 20_000);
    const given = await Bun.file(CONFIG).text();
    const config = given.replaceAll("127.0.0.1:9464", new URL(String(url)).host).replaceAll("15s", "1s");
    await Bun.write(join(place, "prometheus.yml"), config);
    await Bun.write(join(place, "guardhouse.rules.yaml"), Bun.file(RULES));
    const address = `127.0.0.1:${held.port}`;
    const flags = [`--web.listen-address=${address}`, `--storage.tsdb.path=${place}/data`];
    await using prometheus = Bun.spawn([PROMETHEUS ?? "", ...flags, `--config.file=${place}/prometheus.yml`], {
      stdout: "ignore",
      stderr: "ignore",
    });
    const ask = async (path: string): Promise<unknown> => {
      try {
        const { data } = Object(await (await fetch(`http://${address}/api/v1/${path}`)).json());
        return data;
      } catch (error) {
        // Not ready yet, unless it has ended.
        if (prometheus.exitCode !== null) throw error;
        return null;
      }
    };
    const call = async (content: string): Promise<void> => {
      const json = { model: "gpt-4o", messages: [{ role: "user", content }] };
      await (await world.hub.fetch("/v1/chat/completions", { token: world.tokenOf("eve"), json })).text();
    };
    const withoutData = async (): Promise<PanelQuery[]> => {
      const all = panelQueries();
      const answers = await Promise.all(all.map(({ query }) => ask(`query?query=${encodeURIComponent(query)}`)));
      return all.filter((_, at) => !hasFigure(answers[at]));
    };
    let missing = panelQueries();
    expect(missing.length).toBeGreaterThan(20);
    // Rates are of what happens meanwhile.
    for (const until = performance.now() + 90_000; missing.length > 0 && performance.now() < until; ) {
      world.providerOf("fake").next(says("Hello"), fails(400));
      await call("Hello there");
      await call("Hello there");
      await call(`my key is ${["AKIA", "Q7DK3NFJ2LSPW5XT"].join("")}`);
      await Bun.sleep(1_000);
      missing = await withoutData();
    }
    expect(missing).toEqual([]);
    expect(await ask("label/instance/values?match[]=guardhouse_build_info")).toEqual([new URL(String(url)).host]);
    const rules = textsUnder(await ask("rules"), ["health", "lastError"]).filter((text) => text !== "");
    expect(rules.length).toBeGreaterThan(10);
    expect([...new Set(rules)]).toEqual(["ok"]);
  } finally {
    await rm(place, { recursive: true });
  }
});

/** Whether an answer of Prometheus has a series with a number. */
const hasFigure = (data: unknown): boolean => {
  const series = isRecord(data) && Array.isArray(data["result"]) ? data["result"].filter(isRecord) : [];
  return series.some(({ value }) => Array.isArray(value) && Number.isFinite(Number(value[1])));
};

const PROMTOOL = Bun.which("promtool");

test.skipIf(PROMTOOL === null)("promtool takes the rules and the configuration", async () => {
  verifies("alert.examples");
  for (const args of [
    ["check", "rules", RULES],
    ["check", "config", CONFIG],
  ]) {
    const child = Bun.spawn([PROMTOOL ?? "", ...args], { stdout: "pipe", stderr: "pipe" });
    const said = await new Response(child.stdout).text();
    expect([await child.exited, said.includes("SUCCESS")]).toEqual([0, true]);
  }
});
