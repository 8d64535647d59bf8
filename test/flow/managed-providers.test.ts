import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeProvider } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { type Answer, ReviewWorld } from "./review-world";

const KEY = "provider-key-for-tests-only";

let world: ReviewWorld;
let fake: FakeProvider;
beforeAll(async () => {
  fake = await FakeProvider.start();
  world = await ReviewWorld.open({ env: { GUARDHOUSE_UPSTREAM__ALLOW_PRIVATE: "127.0.0.0/8" } });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fake?.[Symbol.asyncDispose]();
});

const codeOf = ({ status, json }: Answer) => [status, json.error?.code, json.error?.param];
const add = (body: object, who: "root" | "owner" | "auditor" = "root"): Promise<Answer> =>
  world.as(who, "POST", "/providers", { name: "fake", base_url: fake.url, models: ["fake-*"], ...body });

test("administrators add, change and remove providers; all see them, without API keys", async () => {
  verifies("provider.managed");
  for (const who of ["owner", "auditor"] as const) expect((await add({}, who)).status).toBe(403);
  const { status, json } = await add({ api_key: KEY, priority: 5 });
  expect(status).toBe(201);
  expect(json).toEqual({
    ...{ object: "provider", id: json.id, name: "fake", base_url: fake.url, models: ["fake-*"], priority: 5 },
    ...{ kind: "openai", apis: ["chat", "responses", "embeddings", "completions"], aliases: {} },
    ...{ credential: { source: "key" }, key_file: false },
    breaker: { state: "closed", failures: 0, cause: null, since: null },
    ...{ has_key: true, given_by: "user", built_in: false, created_at: expect.any(String) },
  });
  expect(codeOf(await add({}))).toEqual([409, "already_exists", "name"]);
  const path = `/providers/${json.id}`;
  expect((await world.as("root", "GET", path)).json).toEqual(json);
  // Keys are often written into the rest of an address.
  const host = { ...json, base_url: new URL(fake.url).origin };
  expect(host.base_url).not.toBe(fake.url);
  for (const who of ["owner", "ann", "auditor"] as const) {
    expect((await world.as(who, "GET", path)).json).toEqual(host);
    expect((await world.as(who, "GET", "/providers")).json.data[0]).toEqual(host);
  }
  const list = (await world.as("owner", "GET", "/providers")).json;
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([json.id, "guardhouse"]);
  expect(list.data[1]).toMatchObject({ built_in: true, models: ["guardhouse/echo"], base_url: null });

  const { json: check } = await world.as("root", "POST", `${path}/test`);
  expect(check).toMatchObject({ object: "provider_check", ok: true, status: 200 });
  expect(check.apis.map(({ api, ok }: { api: string; ok: boolean }) => [api, ok])).toEqual([
    ["chat", true],
    ["responses", true],
    ["embeddings", true],
    ["completions", true],
  ]);
  const token = (await world.as("owner", "POST", "/tokens", {})).json.token;
  const ask = { model: "fake-model", messages: [{ role: "user", content: "hello" }] };
  expect((await world.hub.fetch("/v1/chat/completions", { token, json: ask })).status).toBe(200);

  expect((await world.as("root", "PATCH", path, { priority: 50, models: ["other-*"] })).json.priority).toBe(50);
  expect((await world.hub.fetch("/v1/chat/completions", { token, json: ask })).status).toBe(404);
  expect(codeOf(await world.as("root", "PATCH", path, { base_url: "https://api.example.com/v1" }))).toEqual([
    ...[400, "invalid_value", "api_key"],
  ]);
  expect((await world.as("root", "PATCH", path, { api_key: null })).json.has_key).toBe(false);
  expect(codeOf(await world.as("root", "DELETE", "/providers/guardhouse"))[0]).toBe(409);
  expect((await world.as("root", "DELETE", path)).status).toBe(200);
  expect((await world.as("root", "GET", path)).status).toBe(404);

  const tail = await world.hub.cli("audit", "tail", "-n", "1000");
  expect(tail.stdout).not.toContain(KEY);
  const records = tail.json();
  if (!Array.isArray(records)) throw new Error("no records");
  const kinds = records.filter(({ change }) => change?.subject_id === json.id).map(({ kind }) => kind);
  expect(kinds).toEqual(["provider.remove", "provider.update", "provider.update", "provider.add"]);
});

