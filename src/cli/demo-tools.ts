import { createInterface } from "node:readline";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { LEGACY_VERSIONS, RPC, type RpcMessage, rpcMessage } from "#model/tools/mcp";
import { EXIT } from "./exit";
import type { RunVerb } from "./verb";
import { VERSION } from "./version";

/** Served by `demo tools`: harmless, always the same, and one that gives away more than it should. */
const TOOLS = [
  {
    name: "echo",
    description: "Repeats a text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "customer",
    description: "Looks a customer of the demo shop up by number.",
    inputSchema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
    annotations: { readOnlyHint: true },
  },
];

const said = (text: string, isError = false): JsonRecord => ({ content: [{ type: "text", text }], isError });

const called = (params: JsonRecord): JsonRecord | null => {
  const given = isRecord(params["arguments"]) ? params["arguments"] : {};
  if (params["name"] === "echo") return said(String(given["text"] ?? ""));
  if (params["name"] !== "customer") return null;
  // A card number of the kind that pays nothing: what the guard takes out on the way back.
  return said(`Customer ${Number(given["number"])}: Kim Sample, pays with card 4539 1488 0343 6467, since 2021.`);
};

const asked = (method: string, params: JsonRecord): JsonRecord | null => {
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: TOOLS };
  if (method === "tools/call") return called(params);
  if (method !== "initialize") return null;
  const wanted = LEGACY_VERSIONS.find((version) => version === params["protocolVersion"]);
  return {
    protocolVersion: wanted ?? LEGACY_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "guardhouse-demo-tools", version: VERSION },
  };
};

/** The line to write for a message; null for what wants no answer. */
const answerTo = (message: RpcMessage | null): string | null => {
  if (message?.kind !== "request") return null;
  const { id, method, params = {} } = message;
  const result = asked(method, params);
  const error = { code: RPC.methodNotFound, message: "There is no such method or tool." };
  return JSON.stringify({ jsonrpc: "2.0", id, ...(result === null ? { error } : { result }) });
};

/** `demo tools`: a small MCP server over stdin and stdout, until stdin ends. */
export const demoTools: RunVerb = async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = answerTo(rpcMessage(parseJson(line)));
    if (answer !== null) process.stdout.write(`${answer}\n`);
  }
  return EXIT.ok;
};
