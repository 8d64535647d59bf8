import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { LEGACY_VERSIONS, META, MODERN_VERSIONS, RPC } from "#model/tools/mcp";
import { findingsOf, markerIn, thingOf } from "./prose.ts";

/** The one tool that is called. */
export const CALLED = "search";

export type McpServer = {
  readonly era: "2025" | "2026";
  /** The tools as a JSON array. */
  readonly tools: string;
  /** How long it takes to list them. */
  readonly listMs: number;
};

/** So many tools, about 400 bytes each. */
export function toolsJson(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, at) => definition(nameOf(at))));
}

const nameOf = (at: number): string => (at === 0 ? CALLED : `look_up_${at}`);

/** The name of the last of so many tools. */
export const lastOf = (count: number): string => nameOf(count - 1);

function definition(name: string): JsonRecord {
  const thing = thingOf(name);
  return {
    name,
    title: `Look up ${thing}`,
    description: `Looks up notes about ${thing} and gives them in order of their date, newest first.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words that the notes should hold." },
        limit: { type: "integer", minimum: 1, maximum: 100, description: "How many notes at most." },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true },
  };
}

/** Answers one request without delay (but for `listMs`), always in JSON: bare results to who sends no `jsonrpc`. */
export async function answerMcp(request: Request, server: McpServer): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  const text = await request.text();
  const message = parseJson(text);
  if (!isRecord(message)) return new Response("no message", { status: 400 });
  const { jsonrpc, id, method } = message;
  if (jsonrpc !== undefined && id === undefined) return new Response(null, { status: 202 });
  if (method === "tools/list" && server.listMs > 0) await Bun.sleep(server.listMs);
  const result = resultOf(server, method, text);
  if (jsonrpc === undefined) return json(result ?? "{}", result === undefined ? 400 : 200);
  const envelope = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  if (result !== undefined) return json(`${envelope},"result":${result}}`, 200);
  const error = `{"code":${RPC.methodNotFound},"message":"no such method"}`;
  return json(`${envelope},"error":${error}}`, server.era === "2026" ? 404 : 200);
}

/** As JSON; undefined for a method it does not know. Of a call it looks at nothing but the marker in it. */
function resultOf({ era, tools }: McpServer, method: unknown, text: string): string | undefined {
  const modern = era === "2026" ? ',"resultType":"complete"' : "";
  const kept = era === "2026" ? `${modern},"ttlMs":60000,"cacheScope":"private"` : "";
  switch (method) {
    case "tools/call":
      return `{"content":[{"type":"text","text":"${findingsOf(markerIn(text))}"}],"isError":false${modern}}`;
    case "tools/list":
      return `{"tools":${tools}${kept}}`;
    case "resources/read":
      return `{"contents":[{"uri":"${READ}","mimeType":"text/plain","text":"${findingsOf(noteIn(text))}"}]}`;
    case "prompts/get":
      return `{"messages":[{"role":"user","content":{"type":"text","text":"${findingsOf(markerIn(text))}"}}]}`;
    case "resources/list":
      return RESOURCES;
    case "resources/templates/list":
      return '{"resourceTemplates":[]}';
    case "prompts/list":
      return `{"prompts":[{"name":"${CALLED}","arguments":[{"name":"query"}]}]}`;
    case "initialize":
      return era === "2026" ? undefined : INITIALIZED;
    case "server/discover":
      return era === "2026" ? `${DISCOVERED}${kept}}` : undefined;
    default:
      return undefined;
  }
}

const READ = "note://read";
const noteIn = (text: string): string => /note:\/\/([a-z]+)/.exec(text)?.[1] ?? "";

const RESOURCES = JSON.stringify({
  resources: Array.from({ length: 20 }, (_, at) => ({
    uri: `note://${nameOf(at)}`,
    name: nameOf(at),
    description: `Notes about ${thingOf(nameOf(at))}, in order of their date, newest first.`,
    mimeType: "text/plain",
  })),
});

const INFO = { name: "bench", version: "1" };
const INITIALIZED = JSON.stringify({
  protocolVersion: LEGACY_VERSIONS[0],
  capabilities: { tools: {}, resources: {}, prompts: {} },
  serverInfo: INFO,
});
/** Left open at its end. */
const DISCOVERED = JSON.stringify({
  supportedVersions: MODERN_VERSIONS,
  capabilities: { tools: {} },
  _meta: { [META.serverInfo]: INFO },
}).slice(0, -1);

function json(text: string, status: number): Response {
  return new Response(text, { status, headers: { "content-type": "application/json" } });
}
