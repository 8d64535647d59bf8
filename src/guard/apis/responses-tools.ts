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
  for (const [at, item] of input.entries()) {
    // What the provider lists of a remote server was declared with the server.
    if (isRecord(item) && item["type"] !== "mcp_list_tools") yield* listed(`input[${at}].tools`, item["tools"]);
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
const hasOwnResult = (item: unknown): boolean => isRecord(item) && RESULT_KEYS.has(item["type"]);

/** Items of unknown types that have no role are the model's: a caller's own have one. */
const voiceOf = (item: unknown): Voice | undefined => {
  if (isResult(item) || hasOwnResult(item)) return "tool";
  if (isRecord(item) && typeof item["role"] === "string") return voiceOfRole(item);
  return "model";
};

/** Who said what: the instructions first, as the model reads them. */
export const speechOf = ({ instructions, input }: JsonRecord): Speech | null => {
  const items: readonly unknown[] = Array.isArray(input) ? input : [{ role: "user", content: input ?? null }];
  return {
    turns: [{ role: "system", content: instructions ?? null }, ...items],
    place: (at) => (at === 0 ? "instructions" : Array.isArray(input) ? `input[${at - 1}]` : "input"),
    voiceOf,
    innerVoice: (_, voice) => voice,
    hasResult: (item) => isResult(item) || hasOwnResult(item),
  };
};
