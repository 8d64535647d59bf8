import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ReviewWorld } from "./review-world";

const CARD = "Pay with 4539 1488 0343 6467 please";

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("scan trial answers as the scan endpoint, and is recorded once", async () => {
  verifies("scan.trial");
  const { status, json } = await world.as("owner", "POST", "/scan", { text: CARD, repeat: 200 });
  expect(status).toBe(200);
  const { timings_us, scan_ms: _ms, ...said } = json;
  expect(timings_us.length).toBe(200);
  expect(timings_us.every((us: unknown) => Number.isInteger(us))).toBe(true);
  const { json: issued } = await world.as("owner", "POST", "/tokens", {});
  const probe = await world.hub.fetch("/v1/guard/scan", { token: issued.token, json: { text: CARD } });
  const { scan_ms: _other, ...told } = Object(await probe.json());
  expect(said).toEqual(told);
  expect(said).toMatchObject({ safe: false, flags: [{ action: "redact" }] });

  const records = (await world.hub.cli("audit", "tail", "-n", "100")).json();
  if (!Array.isArray(records)) throw new Error("no records");
  const calls = records.filter(({ kind, actor }) => kind === "guard.scan" && actor.via === "session");
  expect(calls).toMatchObject([{ actor: { user_id: world.id("owner"), token_id: null }, outcome: "answered" }]);
  expect(JSON.stringify(calls)).not.toContain("4539");
});

test("as an agent only by those who may see it", async () => {
  verifies("scan.trial");
  const { id } = await world.hub.createAgent("helper", world.email("owner"));
  const ask = { text: "hello", agent_id: id };
  const statuses = [];
  for (const who of ["owner", "root", "auditor", "stranger"] as const) {
    statuses.push((await world.as(who, "POST", "/scan", ask)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 404]);
  const wrong = [{ text: 1 }, { text: "", repeat: 201 }, { text: "", origin: "elsewhere" }, {}];
  for (const body of wrong) expect((await world.as("owner", "POST", "/scan", body)).status).toBe(400);
});

test("scan trial of a long text with timings does not delay other calls", async () => {
  verifies("scan.trial", "fairness.long-texts");
  const text = Array.from(
    { length: 60_000 },
    (_, n) => `Customer ${n}, +1 415 555 ${1000 + (n % 9000)}, 10.1.2.${n % 250}`,
  );
  let isOver = false;
  let longest = 0;
  const begin = performance.now();
  const trial = world.as("owner", "POST", "/scan", { text: text.join("\n"), repeat: 2 }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const asked = performance.now();
    expect((await world.hub.fetch("/healthz")).status).toBe(200);
    longest = Math.max(longest, performance.now() - asked);
    await Bun.sleep(5);
  }
  const took = performance.now() - begin;
  const { status, json } = await trial;
  expect(status).toBe(200);
  expect(json.timings_us.length).toBeGreaterThan(0);
  // In one piece a scan takes a third of the time at least: it is done two or three times.
  expect(longest).toBeLessThan(took / 4);
});
