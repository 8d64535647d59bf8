import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { AuditRecord } from "#model/audit";
import { answersJson, outputText, wholeResponse } from "#test/flow/responses-world";
import { breaks, type FakeProvider, hangs, says, sends } from "#test/support/fake-provider";
import { figureOf, parseMetrics } from "#test/support/prometheus";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";
import { World } from "#test/support/world";

/* Dollars a million tokens: a token of the prompt costs 2 microdollars, one of the answer 10. */
const PRICE = { input: 2, cached_input: 0.5, cache_write: 2.5, cache_write_1h: 4, output: 10 };
const PRICES = [{ model: "fake-*", ...PRICE }];
const ENV = {
  GUARDHOUSE_PRICES: JSON.stringify(PRICES),
  GUARDHOUSE_UPSTREAM__RETRIES: "0",
  GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0",
  GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8",
};
const SEEDS = {
  users: { eve: {}, root: { role: "admin", password: "a long enough password", session: true } },
  agents: { helper: { owner: "eve" }, other: { owner: "eve" } },
  tokens: {
    eve: { user: "eve" },
    helper: { user: "eve", agent: "helper" },
    other: { user: "eve", agent: "other" },
  },
  providers: {
    oai: { models: ["fake-*", "local-*"] },
    claude: { models: ["fake-claude"], kind: "anthropic" },
  },
};

let world: World;
beforeAll(async () => {
  world = await World.open({ env: ENV, seeds: SEEDS });
});
afterAll(() => world?.[Symbol.asyncDispose]());

type Call = AuditRecord["call"];

const finalOf = async (id: string | null): Promise<NonNullable<Call>> => {
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(20)) {
    const records: unknown = (await world.hub.cli("audit", "tail", "-n", "1000")).json();
    const found = Array.isArray(records) ? records.find((one) => one.call_id === id && one.phase === "final") : null;
    if (found?.call) return found.call;
    if (performance.now() > deadline) throw new Error("there is no final record");
  }
};

const chat = (body: object = {}, token = world.tokenOf("helper"), headers = {}) =>
  world.hub.fetch("/v1/chat/completions", {
    token,
    headers,
    json: { model: "fake-model", messages: [{ role: "user", content: "Hello there" }], ...body },
  });
const api = async (method: string, path: string, json?: object) => {
  const answer = await world.hub.fetch(`/api${path}`, {
    token: world.userOf("root").session,
    ...(json === undefined ? { method } : { method, json }),
  });
  return { status: answer.status, json: await answer.json() };
};
const oai = (): FakeProvider => world.providerOf("oai");
const cli = (...args: readonly string[]) => world.hub.cli(...args);
const listOf = async (...args: readonly string[]): Promise<readonly unknown[]> => {
  const rows = (await cli(...args)).json();
  if (!Array.isArray(rows)) throw new Error("it is no list");
  return rows;
};
const used = (prompt_tokens: number, completion_tokens: number, details: object = {}) =>
  answersJson({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "fake-model" },
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...details },
  });

