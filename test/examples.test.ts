import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { configKeys } from "#config/schema";
import { variableOf } from "#config/sources";
import { isRecord, type JsonRecord } from "#core/json/json";
import { Hub } from "#test/support/hub";
import { onPostgres, sharedCluster } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

/* docs/examples: read as their tools read them, and started as they say, without the tools. */

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
  const nginx = await read("compose/nginx.conf");
  const servers = [...nginx.matchAll(/^\s+server ([\w-]+):(\d+) /gm)].map(([, host, port]) => [host, Number(port)]);
  expect(servers).toEqual(hubs.map((name) => [name, IMAGE.port]));
  expect(at(compose, "services", "proxy", "ports")).toEqual(["127.0.0.1:8787:8787"]);
  expect(nginx).toContain(`listen ${IMAGE.port};`);
  expect(nginx).toContain("proxy_buffering off;");
  const subnet = at(compose, "networks", "default", "ipam", "config", 0, "subnet");
  expect(at(compose, "services", "hub-1", "environment", "GUARDHOUSE_TRUSTED_PROXIES")).toBe(subnet);
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