test("kinds, aliases and credentials are given over HTTP, but none of the machine's own", async () => {
  verifies("provider.managed", "provider.machine-credentials");
  const azure = {
    ...{ name: "azure", kind: "azure", base_url: "https://mine.openai.azure.com", models: ["gpt-*"] },
    ...{ aliases: { "gpt-5": "my-deployment" }, apis: ["responses", "chat"], api_key: "client-secret-for-tests" },
    credential: { source: "entra", tenant_id: "contoso.example", client_id: "11-22" },
  };
  const { status, json } = await world.as("root", "POST", "/providers", azure);
  expect(status).toBe(201);
  expect(json).toMatchObject({ kind: "azure", apis: ["chat", "responses"], credential: azure.credential });
  const path = `/providers/${json.id}`;
  expect((await world.as("owner", "GET", path)).json).toMatchObject({ credential: { source: "entra" } });
  const moved = await world.as("root", "PATCH", path, { base_url: "https://other.openai.azure.com" });
  expect(codeOf(moved)).toEqual([400, "invalid_value", "api_key"]);
  expect(codeOf(await world.as("root", "PATCH", path, { api_key: null }))).toEqual([400, "invalid_value", "api_key"]);
  const wrong: [object, string][] = [
    [{ kind: "vertex", credential: { source: "metadata-server" } }, "credential"],
    [{ kind: "bedrock", credential: { source: "aws-instance", region: "eu-west-1" } }, "credential"],
    [{ kind: "bedrock", credential: { source: "aws-keys", access_key_id: "AKIAFORTESTS" }, api_key: "x" }, "region"],
    [{ kind: "azure", credential: { source: "entra", tenant_id: "t" }, api_key: "x" }, "client_id"],
    [{ kind: "anthropic", apis: ["chat"] }, "apis"],
    [{ kind: "vertex", api_key: "no key file" }, "api_key"],
    [{ aliases: { "gpt-*": "x" } }, "aliases"],
  ];
  for (const [body, param] of wrong) {
    const wish = { name: "wrong", base_url: "https://api.example.com", models: ["m"], ...body };
    expect([param, ...codeOf(await world.as("root", "POST", "/providers", wish))]).toEqual([
      ...[param, 400, "invalid_value", param],
    ]);
  }
  const operated = await world.hub.cli(
    ...["provider", "add", "operated", "--kind", "bedrock", "--credential", "aws-instance", "--json"],
    ...["--base-url", "https://bedrock-runtime.eu-west-1.amazonaws.com", "--models", "anthropic.*"],
  );
  expect(operated.json()).toMatchObject({ credential: { source: "aws-instance", region: "eu-west-1" } });
  const { json: list } = await world.as("root", "GET", "/providers");
  const { id } = list.data.find(({ name }: { name: string }) => name === "operated");
  const elsewhere = { base_url: "https://api.example.com" };
  expect(codeOf(await world.as("root", "PATCH", `/providers/${id}`, elsewhere))).toEqual([
    ...[400, "invalid_value", "credential"],
  ]);
  for (const removed of [json.id, id]) {
    expect((await world.as("root", "DELETE", `/providers/${removed}`)).status).toBe(200);
  }
});

test("addresses inside are refused, as written and as a name stands for them", async () => {
  verifies("provider.private-address");
  for (const base_url of ["http://10.0.0.1/v1", "https://169.254.169.254/v1", "ftp://x"]) {
    expect(codeOf(await add({ name: "inside", base_url }))).toEqual([400, "invalid_value", "base_url"]);
  }
  await using strict = await ReviewWorld.open();
  const plain = { name: "plain", base_url: "http://api.example.com/v1", models: ["fake-*"] };
  expect(codeOf(await strict.as("root", "POST", "/providers", plain))).toEqual([400, "invalid_value", "base_url"]);
  const wish = {
    name: "inside",
    base_url: fake.url.replace("http://127.0.0.1", "https://localhost"),
    models: ["fake-*"],
  };
  const { json } = await strict.as("root", "POST", "/providers", wish);
  const { json: check } = await strict.as("root", "POST", `/providers/${json.id}/test`);
  expect([check.ok, check.status]).toEqual([false, null]);
  expect(check.problem).toContain("upstream.allow_private");
  const token = (await strict.as("owner", "POST", "/tokens", {})).json.token;
  const before = fake.requests.length;
  const ask = { model: "fake-model", messages: [{ role: "user", content: "hello" }] };
  expect((await strict.hub.fetch("/v1/chat/completions", { token, json: ask })).status).toBe(502);
  expect(fake.requests.length).toBe(before);
});
