import { isRecord, type JsonRecord } from "#core/json/json";
import type { DeclaredTool, TurnedOn } from "#guard/apis/api";
import { definitionsIn } from "#guard/apis/responses-tools";
import { hostOf, type ServerToolType } from "#model/server-tools";
import { toolsIn } from "./reading";

/** OpenAI's types of tools; some end in a date, or in `_preview` and a date. */
const BY_TYPE: ReadonlyMap<string, ServerToolType | null> = new Map([
  ["web_search", "web_search"],
  ["web_search_preview", "web_search"],
  ["file_search", "file_search"],
  ["code_interpreter", "code_interpreter"],
  // The provider runs the model's program, which calls tools.
  ["programmatic_tool_calling", "code_execution"],
  ["image_generation", "image_generation"],
  ["mcp", "mcp"],
  ["computer", "computer"],
  ["computer_use", "computer"],
  ["computer_use_preview", "computer"],
  ["shell", "shell"],
  // These the client runs, or they look through the request's own definitions.
  ["function", null],
  ["custom", null],
  ["namespace", null],
  ["local_shell", null],
  ["apply_patch", null],
  ["tool_search", null],
]);

const DATE = /_\d{4}_\d{2}_\d{2}$/;

/** What a definition has the provider run; null where the client runs it. A type that nobody knows is the provider's. */
export const serverToolType = (definition: unknown): ServerToolType | null => {
  if (!isRecord(definition)) return null;
  const { type, environment } = definition;
  if (type === undefined || type === null) return null;
  if (type === "shell" && isRecord(environment) && environment["type"] === "local") return null;
  if (typeof type !== "string") return "other";
  let known = BY_TYPE.get(type);
  if (known === undefined) known = BY_TYPE.get(type.replace(DATE, ""));
  return known === undefined ? "other" : known;
};

/** Every tool that a request declares for the client to run, with where. */
export function* declaredTools(body: JsonRecord): Generator<DeclaredTool> {
  for (const { param, tools } of definitionsIn(body)) {
    for (const [at, definition] of tools.entries()) {
      if (serverToolType(definition) !== null || isNamespace(definition)) continue;
      for (const [, name] of toolsIn(param, [definition])) yield [`${param}[${at}]`, name, definition];
    }
  }
}

/** Its tools are declared one by one. */
const isNamespace = (definition: unknown): boolean => isRecord(definition) && definition["type"] === "namespace";

/** Every tool of the provider's that a request turns on, with where. */
export function* serverToolsIn(body: JsonRecord): Generator<TurnedOn | null> {
  for (const { param, tools } of definitionsIn(body)) {
    for (const [at, definition] of tools.entries()) {
      const type = serverToolType(definition);
      const host = type === "mcp" && isRecord(definition) ? hostOf(definition["server_url"]) : null;
      yield type === null ? null : { param: `${param}[${at}]`, type, host };
    }
  }
  // A prompt that the provider keeps may turn on any tool.
  if (body["prompt"] != null) yield { param: "prompt", type: "other", host: null };
}
