import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { isRecord, type JsonRecord } from "#core/json/json";
import { type FixtureTool, McpFixture, text, tool } from "#test/support/mcp-fixture";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { EVE, type Result, ToolWorld } from "./tools-world";

/** Asks what it is told to ask, in the way of its era, and answers with what came. */
const asks: FixtureTool = tool(
  "ask",
  async ({ arguments: { question, times }, era, params, ask }) => {
    const wanted = isRecord(question) ? question : {};
    if (era === "2025") {
      const replies: unknown[] = [];
      for (let count = 0; count < Number(times ?? 1); count += 1) replies.push(await ask("elicitation/create", wanted));
      return text(JSON.stringify(replies.at(-1)));
    }
    const { inputResponses, requestState } = params;
    if (isRecord(inputResponses)) return text(JSON.stringify({ ...(inputResponses["q"] as JsonRecord), requestState }));
    const inputRequests = { q: { method: "elicitation/create", params: wanted } };
    return { resultType: "input_required", inputRequests, requestState: "the server's own state" };
  },
  { type: "object", properties: { question: { type: "object" }, times: { type: "number" } } },
);

const PAGE = { mode: "url", message: "Sign in", url: "https://login.example.com/", elicitationId: "theirs" };
const asksForPage = tool("page", async ({ ask, notify }) => {
  const reply = await ask("elicitation/create", PAGE);
  for (const elicitationId of ["another", "theirs"]) notify("notifications/elicitation/complete", { elicitationId });
  return text(JSON.stringify(reply));
});

const form = (message: string, properties: JsonRecord = { city: { type: "string" } }): JsonRecord => ({
  message,
  requestedSchema: { type: "object", properties },
});

let world: ToolWorld;
let fixtures: Readonly<Record<"old" | "new", McpFixture>>;
beforeAll(async () => {
  fixtures = {
    old: McpFixture.start({ era: "2025", tools: [asks, asksForPage] }),
    new: McpFixture.start({ era: "2026", tools: [asks] }),
  };
  world = await ToolWorld.open({
    before: async (hub) => {
      for (const [slug, { url }] of Object.entries(fixtures)) {
        const flags = ["--elicitation-hosts", "login.example.com,*.example.org"];
        await hub.addToolServer(slug, { owner: EVE, url, flags });
      }
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const fixture of Object.values(fixtures ?? {})) await fixture[Symbol.asyncDispose]();
});

type Asked = { readonly params: JsonRecord };
type Answered = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, string> };
type Driver = {
  readonly asked: Asked[];
  answer: Answered;
  call(server: string, question: JsonRecord, more?: JsonRecord): Promise<Result>;
  close(): Promise<void>;
};

const INFO = { name: "guardhouse-tests", version: "1.0.0" };
const CAPABLE = { capabilities: { elicitation: { form: {}, url: {} } } };
const requestInit = () => ({ headers: { authorization: `Bearer ${world.token}` } });

const driver = (call: (name: string, args: JsonRecord) => Promise<unknown>, close: () => Promise<void>): Driver => ({
  asked: [],
  answer: { action: "accept", content: { city: "Köln" } },
  call: async (server, question, more = {}) => (await call(`${server}__ask`, { question, ...more })) as Result,
  close,
});

const oldClient = async (): Promise<Driver> => {
  const client = new Client(INFO, CAPABLE);
  const made = driver(
    (name, args) => client.callTool({ name, arguments: args }),
    () => client.close(),
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    made.asked.push({ params });
    return made.answer;
  });
  await client.connect(
    asTransport(new StreamableHTTPClientTransport(new URL(world.url), { requestInit: requestInit() })),
  );
  return made;
};

const newClient = async (mode: "legacy" | { pin: string }): Promise<Driver> => {
  const client = new ModernClient(INFO, { ...CAPABLE, versionNegotiation: { mode } });
  const made = driver(
    (name, args) => client.callTool({ name, arguments: args }),
    () => client.close(),
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    made.asked.push({ params: { ...params } });
    return made.answer;
  });
  await client.connect(new ModernTransport(new URL(world.url), { requestInit: requestInit() }));
  return made;
};

