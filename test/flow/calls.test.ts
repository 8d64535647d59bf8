import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const ECHO = "guardhouse/echo";
const KEY = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;

let world: ReviewWorld;
let agent: string;
let blocked: { event: string; call: string };

const say = async (token: string, content: string, headers: Readonly<Record<string, string>> = {}) => {
  const json = { model: ECHO, messages: [{ role: "user", content }] };
  const response = await world.hub.fetch("/v1/chat/completions", { token, json, headers });
  await response.text();
  return response;
};

const list = async (who: Who, query = "") => (await world.as(who, "GET", `/calls${query}`)).json;
const idsOf = (page: { data: readonly { call_id: string }[] }) => page.data.map(({ call_id }) => call_id);

beforeAll(async () => {
  world = await ReviewWorld.open();
  agent = await world.agent("owner");
  const token = await world.token("owner", agent);
  for (let call = 0; call < 7; call += 1) await say(token, `Hello ${call}`);
  await say(token, "In a conversation", { "x-conversation-id": "conversation-1" });
  const refused = await say(token, `My key is ${KEY}`);
  blocked = {
    event: refused.headers.get("x-guard-event-id") ?? "",
    call: refused.headers.get("x-request-id") ?? "",
  };
  const { token: strangers } = await world.hub.createToken(world.email("stranger"));
  await say(strangers, "Write to someone@example.com");
});
afterAll(() => world[Symbol.asyncDispose]());

test("a call that is listed is found by each id it is listed with", async () => {
  verifies("calls.listed-ids");
  const { data } = await list("auditor", "?decision=block");
  const [row] = data;
  for (const id of [row.id, row.call_id, row.event_id]) {
    expect((await world.as("auditor", "GET", `/calls/${id}`)).json).toMatchObject({ id: row.id, call_id: row.call_id });
  }
  expect((await world.as("stranger", "GET", `/calls/${row.id}`)).status).toBe(404);
  expect((await world.as("auditor", "GET", `/calls/${Bun.randomUUIDv7()}`)).status).toBe(404);
});

test("finished calls are found at once, newest first, by each filter and by several", async () => {
  verifies("calls.found");
  const all = await list("auditor", "?kind=chat");
  expect(all).toMatchObject({ object: "list", has_more: false, next_cursor: null, scanned_until: null, behind: 0 });
  expect(all.data).toHaveLength(10);
  expect(all.data.map(({ at }: { at: string }) => at)).toEqual(
    all.data
      .map(({ at }: { at: string }) => at)
      .toSorted()
      .reverse(),
  );
  const counted = async (query: string) => (await list("auditor", query)).data.length;
  expect(await counted(`?agent_id=${agent}&kind=chat.completion`)).toBe(9);
  expect(await counted(`?user_id=${world.id("stranger")}&kind=chat`)).toBe(1);
  expect(await counted(`?agent_id=${agent}&decision=block`)).toBe(1);
  expect(await counted("?action=block")).toBe(1);
  expect(await counted("?outcome=blocked_input")).toBe(1);
  expect(await counted("?conversation_id=conversation-1")).toBe(1);
  expect(await counted("?flag_type=secret")).toBe(1);
  expect(await counted("?flag_type=secret.*")).toBe(1);
  expect(await counted("?flag_type=pii.email")).toBe(1);
  expect(await counted("?flag_type=pii.emai")).toBe(0);
  expect(await counted(`?model=${ECHO}&decision=allow`)).toBe(8);
  expect(await counted("?model=none")).toBe(0);
  expect(await counted("?kind=agent.create")).toBe(1);
  expect(await counted("?decision=change&kind=agent")).toBe(1);
  const [newest] = all.data;
  expect(await counted(`?kind=chat&since=${newest.at}`)).toBeGreaterThan(0);
  expect(await counted(`?kind=chat&until=${all.data.at(-1).at}`)).toBe(0);
  expect(await counted("?since=2999-01-01T00:00:00Z")).toBe(0);
});

test("pages join up to the whole, and a slip of the pen is an error", async () => {
  verifies("calls.found");
  const whole = idsOf(await list("root", "?kind=chat"));
  const pages: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { data: { call_id: string }[]; next_cursor: string | null } = await list(
      "root",
      `?kind=chat&limit=3&cursor=${cursor}`,
    );
    pages.push(...idsOf(page));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(whole);
  for (const query of ["agent=1", "decision=maybe", "since=yesterday", "cursor=x", "limit=0", "limit=201"]) {
    const { status, json } = await world.as("root", "GET", `/calls?${query}`);
    expect([query, status, json.error.code]).toEqual([query, 400, "invalid_value"]);
    expect(query.startsWith(json.error.param)).toBe(true);
  }
});