describe("cost of calls", () => {
  test("chat: whole and streamed, with cached and reasoning tokens", async () => {
    verifies("money.calls");
    oai().next(
      used(1_000, 100, {
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 40 },
      }),
    );
    const whole = await finalOf((await chat()).headers.get("x-request-id"));
    // 600 at 2, 400 at 0.5, 100 at 10.
    expect(whole).toMatchObject({ cost_usd: 0.002_4, cost_basis: "usage" });
    expect(whole.usage).toMatchObject({ cached_tokens: 400, reasoning_tokens: 40 });

    oai().next(says("Hello there"));
    const answer = await chat({ stream: true });
    await answer.text();
    const streamed = await finalOf(answer.headers.get("x-request-id"));
    const { prompt_tokens = 0, completion_tokens = 0 } = streamed.usage ?? {};
    expect(streamed.cost_basis).toBe("usage");
    expect(streamed.cost_usd).toBeCloseTo((2 * prompt_tokens + 10 * completion_tokens) / 1e6, 9);
  });

  test("Messages: cache reads and writes of both lengths are apart", async () => {
    verifies("money.calls");
    const message = {
      ...{ id: "msg_1", type: "message", role: "assistant", model: "fake-claude", stop_reason: "end_turn" },
      ...{ stop_sequence: null, content: [{ type: "text", text: "Hello" }] },
      usage: {
        ...{ input_tokens: 100, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 500, output_tokens: 20 },
        cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 200 },
      },
    };
    world.providerOf("claude").next(answersJson(message));
    const client = new Anthropic({ baseURL: world.hub.url, apiKey: world.tokenOf("helper"), maxRetries: 0 });
    const asked = client.messages.create({
      ...{ model: "fake-claude", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] },
    });
    const { response } = await asked.withResponse();
    // 100 at 2, 1000 at 0.5, 300 at 2.5, 200 at 4, 20 at 10.
    expect(await finalOf(response.headers.get("request-id"))).toMatchObject({
      cost_usd: 0.002_45,
      cost_basis: "usage",
    });
  });

  test("Messages: a stream that its client leaves costs what was counted and what was read", async () => {
    verifies("money.calls");
    const text = "word ".repeat(80);
    const events = [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "fake-claude",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 50, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    world.providerOf("claude").next(sends(events, { stop: { after: 3, how: "hang" } }));
    const answer = await world.hub.fetch("/v1/messages", {
      headers: { "x-api-key": world.tokenOf("helper"), "anthropic-version": "2023-06-01" },
      json: { model: "fake-claude", max_tokens: 20, stream: true, messages: [{ role: "user", content: "Hello" }] },
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes("word"); ) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    const final = await finalOf(answer.headers.get("x-request-id") ?? answer.headers.get("request-id"));
    expect(final.cost_basis).toBe("estimate");
    // 50 at 2, and 400 characters are about 100 tokens at 10.
    expect([final.code, final.usage?.prompt_tokens, final.cost_usd]).toEqual([null, 50, 0.001_1]);
  });

  test("Responses, Embeddings and Completions", async () => {
    verifies("money.calls");
    const usage = {
      ...{ input_tokens: 1_000, input_tokens_details: { cached_tokens: 200 }, total_tokens: 1_050 },
      ...{ output_tokens: 50, output_tokens_details: { reasoning_tokens: 30 } },
    };
    const client = new OpenAI({ baseURL: `${world.hub.url}/v1`, apiKey: world.tokenOf("helper"), maxRetries: 0 });
    const costOf = async (asked: Promise<{ response: Response }>) => {
      const { cost_usd, cost_basis } = await finalOf((await asked).response.headers.get("x-request-id"));
      return [cost_usd, cost_basis];
    };
    oai().next(answersJson({ ...wholeResponse([outputText("Hello")]), model: "fake-model", usage }));
    const responses = client.responses.create({ model: "fake-model", input: "Hello" });
    expect(await costOf(responses.withResponse())).toEqual([0.002_2, "usage"]);
    oai().next(
      answersJson({
        ...{ object: "list", model: "fake-embed", data: [{ object: "embedding", index: 0, embedding: [0.1] }] },
        usage: { prompt_tokens: 500, total_tokens: 500 },
      }),
    );
    const embeddings = client.embeddings.create({ model: "fake-embed", input: "Hello", encoding_format: "float" });
    expect(await costOf(embeddings.withResponse())).toEqual([0.001, "usage"]);
    oai().next(
      answersJson({
        ...{ id: "cmpl-1", object: "text_completion", created: 1, model: "fake-complete" },
        choices: [{ index: 0, text: "Hello", finish_reason: "stop", logprobs: null }],
        usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
      }),
    );
    const completions = client.completions.create({ model: "fake-complete", prompt: "Hello" });
    expect(await costOf(completions.withResponse())).toEqual([0.000_05, "usage"]);
  });

  test("a provider that counts nothing is estimated, one that refuses costs nothing, and no price is no zero", async () => {
    verifies("money.calls", "money.prices");
    const text = "Hello ".repeat(20);
    const message = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
    oai().next(
      answersJson({ id: "1", object: "chat.completion", created: 1, model: "fake-model", choices: [message] }),
    );
    const final = await finalOf((await chat()).headers.get("x-request-id"));
    // 21 characters with the model's name, and 120.
    expect(final).toMatchObject({ cost_usd: 0.000_312, cost_basis: "estimate", usage: null });

    oai().next(breaks());
    const broken = await finalOf((await chat()).headers.get("x-request-id"));
    expect([broken.code, broken.cost_usd, broken.cost_basis]).toEqual(["upstream_error", undefined, undefined]);

    oai().next(used(10, 10));
    const unpriced = await finalOf((await chat({ model: "local-llama" })).headers.get("x-request-id"));
    expect([unpriced.cost_usd, unpriced.cost_basis]).toEqual([null, "unpriced"]);

    const echo = await finalOf((await chat({ model: "guardhouse/echo" })).headers.get("x-request-id"));
    expect([echo.cost_usd, echo.cost_basis]).toEqual([0, "usage"]);
  });

  test("calls, their details, the overview, metrics and exports say the same", async () => {
    verifies("money.figures");
    const { json } = await api("GET", "/calls?limit=200");
    const calls: { cost_usd: number | null; cost_basis: string | null; call_id: string }[] = json.data;
    const priced = calls.filter(({ cost_usd }) => cost_usd !== null);
    const sum = Math.round(priced.reduce((all, { cost_usd }) => all + (cost_usd ?? 0) * 1e9, 0));
    expect(sum).toBeGreaterThan(0);
    const [first] = priced;
    const detail = (await api("GET", `/calls/${first?.call_id}`)).json;
    expect([detail.cost_usd, detail.cost_basis]).toEqual([first?.cost_usd ?? null, first?.cost_basis ?? null]);

    const agents = (await api("GET", `/calls/totals?agent_id=${world.agentOf("helper").id}`)).json;
    expect(agents).toMatchObject({ cost_usd: sum / 1e9, estimated_calls: 2, unpriced_calls: 1, is_complete: true });
    const conversation = { "x-conversation-id": "talk-1" };
    oai().next(used(10, 1), used(20, 2));
    for (const _ of [1, 2])
      await finalOf((await chat({}, world.tokenOf("eve"), conversation)).headers.get("x-request-id"));
    const talk = (await api("GET", "/calls/totals?conversation_id=talk-1")).json;
    expect(talk).toMatchObject({ calls: 2, cost_usd: 0.000_09, tokens: { prompt: 30, completion: 3, cached: 0 } });

    const overview = (await api("GET", "/overview?window=1h")).json;
    const total = ({ cost_usd }: { cost_usd: number }) => Math.round(cost_usd * 1e9);
    const totals = (list: { cost_usd: number }[]) => list.reduce((all, one) => all + total(one), 0);
    const all = sum + 90_000;
    expect(Math.round(overview.cost.usd * 1e9)).toBe(all);
    expect([totals(overview.series), totals(overview.cost_by_model), totals(overview.cost_by_agent)]).toEqual([
      all,
      all,
      sum,
    ]);
    expect(overview.cost_by_user).toEqual([
      { id: world.userOf("eve").id, name: "eve@example.com", cost_usd: 0.000_09 },
    ]);
    expect(overview.cost_by_agent).toEqual([{ id: world.agentOf("helper").id, name: "helper", cost_usd: sum / 1e9 }]);
    expect(overview.cost).toMatchObject({ estimated_calls: 2, unpriced_calls: 1 });

    const { url } = await world.hub.log("metrics.listening", 20_000);
    const figures = parseMetrics(await (await fetch(String(url))).text());
    const agent = world.agentOf("helper").id;
    const costs = (who: string) => figureOf(figures, "guardhouse_cost_usd_total", { agent: who, model: "fake-*" });
    expect([costs(agent), costs("")]).toEqual([sum / 1e9, 0.000_09]);
    expect(figureOf(figures, "guardhouse_unpriced_calls_total")).toBe(1);

    const csv = await world.hub.cli("audit", "export", "--format", "csv");
    const [head = "", ...rows] = csv.stdout.trim().split("\r\n");
    const at = head.split(",").indexOf("cost_usd");
    expect(at).toBeGreaterThan(0);
    expect(rows.some((row) => row.split(",")[at] === "0.0024")).toBe(true);
    const ndjson = await world.hub.cli("audit", "export", "--format", "ndjson");
    expect(ndjson.stdout).toContain('"cost_usd":0.0024,"cost_basis":"usage"');
  });
});