const CLIENTS = [
  { client: "SDK 1.x", open: oldClient },
  { client: "SDK 2.x as of the 2025 era", open: () => newClient("legacy") },
  { client: "SDK 2.x of the 2026 era", open: () => newClient({ pin: "2026-07-28" }) },
];
const SERVERS = ["old", "new"] as const;

const textOf = ({ content }: Result): string => content[0]?.text ?? "";
const newest = async () => {
  const [record] = (await world.records()).filter(({ kind, phase }) => kind === "tool.call" && phase === "final");
  return record?.call.tool.questions ?? [];
};

describe.each(CLIENTS)("$client", ({ open }) => {
  let client: Driver;
  beforeAll(async () => {
    client = await open();
  });
  afterAll(() => client?.close());

  test.each(SERVERS)("answers a form of the server of the %s era", async (server) => {
    verifies("elicitation.relayed");
    client.asked.length = 0;
    client.answer = { action: "accept", content: { city: "Köln" } };
    const result = await client.call(server, form("Which city?"));
    expect(JSON.parse(textOf(result))).toMatchObject({ action: "accept", content: { city: "Köln" } });
    expect(client.asked.map(({ params }) => params["message"])).toEqual([`${server} asks: Which city?`]);
    expect((await newest()).map(({ mode, outcome }) => [mode, outcome])).toEqual([["form", "accept"]]);
  });

  test.each(SERVERS)("declines a form of the server of the %s era", async (server) => {
    verifies("elicitation.relayed");
    client.answer = { action: "decline" };
    expect(JSON.parse(textOf(await client.call(server, form("Which city?"))))).toMatchObject({ action: "decline" });
  });

  test.each(SERVERS)("opens a page of an allowed host for the server of the %s era", async (server) => {
    verifies("elicitation.url");
    client.asked.length = 0;
    client.answer = { action: "accept" };
    const url = "https://login.example.com/device?code=1";
    const result = await client.call(server, { mode: "url", message: "Sign in", url, elicitationId: "theirs" });
    expect(JSON.parse(textOf(result))).toMatchObject({ action: "accept" });
    expect(client.asked).toMatchObject([
      { params: { mode: "url", url, message: `${server} asks you to open a page at login.example.com: Sign in` } },
    ]);
    expect(JSON.stringify(client.asked)).not.toContain("theirs");
    expect(await newest()).toMatchObject([{ mode: "url", host: "login.example.com", outcome: "accept" }]);
  });

  test.each(SERVERS)("is not asked for a password by the server of the %s era", async (server) => {
    verifies("elicitation.credentials");
    client.asked.length = 0;
    const result = await client.call(server, form("Please enter your password", { value: { type: "string" } }));
    expect(textOf(result)).toContain("must not ask for passwords");
    expect(client.asked).toEqual([]);
    expect(await newest()).toMatchObject([{ outcome: "refused", reason: "credential" }]);
  });

  test.each(SERVERS)("is not sent to a host that is not allowed by the server of the %s era", async (server) => {
    verifies("elicitation.url");
    client.asked.length = 0;
    for (const url of [
      "https://evil.example.net/",
      "http://login.example.com/",
      "https://login.example.com@evil.example.net/",
      "https://xn--login-9ua.example.org/",
      "javascript:alert(1)",
    ]) {
      const result = await client.call(server, { mode: "url", message: "Sign in", url, elicitationId: "1" });
      expect([url, textOf(result).includes("host is not allowed")]).toEqual([url, true]);
    }
    expect(client.asked).toEqual([]);
  });
});

test("a client of the 2025 era hears that the page it opened is done with, by the id it was given", async () => {
  verifies("elicitation.url");
  const client = new Client(INFO, CAPABLE);
  const asked: unknown[] = [];
  const completed: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: "accept" };
  });
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    completed.push(params.elicitationId);
  });
  const transport = new StreamableHTTPClientTransport(new URL(world.url), { requestInit: requestInit() });
  await client.connect(asTransport(transport));
  await client.callTool({ name: "old__page", arguments: {} });
  await client.close();
  expect(completed).toHaveLength(1);
  expect(asked).toMatchObject([{ mode: "url", elicitationId: completed[0] }]);
  expect(completed).not.toContain("theirs");
});
