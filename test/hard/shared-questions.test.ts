import { afterAll, beforeAll, expect, test } from "bun:test";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { Hub } from "#test/support/hub";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

/* What a tool server asks, where several processes serve: the answer may arrive at another than the one that asked. */

const EVE = "eve@example.com";
const TRIES = 12;
const EVERYTHING = Bun.resolveSync("@modelcontextprotocol/server-everything/dist/index.js", import.meta.dir);

const FORM = { message: "Which city?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
/** Longer than the runtime lets a connection be silent by itself. */
const SILENT_MS = 11_000;
const thinks = tool("think", async ({ ask }) => {
  const answer = JSON.stringify(await ask("elicitation/create", FORM));
  await Bun.sleep(SILENT_MS);
  return text(answer);
});
const asks = tool("ask", async ({ ask }) => text(JSON.stringify(await ask("elicitation/create", FORM))));

let fixture: McpFixture;
let hub: Hub;
let token: string;
beforeAll(async () => {
  fixture = McpFixture.start({ era: "2025", tools: [asks, thinks] });
  hub = await Hub.create({ processes: "hub", serve: ["--workers", "3", "--durability", "normal"] });
  await hub.createUser(EVE);
  token = (await hub.createToken(EVE)).token;
  await hub.addToolServer("old", { owner: EVE, url: fixture.url });
  await hub.addToolServer("all", { owner: EVE, stdio: [process.execPath, EVERYTHING, "stdio"] });
  await hub.start();
}, 120_000);
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

/** On a connection of its own, so that any process may take it. */
const post = (json: JsonRecord, headers: Readonly<Record<string, string>>): Promise<Response> =>
  hub.fetch("/mcp/gateway", {
    method: "POST",
    token,
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
    body: JSON.stringify(json),
    keepalive: false,
  });

const LEGACY = { "mcp-session-id": `gone.fu-00000000-${crypto.randomUUID()}`, "mcp-protocol-version": "2025-11-25" };

/** A call of the 2025 era that is asked once. Its last message. */
const asked = async (name: string): Promise<string> => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
  const response = await post(call, LEGACY);
  let rest = "";
  let last = "";
  for await (const chunk of response.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((one) => one.startsWith("data:"))) {
      last = line;
      const message = parseJson(line.slice(5));
      if (!isRecord(message) || message["method"] !== "elicitation/create") continue;
      const result = { action: "accept", content: { city: "Ulm", name: "Ulm" } };
      const taken = await post({ jsonrpc: "2.0", id: message["id"], result }, LEGACY);
      expect(taken.status).toBe(202);
    }
  }
  return last;
};

test("an answer on the stream's side reaches the call, at whichever process it arrives", async () => {
  verifies("elicitation.processes");
  const results = await Promise.all(Array.from({ length: TRIES }, () => asked("old__ask")));
  for (const result of results) expect(result).toContain("Ulm");
}, 60_000);

test("the questions of a program reach the caller's process, and its answers the program", async () => {
  verifies("elicitation.processes");
  // One after the other: a program does not say which of several calls it asks about.
  for (let count = 0; count < TRIES; count += 1) {
    expect(await asked("all__trigger-elicitation-request")).toContain("Ulm");
  }
}, 60_000);

test("a call that is made again with the answer is answered by the process that holds the first", async () => {
  verifies("elicitation.processes");
  const version = "2026-07-28";
  const headers = { "mcp-protocol-version": version, "mcp-method": "tools/call" };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const call = async (name: string, more: JsonRecord = {}): Promise<JsonRecord> => {
    const params = { name, arguments: {}, _meta, ...more };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const answer: unknown = await (await post(message, { ...headers, "mcp-name": name })).json();
    if (!isRecord(answer) || !isRecord(answer["result"])) throw new Error(JSON.stringify(answer));
    return answer["result"];
  };
  const whole = async (name: string) => {
    const { inputRequests, requestState } = await call(name);
    const [key = ""] = Object.keys(isRecord(inputRequests) ? inputRequests : {});
    const inputResponses = { [key]: { action: "accept", content: { city: "Ulm" } } };
    return JSON.stringify(await call(name, { inputResponses, requestState }));
  };
  for (const name of ["old__ask", "old__think"]) {
    const results = await Promise.all(Array.from({ length: TRIES }, () => whole(name)));
    for (const result of results) expect(result).toContain("Ulm");
  }
}, 60_000);