describe("prices over the API and on the command line", () => {
  test("a price that is set takes effect with the next call, and its removal too", async () => {
    verifies("money.prices");
    const cost = async () => {
      oai().next(used(1_000, 0));
      return (await finalOf((await chat({ model: "local-llama" })).headers.get("x-request-id"))).cost_usd;
    };
    expect((await api("PUT", "/prices", { model: "local-*", input: 0.3, output: 1 })).status).toBe(200);
    expect(await cost()).toBe(0.000_3);
    expect(
      (await cli("price", "set", "local-llama", "--input", "0.7", "--output", "1", "--provider", "oai")).code,
    ).toBe(0);
    expect(await cost()).toBe(0.000_7);
    expect((await cli("price", "list")).json()).toMatchObject([
      { model: "fake-*", provider: null, source: "configuration" },
      { model: "local-*", provider: null, source: "set" },
      { model: "local-llama", provider: "oai", source: "set" },
    ]);
    const [found] = await listOf("price", "list", "--model", "local-llama");
    expect(found).toMatchObject({ provider: "oai", source: "set", prices: { input: 0.7, cached_input: 0.7 } });
    expect((await api("GET", "/prices/model?model=local-llama")).json.data[0]).toMatchObject({ source: "set" });
    expect((await cli("price", "remove", "local-llama", "--provider", "oai")).code).toBe(0);
    expect((await api("DELETE", "/prices?model=local-*")).status).toBe(200);
    expect(await cost()).toBeNull();
    expect((await api("DELETE", "/prices?model=local-*")).status).toBe(404);
    expect((await api("PUT", "/prices", { model: "fake-*", input: 1, output: 1 })).json.error.code).toBe(
      "state_conflict",
    );
    expect((await cli("price", "set", "x", "--input", "free", "--output", "1")).code).toBe(2);
  });
});

