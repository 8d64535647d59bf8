/** The published interface, sentence by sentence in its order, as somebody with a token of before the prefix change meets it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { FakeProvider, says } from "#test/support/fake-provider";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { KEY, ReportWorld } from "./report-world";

setDefaultTimeout(120_000);

const EVE = "eve@example.com";
const SAM = "sam@example.org";
const LEGACY = `gwk_${"a1B2_-".repeat(6)}`;
const JUDGE = "judge-1";
const FINDS = JSON.stringify({ verdict: "false_positive", confidence: 0.95, reasoning: "A key of the manual." });
const PARAMETERS = { type: "object", properties: { path: { type: "string" } } };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TEXT = `My key is ${KEY}, keep it safe.`;

let judges: FakeProvider;
let tools: McpFixture;
let world: ReportWorld;
const agents = { own: "", foreign: "" };
const tokens = { current: "", agent: "" };

beforeAll(async () => {
  judges = await FakeProvider.start([JUDGE]);
  judges.always(says(FINDS));
  tools = McpFixture.start({
    tools: [
      tool("read", () => text("It is written."), PARAMETERS, { description: "Reads a file." }),
      tool("fail", () => text("It is locked.", { isError: true })),
    ],
  });
  world = await ReportWorld.open({
    env: { GUARDHOUSE_REVIEWER__MODEL: JUDGE, GUARDHOUSE_REVIEWER__PROVIDER: "judges" },
    before: async (hub) => {
      await hub.addProvider("judges", { baseUrl: judges.url, models: ["judge-*"] });
      await hub.createUser(SAM);
      await hub.createUser("rita@example.com", "--role", "reviewer");
      await hub.cliWith({ stdin: `${LEGACY}\n` }, "token", "import", "--user", EVE);
      agents.own = (await hub.createAgent("helper", EVE)).id;
      agents.foreign = (await hub.createAgent("stranger", SAM)).id;
      await hub.addToolServer("files", { owner: EVE, url: tools.url });
      await hub.addToolServer("spare", { owner: EVE, url: tools.url });
      await hub.assignTools("files", EVE, "helper", ["read"]);
      tokens.current = (await hub.createToken(EVE)).token;
      tokens.agent = (await hub.createToken(EVE, "helper")).token;
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await tools?.[Symbol.asyncDispose]();
  await judges?.[Symbol.asyncDispose]();
});

const send = async (method: string, path: string, json?: unknown, token: string | null = LEGACY) => {
  const response = await world.world.hub.fetch(path, {
    method,
    ...(token !== null && { token }),
    ...(json !== undefined && { json }),
  });
  const body: ReturnType<typeof JSON.parse> = await response.json();
  return { status: response.status, json: body };
};
/** An answer as soon as it is so. */
const until = async <T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> => {
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(50)) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`not yet: ${JSON.stringify(seen)}`);
  }
};

describe("§1, §7 what is gone", () => {
  test("answers 404, by every method, with a token and without, and below it", async () => {
    verifies("published.whole");
    for (const name of ["agents/register", "sessions", "check-tool", "onboard"]) {
      for (const [method, rest, token] of [
        ["GET", "", LEGACY],
        ["POST", "", LEGACY],
        ["POST", "/x", LEGACY],
        ["DELETE", "", null],
      ] as const) {
        const body = method === "POST" ? {} : undefined;
        expect((await send(method, `/v1/guard/${name}${rest}`, body, token)).status).toBe(404);
      }
    }
  });
});

describe("§2.1, §5 tokens", () => {
  test("of both prefixes open everything published, and nothing opens without one", async () => {
    verifies("published.whole");
    expect(tokens.current).toStartWith("gw-live-");
    for (const [method, path, json] of [
      ["GET", "/v1/models"],
      ["POST", "/v1/chat/completions", { model: "fake-model", messages: [{ role: "user", content: "Hello" }] }],
      ["POST", "/v1/guard/scan", { text: "Hello" }],
      ["GET", "/v1/guard/miss-reports"],
      ["GET", "/v1/guard/tuning"],
      ["GET", `/v1/guard/health/${agents.own}`],
      ["GET", `/v1/guard/agents/${agents.own}/profile`],
      ["GET", `/v1/guard/agents/${agents.own}/tuning`],
      ["POST", "/mcp/gateway", { method: "tools/list" }],
    ] as const) {
      const statuses = [];
      for (const token of [tokens.current, LEGACY, null]) statuses.push((await send(method, path, json, token)).status);
      expect([path, ...statuses]).toEqual([path, 200, 200, 401]);
    }
    for (const path of ["disputes", "miss-reports"]) {
      expect((await send("POST", `/v1/guard/${path}`, {}, null)).status).toBe(401);
    }
  });
});

