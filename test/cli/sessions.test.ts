import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { text, Workbench } from "./workbench";

const EVE = "eve@example.com";
let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await bench.json("user", "create", EVE);
});
afterAll(() => bench[Symbol.asyncDispose]());
test("sessions are made for a person; the key is shown once", async () => {
  verifies("session.key");
  const made = await bench.json("session", "create", EVE, "--expires-in", "2h");
  const key = text(made, "key");
  expect(key).toMatch(/^gw-sess-[0-9A-Za-z]{38}$/);
  expect(made).toMatchObject({ user: EVE, state: "active" });
  expect(Date.parse(text(made, "expires_at")) - Date.parse(text(made, "created_at"))).toBe(7_200_000);
  const [listed] = await bench.list("session", "list");
  expect(listed).toMatchObject({ id: made["id"], user: EVE, state: "active" });
  expect((await bench.run(["session", "list"])).stdout).toContain(text(made, "id"));
  expect(await bench.json("session", "revoke", text(made, "id"))).toMatchObject({ state: "revoked" });
  expect(await bench.json("session", "revoke", text(made, "id"))).toMatchObject({ state: "revoked" });
  await bench.run(["audit", "export", "--format", "ndjson"]);
  expect(bench.timesPrinted("session.revoke")).toBe(1);
  expect(bench.timesPrinted(key)).toBe(1);
  // A session key is a secret like any other: what holds one is not let through.
  expect((await bench.run(["scan"], { stdin: `my key is ${key}` })).code).toBe(10);
});

test("session create refuses unknown users and invalid durations", async () => {
  expect((await bench.run(["session", "create", "nobody@example.com"])).code).toBe(9);
  expect((await bench.run(["session", "create", EVE, "--expires-in", "0"])).code).toBe(2);
  expect((await bench.run(["session", "create", EVE, "--expires-in", "31d"])).code).toBe(2);
  expect((await bench.run(["session", "revoke", "x"])).code).toBe(9);
});