describe("budgets", () => {
  const budget = (scope: string, limit_usd: number, subject_id?: string) =>
    api("PUT", "/budgets", { scope, period: "day", limit_usd, ...(subject_id && { subject_id }) });
  const drop = (scope: string, subject_id?: string) =>
    api("DELETE", `/budgets?scope=${scope}&period=day${subject_id ? `&subject_id=${subject_id}` : ""}`);

  test("a call over an agent's budget is refused in the shape of each API, is not to be tried again, and reaches no provider", async () => {
    verifies("money.budgets", "money.warnings");
    await using receiver = new WebhookReceiver();
    await api("POST", "/webhooks", { url: receiver.url, events: ["budget.warned"] });
    const id = world.agentOf("other").id;
    const token = world.tokenOf("other");
    expect((await budget("agent", 0.01, id)).json).toMatchObject({ subject: "other", limit_usd: 0.01, spent_usd: 0 });
    oai().next(used(3_900, 0));
    const first = await chat({ max_tokens: 20 }, token);
    expect([first.status, first.headers.get("x-guard-budget-warning")]).toEqual([200, null]);
    // What a call has cost is counted a moment after its answer.
    const spentOf = async () =>
      (await api("GET", "/budgets")).json.data.find((one: { subject: string }) => one.subject === "other")?.spent_usd;
    while (!((await spentOf()) > 0)) await Bun.sleep(20);
    const second = await chat({ max_tokens: 20 }, token);
    expect(second.headers.get("x-guard-budget-warning")).toBe("agent-day;used=78");
    for (const deadline = performance.now() + 60_000; receiver.types.length === 0; await Bun.sleep(50)) {
      if (performance.now() > deadline) throw new Error("no event came");
    }
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
      type: "budget.warned",
      data: { agent_id: id },
    });

    const before = oai().calls.length;
    const over = await chat({ max_tokens: 2_000 }, token);
    expect([over.status, over.headers.get("x-should-retry")]).toEqual([429, "false"]);
    const { error } = await over.json();
    expect(error).toMatchObject({
      code: "insufficient_quota",
      type: "insufficient_quota",
      guard: { layer: "budget", rule: "agent.day" },
    });
    expect(error.message).toContain("The agent's budget of 0.01 USD for the day is spent");
    expect((await finalOf(over.headers.get("x-request-id"))).denied_by).toEqual({ layer: "budget", rule: "agent.day" });

    const messages = await world.hub.fetch("/v1/messages", {
      headers: { "x-api-key": token, "anthropic-version": "2023-06-01" },
      json: { model: "fake-claude", max_tokens: 2_000, messages: [{ role: "user", content: "Hello" }] },
    });
    expect([messages.status, messages.headers.get("x-should-retry")]).toEqual([429, "false"]);
    expect((await messages.json()).error.type).toBe("billing_error");
    for (const [path, body] of [
      ["responses", { model: "fake-model", input: "Hello", max_output_tokens: 2_000 }],
      ["completions", { model: "fake-complete", prompt: "Hello", max_tokens: 2_000 }],
    ] as const) {
      const answer = await world.hub.fetch(`/v1/${path}`, { token, json: body });
      expect([answer.status, (await answer.json()).error.code]).toEqual([429, "insufficient_quota"]);
    }
    expect(oai().calls.length).toBe(before);
    // Another agent is not under it.
    expect((await chat({ max_tokens: 2_000 })).status).toBe(200);
    const listed = (await cli("budget", "list")).json();
    expect(listed).toMatchObject([{ scope: "agent", subject: "other", period: "day", reserved_usd: 0 }]);
    expect((await drop("agent", id)).status).toBe(200);
    expect((await chat({ max_tokens: 2_000 }, token)).status).toBe(200);
    // It is the same window: what was spent counts.
    await budget("agent", 0.008, id);
    expect((await chat({ max_tokens: 200 }, token)).status).toBe(429);
    await drop("agent", id);
  });

  test("a model without a price is refused under a budget, and the message says what to do", async () => {
    verifies("money.unpriced");
    await cli("budget", "set", "--hub", "--period", "month", "--limit", "1000");
    const refused = await chat({ model: "local-llama" });
    expect(refused.status).toBe(403);
    const { error } = await refused.json();
    expect([error.code, error.guard]).toEqual(["model_not_allowed", { layer: "budget", rule: "unpriced" }]);
    expect(error.message).toContain("guardhouse price set");
    await cli("price", "set", "local-*", "--input", "0", "--output", "0");
    expect((await chat({ model: "local-llama" })).status).toBe(200);
    await cli("price", "remove", "local-*");
    expect((await cli("budget", "remove", "--hub", "--period", "month")).code).toBe(0);
  });

  test("of many calls at once no more are let through than the budget has, and what is spent is what the records say", async () => {
    verifies("money.budgets", "money.figures");
    const user = world.userOf("eve").id;
    const token = world.tokenOf("eve");
    oai().always(used(10, 90));
    // Each may cost 3 * 2 + 95 * 10 microdollars and costs 920.
    expect((await cli("budget", "set", "--user", "eve@example.com", "--period", "week", "--limit", "0.01")).code).toBe(
      0,
    );
    const answers = await Promise.all(Array.from({ length: 40 }, () => chat({ max_tokens: 95 }, token)));
    const passed = answers.filter(({ status }) => status === 200);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(passed.length).toBeLessThanOrEqual(10);
    const costs = await Promise.all(
      passed.map(async ({ headers }) => (await finalOf(headers.get("x-request-id"))).cost_usd ?? 0),
    );
    const sum = Math.round(costs.reduce((all, cost) => all + cost * 1e9, 0)) / 1e9;
    const [listed] = await listOf("budget", "list");
    expect(listed).toMatchObject({ scope: "user", subject_id: user, spent_usd: sum, reserved_usd: 0 });
    expect(sum).toBeLessThanOrEqual(0.01);
    // What was spent is kept over a restart.
    await world.hub.restart();
    expect((await cli("budget", "list")).json()).toMatchObject([{ spent_usd: sum }]);
    expect((await chat({ max_tokens: 95 }, token)).status).toBe(429);
    await cli("budget", "remove", "--user", "eve@example.com", "--period", "week");
  });
});

