import { isRecord, type JsonRecord } from "#core/json/json";
import { RESULT_ITEMS, RESULT_KEYS } from "#guard/apis/responses-texts";
import type { AnsweredCall } from "#model/answered-call";
import { type Speech, type Voice, voiceOfRole } from "#policy/provenance/speech";

/** Calls that the caller is to run, by type: the tool they name or are, and where what it is given stands. */
const CALLS: ReadonlyMap<unknown, { readonly tool: string | null; readonly given: string }> = new Map([
  ["function_call", { tool: null, given: "arguments" }],
  ["custom_tool_call", { tool: null, given: "input" }],
  ["local_shell_call", { tool: "local_shell", given: "action" }],
  ["shell_call", { tool: "shell", given: "action" }],
  ["apply_patch_call", { tool: "apply_patch", given: "operation" }],
  ["computer_call", { tool: "computer", given: "action" }],
]);

/** The tool that an item has the caller call; null where it does not. */
export const toolOf = (item: unknown): string | null => {
  const call = isRecord(item) ? CALLS.get(item["type"]) : undefined;
  if (!isRecord(item) || call === undefined) return null;
  if (call.tool !== null) return call.tool;
  return typeof item["name"] === "string" ? item["name"] : null;
};

/** What the tool is given, as text. */
export const argumentsOf = (item: JsonRecord): string => {
  const given = item[CALLS.get(item["type"])?.given ?? ""] ?? item["actions"];
  return typeof given === "string" ? given : JSON.stringify(given ?? {});
};

export const itemParam = (at: number): string => `output[${at}]`;

/** Every tool call of a whole response that the caller is to make. */
export const answeredCallsIn = ({ output }: JsonRecord): AnsweredCall[] =>
  Array.isArray(output)
    ? output.flatMap((item: unknown, at) => {
        const tool = toolOf(item);
        return tool === null || !isRecord(item) ? [] : [{ param: itemParam(at), tool, arguments: argumentsOf(item) }];
      })
    : [];

type Definitions = { readonly param: string; readonly tools: readonly unknown[] };

/** Lists of definitions, wherever they stand: at the top, in namespaces, and in the middle of a conversation. */
export function* definitionsIn({ tools, input }: JsonRecord): Generator<Definitions> {
  yield* listed("tools", tools);
  if (!Array.isArray(input)) return;
  for (let at = 0; at < input.length; at += 1) {
    const item: unknown = input[at];
    if (!isRecord(item) || !Array.isArray(item["tools"])) continue;
    // What the provider lists of a remote server was declared with the server.
    if (item["type"] !== "mcp_list_tools") yield* listed(`input[${at}].tools`, item["tools"]);
  }
}

function* listed(param: string, tools: unknown): Generator<Definitions> {
  if (!Array.isArray(tools)) return;
  yield { param, tools };
  for (const [at, tool] of tools.entries()) {
    if (isRecord(tool) && tool["type"] === "namespace") yield* listed(`${param}[${at}].tools`, tool["tools"]);
  }
}

const isResult = (item: unknown): boolean => isRecord(item) && RESULT_ITEMS.has(item["type"]);

/** Items of unknown types that have no role are the model's: a caller's own have one. */
const voiceOf = (item: unknown): Voice | undefined => {
  if (isResult(item)) return "tool";
  return isRecord(item) && typeof item["role"] === "string" ? voiceOfRole(item) : "model";
};

/** A call that the provider ran, in two: what the model gave the tool, and what the tool said. */
const partsOf = (item: JsonRecord, results: ReadonlySet<string>): readonly [given: JsonRecord, said: JsonRecord] => {
  const part = (isOfTool: boolean) =>
    Object.fromEntries(Object.entries(item).filter(([key]) => results.has(key) === isOfTool));
  return [part(false), part(true)];
};

/** Who said what: the instructions first, as the model reads them. */
export const speechOf = ({ instructions, input }: JsonRecord): Speech | null => {
  const isListed = Array.isArray(input);
  const turns: unknown[] = [{ role: "system", content: instructions ?? null }];
  const places = [-1];
  const voices = new Map<unknown, Voice>();
  const items: readonly unknown[] = isListed ? input : [{ role: "user", content: input ?? null }];
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    const results = isRecord(item) ? RESULT_KEYS.get(item["type"]) : undefined;
    if (!isRecord(item) || results === undefined) {
      turns.push(item);
      places.push(at);
      continue;
    }
    const [given, said] = partsOf(item, results);
    voices.set(given, "model").set(said, "tool");
    turns.push(given, said);
    places.push(at, at);
  }
  return {
    turns,
    place: (at) => (at === 0 ? "instructions" : isListed ? `input[${places[at]}]` : "input"),
    voiceOf: (turn) => voices.get(turn) ?? voiceOf(turn),
    innerVoice: (_, voice) => voice,
    hasResult: (turn) => voices.get(turn) === "tool" || isResult(turn),
  };
};
