import type { CallDecision } from "#model/call-entry";

/*
 * How the calls of one conversation hang together. Records name no parent: a tool call belongs to the last model call
 * whose answer named its tool, or, where that is not recorded, to the last one that stopped to have tools called.
 */

/** How it is known which model call asked for a tool call: its record names the tool, or only the times fit. */
export const ASKED_BASES = ["named", "time"] as const;
export type AskedBasis = (typeof ASKED_BASES)[number];

/** What is looked at of a call. Times are Unix milliseconds. */
export type TracedCall = {
  readonly call_id: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly decision: CallDecision;
  /** Public name of the tool; null for a call of a model. */
  readonly tool: string | null;
  readonly finish_reasons: readonly string[];
  /** Tool calls in its answer; null where the record does not say. */
  readonly asked: { readonly count: number; readonly names: readonly string[] } | null;
  readonly sub_agent: string | null;
};

export type AskedBy = { readonly call_id: string; readonly basis: AskedBasis };

/** Kinds whose answers go on with a conversation; counting tokens does not. */
const ANSWERS: ReadonlySet<string> = new Set([
  "chat.completion",
  "responses.create",
  "responses.retrieve",
  "messages.create",
  "completion",
]);
/** Finish reasons of an answer that waits for its tool calls. */
const FOR_TOOLS: ReadonlySet<string> = new Set(["tool_calls", "function_call", "tool_use", "pause_turn"]);

const isAnswer = ({ tool, kind }: TracedCall): boolean => tool === null && ANSWERS.has(kind);

const stopsForTools = ({ asked, finish_reasons }: TracedCall): boolean =>
  asked !== null || finish_reasons.some((reason) => FOR_TOOLS.has(reason));

/** Whether its answer may have a tool call that its record does not name. */
const hasUnnamed = (call: TracedCall): boolean =>
  call.asked === null ? stopsForTools(call) : call.asked.names.length < call.asked.count;

export const byStart = (one: TracedCall, other: TracedCall): number =>
  one.start - other.start || (one.call_id < other.call_id ? -1 : 1);

/** Which model call asked for a tool call; `calls` are those of its conversation, by start. */
const askerOf = (tool: TracedCall, calls: readonly TracedCall[]): AskedBy | null => {
  const before = calls.filter((call) => isAnswer(call) && call.start <= tool.start);
  const named = before.findLast(({ asked }) => tool.tool !== null && asked?.names.includes(tool.tool));
  const unnamed = before.findLast(hasUnnamed);
  if (unnamed && (!named || unnamed.start > named.start)) return { call_id: unnamed.call_id, basis: "time" };
  return named ? { call_id: named.call_id, basis: "named" } : null;
};

const isToolCall = ({ tool, kind }: TracedCall): boolean => tool !== null || kind === "tool.call";

/** Of each tool call the model call that asked for it, as far as it is among `calls`. */
export const askersIn = (calls: readonly TracedCall[]): ReadonlyMap<string, AskedBy> => {
  const sorted = calls.toSorted(byStart);
  const askers = new Map<string, AskedBy>();
  for (const call of sorted) {
    const asker = isToolCall(call) ? askerOf(call, sorted) : null;
    if (asker) askers.set(call.call_id, asker);
  }
  return askers;
};

/** Whether what comes after a call begins with something new from the user. What failed is asked again. */
export const endsTurn = (call: TracedCall): boolean =>
  isAnswer(call) &&
  call.sub_agent === null &&
  call.decision !== "error" &&
  call.decision !== "refused" &&
  !stopsForTools(call);

type Ordered = { readonly ends_turn: boolean };

/** Calls in order, cut where a turn ends. */
export const turnsOf = <Call extends Ordered>(calls: readonly Call[]): Call[][] => {
  const turns: Call[][] = [];
  let open: Call[] = [];
  for (const call of calls) {
    open.push(call);
    if (!call.ends_turn) continue;
    turns.push(open);
    open = [];
  }
  return open.length > 0 ? [...turns, open] : turns;
};

type Linked = { readonly call_id: string; readonly asked_by: AskedBy | null };
export type Node<Call> = { readonly call: Call; readonly tools: readonly Call[] };

/** Model calls with the tool calls they asked for below them; what nobody here asked for stands for itself. */
export const nested = <Call extends Linked>(calls: readonly Call[]): Node<Call>[] => {
  const here = new Set(calls.map(({ call_id }) => call_id));
  const tools = Map.groupBy(calls, ({ asked_by }) =>
    asked_by && here.has(asked_by.call_id) ? asked_by.call_id : null,
  );
  return (tools.get(null) ?? []).map((call) => ({ call, tools: tools.get(call.call_id) ?? [] }));
};
