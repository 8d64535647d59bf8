import type { ChatRequest } from "#core/chat";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json";
import type { Effective } from "#core/profile/effective";
import { type Denial, modelDenial, toolDenial } from "#core/profile/permits";
import type { GuardedCall } from "#engine/guarded-call";

/*
 * What an agent's profile and restrictions say about a chat-completions request beside its texts. A profile in monitor
 * mode refuses nothing: what it would have refused is on record.
 */

/** Throws `model_not_allowed`, `tool_not_allowed`, `parameter_not_allowed`. May lower what the body leaves open. */
export const holdToProfile = (call: GuardedCall, body: ChatRequest): void => {
  const { effective } = call.rules;
  const model = modelDenial(effective, body.model);
  if (model && !call.watches(model, "policy.model", "model")) {
    throw refusal("model_not_allowed", "This agent may not use this model", model, "model");
  }
  for (const [param, name] of declaredTools(body)) {
    const tool = toolDenial(effective, name);
    if (tool && !call.watches(tool, "policy.tool", param)) {
      throw refusal("tool_not_allowed", "This agent may not declare this tool", tool, param);
    }
  }
  boundOutput(call, effective, body);
};

/** Tokens the call may come to, as far as can be said before it: what a reservation is made of. */
export const tokensWanted = (body: ChatRequest, effective: Effective, promptChars: number): number => {
  const fields: JsonRecord = body;
  const asked = LENGTH_KEYS.map((key) => fields[key]).find((value) => typeof value === "number");
  const answer = typeof asked === "number" ? asked : (effective.max_output_tokens?.value ?? USUAL_ANSWER);
  return Math.ceil(promptChars / CHARS_A_TOKEN) + answer * (body.n ?? 1);
};

/** What an answer is taken to need when nothing says how long it may be. It is settled when it is there. */
const USUAL_ANSWER = 500;
const CHARS_A_TOKEN = 4;
const LENGTH_KEYS = ["max_completion_tokens", "max_tokens"] as const;

const boundOutput = (call: GuardedCall, { max_output_tokens: most }: Effective, body: ChatRequest): void => {
  if (!most) return;
  const fields: JsonRecord = body;
  const denial = { layer: most.layer, rule: "models.max_output_tokens" };
  const over = LENGTH_KEYS.find((key) => {
    const asked = fields[key];
    return typeof asked === "number" && asked > most.value;
  });
  if (over) {
    if (call.watches(denial, "policy.limit", over)) return;
    throw refusal("parameter_not_allowed", `${over} is over the agent's limit of ${most.value}`, denial, over);
  }
  const isOpen = LENGTH_KEYS.every((key) => typeof fields[key] !== "number");
  if (isOpen && !call.isWatchedOnly(denial)) Object.assign(body, { max_completion_tokens: most.value });
};

/** Names of the tools and functions a request declares, with where. */
function* declaredTools(body: ChatRequest): Generator<[param: string, name: string]> {
  const fields: JsonRecord = body;
  for (const [index, tool] of (body.tools ?? []).entries()) {
    const open: JsonRecord = tool;
    const inner = open["function"] ?? open["custom"];
    const name = isRecord(inner) ? inner["name"] : open["name"];
    // A tool of the provider's own (`web_search`) has no name but its type.
    yield [`tools[${index}]`, typeof name === "string" ? name : tool.type];
  }
  const functions = fields["functions"];
  if (!Array.isArray(functions)) return;
  for (const [index, each] of functions.entries()) {
    const name = isRecord(each) ? each["name"] : null;
    yield [`functions[${index}]`, typeof name === "string" ? name : ""];
  }
}

const refusal = (
  code: "model_not_allowed" | "tool_not_allowed" | "parameter_not_allowed",
  what: string,
  { layer, rule }: Denial,
  param: string,
): GuardError =>
  new GuardError(code, `${what} (${layer}, ${rule}). Ask its owner, or have it reviewed.`, {
    param,
    extra: { guard: { layer, rule } },
  });
