import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const KEY = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const say = async (token: string, content: string): Promise<void> => {
  const json = { model: "guardhouse/echo", messages: [{ role: "user", content }] };
  const response = await world.hub.fetch("/v1/chat/completions", { token, json });
  await response.text();
};

test("a list of agents says how much each did in a day", async () => {
  verifies("agents.volume");
  const [one, other] = [await world.agent("owner"), await world.agent("owner")];
  const token = await world.token("owner", one);
  for (let call = 0; call < 3; call += 1) await say(token, `Hello ${call}`);
  await say(token, `My key is ${KEY}`);
  await say(await world.token("owner", other), "Hello");
  const { json: list } = await world.as("owner", "GET", "/agents");
  const volumeOf = (id: string) => list.data.find((agent: { id: string }) => agent.id === id).standing.volume;
  expect(volumeOf(one)).toEqual({ calls: 4, blocked: 1, block_rate: 0.25, cost_usd: 0, unpriced_calls: 0 });
  expect(volumeOf(other)).toMatchObject({ calls: 1, blocked: 0, block_rate: 0 });
});

test("an agent that only lacks a review is called so, and what was measured stands beside the score", async () => {
  verifies("health.words");
  const agent = await world.agent("owner");
  const token = await world.token("owner", agent);
  const health = async () => (await world.as("owner", "GET", `/agents/${agent}/health`)).json;
  const before = await health();
  expect(before.measures).toContainEqual({ key: "reliability", count: 0, of: 0 });
  for (let call = 0; call < 55; call += 1) await say(token, `Hello ${call}`);
  // Computed anew at once, because something about the agent has changed.
  const restriction = { kind: "output_redaction", reason: "x", expires_in: "1h" };
  await world.as("owner", "POST", `/agents/${agent}/restrictions`, restriction);
  const report = await health();
  // The published names stay: pages say it in other words.
  expect(report).toMatchObject({ health_score: 69, band: "degraded" });
  expect(report.measures).toContainEqual({ key: "reliability", count: 0, of: 55 });
  const { json } = await world.as("owner", "GET", "/agents");
  const { standing } = json.data.find(({ id }: { id: string }) => id === agent);
  expect(standing).toMatchObject({ health_score: 69, band: "not_reviewed", volume: { calls: 55 } });
  const published = await world.hub.fetch(`/v1/guard/health/${agent}`, { token });
  expect(Object.keys(Object(await published.json()))).not.toContain("measures");
  const bands = await world.eventually(async () => {
    const { by_band } = (await world.as("owner", "GET", "/overview")).json.agents;
    return by_band["not_reviewed"] ? by_band : null;
  });
  expect(bands).toMatchObject({ not_reviewed: 1 });
});

test("agents are found, filtered and put in order by the hub, page by page", async () => {
  verifies("agents.ordered", "lists.by-name");
  type Listed = { readonly id: string; readonly standing: { readonly volume: { readonly calls: number } } };
  const read = async (query: string): Promise<Listed[]> => {
    const found: Listed[] = [];
    for (let cursor = ""; ; ) {
      const { json } = await world.as("owner", "GET", `/agents?limit=2${query}${cursor}`);
      found.push(...json.data);
      if (!json.has_more) return found;
      cursor = `&cursor=${json.next_cursor}`;
    }
  };
  const calls = (agents: readonly Listed[]) => agents.map(({ standing }) => standing.volume.calls);
  const all = await read("");
  expect(all.length).toBeGreaterThan(2);
  // The volumes that were read before may be ten seconds old.
  const counted = await world.eventually(async () => {
    const descending = await read("&sort=-calls");
    return calls(descending).includes(4) && calls(descending).includes(55) ? descending : null;
  });
  expect(calls(counted)).toEqual(calls(counted).toSorted((one, other) => other - one));
  expect(new Set(counted.map(({ id }) => id)).size).toBe(all.length);
  expect(calls(await read("&sort=calls"))).toEqual(calls(counted).toReversed());
  expect((await read("&sort=-health"))[0]?.standing).toMatchObject({ health_score: 69 });
  expect(await read("&state=suspended")).toEqual([]);
  expect((await read("&tier=none&review_status=draft&state=active")).length).toBe(all.length);
  const { json: named } = await world.as("owner", "POST", "/agents", { name: "Zebra % keeper" });
  for (const words of ["zebra", "BRA %", "r"]) {
    expect((await read(`&q=${encodeURIComponent(words)}`)).map(({ id }) => id)).toContain(named.id);
  }
  expect(await read("&q=%25%25")).toEqual([]);
  expect((await world.as("owner", "GET", "/agents?sort=size")).status).toBe(400);
});
