import type { ChatRequest } from "#core/chat";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json";
import { numberOf } from "#core/json-number";
import type { Effective } from "#core/profile/effective";
import { type Denial, isWatched, modelDenials, toolDenials } from "#core/profile/permits";
import { heldBy } from "#engine/governance/denials";
import type { GuardedCall } from "#engine/guarded-call";

/*
 * What an agent's profile and restrictions say about a chat-completions request beside its texts. A profile in monitor
 * mode refuses nothing: what it would have refused is on record.
 */

/** Throws `model_not_allowed`, `tool_not_allowed`, `parameter_not_allowed`. May lower what the body leaves open. */
export const holdToProfile = (call: GuardedCall, body: ChatRequest): void => {
  const { effective } = call.rules;
  const model = heldBy(call, modelDenials(effective, body.model), "policy.model", "model");
  if (model) throw refusal("model_not_allowed", "This agent may not use this model", model, "model");
  if (effective.tools.length > 0) {
    for (const [param, name] of declaredTools(body)) {
      const tool = heldBy(call, toolDenials(effective, name), "policy.tool", param);
      if (tool) throw refusal("tool_not_allowed", "This agent may not declare this tool", tool, param);
    }
  }
  boundOutput(call, effective, body);
};

/** Tokens the call may come to, as far as can be said before it: what a reservation is made of. */
export const tokensWanted = (body: ChatRequest, effective: Effective, promptChars: number): number => {
  const asked = lengthsAsked(body).map(([, length]) => length);
  const answer = asked.length > 0 ? Math.max(0, ...asked) : (effective.max_output_tokens?.value ?? USUAL_ANSWER);
  return Math.ceil(promptChars / CHARS_A_TOKEN) + answer * (numberOf(body.n) ?? 1);
};

/** What an answer is taken to need when nothing says how long it may be. It is settled when it is there. */
const USUAL_ANSWER = 500;
const CHARS_A_TOKEN = 4;
const LENGTH_KEYS = ["max_completion_tokens", "max_tokens"] as const;

/** Lengths that bound an answer: to some providers -1 means without end. */
const lengthsAsked = (body: JsonRecord): [key: string, length: number][] =>
  LENGTH_KEYS.flatMap((key): [string, number][] => {
    const asked = numberOf(body[key]);
    return asked !== undefined && asked > 0 ? [[key, asked]] : [];
  });

const boundOutput = (call: GuardedCall, effective: Effective, body: ChatRequest): void => {
  const { max_output_tokens: most } = effective;
  if (!most) return;
  const denial = { layer: most.layer, rule: "models.max_output_tokens" };
  const asked = lengthsAsked(body);
  const over = asked.find(([, length]) => length > most.value);
  if (over) {
    const [key] = over;
    if (call.watches(denial, "policy.limit", key)) return;
    throw refusal("parameter_not_allowed", `${key} is over the agent's limit of ${most.value}`, denial, key);
  }
  if (isWatched(effective, denial)) return;
  // What we do not read as a length, some provider might.
  for (const key of LENGTH_KEYS) if (!asked.some(([name]) => name === key)) Reflect.deleteProperty(body, key);
  if (asked.length === 0) Object.assign(body, { max_completion_tokens: most.value });
};

/**
 * Names of the tools and functions a request declares, with where. A tool is all it could be read as: whoever names one
 * twice is held to both.
 */
function* declaredTools(body: JsonRecord): Generator<[param: string, name: string]> {
  for (const [key, items] of [
    ["tools", body["tools"]],
    ["functions", body["functions"]],
  ] as const) {
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) for (const name of namesOf(item)) yield [`${key}[${index}]`, name];
  }
  // A tool of the provider's own that is turned on by its options.
  if (body["web_search_options"] != null) yield ["web_search_options", "web_search"];
}

/** Kinds of tools that have a name of the caller's choice; any other is the provider's own, and known by its type. */
const NAMED_KINDS: ReadonlySet<unknown> = new Set(["function", "custom", undefined]);

const namesOf = (item: unknown): string[] => {
  if (!isRecord(item)) return [""];
  const { type } = item;
  const inner = [item, item["function"], item["custom"]].flatMap((each) =>
    isRecord(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
  if (!NAMED_KINDS.has(type)) return [typeof type === "string" ? type : String(JSON.stringify(type)), ...inner];
  return inner.length > 0 ? inner : [""];
};

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
