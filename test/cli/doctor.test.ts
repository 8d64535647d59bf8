import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sqliteCheck } from "#cli/doctor-sqlite";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

test.each([
  ["3.7.0", "warn"],
  ["3.43.2", "warn"],
  ["3.44.5", "warn"],
  ["3.44.6", "ok"],
  ["3.45.1", "warn"],
  ["3.50.6", "warn"],
  ["3.50.7", "ok"],
  ["3.51.2", "warn"],
  ["3.51.3", "ok"],
  ["3.52.0", "ok"],
  ["3.54.1", "ok"],
  ["4.0.0", "ok"],
  ["of an unknown version", "warn"],
] as const)("SQLite %s is %s to the doctor", (version, state) => {
  verifies("doctor.sqlite");
  const check = sqliteCheck(version, "darwin");
  expect(check).toMatchObject({ name: "sqlite", state, finding: expect.stringContaining(version) });
  expect(check.advice ?? "").toContain(state === "warn" ? "update macOS" : "");
  expect(sqliteCheck(version, "linux").advice ?? "").not.toContain("macOS");
});

test("the doctor names the SQLite that the program runs on, with a data directory and without", async () => {
  verifies("doctor.sqlite");
  await using bench = await Workbench.create();
  const db = new Database(":memory:");
  const { version } = db.query<{ version: string }, []>("SELECT sqlite_version() AS version").get() ?? { version: "" };
  db.close();
  const looked = async () => JSON.parse((await bench.run(["doctor", "--json"])).stdout).checks;
  const expected = expect.objectContaining({ name: "sqlite", finding: expect.stringContaining(version) });
  expect(await looked()).toContainEqual(expected);
  await bench.json("user", "create", "eve@example.com");
  expect(await looked()).toContainEqual(expected);
});

test("the doctor warns of more workers than there are cores for", async () => {
  verifies("workers.serve");
  await using bench = await Workbench.create();
  const looked = async (workers: string) => {
    const { stdout } = await bench.run(["doctor", "--json"], { env: { GUARDHOUSE_SERVER__WORKERS: workers } });
    return JSON.parse(stdout).checks.filter(({ name }: { name: string }) => name === "workers");
  };
  expect(await looked("64")).toMatchObject([{ state: "warn" }]);
  expect(await looked("1")).toEqual([]);
});
