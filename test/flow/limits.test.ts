import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** How many of those asked for at once are made; the others are all refused alike. */
const madeOf = async (most: number, ask: (n: number) => Promise<{ status: number }>): Promise<unknown> => {
  const answers = await Promise.all(Array.from({ length: most + 10 }, (_, n) => ask(n)));
  const refused = new Set(answers.map(({ status }) => status).filter((status) => status !== 201));
  return [answers.filter(({ status }) => status === 201).length, [...refused]];
};
const post =
  (path: string, body: (n: number) => object, who: Who = "root") =>
  (n: number) =>
    world.as(who, "POST", path, body(n));
const listed = async (path: string) => (await world.as("root", "GET", `${path}?limit=200`)).json.data.length;

test("no limit is passed by asking for many at once", async () => {
  verifies("limits.exact");
  const webhooks = post("/webhooks", (n) => ({ url: `https://example.com/${n}`, events: ["report.*"] }));
  expect(await madeOf(50, webhooks)).toEqual([50, [409]]);
  expect(await listed("/webhooks")).toBe(50);

  const before = (await world.as("root", "GET", "/providers?limit=200")).json.data;
  const stored = before.filter(({ built_in }: { built_in: boolean }) => !built_in).length;
  const providers = post("/providers", (n) => ({
    name: `p${n}`,
    base_url: "https://example.com/v1",
    models: [`m${n}`],
  }));
  expect(await madeOf(100 - stored, providers)).toEqual([100 - stored, [409]]);
  expect(await listed("/providers")).toBe(before.length - stored + 100);

  const agent = await world.agent("owner");
  const slowed = { kind: "rate_limited", params: { requests_per_minute: 60 }, reason: "A test.", expires_in: "1h" };
  expect(
    await madeOf(
      50,
      post(`/agents/${agent}/restrictions`, () => slowed, "owner"),
    ),
  ).toEqual([50, [409]]);
  expect(await listed(`/agents/${agent}/restrictions`)).toBe(50);
});