test("calls are told apart from administration, and found by status, latency, tokens and cost", async () => {
  verifies("calls.found");
  const counted = async (query: string) => (await list("auditor", query)).data.length;
  expect(await counted("?category=call&limit=200")).toBe(10);
  const administration = (await list("auditor", "?category=administration&limit=200")).data;
  expect(administration.length).toBeGreaterThan(0);
  expect(administration.every(({ decision }: { decision: string }) => decision === "change")).toBe(true);
  expect(await counted("?category=call&status=400")).toBe(1);
  expect(await counted("?category=call&status=2xx")).toBe(9);
  expect(await counted("?category=call&max_latency_ms=600000&min_latency_ms=0")).toBe(10);
  expect(await counted("?category=call&min_latency_ms=600000")).toBe(0);
  expect(await counted("?category=call&min_tokens=1")).toBe(9);
  expect(await counted("?category=call&max_cost_usd=0.5")).toBe(9);
  expect(await counted("?category=call&min_cost_usd=0.000001")).toBe(0);
  expect(await counted("?category=call&cost_basis=usage")).toBe(9);
  for (const query of ["status=6xx", "min_latency_ms=fast", "max_tokens=1.5", "min_cost_usd=-1", "category=none"]) {
    const { status, json } = await world.as("root", "GET", `/calls?${query}`);
    expect([query, status, json.error.code]).toEqual([query, 400, "invalid_value"]);
  }
});

test("calls are listed in the order of a number, page by page, and a cursor of another order is refused", async () => {
  verifies("calls.ordered");
  const slow = (await list("root", "?category=call&sort=-latency")).data;
  const took = slow.map(({ total_ms }: { total_ms: number }) => total_ms);
  expect(took).toEqual(took.toSorted((one: number, other: number) => other - one));
  const pages: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { data: { call_id: string }[]; next_cursor: string | null } = await list(
      "root",
      `?category=call&sort=-latency&limit=3&cursor=${cursor}`,
    );
    pages.push(...idsOf(page));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(idsOf({ data: slow }));
  const newest = idsOf(await list("root", "?category=call"));
  expect(idsOf(await list("root", "?category=call&sort=time"))).toEqual(newest.toReversed());
  const { next_cursor } = await list("root", "?category=call&limit=3");
  const refused = await world.as("root", "GET", `/calls?sort=-latency&cursor=${next_cursor}`);
  expect([refused.status, refused.json.error.param]).toEqual([400, "cursor"]);
});

test("calls that match are added up, and told by the values of a field, to each as far as they may see", async () => {
  verifies("calls.totals", "calls.own");
  const totals = async (who: Who, query = "") => (await world.as(who, "GET", `/calls/totals${query}`)).json;
  expect(await totals("auditor")).toMatchObject({ calls: 10, is_complete: true, scanned_until: null, behind: 0 });
  expect(await totals("auditor", "?decision=block")).toMatchObject({ calls: 1, cost_usd: 0, tokens: { total: 0 } });
  expect(await totals("stranger")).toMatchObject({ calls: 1 });
  const values = async (who: Who, query: string) => (await world.as(who, "GET", `/calls/values${query}`)).json.data;
  expect(await values("auditor", "?by=user_id")).toMatchObject([
    { value: world.id("owner"), label: world.email("owner"), calls: 9 },
    { value: world.id("stranger"), label: world.email("stranger"), calls: 1 },
  ]);
  expect(await values("stranger", "?by=user_id")).toMatchObject([{ value: world.id("stranger"), calls: 1 }]);
  expect(await values("auditor", "?by=decision&limit=1")).toMatchObject([{ value: "allow", calls: 8 }]);
  const flags = await values("auditor", "?by=flag&status=400");
  expect(flags.map(({ value }: { value: string }) => value).toSorted()).toEqual(["secret", "secret.aws_access_key"]);
  const [key] = await values("owner", "?by=token_id");
  expect(key).toMatchObject({ value: expect.stringMatching(/^[0-9a-f-]{36}$/), label: expect.any(String), calls: 9 });
  expect((await world.as("root", "GET", "/calls/values?by=colour")).status).toBe(400);
});