test("a call that is under way when its process is killed costs what was sent by then, as an estimate", async () => {
  verifies("money.crash");
  await using own = await World.open({ env: ENV, seeds: SEEDS, processes: "hub" });
  own.providerOf("oai").next(hangs());
  const json = { model: "fake-model", messages: [{ role: "user", content: "Hello ".repeat(100) }] };
  // The hub is killed while it answers, so the call ends in an error of the connection.
  const asked = own.hub.fetch("/v1/chat/completions", { token: own.tokenOf("helper"), json }).catch(() => null);
  const recordsOf = async (phase: string): Promise<AuditRecord[]> => {
    const all: unknown = (await own.hub.cli("audit", "tail", "-n", "1000")).json();
    const calls: AuditRecord[] = Array.isArray(all) ? all : [];
    const request = calls.find(({ phase, call }) => phase === "request" && call?.cost_begun_usd === 0.000_306);
    return calls.filter((one) => one.phase === phase && one.call_id === request?.call_id);
  };
  const begun = await eventually(() => recordsOf("request"));
  // 600 characters and the model's name.
  expect(begun[0]?.call).toMatchObject({ cost_begun_usd: 0.000_306, usage: null });
  expect(begun[0]?.call?.cost_usd).toBeUndefined();
  await own.hub.kill("SIGKILL");
  await asked;
  await own.hub.start();
  const [end] = await eventually(() => recordsOf("final"));
  expect(end).toMatchObject({ outcome: "interrupted", call: { cost_usd: 0.000_306, cost_basis: "estimate" } });
  expect(end?.call).not.toHaveProperty("cost_begun_usd");
});

const eventually = async <T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(50)) {
    const found = await read();
    if (found.length > 0) return found;
    if (performance.now() > deadline) throw new Error("it did not come");
  }
};

test("what is spent this month is the sum of its calls, and no forecast is made of the first days", async () => {
  verifies("money.forecast");
  const { json } = await api("GET", "/spend");
  const calls = (await api("GET", "/calls/totals")).json;
  expect(json).toMatchObject({ object: "spend", spent_usd: calls.cost_usd, forecast: null });
  expect(json.unpriced_calls).toBe(calls.unpriced_calls);
  expect(Date.parse(json.month_end)).toBeGreaterThan(Date.now());
  const set = (await api("PUT", "/budgets", { scope: "hub", period: "month", limit_usd: 1_000 })).json;
  expect(set.expected_usd).toBeNull();
  await api("DELETE", "/budgets?scope=hub&period=month");
});
