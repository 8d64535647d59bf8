import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench[Symbol.asyncDispose]());

const PUBLIC = "https://hub.example/guard";

test("prints what a hub with the same settings serves, with its base path", async () => {
  verifies("api.command");
  await using hub = await Hub.create({ serve: ["--public-url", PUBLIC], basePath: "/guard" });
  await hub.createUser("ada@example.org", "--role", "admin");
  await hub.start();
  const served = await (await hub.fetch("/guard/openapi.json")).text();
  const { code, stdout, stderr } = await bench.run(["openapi", "--json", "--public-url", PUBLIC]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`${served}\n`);
  const { stdout: indented } = await bench.run(["openapi"], { env: { GUARDHOUSE_PUBLIC_URL: PUBLIC } });
  expect(indented).toBe(`${JSON.stringify(JSON.parse(served), null, 2)}\n`);
}, 120_000);

test("opens no data directory and makes none, and leaves nothing behind", async () => {
  verifies("api.command");
  const scratch = join(bench.home, "scratch");
  await mkdir(scratch);
  const noDirectory = await bench.file("a file");
  const env = { TMPDIR: scratch, GUARDHOUSE_DATA_DIR: noDirectory };
  expect((await bench.run(["openapi", "--json"], { data: false, env })).code).toBe(0);
  expect((await bench.run(["openapi", "--json"], { env: { TMPDIR: scratch } })).code).toBe(0);
  expect(existsSync(bench.dataDir)).toBe(false);
  expect(await readdir(scratch)).toEqual([]);
}, 120_000);

test("writes a file in place of what an earlier run wrote, and says what it wrote", async () => {
  verifies("api.command");
  const file = await bench.file("from an earlier run");
  const result = await bench.json("openapi", "--out", file);
  const text = await readFile(file, "utf8");
  const { openapi, paths } = JSON.parse(text);
  expect(openapi).toBe("3.1.0");
  expect(result).toEqual({ file, bytes: Buffer.byteLength(text), paths: Object.keys(paths).length });
}, 120_000);

test("ends with the usual exit codes, before any work is done", async () => {
  verifies("api.command");
  const nowhere = join(bench.home, "none", "openapi.json");
  expect(await bench.run(["openapi", "--out", bench.home])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("is a folder"),
  });
  expect(await bench.run(["openapi", "--out", nowhere])).toMatchObject({ code: 9, stdout: "" });
  expect(await bench.run(["openapi", "extra"])).toMatchObject({ code: 2, stdout: "" });
  expect(await bench.run(["openapi", "--public-url", "nonsense"])).toMatchObject({ code: 3, stdout: "" });
}, 120_000);
