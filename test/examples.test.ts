import { expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "#config/load";
import { configKeys } from "#config/schema";
import { variableOf } from "#config/sources";
import { isRecord, type JsonRecord } from "#core/json/json";
import { Hub } from "#test/support/hub";
import { onPostgres, sharedCluster } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

/*
 * docs/examples: read as their tools read them, and started as they say, without the tools. Where there is a tool it
 * reads them too.
 */

const EXAMPLES = join(import.meta.dir, "../docs/examples");
const read = (path: string): Promise<string> => Bun.file(join(EXAMPLES, path)).text();

/** A field of a document, by its path. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (Array.isArray(inner) || isRecord(inner) ? Reflect.get(inner, key) : undefined),
    value,
  );
const records = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const VARIABLES = new Set(configKeys().flatMap((key) => [variableOf(key), `${variableOf(key)}_FILE`]));
const unknownIn = (names: readonly string[]): string[] => names.filter((name) => !VARIABLES.has(name));

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

const run = async (
  command: readonly string[],
  env: Record<string, string | undefined> = process.env,
): Promise<Ended> => {
  const child = Bun.spawn([...command], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
};

const isThere = async (...command: string[]): Promise<boolean> =>
  Bun.which(command[0] ?? "") !== null && (await run(command)).code === 0;
const IS_THERE_COMPOSE = await isThere("docker", "compose", "version");
const IS_THERE_HELM = await isThere("helm", "version", "--short");

/** The title of a test that needs a program. */
const titled = (title: string, program: string, isHere: boolean): string =>
  isHere ? title : `${title} (skipped: there is no ${program})`;

/** What the image of the Dockerfile is and does. */
const IMAGE = { port: 8787, data: "/data", user: 10_001 };

const compose = Bun.YAML.parse(await read("compose/compose.yaml"));
const hubs = ["hub-1", "hub-2"];

test("compose: settings, secrets, volumes and servers that exist, and the port of the image", async () => {
  const used = new Set<string>();
  for (const name of hubs) {
    const hub = at(compose, "services", name);
    expect(unknownIn(Object.keys(Object(at(hub, "environment"))))).toEqual([]);
    // Records are each hub's own.
    expect(at(hub, "volumes")).toEqual([`${name}:${IMAGE.data}`]);
    expect(at(compose, "volumes")).toHaveProperty(name);
    const secrets = at(hub, "secrets");
    for (const secret of Array.isArray(secrets) ? secrets : []) used.add(String(secret));
    for (const path of Object.values(Object(at(hub, "environment"))).map(String)) {
      const secret = /^\/run\/secrets\/(\w+)$/.exec(path)?.[1];
      if (secret !== undefined) expect(secrets).toContain(secret);
    }
  }
  used.add("postgres_password");
  expect(Object.keys(Object(at(compose, "secrets"))).toSorted()).toEqual([...used].toSorted());
  const nginx = await read("compose/nginx/nginx.conf");
  const servers = [...nginx.matchAll(/^\s+server ([\w-]+):(\d+) /gm)].map(([, host, port]) => [host, Number(port)]);
  expect(servers).toEqual(hubs.map((name) => [name, IMAGE.port]));
  expect(at(compose, "services", "proxy", "ports")).toEqual(["127.0.0.1:8787:8787"]);
  expect(nginx).toContain(`listen ${IMAGE.port};`);
  expect(nginx).toContain("proxy_buffering off;");
  // nginx finds each hub where it is, and is the only one whose word the hubs take for where a call comes from.
  const addressOf = (name: string): string =>
    String(at(compose, "services", name, "networks", "default", "ipv4_address"));
  const known = at(compose, "services", "proxy", "extra_hosts");
  expect(known).toEqual(hubs.map((name) => `${name}:${addressOf(name)}`));
  for (const name of hubs) {
    const trusted = at(compose, "services", name, "environment", "GUARDHOUSE_TRUSTED_PROXIES");
    expect(trusted).toBe(`${addressOf("proxy")}/32`);
  }
  // A connection that a hub closes while nginx sends a call by it loses the call.
  const idle = Number(/^\s+keepalive_timeout (\d+)s;/m.exec(nginx)?.[1]);
  expect(idle * 1000).toBeLessThanOrEqual(loadConfig({ environment: {} }).config.limits.request_idle_ms / 2);
});

test.skipIf(!IS_THERE_COMPOSE)(
  titled("compose: as Docker Compose reads it", "docker compose", IS_THERE_COMPOSE),
  async () => {
    const path = join(EXAMPLES, "compose/compose.yaml");
    const { code, stdout, stderr } = await run(["docker", "compose", "--file", path, "config", "--format", "json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const model: unknown = JSON.parse(stdout);
    expect(Object.keys(Object(at(model, "services"))).toSorted()).toEqual([...hubs, "postgres", "proxy"]);
    for (const name of hubs) {
      expect(at(model, "services", name)).toMatchObject({
        hostname: name,
        environment: Object(at(compose, "services", name, "environment")),
        volumes: [{ type: "volume", source: name, target: IMAGE.data }],
        depends_on: { postgres: { condition: "service_healthy" } },
      });
    }
  },
);

/** Stands for `docker`: writes down what it is asked, and what nginx would send each hub; fails for the hub in FAILS. */
const DOCKER = `#!/bin/sh
if grep -q 'hub-1:.* down;' nginx/nginx.conf; then one=out; else one=in; fi
if grep -q 'hub-2:.* down;' nginx/nginx.conf; then two=out; else two=in; fi
echo "$one $two $*" >>"$ASKED"
case "$*" in *"--wait \${FAILS:-none}") exit 1 ;; esac
`;

test("compose: upgrade.sh takes one hub out of the proxy after the other, and leaves one out that is not healthy", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guardhouse-upgrade-"));
  try {
    await cp(join(EXAMPLES, "compose"), folder, { recursive: true, filter: (path) => !path.endsWith("/secrets") });
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin/docker"), DOCKER, { mode: 0o755 });
    // The script waits until nginx has done what it was told.
    await writeFile(join(folder, "bin/sleep"), "#!/bin/sh\n", { mode: 0o755 });
    const asked = join(folder, "asked");
    const upgrade = async (fails?: string): Promise<{ code: number; steps: string[] }> => {
      await Bun.write(asked, "");
      const path = `${join(folder, "bin")}:${process.env.PATH}`;
      const { code } = await run([join(folder, "upgrade.sh")], { PATH: path, ASKED: asked, FAILS: fails });
      return { code, steps: (await Bun.file(asked).text()).trimEnd().split("\n") };
    };
    const reload = "compose exec -T proxy nginx -c /etc/guardhouse/nginx.conf -s reload";
    const replace = "compose up --detach --no-deps --wait";
    const first = ["in in compose build hub-1 hub-2", `out in ${reload}`, `out in ${replace} hub-1`];
    const whole = {
      code: 0,
      steps: [...first, `in in ${reload}`, `in out ${reload}`, `in out ${replace} hub-2`, `in in ${reload}`],
    };
    expect(await upgrade()).toEqual(whole);
    expect(await Bun.file(join(folder, "nginx/nginx.conf")).text()).toBe(await read("compose/nginx/nginx.conf"));
    expect(await upgrade("hub-1")).toEqual({ code: 1, steps: first });
    // Run again once the fault is mended, it puts back what was left out.
    const [, ...rest] = whole.steps;
    expect(await upgrade()).toEqual({ code: 0, steps: ["out in compose build hub-1 hub-2", ...rest] });
    expect(await Bun.file(join(folder, "nginx/nginx.conf")).text()).toBe(await read("compose/nginx/nginx.conf"));
  } finally {
    await rm(folder, { recursive: true });
  }
});

onPostgres("compose, started without Docker", () => {
  const cluster = sharedCluster();

  test("two hubs by the variables of the example are one", async () => {
    verifies("cluster.examples");
    const databases = await cluster();
    const url = databases.url(await databases.database());
    const secrets = new Map([
      ["/run/secrets/database_url", url],
      ["/run/secrets/master_key", Buffer.alloc(32, 5).toString("base64")],
    ]);
    const open = async (name: string): Promise<Hub> => {
      const place = await Hub.create();
      const given = Object.entries(Object(at(compose, "services", name, "environment")));
      const pairs = given.map(async ([key, value]) => {
        const secret = secrets.get(String(value));
        return [key, secret === undefined ? String(value) : await place.writeFile(`${secret}\n`)] as const;
      });
      const first = { GUARDHOUSE_ADMIN_EMAIL: "ada@example.com", GUARDHOUSE_ADMIN_PASSWORD: "correct horse battery" };
      const env = { ...Object.fromEntries(await Promise.all(pairs)), ...first };
      return Hub.started({ env, documented: false });
    };
    await using one = await open("hub-1");
    await using other = await open("hub-2");
    const ask = async (hub: Hub, token: string): Promise<number> => {
      const messages = [{ role: "user", content: "Good morning." }];
      const json = { model: "guardhouse/echo", messages };
      const answer = await hub.fetch("/v1/chat/completions", { token, json });
      await answer.text();
      return answer.status;
    };
    await one.createUser("eve@example.com");
    const { id, token } = await one.createToken("eve@example.com");
    expect([await ask(one, token), await ask(other, token)]).toEqual([200, 200]);
    expect((await other.cli("token", "revoke", id)).code).toBe(0);
    expect([await ask(one, token), await ask(other, token)]).toEqual([401, 401]);
  });
});

const VALUE = /\{\{ \.(Values|Release)\.(\w+)( \| quote)? \}\}/g;

const SET_VALUES = { image: "images.example.org/guardhouse@sha256:0123", replicas: 3, cpu: "2", memory: "512Mi" };

/** Objects by kind and name, for Helm has an order of its own. */
const byName = (text: string): JsonRecord =>
  Object.fromEntries(
    text
      .split(/^---$/m)
      .map((part) => Bun.YAML.parse(part))
      .filter(isRecord)
      .map((one) => [`${at(one, "kind")} ${at(one, "metadata", "name")}`, one]),
  );

test.skipIf(!IS_THERE_HELM)(
  titled("helm: lints, and makes of the chart what the other test does", "helm", IS_THERE_HELM),
  async () => {
    const chart = join(EXAMPLES, "helm");
    const lint = await run(["helm", "lint", "--strict", chart]);
    expect({ ...lint, stdout: lint.code === 0 ? "" : lint.stdout }).toEqual({ code: 0, stdout: "", stderr: "" });
    const defaults = Object(Bun.YAML.parse(await read("helm/values.yaml")));
    for (const own of [{}, SET_VALUES]) {
      const sets = Object.entries(own).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
      const { code, stdout, stderr } = await run(["helm", "template", "guardhouse", chart, ...sets]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const files = (await readdir(join(chart, "templates"))).map((file) => read(`helm/templates/${file}`));
      const ours = (await Promise.all(files)).map((template) => rendered(template, { ...defaults, ...own }));
      expect(byName(stdout)).toEqual(byName(ours.join("\n---\n")));
    }
  },
);

/** What Helm makes of a template that only puts in values. */
const rendered = (template: string, values: unknown): string =>
  template.replaceAll(VALUE, (_, from: string, name: string, quote?: string) => {
    const value =
      from === "Release" && name === "Name" ? "guardhouse" : from === "Values" ? at(values, name) : undefined;
    if (value === undefined) throw new Error(`no value ${from}.${name}`);
    return quote === undefined ? String(value) : JSON.stringify(String(value));
  });

test("helm: the templates put in values alone, and every object of them fits the others and the image", async () => {
  const chart = Bun.YAML.parse(await read("helm/Chart.yaml"));
  expect([at(chart, "apiVersion"), at(chart, "name"), at(chart, "type")]).toEqual(["v2", "guardhouse", "application"]);
  const values = Bun.YAML.parse(await read("helm/values.yaml"));
  const used = new Set<string>();
  const objects: unknown[] = [];
  for (const file of (await readdir(join(EXAMPLES, "helm/templates"))).toSorted()) {
    const template = await read(`helm/templates/${file}`);
    for (const [, from, name] of template.matchAll(VALUE)) if (from === "Values") used.add(String(name));
    const text = rendered(template, values);
    expect([file, text.includes("{{")]).toEqual([file, false]);
    for (const part of text.split(/^---$/m)) objects.push(Bun.YAML.parse(part));
  }
  expect([...used].toSorted()).toEqual(Object.keys(Object(values)).toSorted());
  const kinds = objects.map((one) => `${at(one, "apiVersion")} ${at(one, "kind")} ${at(one, "metadata", "name")}`);
  expect(kinds.toSorted()).toEqual([
    "apps/v1 StatefulSet guardhouse",
    "policy/v1 PodDisruptionBudget guardhouse",
    "v1 Service guardhouse",
    "v1 Service guardhouse-hubs",
  ]);
  const set = objects.find((one) => at(one, "kind") === "StatefulSet");
  const labels = at(set, "spec", "template", "metadata", "labels");
  const [hub] = records(at(set, "spec", "template", "spec", "containers"));
  for (const one of objects) {
    const selector = at(one, "spec", "selector");
    expect(at(one, "kind") === "Service" ? selector : at(selector, "matchLabels")).toEqual(labels);
  }
  expect(kinds).toContain(`v1 Service ${at(set, "spec", "serviceName")}`);
  expect(at(set, "spec", "template", "spec", "securityContext")).toMatchObject({
    ...{ runAsUser: IMAGE.user, runAsGroup: IMAGE.user, fsGroup: IMAGE.user },
  });
  expect(at(hub, "ports", 0, "containerPort")).toBe(IMAGE.port);
  // For a service of the release's name Kubernetes sets variables that no hub knows: it would not start.
  expect(at(set, "spec", "template", "spec", "enableServiceLinks")).toBe(false);
  const env = records(at(hub, "env"));
  expect(unknownIn(env.map(({ name }) => String(name)))).toEqual([]);
  // What is mounted is there to be mounted, and what a variable names is in it.
  const mounts = records(at(hub, "volumeMounts")).map(({ name, mountPath }) => [name, mountPath]);
  expect(mounts).toEqual([
    ["data", IMAGE.data],
    ["secrets", "/etc/guardhouse"],
  ]);
  expect(at(set, "spec", "volumeClaimTemplates", 0, "metadata", "name")).toBe("data");
  expect(at(set, "spec", "template", "spec", "volumes", 0, "name")).toBe("secrets");
  const files = env.flatMap(({ name, value }) => (String(name).endsWith("_FILE") ? [String(value)] : []));
  const keys = [...(await read("helm/values.yaml")).matchAll(/"([a-z-]+)"/g)].map(
    ([, key]) => `/etc/guardhouse/${key}`,
  );
  expect(files).toEqual(keys);
});
