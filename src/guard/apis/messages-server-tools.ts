import { isRecord, type JsonRecord } from "#core/json/json";
import type { DeclaredTool, TurnedOn } from "#guard/apis/api";
import { definitionsIn } from "#guard/apis/messages-tools";
import { hostOf, type ServerToolType } from "#model/server-tools";
import { toolsIn } from "./reading";

/** Anthropic's types of tools end in a date. */
const BY_TYPE: readonly (readonly [prefix: string, type: ServerToolType | null])[] = [
  ["web_search_", "web_search"],
  ["web_fetch_", "web_fetch"],
  ["code_execution_", "code_execution"],
  ["computer_", "computer"],
  ["browser_", "browser"],
  ["advisor_", "advisor"],
  ["mcp_toolset", "mcp"],
  // These the client runs, or they look through the request's own definitions.
  ["bash_", null],
  ["text_editor_", null],
  ["memory_", null],
  ["tool_search_tool", null],
  ["custom", null],
];

/** What a definition has the provider run; null where the client runs it. A type that nobody knows is the provider's. */
export const serverToolType = (definition: unknown): ServerToolType | null => {
  const type = isRecord(definition) ? definition["type"] : undefined;
  if (type === undefined || type === null) return null;
  if (typeof type !== "string") return "other";
  const known = BY_TYPE.find(([prefix]) => type.startsWith(prefix));
  return known === undefined ? "other" : known[1];
};

/** Every tool that a request declares for the client to run, at its top or in the middle of its conversation, with where. */
export function* declaredTools(body: JsonRecord): Generator<DeclaredTool> {
  for (const { param, tools } of definitionsIn(body)) {
    for (const [at, definition] of tools.entries()) {
      if (serverToolType(definition) !== null) continue;
      for (const [, name] of toolsIn(param, [definition])) yield [`${param}[${at}]`, name, definition];
    }
  }
}

/** Every tool of the provider's that a request turns on, with where. */
export function* serverToolsIn(body: JsonRecord): Generator<TurnedOn | null> {
  for (const { param, tools } of definitionsIn(body)) {
    for (const [at, definition] of tools.entries()) {
      const type = serverToolType(definition);
      // The server of a toolset stands in a list of its own.
      yield type === null || type === "mcp" ? null : { param: `${param}[${at}]`, type, host: null };
    }
  }
  const { mcp_servers: servers } = body;
  if (servers === undefined || servers === null) return;
  for (const [at, server] of (Array.isArray(servers) ? servers : [servers]).entries()) {
    yield { param: `mcp_servers[${at}]`, type: "mcp", host: isRecord(server) ? hostOf(server["url"]) : null };
  }
}
