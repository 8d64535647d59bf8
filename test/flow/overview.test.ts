import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const KEY = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;
const ECHO = "guardhouse/echo";

let world: ReviewWorld;
let agent: string;
let review: { id: string; content_hash: string };

const say = async (token: string, content: string): Promise<void> => {
  const json = { model: ECHO, messages: [{ role: "user", content }] };
  await (await world.hub.fetch("/v1/chat/completions", { token, json })).text();
};
const read = async (who: Who, path: string) => (await world.as(who, "GET", path)).json;

beforeAll(async () => {
  world = await ReviewWorld.open();
  ({ agent, review } = await world.submitted("owner"));
  const token = await world.token("owner", agent);
  for (const text of ["Hello", "Hello again", `My key is ${KEY}`]) await say(token, text);
  const { token: strangers } = await world.hub.createToken(world.email("stranger"));
  await say(strangers, "Write to someone@example.com");
});
afterAll(() => world[Symbol.asyncDispose]());

test("the overview counts what became of calls, in every window and without gaps", async () => {
  verifies("overview.counted");
  const lengths = { "1h": 60, "24h": 96, "7d": 84, "30d": 60, "90d": 90 };
  for (const [window, length] of Object.entries(lengths)) {
    const it = await read("auditor", `/overview?window=${window}`);
    expect(it).toMatchObject({ window, totals: { calls: 4, block: 1, flag: 1, allow: 2, error: 0 }, behind: 0 });
    expect(it.series).toHaveLength(length);
    expect(it.series.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)).toBe(4);
    expect(Date.parse(it.series[1].at) - Date.parse(it.series[0].at)).toBe(it.bucket_seconds * 1_000);
    expect(it.block_rate).toBe(0.25);
    expect(it.scan_us.p50).toBeGreaterThan(0);
    expect(it.scan_us.p95).toBeGreaterThanOrEqual(it.scan_us.p50);
    expect(it.top_models).toEqual([{ name: ECHO, count: 4 }]);
    expect(it.top_agents).toMatchObject([{ id: agent, count: 3 }]);
    expect(it.top_flags).toContainEqual({ name: "secret.aws_access_key", count: 1 });
    expect(it.kill_switch).toEqual({ on: false, switches: [] });
    expect(it.agents).toMatchObject({ total: 1, restricted: 0, suspended: 0 });
  }
  expect((await world.as("auditor", "GET", "/overview?window=2h")).status).toBe(400);
});

test("traffic of any period, by any clock, counts the same calls, and tells them apart so that they add up", async () => {
  verifies("traffic.periods", "traffic.adds-up", "traffic.compared");
  const now = Date.now();
  const [from, to] = [now - 3 * 3_600_000, now + 60_000].map((at) => new Date(at).toISOString());
  const periods = [`from=${from}&to=${to}`, "window=30d&time_zone=Europe/Berlin", "window=90d&time_zone=Asia/Kolkata"];
  for (const period of periods) {
    const it = await read("auditor", `/traffic?${period}&compare=before&by=agent`);
    expect(it).toMatchObject({ object: "traffic", totals: { calls: 4, block: 1, held: 0 }, block_rate: 0.25 });
    expect(it.series.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)).toBe(4);
    expect(it.series_end >= it.until).toBe(true);
    expect(it.previous).toMatchObject({ totals: { calls: 0 }, block_rate: null });
    expect(it.previous.series).toHaveLength(it.series.length);
    expect(it.groups).toMatchObject([
      { id: agent, total: 3 },
      { id: null, name: "Other", total: 1 },
    ]);
    const values: number[] = it.groups.flatMap((group: { values: number[] }) => group.values);
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(4);
  }
  const models = await read("auditor", "/traffic?by=model");
  expect(models.groups).toMatchObject([{ id: ECHO, name: ECHO, total: 4 }]);
  const findings = await read("auditor", "/traffic?by=finding");
  expect(findings.groups).toContainEqual(expect.objectContaining({ id: "secret.aws_access_key", total: 1 }));
  expect((await read("auditor", "/traffic?by=finding&measure=cost")).groups).toEqual([]);
});

test("a period that cannot be counted is refused, and the answer names the parameter", async () => {
  verifies("traffic.periods");
  const [early, late] = ["2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"];
  const wrong = {
    time_zone: "time_zone=Nowhere/City",
    to: `from=${early}&to=${late}`,
    from: `from=${late}&to=${early}`,
    window: `window=1h&from=${early}&to=${early}`,
  };
  for (const [param, query] of Object.entries(wrong)) {
    const { status, json } = await world.as("auditor", "GET", `/traffic?${query}`);
    expect([param, status, json.error?.code, json.error?.param]).toEqual([param, 400, "invalid_value", param]);
  }
  for (const query of [`from=${early}`, `to=${early}`, "from=2999-01-01T00:00:00Z&to=2999-01-02T00:00:00Z", "by=x"])
    expect((await world.as("auditor", "GET", `/traffic?${query}`)).status).toBe(400);
});

test("an agent's traffic is its own, and its owner's and readers' to see", async () => {
  verifies("traffic.own");
  for (const who of ["owner", "auditor"] as const) {
    const it = await read(who, `/traffic?agent_id=${agent}&by=model`);
    expect(it).toMatchObject({ totals: { calls: 3, block: 1 }, groups: [{ id: ECHO, total: 3 }], cost_by_user: [] });
  }
  for (const id of [agent, "none"]) {
    const { status, json } = await world.as("stranger", "GET", `/traffic?agent_id=${id}`);
    expect([status, json.error.code]).toEqual([404, "not_found"]);
  }
  const own = await read("stranger", "/traffic?by=agent");
  expect(own).toMatchObject({ totals: { calls: 1 }, groups: [{ id: null, name: "Other", total: 1 }] });
});

