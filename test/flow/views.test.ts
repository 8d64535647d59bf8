import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const save = (who: Who, name: string, query: string, is_shared = false) =>
  world.as(who, "PUT", "/views", { screen: "calls", name, query, is_shared });
const seen = async (who: Who) => {
  const { data } = (await world.as(who, "GET", "/views")).json;
  return data.map(({ name, query, is_own }: Record<string, unknown>) => [name, query, is_own]);
};

test("views are kept by name, seen by their owner or by all, and changed and deleted by their owner only", async () => {
  verifies("views.kept");
  const { status, json } = await save("owner", "Blocked", "decision=block");
  expect([status, json]).toEqual([200, expect.objectContaining({ is_own: true, owner: world.email("owner") })]);
  expect(await seen("stranger")).toEqual([]);
  const changed = await save("owner", "Blocked", "decision=block&range=24h", true);
  expect(changed.json.id).toBe(json.id);
  expect(await seen("owner")).toEqual([["Blocked", "decision=block&range=24h", true]]);
  expect(await seen("stranger")).toEqual([["Blocked", "decision=block&range=24h", false]]);
  await save("stranger", "Blocked", "status=5xx");
  expect(await seen("stranger")).toEqual([
    ["Blocked", "decision=block&range=24h", false],
    ["Blocked", "status=5xx", true],
  ]);
  const remove = async (who: Who, id: string) =>
    (await world.hub.fetch(`/api/views/${id}`, { method: "DELETE", token: world.userOf(who).session })).status;
  expect(await remove("stranger", json.id)).toBe(404);
  expect(await remove("owner", json.id)).toBe(204);
  expect(await remove("owner", json.id)).toBe(404);
  expect(await remove("owner", "none")).toBe(404);
  expect(await seen("owner")).toEqual([]);
});

test("a view of another form, and one too many, are refused", async () => {
  verifies("views.kept");
  for (const [name, query] of [
    ["", "a=b"],
    ["  ", "a=b"],
    ["x".repeat(81), "a=b"],
    ["a\nb", "a=b"],
    ["long", "x".repeat(2_001)],
    ["spaced", "a b"],
  ] as const)
    expect([name, (await save("sponsor", name, query)).status]).toEqual([name, 400]);
  for (let n = 0; n < 100; n += 1) await save("sponsor", `view ${n}`, "");
  expect((await save("sponsor", "one more", "")).json.error.code).toBe("state_conflict");
  expect((await save("sponsor", "view 1", "range=1h")).status).toBe(200);
});