test("what is filtered is exported as CSV, to each as far as they may see, and that is on record", async () => {
  verifies("calls.exported");
  const csv = async (who: Who, query: string) => {
    const response = await world.hub.fetch(`/api/calls/export${query}`, { token: world.userOf(who).session });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    return (await response.text()).trimEnd().split("\r\n");
  };
  const [head, ...rows] = await csv("auditor", "?decision=block");
  expect(head).toStartWith("at,call_id,kind,decision,outcome,status,");
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain(`,${blocked.call},chat.completion,block,blocked_input,400,`);
  expect(rows[0]).toContain("secret.aws_access_key:block:1");
  expect(await csv("stranger", "?category=call")).toHaveLength(2);
  expect(await csv("auditor", "?category=call")).toHaveLength(11);
  const { data } = await list("auditor", "?kind=call.export");
  expect(data).toHaveLength(3);
  const detail = (await world.as("auditor", "GET", `/calls/${data.at(-1).id}`)).json;
  expect(detail).toMatchObject({ user: world.email("auditor"), detail: { format: "csv", decision: "block" } });
});

test("members find their own calls and their agents' only", async () => {
  verifies("calls.own");
  expect((await list("owner", "?kind=chat")).data).toHaveLength(9);
  expect((await list("stranger", "?kind=chat")).data).toHaveLength(1);
  expect((await list("stranger", `?agent_id=${agent}`)).data).toEqual([]);
  expect((await list("sponsor")).data).toEqual([]);
  for (const [who, status] of [
    ["owner", 200],
    ["auditor", 200],
    ["ann", 200],
    ["stranger", 404],
    ["sponsor", 404],
  ] as const) {
    expect([who, (await world.as(who, "GET", `/calls/${blocked.call}`)).status]).toEqual([who, status]);
  }
  expect((await world.as("root", "GET", "/calls/01a1fbfa-d53a-7410-9bb7-0d100e31ae5a")).status).toBe(404);
  expect((await world.as("root", "GET", "/calls/none")).status).toBe(404);
});

test("one call says what was found, how long it took and what it was held to", async () => {
  verifies("calls.explained");
  const { json } = await world.as("owner", "GET", `/calls/${blocked.call}`);
  expect((await world.as("owner", "GET", `/calls/${blocked.event}`)).json).toEqual(json);
  expect(json).toMatchObject({
    object: "call",
    call_id: blocked.call,
    event_id: blocked.event,
    agent_id: agent,
    decision: "block",
    outcome: "blocked_input",
    status: 400,
    user: world.email("owner"),
    content: { kept: true, readable: true },
    reports: [],
    suggestions: [],
    restrictions: [],
    policy: { is_that_of_the_call: true, profile: null },
  });
  const [finding] = json.findings;
  expect(finding).toMatchObject({ type: "secret.aws_access_key", action: "block", param: "messages[0].content" });
  expect(finding.masked).toBe("•".repeat(KEY.length));
  expect(JSON.stringify(json)).not.toContain(KEY);
  expect(json.record.call.content_hmac).toBeUndefined();
  expect(json.coverage.input.texts).toBeGreaterThan(0);
  expect(json.timings.parts[0]).toMatchObject({ part: "scan_in", offset_ms: 0 });
  expect(json.policy.explain.some(({ field }: { field: string }) => field.startsWith("detectors.secret"))).toBe(true);
});

test("call details show its consequences", async () => {
  verifies("calls.explained");
  const token = await world.token("owner", agent);
  const opened = await world.hub.fetch("/v1/guard/disputes", {
    token,
    json: { event_id: blocked.event, user_reason: "an example", share_content: false },
  });
  const report = await opened.text();
  const { json } = await world.as("owner", "GET", `/calls/${blocked.call}`);
  expect(json.reports).toHaveLength(1);
  expect(report).toContain(json.reports[0].id);
  const answered = (await list("owner", "?conversation_id=conversation-1")).data[0];
  const whole = (await world.as("owner", "GET", `/calls/${answered.call_id}`)).json;
  expect(whole.timings.parts.map(({ part }: { part: string }) => part)).toContain("scan_out");
  expect(whole.content).toEqual({ kept: false, readable: false, expires_at: null });
});
