import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeProvider } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
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

test("kinds, APIs, aliases and credentials are said, checked and shown", async () => {
  verifies("provider.kinds", "provider.aliases", "provider.credential-sources");
  const url = "https://bedrock-runtime.eu-west-1.amazonaws.com";
  const base = ["--kind", "bedrock", "--base-url", url, "--models", "anthropic.*"];
  const keys = ["--credential", "aws-keys", "--access-key-id", "AKIAFORTESTS", "--api-key-file", await bench.file(KEY)];
  const aliases = ["--alias", "claude=anthropic.claude-x", "--alias", "small=a=b"];
  const added = await bench.json("provider", "add", "aws", ...base, ...keys, ...aliases, "--apis", "messages,chat");
  expect(added).toMatchObject({
    ...{ kind: "bedrock", apis: ["chat", "messages"], has_key: true },
    aliases: { claude: "anthropic.claude-x", small: "a=b" },
    credential: { source: "aws-keys", access_key_id: "AKIAFORTESTS", region: "eu-west-1" },
  });
  const list = (await bench.run(["provider", "list"])).stdout;
  expect(list).toMatch(/^aws +https:.*bedrock +chat,messages +100 +set +ok$/m);
  const refused: readonly (readonly [readonly string[], string])[] = [
    [["--kind", "cohere"], "--kind: cohere is none of openai, anthropic, azure, bedrock, vertex"],
    [["--apis", "chat,speech"], "--apis: speech is none of"],
    [["--kind", "anthropic", "--apis", "chat"], "list of APIs can be messages"],
    [["--alias", "nothing"], "--alias: nothing is not NAME=UPSTREAM_NAME"],
    [["--credential", "entra"], "entra is not for the kind openai"],
    [["--kind", "azure", "--credential", "entra", "--client-id", "1"], "tenant id is needed for entra"],
    [["--kind", "azure", "--region", "eu-west-1"], "region is not for key"],
    [["--kind", "vertex"], "API key is needed for service-account"],
    [["--kind", "vertex", "--api-key-file", await bench.file("{}")], "must be the JSON key file of a service account"],
    [["--kind", "bedrock", "--credential", "aws-instance"], "region is needed for aws-instance"],
    [["--follow-key-file"], "--follow-key-file needs --api-key-file FILE"],
  ];
  for (const [flags, message] of refused) {
    const place = ["provider", "add", "wrong", "--base-url", "https://h", "--models", "m"];
    const { code, stderr } = await bench.run([...place, ...flags]);
    expect([flags, code, stderr.includes(message) || stderr]).toEqual([flags, 2, true]);
  }
  await bench.json("provider", "remove", "aws");
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
  verifies("provider.test-apis");
  expect((await bench.run(["provider", "test", "one"])).stdout).toContain("  responses: ok");
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
  [["x", "--base-url", "https://h", "--models", "m", "--api-key-env", "NOT_THERE"], "variable NOT_THERE is not set"],
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

test("doctor finds the world in order, and asks providers when told to", async () => {
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

test("provider set changes what is given, and nothing else", async () => {
  verifies("cli.edits");
  const base = ["--base-url", "http://127.0.0.1:9/v1", "--models", "a,b", "--alias", "x=y"];
  const added = await bench.json("provider", "add", "changing", ...base, "--api-key-file", await bench.file(KEY));
  const set = (...flags: string[]) => bench.json("provider", "set", "changing", ...flags);
  expect(await set("--models", "c*", "--priority", "7")).toEqual({ ...added, models: ["c*"], priority: 7 });
  expect(await set("--alias", "p=q", "--apis", "chat")).toMatchObject({
    aliases: { p: "q" },
    apis: ["chat"],
    has_key: true,
  });
  expect(await set("--api-key-file", await bench.file("sk-another-key-12345"))).toMatchObject({ has_key: true });
  expect(await set("--remove-api-key")).toMatchObject({ has_key: false, priority: 7 });
  expect(await set("--name", "changed")).toMatchObject({ name: "changed" });
  for (const [flags, code] of [
    [["changed"], 2],
    [["changed", "--priority", "many"], 2],
    [["changed", "--apis", "gossip"], 2],
    [["nobody", "--priority", "1"], 9],
  ] as const)
    expect(await bench.run(["provider", "set", ...flags])).toMatchObject({ code });
  expect(bench.timesPrinted("sk-another-key-12345")).toBe(0);
  await bench.json("provider", "remove", "changed");
});