describe("§2.3 a probe", () => {
  test("says safe, scan_ms, flags and mode", async () => {
    verifies("published.whole");
    const { json } = await send("POST", "/v1/guard/scan", { text: TEXT });
    const { safe, scan_ms, flags, mode } = json;
    expect([scan_ms, mode]).toEqual([expect.any(Number), expect.any(String)]);
    expect([safe, flags.length]).toEqual([false, 1]);
  });
});

describe("§2.2, §3, §4, §8 reports", () => {
  const CREATED = {
    miss_report_id: expect.stringMatching(UUID),
    status: "submitted",
    llm_verdict: null,
    llm_confidence: null,
    llm_reasoning: null,
    tuning_suggestion_id: null,
    questionnaire_section: expect.any(String),
  };

  test("five an hour and user, of both kinds: fields, defaults, verdict and suggestion", async () => {
    verifies("published.whole");
    const [disputes, misses] = ["/v1/guard/disputes", "/v1/guard/miss-reports"];
    // What is refused is none of the five.
    for (const [path, json, param] of [
      [disputes, { user_reason: "No event." }, "event_id"],
      [misses, { user_reason: "No text." }, "message_content"],
    ] as const) {
      expect(await send("POST", path, json)).toMatchObject({ status: 400, json: { error: { param } } });
    }

    const ids: string[] = [];
    const noted = async (path: string, json: object, token?: string) => {
      const answer = await send("POST", path, json, token);
      ids.push(answer.json.miss_report_id);
      return answer;
    };
    expect(await noted(disputes, { event_id: await world.blocked(LEGACY, `${TEXT} 1`) })).toMatchObject({
      status: 201,
      json: { ...CREATED, report_direction: "false_positive" },
    });
    const event_id = await world.blocked(LEGACY, TEXT);
    const whole = await noted(disputes, {
      ...{ event_id, user_reason: "It is in our manual.", message_content: TEXT, conversation_id: "c-1" },
      ...{ flag_types: ["secret"], severity_estimate: "medium", reporter_confidence: "likely", share_content: true },
    });
    expect(whole).toMatchObject({ status: 201, json: { ...CREATED, report_direction: "false_positive" } });
    const said = "Call Jane under 555 0100.";
    const missed = await noted(misses, { message_content: said });
    expect(missed).toMatchObject({ status: 201, json: { ...CREATED, report_direction: "false_negative" } });
    const full = await noted(misses, {
      ...{ message_content: `${said} Soon.`, user_reason: "A number.", conversation_id: "c-2", agent_id: agents.own },
      ...{
        flag_types: ["pii.phone"],
        severity_estimate: "medium",
        reporter_confidence: "likely",
        share_content: false,
      },
    });
    expect(full).toMatchObject({ status: 201, json: { ...CREATED, agent_id: agents.own } });

    // Reviewed in the background, for its content was shared: one verdict, and a suggestion of it.
    const path = `${misses}/${ids[1]}`;
    const { json: reviewed } = await until(
      () => send("GET", path),
      ({ json }) => json.tuning_suggestion_id !== null,
    );
    expect(reviewed).toMatchObject({
      ...{ miss_report_id: ids[1], llm_verdict: "false_positive" },
      ...{ llm_confidence: expect.anything(), llm_reasoning: expect.any(String) },
    });
    const suggestions = await send("GET", "/v1/guard/tuning");
    expect(suggestions.json.data.map(({ id }: { id: string }) => id)).toContain(reviewed.tuning_suggestion_id);
    expect((await send("GET", `${misses}/${ids[0]}`)).json).toMatchObject({ llm_verdict: null });

    const fifth = await noted(misses, { message_content: `${said} Again.` }, tokens.current);
    expect(fifth.status).toBe(201);
    const more = { event_id: await world.blocked(tokens.current, `${TEXT} 2`) };
    expect((await send("POST", disputes, more, tokens.current)).status).toBe(429);
    expect((await send("POST", misses, { message_content: "Once more." })).status).toBe(429);

    const { json: list } = await send("GET", misses);
    expect(list.data.map((one: { miss_report_id: string }) => one.miss_report_id)).toEqual(ids.toReversed());
    const sam = (await world.world.hub.createToken(SAM)).token;
    expect((await send("GET", misses, undefined, sam)).json.data).toEqual([]);
    expect((await send("GET", path, undefined, sam)).status).toBe(404);
  });

  test("the four steps of a suggestion stand below it", async () => {
    verifies("published.whole");
    const { json } = await send("GET", "/v1/guard/tuning");
    const path = `/v1/guard/tuning/${json.data[0].id}`;
    expect(await send("POST", `${path}/request-approval`, {})).toMatchObject({ status: 202 });
    expect((await send("GET", `${path}/approval-status`)).status).toBe(200);
    expect((await send("POST", `${path}/apply`, {})).status).toBe(409);
    expect((await send("POST", `${path}/reject`, { reason: "Not wanted." })).status).toBe(200);
  });
});

