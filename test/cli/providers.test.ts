import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeProvider } from "#test/support/fake-provider";
import { Workbench } from "./workbench";

const KEY = "sk-proj-Zx81hTq0LmVb72KsPdYw";
let bench: Workbench;
let provider: FakeProvider;
beforeAll(async () => {
  bench = await Workbench.create();
  provider = await FakeProvider.start(["fake-small", "fake-large", "other"]);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const add = async (name: string, ...flags: string[]) =>
  bench.json("provider", "add", name, "--base-url", `${provider.url}/`, "--models", "fake-*, fake-*", ...flags);

test("add takes the key from a file or a variable and shows it nowhere", async () => {
  expect(await add("one", "--api-key-file", await bench.file(`${KEY}\n`), "--priority", "5")).toMatchObject({
    name: "one",
    base_url: provider.url,
    models: ["fake-*"],
    priority: 5,
    has_key: true,
  });
  const args = ["provider", "add", "two", "--base-url", provider.url, "--models", "m", "--api-key-env", "MY_KEY"];
  expect(await bench.jsonWith({ env: { MY_KEY: KEY } }, ...args)).toMatchObject({ name: "two", has_key: true });
  expect(await bench.list("provider", "list")).toMatchObject([
    { name: "one", priority: 5 },
    { name: "two", priority: 100 },
  ]);
  expect((await bench.run(["provider", "list"])).stdout).toMatch(/^one +http/m);
  expect((await bench.run([...args.slice(0, 2), "one", ...args.slice(3, 7)])).code).toBe(1);
});

test("test asks for the models with the key and shows them", async () => {
  const { code, stdout } = await bench.run(["provider", "test", "one", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    name: "one",
    ok: true,
    status: 200,
    served: ["fake-small", "fake-large"],
  });
  expect(provider.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
  expect((await bench.run(["provider", "test", "one"])).stdout).toContain("3 models listed, 2 of them match fake-*");
});

test("test says what is wrong, and ends with 1", async () => {
  await bench.json("provider", "add", "gone", "--base-url", "http://127.0.0.1:9", "--models", "x");
  const { code, stdout } = await bench.run(["provider", "test", "gone", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    status: null,
    problem: expect.stringContaining("No connection"),
  });
  expect((await bench.run(["provider", "test", "none"])).code).toBe(9);
});

test.each([
  [["x", "--base-url", "ftp://h", "--models", "m"], "must begin with http:// or https://"],
  [["x", "--base-url", "https://me:pw@h", "--models", "m"], "must not hold a user or a password"],
  [["x", "--base-url", "https://h?key=1", "--models", "m"], "must not hold a query"],
  [["x", "--base-url", "https://h", "--models", ","], "must name at least one"],
  [["Big Name", "--base-url", "https://h", "--models", "m"], "must be lower-case letters"],
  [["guardhouse", "--base-url", "https://h", "--models", "m"], "that is the built-in provider"],
  [["x", "--base-url", "https://h", "--models", "m", "--priority", "high"], "must be a whole number"],
  [["x", "--base-url", "https://h", "--models", "m", "--api-key-env", "NOT_THERE"], "there is no variable NOT_THERE"],
])("add %j is refused with 2", async (args, message) => {
  const { code, stderr } = await bench.run(["provider", "add", ...args]);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test("remove takes it away, once", async () => {
  expect(await bench.json("provider", "remove", "two")).toMatchObject({ name: "two", removed: true });
  expect((await bench.run(["provider", "remove", "two"])).code).toBe(9);
  expect((await bench.list("provider", "list")).map(({ name }) => name)).not.toContain("two");
});

test("doctor finds the house in order, and asks providers when told to", async () => {
  const { code, stdout } = await bench.run(["doctor", "--json"]);
  expect(code).toBe(0);
  const checks: { name: string; state: string }[] = JSON.parse(stdout).checks;
  for (const name of [
    "permissions",
    "lock",
    "disk",
    "database",
    "integrity",
    "audit chain",
    "clock",
    "master key",
    "open files",
  ]) {
    expect(checks.map((check) => check.name)).toContain(name);
  }
  const online = await bench.run(["doctor", "--online"]);
  expect(online.code).toBe(1);
  expect(online.stdout).toMatch(/^FAIL {2}provider gone/m);
  expect(online.stdout).toMatch(/^ok {4}provider one +3 models/m);
});

test("the wrong master key is told as such, with 8", async () => {
  const env = { GUARDHOUSE_MASTER_KEY: Buffer.alloc(32, 9).toString("base64") };
  expect((await bench.run(["provider", "test", "one"], { env })).code).toBe(8);
  const { code, stdout } = await bench.run(["doctor"], { env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAIL {2}provider one/m);
});

test("all that was ever printed and recorded holds no key", async () => {
  await bench.run(["audit", "export", "--format", "ndjson"]);
  expect(bench.timesPrinted("provider.add")).toBeGreaterThan(0);
  expect(bench.timesPrinted(KEY)).toBe(0);
  expect(bench.timesPrinted(KEY.slice(0, 12))).toBe(0);
});
