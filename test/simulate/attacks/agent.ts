import { isRecord, type JsonRecord } from "#core/json/json";
import type { Pair, Step } from "./model.ts";
import { argsOf, REFUSED } from "./scripted-model.ts";

/** How an action ended that the hub did not let pass. */
export type Stop = {
  readonly what: "held" | "blocked";
  readonly at: "model" | "tool" | "request";
  readonly types: string;
};

/** What an agent reaches: models and tools, through the hub or beside it. */
export type Reach = {
  readonly chat: (body: JsonRecord) => Promise<{ readonly status: number; readonly json: JsonRecord }>;
  readonly call: (step: Step) => Promise<JsonRecord>;
  /** Definitions as chat completions take them. */
  readonly tools: readonly JsonRecord[];
  /** Asks a person about a held call: whether it may be made. */
  readonly approve: (hold: string) => Promise<boolean>;
};

export type Course = { readonly answer: string | null; readonly stops: readonly Stop[]; readonly approvals: number };

const MAX_TURNS = 12;

/**
 * A plain agent: asks the model, does what it says, gives it the results. A call that is held it shows to a person and
 * makes again; without one it tells the model to go on. A result its request is refused for it leaves out.
 */
export const runAgent = async ({ task }: Pair, model: string, reach: Reach): Promise<Course> => {
  const messages: JsonRecord[] = [
    { role: "system", content: "You help with the user's affairs and use tools for it." },
    { role: "user", content: task.prompt },
  ];
  const stops: Stop[] = [];
  let approvals = 0;
  const refusal = async (guard: JsonRecord, at: Stop["at"]): Promise<"again" | "refused"> => {
    const isHeld = guard["action"] === "hold";
    stops.push({ what: isHeld ? "held" : "blocked", at, types: typesOf(guard) });
    if (!isHeld || !(await reach.approve(`${guard["hold_id"]}`))) return "refused";
    approvals += 1;
    return "again";
  };
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const { status, json } = await reach.chat({ model, messages, tools: [...reach.tools] });
    if (status !== 200) {
      const { guard, param } = errorOf(json);
      if (guard["stage"] === "input") {
        const at = Number(/^messages\[(\d+)\]/.exec(param)?.[1] ?? "-1");
        const message = messages[at];
        if (message?.["role"] !== "tool") return { answer: null, stops, approvals };
        stops.push({ what: "blocked", at: "request", types: typesOf(guard) });
        messages[at] = { ...message, content: "(left out)" };
      } else if ((await refusal(guard, "model")) === "refused") messages.push({ role: "user", content: REFUSED });
      continue;
    }
    const message = messageIn(json);
    const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isRecord) : [];
    if (calls.length === 0) return { answer: `${message["content"]}`, stops, approvals };
    messages.push(message);
    for (const { id, function: called } of calls) {
      const { name, arguments: given } = isRecord(called) ? called : {};
      const step = { tool: `${name}`, args: argsOf(`${given}`) };
      let result = await reach.call(step);
      const guard = guardOf(result);
      if (guard !== null && (await refusal(guard, "tool")) === "again") result = await reach.call(step);
      messages.push({ role: "tool", tool_call_id: id, content: textOf(result) });
    }
  }
  return { answer: null, stops, approvals };
};

const errorOf = (json: JsonRecord): { guard: JsonRecord; param: string } => {
  const error = isRecord(json["error"]) ? json["error"] : {};
  if (!isRecord(error["guard"])) throw new Error(`the hub failed: ${JSON.stringify(json)}`);
  return { guard: error["guard"], param: `${error["param"]}` };
};

const messageIn = (json: JsonRecord): JsonRecord => {
  const choices = json["choices"];
  const first = Array.isArray(choices) ? choices[0] : undefined;
  const message = isRecord(first) ? first["message"] : undefined;
  if (!isRecord(message)) throw new Error(`no message in ${JSON.stringify(json)}`);
  return message;
};

const guardOf = (result: JsonRecord): JsonRecord | null => {
  const meta = result["_meta"];
  const guard = isRecord(meta) ? meta["guardhouse/guard"] : undefined;
  return result["isError"] === true && isRecord(guard) ? guard : null;
};

const typesOf = (guard: JsonRecord): string => {
  const flags = Array.isArray(guard["flags"]) ? guard["flags"].filter(isRecord) : [];
  return [...new Set(flags.map(({ type }) => `${type}`))].sort().join(" ");
};

export const textOf = (result: JsonRecord): string => {
  const content = Array.isArray(result["content"]) ? result["content"].filter(isRecord) : [];
  return content.map(({ text }) => `${text}`).join("\n");
};
