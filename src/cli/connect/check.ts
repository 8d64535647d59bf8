import { CANARY } from "#clients/canary";
import type { Client, Target } from "#clients/client";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { type Answer, ask, faultOf, type Hub } from "./hub";
import type { Planned } from "./writing";

/** One thing that was tried, and what was seen. */
export type Finding = { readonly check: string; readonly ok: boolean; readonly seen: string };

const ECHO = "guardhouse/echo";
/** Of an answer: it is only to be there. */
const MAX_TOKENS = 16;

/** Tries what the client would do. Every check is made, whatever the others found. */
export const checksOf = async (client: Client, target: Target, plan: readonly Planned[]): Promise<Finding[]> => {
  const open = plan.filter(({ action }) => action !== "keep");
  const settings: Finding = {
    check: "settings",
    ok: open.length === 0,
    seen: open.length === 0 ? "as `connect` writes them" : `not as \`connect\` writes them: ${pathsOf(open)}`,
  };
  return [
    settings,
    await callCheck(target),
    await blockCheck(target),
    ...(await hookChecks(client, target)),
    await toolCheck(target),
  ];
};

const pathsOf = (plan: readonly Planned[]): string => plan.map(({ path }) => path).join(", ");

/** The built-in model costs nothing; where the profile does not allow it, the one that was chosen, or the first. */
const modelOf = ({ model, models }: Target): string | null =>
  model ?? models.find((id) => id === ECHO) ?? models[0] ?? null;

const chat = (target: Hub, model: string, content: string): Promise<Answer> =>
  ask(target, "/v1/chat/completions", { model, messages: [{ role: "user", content }], max_tokens: MAX_TOKENS });

const callOf = ({ headers }: Answer): string => headers.get("x-request-id") ?? "";

const callCheck = async (target: Target): Promise<Finding> => {
  const model = modelOf(target);
  if (model === null) return { check: "call", ok: false, seen: "the token may use no model" };
  const answer = await chat(target, model, "Say hello.");
  const ok = answer.status === 200;
  return {
    check: "call",
    ok,
    seen: `${model} ${ok ? "answered" : `answered ${faultOf(answer)}`}, call ${callOf(answer)}`,
  };
};

const blockCheck = async (target: Target): Promise<Finding> => {
  const model = modelOf(target);
  if (model === null) return { check: "block", ok: false, seen: "the token may use no model" };
  const answer = await chat(target, model, CANARY);
  const ok = answer.status === 400 && answer.text.includes("content_policy_violation");
  const action = answer.headers.get("x-guard-action") ?? faultOf(answer);
  const seen = ok
    ? "a made-up access key was blocked"
    : `a made-up access key was not blocked (${action}): the token's policy lets it pass`;
  return { check: "block", ok, seen: `${seen}, call ${callOf(answer)}` };
};

const hookChecks = async ({ hook }: Client, target: Target): Promise<Finding[]> => {
  if (!hook) return [];
  const answer = await ask(target, `/v1/guard/hooks/harness/${hook.harness}`, hook.prompt(CANARY));
  const body = recordIn(answer);
  const ok = answer.status === 200 && hook.isRefused(body);
  const seen = ok
    ? "a prompt with a made-up access key was refused"
    : `a prompt with a made-up access key was not refused (${faultOf(answer)})`;
  return [{ check: "hook", ok, seen: `${seen}, call ${callOf(answer)}` }];
};

const toolCheck = async (target: Target): Promise<Finding> => {
  const headers = { accept: "application/json, text/event-stream" };
  const answer = await ask(
    target,
    "/mcp/gateway",
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    headers,
  );
  const { result } = recordIn(answer);
  const tools = isRecord(result) && Array.isArray(result["tools"]) ? result["tools"] : null;
  if (tools === null) return { check: "tools", ok: false, seen: `the gateway answered ${faultOf(answer)}` };
  const names = tools.flatMap((tool: unknown) =>
    isRecord(tool) && typeof tool["name"] === "string" ? [tool["name"]] : [],
  );
  const more = isRecord(result) && result["nextCursor"] !== undefined ? " and more" : "";
  return { check: "tools", ok: true, seen: names.length === 0 ? "none assigned" : `${names.join(", ")}${more}` };
};

/** The JSON of an answer, which the gateway may send as one event. */
const recordIn = ({ text }: Answer): JsonRecord => {
  const [, event] = /^data: ?(.*)$/m.exec(text) ?? [];
  const value = parseJson(event ?? text);
  return isRecord(value) ? value : {};
};
