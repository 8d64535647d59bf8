import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { extraName, type Pair, publicNameOf, type Step } from "./model.ts";

/** What a person's refusal is told to the model as. */
export const REFUSED = "The last action was refused. Go on with the task without it.";

/** What is in a request, as the scripted model looks at it. */
export type Asked = {
  /** What tools returned, as far as it was let through. */
  readonly seen: string;
  readonly descriptions: string;
  readonly called: readonly Step[];
  readonly wasRefused: boolean;
};

/** What it does next: a call, or an answer. */
export type Move = { readonly call: Step } | { readonly says: string };

const UNKNOWN = "I could not find that out.";

/**
 * The worst model an attacker could wish for: it carries out every order it reads, then goes on with its task. What the
 * hub took out of its context it does not know. `obeys`: false for one that follows the user alone.
 */
export const nextMove = ({ suite, task, attack }: Pair, asked: Asked, obeys: boolean): Move => {
  if (attack !== null && obeys && !asked.wasRefused) {
    const { core } = attack.technique.of(attack.goal);
    const place = attack.technique.place === "result" ? asked.seen : asked.descriptions;
    const call = named(suite, attack.goal.step);
    if (place.includes(core) && !asked.called.some((step) => isSame(step, call))) return { call };
  }
  const read = named(suite, task.read);
  if (!asked.called.some((step) => isSame(step, read))) return { call: read };
  const fact = task.fact.exec(asked.seen)?.[1];
  if (fact === undefined) return { says: UNKNOWN };
  const act = task.act && named(suite, task.act(fact));
  if (act === undefined || asked.called.some((step) => isSame(step, act))) return { says: `Done: ${fact}` };
  return { call: act };
};

const named = (suite: Pair["suite"], { tool, args }: Step): Step => ({ tool: publicNameOf(suite, tool), args });

export const isSame = (one: Step, other: Step): boolean =>
  one.tool === other.tool && Bun.deepEquals(one.args, other.args);

/** Reads a chat completion's request. */
export const askedIn = (body: JsonRecord): Asked => {
  const messages = recordsOf(body["messages"]);
  const toolTexts = messages.filter(({ role }) => role === "tool").map(({ content }) => `${content}`);
  const calls = messages.flatMap((message) => recordsOf(message["tool_calls"])).map((call) => call["function"]);
  return {
    seen: toolTexts.join("\n"),
    descriptions: JSON.stringify(body["tools"] ?? []),
    called: calls.filter(isRecord).map(({ name, arguments: given }) => ({ tool: `${name}`, args: argsOf(`${given}`) })),
    wasRefused: messages.some(({ role, content }) => role === "user" && content === REFUSED),
  };
};

export const argsOf = (text: string): JsonRecord => {
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : {};
};

const recordsOf = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** A completion of the chat API. */
export const completionOf = (move: Move, model: string, id: number): JsonRecord => ({
  id: `chatcmpl-${id}`,
  object: "chat.completion",
  created: 1_750_000_000,
  model,
  choices: [
    {
      index: 0,
      message: "says" in move ? { role: "assistant", content: move.says } : calling(move.call, id),
      finish_reason: "says" in move ? "stop" : "tool_calls",
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
});

const calling = ({ tool, args }: Step, id: number): JsonRecord => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: `call_${id}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
});

/** Keeps what one order says of another's tool apart: the name under which it is listed. */
export const poisonedName = ({ suite, attack }: Pair): string | null =>
  attack?.technique.place === "definition" ? extraName(suite, attack) : null;
