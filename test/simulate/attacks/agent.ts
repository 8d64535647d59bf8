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
  /** Begins another conversation, where the agent keeps what it read in a memory of its own; absent where it has none. */
  readonly renew?: (messages: readonly JsonRecord[]) => void;
};

export type Course = { readonly answer: string | null; readonly stops: readonly Stop[]; readonly approvals: number };

const MAX_TURNS = 12;

/**
 * A plain agent: asks the model, does what it says, gives it the results. A call that is held it shows to a person and
 * makes again; without one it tells the model to go on. A result its request is refused for it leaves out.
 */
export const runAgent = (pair: Pair, model: string, reach: Reach): Promise<Course> =>
  new Agent(pair, model, reach).run();

class Agent {
  private readonly messages: JsonRecord[];
  private readonly stops: Stop[] = [];
  private approvals = 0;

  constructor(
    { task }: Pair,
    private readonly model: string,
    private readonly reach: Reach,
  ) {
    this.messages = [
      { role: "system", content: "You help with the user's affairs and use tools for it." },
      { role: "user", content: task.prompt },
    ];
  }

  async run(): Promise<Course> {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const { model, messages, reach } = this;
      const { status, json } = await reach.chat({ model, messages, tools: [...reach.tools] });
      const answer = status === 200 ? await this.act(messageIn(json)) : await this.refused(json);
      if (answer !== undefined) return this.ended(answer);
    }
    return this.ended(null);
  }

  /** Does what the model says; its answer, once it has one. */
  private async act(message: JsonRecord): Promise<string | undefined> {
    const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isRecord) : [];
    if (calls.length === 0) return `${message["content"]}`;
    this.messages.push(message);
    for (const { id, function: called } of calls) {
      const { name, arguments: given } = isRecord(called) ? called : {};
      const result = await this.call({ tool: `${name}`, args: argsOf(`${given}`) });
      this.messages.push({ role: "tool", tool_call_id: id, content: textOf(result) });
    }
    if (this.reach.renew) {
      this.reach.renew(this.messages);
      this.messages.length = 2;
    }
    return undefined;
  }

  private async call(step: Step): Promise<JsonRecord> {
    const result = await this.reach.call(step);
    const guard = guardOf(result);
    return guard !== null && (await this.isApproved(guard, "tool")) ? this.reach.call(step) : result;
  }

  /** Null when there is no way on. */
  private async refused(json: JsonRecord): Promise<null | undefined> {
    const { guard, param } = errorOf(json);
    if (guard["stage"] !== "input") {
      if (!(await this.isApproved(guard, "model"))) this.messages.push({ role: "user", content: REFUSED });
      return undefined;
    }
    const at = Number(/^messages\[(\d+)\]/.exec(param)?.[1] ?? "-1");
    const message = this.messages[at];
    if (message?.["role"] !== "tool") return null;
    this.stops.push({ what: "blocked", at: "request", types: typesOf(guard) });
    this.messages[at] = { ...message, content: "(left out)" };
    return undefined;
  }

  /** Notes that something was not let through; whether a person has then approved it. */
  private async isApproved(guard: JsonRecord, at: Stop["at"]): Promise<boolean> {
    const isHeld = guard["action"] === "hold";
    this.stops.push({ what: isHeld ? "held" : "blocked", at, types: typesOf(guard) });
    if (!isHeld || !(await this.reach.approve(`${guard["hold_id"]}`))) return false;
    this.approvals += 1;
    return true;
  }

  private ended(answer: string | null): Course {
    return { answer, stops: this.stops, approvals: this.approvals };
  }
}

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
