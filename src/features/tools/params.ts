import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { isLongJson } from "#core/json/json-size";
import type { CallArguments } from "#features/tools/dialect/port";
import type { CallToolRequestParams, CallToolResult, Unchecked } from "#model/tools/mcp-types";
import { slices } from "#platform/slices";
import { type Texts, Walk, walkSliced } from "#scan/texts/text-walk";

/** `params` of a tool call, taken apart. */
export type CallParams = {
  readonly name: CallToolRequestParams["name"];
  readonly arguments: CallArguments;
  readonly meta: JsonRecord;
  /** What else there is, passed on: `inputResponses`. */
  readonly extra: JsonRecord;
  /** `requestState`, sealed: what an answer is bound to. Null for none. */
  readonly state: string | null;
  /** Every text in it. */
  readonly texts: Texts;
};

/** UTF-16 units of `requestState`. */
export const MAX_STATE = 65_536;

/** Of `_meta`, what belongs to one leg alone: protocol keys and the progress token are the adapters', ours ours. */
const OWN_META = /^(?:progressToken$|io\.modelcontextprotocol\/|guardhouse\/)/;

/** Long ones come as a promise, walked in slices. Throws `invalid_value`. */
export const callParams = (params: unknown, maxDepth: number): CallParams | Promise<CallParams> => {
  if (!isRecord(params)) throw invalid("params", 'must be an object: {"name": "server__tool", "arguments": {…}}');
  // Tasks are not relayed.
  const {
    name,
    arguments: given,
    _meta,
    task: _task,
    requestState,
    ...extra
  }: Unchecked<CallToolRequestParams> & JsonRecord = params;
  if (typeof name !== "string") throw invalid("params.name", "must be the name of a tool, as tools/list gives it");
  if (given !== undefined && given !== null && !isRecord(given)) throw invalid("params.arguments", "must be an object");
  const parts = {
    arguments: isRecord(given) ? given : {},
    meta: isRecord(_meta) ? withoutOwn(_meta) : {},
    extra,
  };
  const state = stateOf(requestState);
  const walk = new Walk(maxDepth);
  const steps = [
    () => walk.fields(parts.arguments, "arguments", "tool_args", 2),
    () => walk.fields(parts.extra, "", "tool_args", 1),
    () => walk.fields(parts.meta, "_meta", "tool_args", 2),
  ];
  const taken = () => ({ name, ...parts, state, texts: readable(walk, maxDepth) });
  walk.begin(steps.length, (at) => steps[at]?.());
  if (isLongJson(parts)) return walkSliced(walk, () => slices.turn()).then(taken);
  walk.run();
  return taken();
};

/**
 * Parameters of another request than the call of a tool: what does not answer a question is its arguments. `name`: for
 * the record.
 */
export const paramsOf = (name: string, params: JsonRecord, maxDepth: number): CallParams | Promise<CallParams> => {
  const { _meta, task: _task, inputResponses, requestState, ...given } = params;
  const answers = { requestState, ...(inputResponses !== undefined && { inputResponses }) };
  return callParams({ name, arguments: given, _meta, ...answers }, maxDepth);
};

const readable = (walk: Walk, maxDepth: number): Walk => {
  if (walk.gaps.some(({ reason }) => reason === "too_deep")) {
    throw invalid("params", `is nested deeper than ${maxDepth} levels`);
  }
  return walk;
};

const stateOf = (state: unknown): string | null => {
  if (state === undefined || state === null) return null;
  if (typeof state !== "string") throw invalid("params.requestState", "must be the text that the gateway gave");
  if (state.length > MAX_STATE) throw invalid("params.requestState", `must have at most ${MAX_STATE} characters`);
  return state;
};

/** A result without what only its server's leg needs, and without what would pass for the hub's own words. */
export const passedResult = (result: Unchecked<CallToolResult>): Unchecked<CallToolResult> => {
  if (!isRecord(result._meta)) return result;
  const { _meta, ...rest } = result;
  const meta = withoutOwn(_meta);
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
};

const withoutOwn = (meta: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => !OWN_META.test(key)));

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `${param} ${problem}.`, { param });