test("a member's overview counts their own calls only", async () => {
  verifies("overview.counted");
  expect((await read("owner", "/overview")).totals).toMatchObject({ calls: 3, block: 1 });
  const stranger = await read("stranger", "/overview");
  expect(stranger).toMatchObject({ totals: { calls: 1, block: 0 }, top_agents: [], agents: { total: 0 } });
  expect(stranger.top_flags.map(({ name }: { name: string }) => name)).not.toContain("secret.aws_access_key");
  expect((await read("sponsor", "/overview")).block_rate).toBeNull();
});

test("calls follow an agent to its new owner in lists, counts, events and map", async () => {
  verifies("calls.whose");
  const handed = await world.agent("owner");
  await say(await world.token("owner", handed), "Hello");
  const seen = async (who: Who) => ({
    calls: (await read(who, `/calls?agent_id=${handed}&kind=chat`)).data.length,
    counted: (await read(who, "/overview")).totals.calls,
    top: (await read(who, "/overview")).top_agents.some(({ id }: { id: string }) => id === handed),
    mapped: (await read(who, "/map")).nodes.some(({ id }: { id: string }) => id === handed),
  });
  expect(await seen("owner")).toEqual({ calls: 1, counted: 4, top: true, mapped: true });
  expect(await seen("sponsor")).toEqual({ calls: 0, counted: 0, top: false, mapped: false });
  await world.as("root", "PATCH", `/agents/${handed}`, { owner: world.email("sponsor") });
  expect(await seen("owner")).toEqual({ calls: 0, counted: 3, top: false, mapped: false });
  expect(await seen("sponsor")).toEqual({ calls: 1, counted: 1, top: true, mapped: true });
  await say(await world.token("sponsor", handed), "Hello again");
  const both = { calls: 2, counted: 2, top: true, mapped: true };
  await world.eventually(async () => (Bun.deepEquals(await seen("sponsor"), both) ? true : null));
  await world.as("root", "POST", `/agents/${handed}/retire`, {
    confirm: (await read("root", `/agents/${handed}`)).name,
  });
});

test("inbox shows pending decisions to users who may decide", async () => {
  verifies("inbox.decidable");
  const inbox = await read("ann", "/inbox");
  expect(inbox).toMatchObject({ object: "list", counts: { total: 1, review: 1 }, has_more: false });
  expect(inbox.data).toMatchObject([
    {
      ...{ id: review.id, kind: "review", agent: { id: agent }, requested_by: world.email("owner") },
      ...{ url: `/reviews/${review.id}`, alone: false },
    },
  ]);
  expect((await read("ann", "/overview")).your_turn).toMatchObject({ total: 1, reviews: 1 });
  for (const who of ["owner", "sponsor", "stranger", "auditor"] as const) {
    expect([who, (await read(who, "/inbox")).counts.total]).toEqual([who, 0]);
  }
  expect((await read("ann", "/inbox?kind=report")).data).toEqual([]);
  expect((await world.as("ann", "GET", "/inbox?cursor=x")).status).toBe(400);
});

test("the map shows what one may see, from people to their agents", async () => {
  verifies("map.own");
  const whole = await read("auditor", "/map");
  expect(whole).toMatchObject({ object: "map", truncated: false });
  expect(whole.nodes).toContainEqual(expect.objectContaining({ id: agent, kind: "agent", status: "active" }));
  expect(whole.edges).toContainEqual({ from: world.id("owner"), to: agent, tools: null });
  expect((await read("owner", "/map")).nodes).toHaveLength(2);
  expect(await read("stranger", "/map")).toMatchObject({ nodes: [], edges: [] });
});

test("a report that needs a person, and a decision, change the inbox", async () => {
  verifies("inbox.decidable");
  const call = (await read("owner", "/calls?decision=block")).data[0];
  const token = await world.token("owner", agent);
  const json = { event_id: call.event_id, user_reason: "an example", share_content: false };
  await (await world.hub.fetch("/v1/guard/disputes", { token, json })).text();
  const waits = await world.eventually(async () => {
    const { counts, data } = await read("bob", "/inbox?kind=report");
    return counts.report === 1 ? data : null;
  });
  expect(waits).toMatchObject([{ kind: "report", requested_by: world.email("owner"), agent: { id: agent } }]);
  await world.decide("ann", review.id, "approve", review.content_hash);
  expect((await read("ann", "/inbox")).counts).toMatchObject({ review: 0, report: 1 });
});

test("the block rate is the share of the calls beside it, of which some were refused", async () => {
  verifies("overview.one-base");
  const on = await world.as("root", "POST", "/killswitch", { level: "agent", target: agent, reason: "A test." });
  expect(on.status).toBe(201);
  const token = await world.token("owner", agent);
  await say(token, "Refused");
  expect((await world.as("root", "POST", `/killswitch/${on.json.id}/lift`, { reason: "Over." })).status).toBe(200);
  // Refusals are written down once a second.
  let { totals, block_rate } = await read("owner", "/overview");
  for (const end = Date.now() + 60_000; totals.refused === 0 && Date.now() < end; await Bun.sleep(200)) {
    ({ totals, block_rate } = await read("owner", "/overview"));
  }
  expect(totals.refused).toBeGreaterThan(0);
  expect(block_rate).toBe(totals.block / totals.calls);
});
