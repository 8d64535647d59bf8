import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeProvider } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { type Answer, ReviewHouse } from "./review-house";

const KEY = "provider-key-for-tests-only";

let house: ReviewHouse;
let fake: FakeProvider;
beforeAll(async () => {
  fake = await FakeProvider.start();
  house = await ReviewHouse.open({ env: { GUARDHOUSE_UPSTREAM__ALLOW_PRIVATE: "127.0.0.0/8" } });
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  await fake?.[Symbol.asyncDispose]();
});

const codeOf = ({ status, json }: Answer) => [status, json.error?.code, json.error?.param];
const add = (body: object, who: "root" | "owner" | "auditor" = "root"): Promise<Answer> =>
  house.as(who, "POST", "/providers", { name: "fake", base_url: fake.url, models: ["fake-*"], ...body });

test("administrators add, change and remove providers; everybody sees them, and nobody a key", async () => {
  verifies("provider.managed");
  for (const who of ["owner", "auditor"] as const) expect((await add({}, who)).status).toBe(403);
  const { status, json } = await add({ api_key: KEY, priority: 5 });
  expect(status).toBe(201);
  expect(json).toEqual({
    ...{ object: "provider", id: json.id, name: "fake", base_url: fake.url, models: ["fake-*"], priority: 5 },
    ...{ has_key: true, given_by: "user", built_in: false, created_at: expect.any(String) },
  });
  expect(codeOf(await add({}))).toEqual([409, "already_exists", "name"]);
  const path = `/providers/${json.id}`;
  expect((await house.as("root", "GET", path)).json).toEqual(json);
  // Keys are often written into the rest of an address.
  const host = { ...json, base_url: new URL(fake.url).origin };
  expect(host.base_url).not.toBe(fake.url);
  for (const who of ["owner", "ann", "auditor"] as const) {
    expect((await house.as(who, "GET", path)).json).toEqual(host);
    expect((await house.as(who, "GET", "/providers")).json.data[0]).toEqual(host);
  }
  const list = (await house.as("owner", "GET", "/providers")).json;
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([json.id, "guardhouse"]);
  expect(list.data[1]).toMatchObject({ built_in: true, models: ["guardhouse/echo"], base_url: null });

  const { json: check } = await house.as("root", "POST", `${path}/test`);
  expect(check).toMatchObject({ object: "provider_check", ok: true, status: 200 });
  const token = (await house.as("owner", "POST", "/tokens", {})).json.token;
  const ask = { model: "fake-model", messages: [{ role: "user", content: "hello" }] };
  expect((await house.hub.fetch("/v1/chat/completions", { token, json: ask })).status).toBe(200);

  expect((await house.as("root", "PATCH", path, { priority: 50, models: ["other-*"] })).json.priority).toBe(50);
  expect((await house.hub.fetch("/v1/chat/completions", { token, json: ask })).status).toBe(404);
  expect(codeOf(await house.as("root", "PATCH", path, { base_url: "https://api.example.com/v1" }))).toEqual([
    ...[400, "invalid_value", "api_key"],
  ]);
  expect((await house.as("root", "PATCH", path, { api_key: null })).json.has_key).toBe(false);
  expect(codeOf(await house.as("root", "DELETE", "/providers/guardhouse"))[0]).toBe(409);
  expect((await house.as("root", "DELETE", path)).status).toBe(200);
  expect((await house.as("root", "GET", path)).status).toBe(404);

  const tail = await house.hub.cli("audit", "tail", "-n", "1000");
  expect(tail.stdout).not.toContain(KEY);
  const records = tail.json();
  if (!Array.isArray(records)) throw new Error("no records");
  const kinds = records.filter(({ change }) => change?.subject_id === json.id).map(({ kind }) => kind);
  expect(kinds).toEqual(["provider.remove", "provider.update", "provider.update", "provider.add"]);
});

test("addresses inside are refused, as written and as a name stands for them", async () => {
  verifies("provider.private-address");
  for (const base_url of ["http://10.0.0.1/v1", "https://169.254.169.254/v1", "ftp://x"]) {
    expect(codeOf(await add({ name: "inside", base_url }))).toEqual([400, "invalid_value", "base_url"]);
  }
  await using strict = await ReviewHouse.open();
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
