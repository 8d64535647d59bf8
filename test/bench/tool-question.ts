import { isRecord } from "#core/json/json";
import { LEGACY_VERSIONS, META, MODERN_VERSIONS } from "#model/tools/mcp";
import { publicUri } from "#model/tools/resource-uri";
import { CALLED, lastOf } from "./mcp-server.ts";
import { findingsOf, queryOf } from "./prose.ts";
import type { Question } from "./question.ts";
import { TOOL_SHAPES, type ToolShape } from "./shape.ts";

/** The server's name in the hub. Bare servers and relays are asked by the same tool name, and do not look at it. */
export const SLUG = "bench";
const NAME = `${SLUG}__${CALLED}`;

const ACCEPT = "accept: application/json, text/event-stream\r\n";
const LEGACY_HEAD = `${ACCEPT}mcp-protocol-version: ${LEGACY_VERSIONS[0]}\r\n`;
const MODERN_META = {
  [META.protocolVersion]: MODERN_VERSIONS[0],
  [META.clientInfo]: { name: "bench", version: "1" },
  [META.clientCapabilities]: {},
};

const HEADS = {
  minimal: () => "",
  "2025": () => LEGACY_HEAD,
  "2026": (method: string) =>
    `${ACCEPT}mcp-protocol-version: ${MODERN_VERSIONS[0]}\r\nmcp-method: ${method}\r\nmcp-name: ${NAME}\r\n`,
} as const;

/** A list or a call of the tools of `mcp-server.ts`. */
export const toolQuestion = (shape: ToolShape): Question => {
  const { method, dialect, tools } = TOOL_SHAPES[shape];
  const envelope = dialect === "minimal" ? "" : '"jsonrpc":"2.0","id":1,';
  const meta = dialect === "2026" ? `,"_meta":${JSON.stringify(MODERN_META)}` : "";
  const body = (params: string): string => `{${envelope}"method":"${method}"${params}}`;
  const head = HEADS[dialect](method);
  if (method === "tools/list") {
    const last = `${lastOf(tools)}"`;
    return {
      head,
      body: () => body(""),
      hasText: null,
      wrong: (_, answer, closely) => wrongList(answer, last, closely ? tools : 0),
    };
  }
  if (method === "resources/list") {
    return {
      head,
      body: () => body(""),
      hasText: null,
      wrong: (_, answer) => missing(answer, `"note://${lastOf(20)}"`),
    };
  }
  if (method === "resources/read") {
    const params = (marker: string) => `,"params":{"uri":"${publicUri(SLUG, `note://${marker}`)}"}`;
    const wrong = (marker: string, answer: string) => missing(answer, findingsOf(marker));
    return { head, body: (marker) => body(params(marker)), hasText: null, wrong };
  }
  return {
    head,
    body: (marker) => body(`,"params":{"name":"${NAME}","arguments":{"query":"${queryOf(marker)}","limit":10}${meta}}`),
    hasText: null,
    wrong: (marker, answer) => (answer.includes(findingsOf(marker)) ? undefined : "not the result of this call"),
  };
};

const missing = (answer: string, part: string): string | undefined =>
  answer.includes(part) || answer.includes(part.replace('"', `"guardhouse://${SLUG}/`))
    ? undefined
    : "not the answer to this";

/** The hub lists tools of its own too: more is no mistake. */
function wrongList(answer: string, last: string, atLeast: number): string | undefined {
  if (!answer.includes(last)) return "a list without its last tool";
  if (atLeast === 0) return undefined;
  return toolsIn(JSON.parse(answer)).length >= atLeast ? undefined : "not all tools";
}

/** The tools in the answer to a JSON-RPC `tools/list`. */
export function toolsIn(answer: unknown): readonly unknown[] {
  const result = isRecord(answer) ? answer["result"] : undefined;
  const tools = isRecord(result) ? result["tools"] : undefined;
  return Array.isArray(tools) ? tools : [];
}
