import { CliExit, EXIT } from "#cli/exit";
import { messageOf } from "#cli/failures";
import { CANARY } from "#clients/canary";
import type { Client, HookProof, Target } from "#clients/client";
import { hookCommand } from "#clients/hooks";
import type { Environment } from "#config/environment";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { type Answer, ask, faultOf } from "./hub";
import type { Planned } from "./writing";

/** One thing that was tried, and what was seen. */
export type Finding = { readonly check: string; readonly ok: boolean; readonly seen: string };

const ECHO = "guardhouse/echo";
/** Of an answer: it is only to be there. */
const MAX_TOKENS = 16;
/** Longer than the hook waits for the hub. */
const HOOK_LIMIT_MS = 12_000;
/** Longest answer of a hook that is read, in bytes. */
const MAX_HOOK_ANSWER = 1_048_576;

type Work = {
  readonly client: Client;
  readonly target: Target;
  readonly plan: () => readonly Planned[];
  /** Of the hook's command. */
  readonly environment: Environment;
};

type Seen = Omit<Finding, "check">;

/** Tries what the client would do. Every check is made, whatever the others found. */
export const checksOf = async ({ client, target, plan, environment }: Work): Promise<Finding[]> => [
  await found("settings", () => settingsCheck(plan())),
  await found("call", () => callCheck(client, target)),
  await found("block", () => blockCheck(client, target)),
  ...(client.hook ? [await found("hook", hookCheck(client.hook, target, environment))] : []),
  await found("tools", () => toolCheck(target)),
];

const found = async (check: string, look: () => Seen | Promise<Seen>): Promise<Finding> => {
  try {
    return { check, ...(await look()) };
  } catch (cause) {
    return { check, ok: false, seen: messageOf(cause) };
  }
};

const settingsCheck = (plan: readonly Planned[]): Seen => {
  const open = plan.filter(({ action }) => action !== "keep").map(({ path }) => path);
  const ok = open.length === 0;
  return { ok, seen: ok ? "as `connect` writes them" : `not as \`connect\` writes them: ${open.join(", ")}` };
};

/** The built-in model costs nothing; where the profile does not allow it, the one that was chosen, or the first. */
const modelOf = ({ model, models }: Target): string => {
  const chosen = model ?? models.find((id) => id === ECHO) ?? models[0];
  if (chosen === undefined) throw new CliExit(EXIT.failure, "the token may use no model");
  return chosen;
};

/** Says something to a model in the way the client does. */
const say = ({ api }: Client, target: Target, content: string): Promise<Answer> => {
  const model = modelOf(target);
  if (api === "responses") {
    return ask(target, "/v1/responses", { model, input: content, max_output_tokens: MAX_TOKENS });
  }
  const path = api === "messages" ? "/v1/messages" : "/v1/chat/completions";
  return ask(target, path, { model, messages: [{ role: "user", content }], max_tokens: MAX_TOKENS });
};

const callOf = ({ headers }: Answer): string => headers.get("x-request-id") ?? "";

const callCheck = async (client: Client, target: Target): Promise<Seen> => {
  const answer = await say(client, target, "Say hello.");
  const ok = answer.status === 200;
  const how = ok ? "answered" : `answered ${faultOf(answer)}`;
  return { ok, seen: `${modelOf(target)} ${how}, call ${callOf(answer)}` };
};

const blockCheck = async (client: Client, target: Target): Promise<Seen> => {
  const answer = await say(client, target, CANARY);
  const ok = answer.status === 400 && answer.headers.get("x-guard-action") === "block";
  const action = answer.headers.get("x-guard-action") ?? faultOf(answer);
  const seen = ok
    ? "a made-up access key was blocked"
    : `a made-up access key was not blocked (${action}): the token's policy lets it pass`;
  return { ok, seen: `${seen}, call ${callOf(answer)}` };
};

/** Runs the command that is written, as the client does; by `exec`, so that the limit ends it and not its shell alone. */
const hookCheck = (hook: HookProof, target: Target, environment: Environment) => async (): Promise<Seen> => {
  const line = hookCommand(target, hook.harness);
  const child = Bun.spawn(
    process.platform === "win32" ? ["cmd", "/d", "/s", "/c", line] : ["sh", "-c", `exec ${line}`],
    {
      ...{
        env: environment,
        stdin: Buffer.from(JSON.stringify(hook.prompt(CANARY))),
        stdout: "pipe",
        stderr: "ignore",
      },
      ...{ timeout: HOOK_LIMIT_MS, maxBuffer: MAX_HOOK_ANSWER },
    },
  );
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  const answer = parseJson(text);
  const ok = isRecord(answer) && hook.isRefused(answer);
  const seen = ok
    ? "refused a prompt with a made-up access key"
    : `did not refuse a prompt with a made-up access key (exit code ${code})`;
  return { ok, seen: `\`${line}\` ${seen}` };
};

const toolCheck = async (target: Target): Promise<Seen> => {
  const headers = { accept: "application/json, text/event-stream" };
  const answer = await ask(
    target,
    "/mcp/gateway",
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    headers,
  );
  const { result } = recordIn(answer);
  const tools = isRecord(result) && Array.isArray(result["tools"]) ? result["tools"] : null;
  if (tools === null) return { ok: false, seen: `the gateway answered ${faultOf(answer)}` };
  const names = tools.flatMap((tool: unknown) =>
    isRecord(tool) && typeof tool["name"] === "string" ? [tool["name"]] : [],
  );
  const more = isRecord(result) && result["nextCursor"] !== undefined ? " and more" : "";
  return { ok: true, seen: names.length === 0 ? "none assigned" : `${names.join(", ")}${more}` };
};

/** The JSON of an answer, which the gateway may send as one event. */
const recordIn = ({ text }: Answer): JsonRecord => {
  const [, event] = /^data: ?(.*)$/m.exec(text) ?? [];
  const value = parseJson(event ?? text);
  return isRecord(value) ? value : {};
};