describe("§2.4, §4 health and profile", () => {
  test("of one's own agent: score, drift, restrictions; null while it is ungoverned", async () => {
    verifies("published.whole");
    const { json } = await send("GET", `/v1/guard/health/${agents.own}`);
    expect(Object.keys(json)).toEqual(expect.arrayContaining(["health_score", "drift_status"]));
    expect(Object.values(json).some(Array.isArray)).toBe(true);
    expect(await send("GET", `/v1/guard/agents/${agents.own}/profile`)).toEqual({ status: 200, json: null });
  });

  test("of another's there is nothing, as of none", async () => {
    verifies("published.whole");
    for (const path of ["/v1/guard/health/ID", "/v1/guard/agents/ID/profile", "/v1/guard/agents/ID/tuning"]) {
      const of = async (id: string) => {
        const { status, json } = await send("GET", path.replace("ID", id));
        return [status, json.error.code, json.error.message];
      };
      expect(await of(agents.foreign)).toEqual(await of(crypto.randomUUID()));
      expect((await of(agents.foreign))[0]).toBe(404);
    }
  });
});

describe("§2.5, §2.6, §4.1 tools", () => {
  const listed = async (token: string) => {
    const { json } = await send("POST", "/mcp/gateway", { method: "tools/list" }, token);
    return json.tools.filter(({ name }: { name: string }) => !name.startsWith("guardhouse__"));
  };

  test("a person is listed all, an agent what is assigned to it, by name, description and parameter schema", async () => {
    verifies("published.whole");
    const all = await until(
      () => listed(LEGACY),
      (seen) => seen.length === 4,
    );
    expect(all.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      ...["files__fail", "files__read", "spare__fail", "spare__read"],
    ]);
    expect(await listed(tokens.agent)).toMatchObject([
      { name: "files__read", description: "Reads a file.", inputSchema: PARAMETERS },
    ]);
  });

  test("a call's result is content, and isError where it failed", async () => {
    verifies("published.whole");
    const call = async (name: string) =>
      send("POST", "/mcp/gateway", { method: "tools/call", params: { name, arguments: { path: "a" } } });
    const good = await call("files__read");
    expect(good).toMatchObject({ status: 200, json: { content: [{ type: "text", text: "It is written." }] } });
    expect(good.json.isError ?? false).toBe(false);
    const bad = await call("files__fail");
    expect(bad).toMatchObject({
      status: 200,
      json: { content: [{ type: "text", text: "It is locked." }], isError: true },
    });
    const unknown = await call("files__none");
    expect(unknown).toMatchObject({ status: 404, json: { error: { code: "tool_not_found" } } });
  });
});
