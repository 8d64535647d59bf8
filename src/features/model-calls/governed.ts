import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import type { RequestSide, TurnedOn } from "#guard/apis/api";
import type { KeptApi } from "#guard/apis/responses-kept";
import type { CallRecord } from "#guard/call-record";
import { firstEnforcedDenial } from "#guard/denials";
import type { GuardedCall } from "#guard/guarded-call";
import type { ServerToolFacts } from "#model/audit";
import type { Effective } from "#policy/profile/effective";
import { type Denial, isWatched, modelDenials, serverToolDenials, toolDenials } from "#policy/profile/permits";

/*
 * What an agent's profile and restrictions say about a request beside its texts. A profile in monitor mode refuses nothing:
 * what it would have refused is on record.
 */

/** Throws `parameter_not_allowed` for state at the provider that the profile forbids; has it keep nothing then. */
function* enforcingProviderState(
  record: CallRecord,
  effective: Effective,
  request: RequestSide,
  body: JsonRecord,
): Generator<undefined, void> {
  const { layer, value } = effective.provider_state;
  if (value === "own") return;
  const denial = { layer, rule: "provider_state" };
  for (const kept of request.keptState?.(body) ?? []) {
    yield;
    if (kept === null || kept.kind === "reasoning") continue;
    const { param } = kept;
    if (record.watches(denial, "policy.provider_state", param)) continue;
    throw refusal("parameter_not_allowed", "This agent may not have its provider keep state", denial, param);
  }
  if (!isWatched(effective, denial)) request.keepNothing?.(body);
}

/** The same of a call about one response that is kept. */
export const enforceKept = ({ context, record }: GuardedCall, { isUse }: Pick<KeptApi, "isUse">): void => {
  const { layer, value } = context.rules.effective.provider_state;
  if (value === "own" || !isUse) return;
  const denial = { layer, rule: "provider_state" };
  if (record.watches(denial, "policy.provider_state", "response_id")) return;
  throw refusal("parameter_not_allowed", "This agent may not use what its provider keeps", denial, "response_id");
};

/**
 * Throws `model_not_allowed`, `tool_not_allowed`, `parameter_not_allowed`. May lower what the body leaves open. Step by
 * step: a request can declare a hundred thousand tools.
 */
export function* enforcingProfile(
  { context, record }: GuardedCall,
  request: RequestSide,
  body: JsonRecord,
  turnedOn: readonly TurnedOn[],
): Generator<undefined, void> {
  const { effective } = context.rules;
  const model = firstEnforcedDenial(record, modelDenials(effective, request.modelOf(body)), "policy.model", "model");
  if (model) throw refusal("model_not_allowed", "This agent may not use this model", model, "model");
  if (effective.tools.length > 0) {
    for (const [param, name] of request.declaredTools(body)) {
      yield;
      const tool = firstEnforcedDenial(record, toolDenials(effective, name), "policy.tool", param);
      if (tool) throw refusal("tool_not_allowed", "This agent may not declare this tool", tool, param);
    }
  }
  for (const { param, type, host } of turnedOn) {
    yield;
    const tool = firstEnforcedDenial(record, serverToolDenials(effective, { type, host }), "policy.server_tool", param);
    if (tool) throw refusal("tool_not_allowed", `This agent may not turn on the provider's ${type}`, tool, param);
  }
  yield* enforcingProviderState(record, effective, request, body);
  boundOutput(record, effective, request, body);
}

/** Every tool at the provider that a request turns on. Step by step. */
export function* turnedOnIn(request: RequestSide, body: JsonRecord): Generator<undefined, readonly TurnedOn[]> {
  const turnedOn: TurnedOn[] = [];
  for (const one of request.serverTools?.(body) ?? []) {
    yield;
    if (one !== null) turnedOn.push(one);
  }
  return turnedOn;
}

/**
 * The provider's tools that a request turns on, as records name them. Hosts are the caller's words, so they are named
 * once they were scanned.
 */
export const serverToolsUsed = (turnedOn: readonly TurnedOn[], isScanned: boolean): ServerToolFacts[] => {
  const used = new Map<string, ServerToolFacts>();
  for (const { type, host } of turnedOn) {
    const named = isScanned && host !== null && host.length <= MAX_HOST ? { type, host } : { type };
    used.set(JSON.stringify(named), named);
    if (used.size === MAX_SERVER_TOOLS) break;
  }
  return [...used.values()];
};

const MAX_SERVER_TOOLS = 20;
/** Of a name in the DNS, with a port. */
const MAX_HOST = 260;

/** Tokens the call may come to, as far as can be said before it: what reservations are made of. */
export type TokensWanted = { readonly prompt: number; readonly answer: number };

export const tokensWanted = (
  request: RequestSide,
  body: JsonRecord,
  effective: Effective,
  promptChars: number,
): TokensWanted => {
  const prompt = Math.ceil(promptChars / CHARS_A_TOKEN);
  if (request.lengthKeys.length === 0) return { prompt, answer: 0 };
  const asked = lengthsAsked(request, body).map(([, length]) => length);
  const answer = asked.length > 0 ? Math.max(0, ...asked) : (effective.max_output_tokens?.value ?? USUAL_ANSWER);
  return { prompt, answer: answer * request.answersWanted(body) };
};

/** What an answer is taken to need when nothing says how long it may be. It is settled when it is there. */
const USUAL_ANSWER = 500;
const CHARS_A_TOKEN = 4;

/** Lengths that bound an answer: to some providers -1 means without end. */
const lengthsAsked = ({ lengthKeys }: RequestSide, body: JsonRecord): [key: string, length: number][] =>
  lengthKeys.flatMap((key): [string, number][] => {
    const asked = numberOf(body[key]);
    return asked !== undefined && asked > 0 ? [[key, asked]] : [];
  });

const boundOutput = (record: CallRecord, effective: Effective, request: RequestSide, body: JsonRecord): void => {
  const { max_output_tokens: most } = effective;
  const [current] = request.lengthKeys;
  if (!most || current === undefined) return;
  const denial = { layer: most.layer, rule: "models.max_output_tokens" };
  const asked = lengthsAsked(request, body);
  const over = asked.find(([, length]) => length > most.value);
  if (over) {
    const [key] = over;
    if (record.watches(denial, "policy.limit", key)) return;
    throw refusal("parameter_not_allowed", `${key} is over the agent's limit of ${most.value}`, denial, key);
  }
  if (isWatched(effective, denial)) return;
  // What we do not read as a length, some provider might.
  for (const key of request.lengthKeys) if (!asked.some(([name]) => name === key)) Reflect.deleteProperty(body, key);
  if (asked.length === 0) body[current] = most.value;
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
