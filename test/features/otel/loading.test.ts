import { expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Collector } from "#test/features/otel/collector";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";
import { World } from "#test/support/world";

/* Which modules a hub loads, as the runtime says while it loads them. */

setDefaultTimeout(120_000);

const MAIN = resolve(import.meta.dir, "../../../src/main.ts");
const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const SEEDS = {
  users: { eve: {} },
  tokens: { eve: { user: "eve" } },
  providers: { fake: { models: ["fake-*"], apiKey: "provider-key-for-tests-only" } },
};
/** What exports is made of. What a call is asked for its trace by is not among it. */
const EXPORTS = ["calls", "exporter", "exporting", "otlp", "otlp-json", "otlp-protobuf", "runs"];

/** Notes every module of the feature that is loaded, and changes none. */
const noting = (list: string): string => `
  import { appendFileSync, readFileSync } from "node:fs";
  Bun.plugin({
    name: "noting",
    setup: (build) => {
      build.onLoad({ filter: /src\\/features\\/otel\\/[^/]+\\.ts$/ }, ({ path }) => {
        appendFileSync(${JSON.stringify(list)}, path + "\\n");
        return { contents: readFileSync(path, "utf8"), loader: "ts" };
      });
    },
  });
`;

/** The modules that a hub from its sources has loaded once it answered a call, and the headers of that call at its provider. */
const servedBy = async (env: Readonly<Record<string, string>>) => {
  const home = await mkdtemp(join(tmpdir(), "guardhouse-loading-"));
  try {
    const [list, plugin, binary] = [join(home, "loaded.txt"), join(home, "noting.ts"), join(home, "hub.sh")];
    await Bun.write(plugin, noting(list));
    // With the number of connections set, a process that is to serve is not replaced by one without the plugin.
    await Bun.write(
      binary,
      `#!/bin/sh\nBUN_CONFIG_MAX_HTTP_REQUESTS=16384 exec '${process.execPath}' --preload '${plugin}' '${MAIN}' "$@"\n`,
    );
    await chmod(binary, 0o755);
    // What commands load does not count.
    const before = () => Bun.write(list, "");
    await using world = await World.open({ binary, commandsOf: command, env, seeds: SEEDS, before });
    const json = { model: "fake-model", messages: [{ role: "user", content: "Hello" }] };
    const headers = { traceparent: TRACEPARENT, tracestate: "rojo=1" };
    expect((await world.hub.fetch("/v1/chat/completions", { token: world.tokenOf("eve"), json, headers })).status).toBe(
      200,
    );
    const loaded = (await Bun.file(list).text()).trim().split("\n");
    const modules = new Set(loaded.map((path) => path.replace(/^.*\/|\.ts$/g, "")));
    return { modules, headers: world.providerOf("fake").lastCall.headers };
  } finally {
    await rm(home, { recursive: true });
  }
};

test("otel: without an endpoint nothing that exports is loaded, and no trace is passed on", async () => {
  verifies("otel.off");
  const { modules, headers } = await servedBy({});
  expect(modules).toContain("feature");
  expect(EXPORTS.filter((name) => modules.has(name))).toEqual([]);
  expect([headers.get("traceparent"), headers.get("tracestate")]).toEqual([null, null]);
});

test("otel: with an endpoint all of that is loaded, and a trace is passed on", async () => {
  verifies("otel.off");
  await using collector = new Collector();
  const { modules, headers } = await servedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(EXPORTS.filter((name) => modules.has(name))).toEqual(EXPORTS);
  expect(headers.get("traceparent")).toStartWith(TRACEPARENT.slice(0, 36));
  expect(headers.get("tracestate")).toBe("rojo=1");
});
