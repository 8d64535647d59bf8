import { isRecord, type JsonRecord } from "#core/json/json";
import { parseExactInTurns } from "#core/json/json-reader";
import { jsonText } from "#core/json/json-writer";
import { type LogLevel, logLevelOf } from "#model/tools/log-level";
import { SERVER_METHODS } from "#model/tools/mcp";
import { slices } from "#platform/slices";
import {
  type QuestionReply,
  TOOL_FAILURES,
  ToolFailure,
  type ToolListing,
  type UpstreamRequest,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
} from "#upstream/tool-port";

/*
 * What processes of one hub say to each other about a tool server that one of them runs. A question is one JSON text;
 * the answer is a line of JSON each for what the server says of its progress, and a last one for how it ended.
 */

/** The rest of a question beside arguments and schema, and of an answer beside its result. Bytes. */
export const AROUND_BYTES = 1_048_576;

export type Asked = {
  readonly serverId: string;
  readonly credentialVersion: number;
  /** Null for its list. */
  readonly call: AskedCall | AskedRequest | AskedWatch | null;
  /** Instead of either: the reply to a question that the server asked during a call. */
  readonly reply?: { readonly question: string; readonly reply: QuestionReply };
};
/** What the process that asks can be told beside the answer. */
export type Wants = {
  readonly wantsProgress: boolean;
  /** Whether somebody can answer what the server asks. */
  readonly isAskable: boolean;
  /** Null for no log messages. */
  readonly logLevel: LogLevel | null;
};
type Listeners = "signal" | "onProgress" | "questions" | "log";
type AskedRequest = Omit<UpstreamRequest, Listeners> & Wants;
type AskedCall = Omit<UpstreamToolCall, Listeners> & Wants;

/** A resource that is watched for as long as the connection is open. */
type AskedWatch = { readonly watch: string };

export const wantsOf = ({
  onProgress,
  questions = null,
  log = null,
}: Pick<UpstreamToolCall, "onProgress" | "questions" | "log">): Wants => ({
  wantsProgress: onProgress !== null,
  isAskable: questions !== null,
  logLevel: log?.level ?? null,
});

export type Told =
  | { readonly progress: JsonRecord }
  | { readonly logged: JsonRecord }
  /** Its id is good for one reply. */
  | { readonly question: string; readonly params: JsonRecord }
  | { readonly completed: string }
  /** Of a watched resource: that it is watched, that it has changed, that it is watched no more. */
  | { readonly watched: "begun" | "updated" | "over" }
  | { readonly listing: ToolListing }
  | { readonly answer: UpstreamToolAnswer }
  | { readonly failure: ToolFailure };

/** A JSON text; a long one is written in slices. */
export const textOf = async (value: Asked | Told): Promise<string> =>
  jsonText("failure" in value ? { failure: plainFailure(value.failure) } : value, () => slices.turn());

const plainFailure = ({ reason, message, mayHaveRun, serverText }: ToolFailure): JsonRecord => ({
  ...{ reason, message, mayHaveRun, serverText },
});

const read = async (text: string): Promise<JsonRecord | null> => {
  const value = await parseExactInTurns(text, () => slices.turn());
  return isRecord(value) ? value : null;
};

const recordOf = (value: unknown): JsonRecord | null => (isRecord(value) ? value : null);

/** Null for what is none. */
export const readAsked = async (text: string): Promise<Asked | null> => {
  const asked = await read(text);
  if (typeof asked?.["serverId"] !== "string" || typeof asked["credentialVersion"] !== "number") return null;
  const { serverId, credentialVersion, call } = asked;
  const reply = recordOf(asked["reply"]);
  if (reply !== null) return repliedOf({ serverId, credentialVersion, call: null }, reply);
  if (call === null) return { serverId, credentialVersion, call };
  const given = recordOf(call) ?? {};
  const { watch } = given;
  if (typeof watch === "string") return { serverId, credentialVersion, call: { watch } };
  const known = "method" in given ? requestOf(given) : callOf(given);
  return known && { serverId, credentialVersion, call: known };
};

const callOf = (call: JsonRecord): AskedCall | null => {
  const { name, silenceMs, inputSchema } = call;
  const [parameters, extra, meta] = [recordOf(call["arguments"]), recordOf(call["extra"]), recordOf(call["meta"])];
  if (typeof name !== "string" || typeof silenceMs !== "number" || !parameters || !extra || !meta) return null;
  const clientCapabilities = recordOf(call["clientCapabilities"]);
  const named = { name, arguments: parameters, extra, inputSchema, isTask: call["isTask"] === true };
  return { ...named, meta, clientCapabilities, silenceMs, ...wantsIn(call) };
};

const wantsIn = ({ wantsProgress, isAskable, logLevel }: JsonRecord): Wants => ({
  wantsProgress: wantsProgress === true,
  isAskable: isAskable === true,
  logLevel: logLevelOf(logLevel),
});

const repliedOf = (asked: Asked, { question, reply }: JsonRecord): Asked | null => {
  const { kind, result, code, message } = recordOf(reply) ?? {};
  if (typeof question !== "string") return null;
  if (kind === "result" && isRecord(result)) return { ...asked, reply: { question, reply: { kind, result } } };
  if (kind !== "error" || typeof code !== "number" || typeof message !== "string") return null;
  return { ...asked, reply: { question, reply: { kind, code, message } } };
};

const requestOf = (asked: JsonRecord): AskedRequest | null => {
  const { silenceMs } = asked;
  const [params, meta] = [recordOf(asked["params"]), recordOf(asked["meta"])];
  const method = SERVER_METHODS.find((known) => known === asked["method"]);
  if (method === undefined || typeof silenceMs !== "number" || !params || !meta) return null;
  const clientCapabilities = recordOf(asked["clientCapabilities"]);
  return { method, params, meta, clientCapabilities, silenceMs, ...wantsIn(asked) };
};

/** Null for what is none. */
export const readTold = async (text: string): Promise<Told | null> => {
  const { progress, logged, watched, listing, answer, failure, question, params, completed } = (await read(text)) ?? {};
  if (isRecord(progress)) return { progress };
  if (isRecord(logged)) return { logged };
  if (watched === "begun" || watched === "updated" || watched === "over") return { watched };
  if (typeof question === "string" && isRecord(params)) return { question, params };
  if (typeof completed === "string") return { completed };
  if (isRecord(listing)) return listingOf(listing);
  if (isRecord(answer)) return answerOf(answer);
  return isRecord(failure) ? failureOf(failure) : null;
};

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

const listingOf = ({ tools, instructions, protocol, runsTasks, capabilities }: JsonRecord): Told | null => {
  if (!Array.isArray(tools)) return null;
  const said = { instructions: textOrNull(instructions), protocol: textOrNull(protocol) };
  const can = { runsTasks: runsTasks === true, capabilities: recordOf(capabilities) ?? {} };
  return { listing: { tools, ...said, ...can } };
};

const answerOf = ({ kind, result, code, message, data }: JsonRecord): Told | null => {
  if (kind === "result" && isRecord(result)) return { answer: { kind, result } };
  if (kind !== "error" || typeof code !== "number" || typeof message !== "string") return null;
  return { answer: { kind, code, message, data } };
};

const failureOf = ({ reason, message, mayHaveRun, serverText }: JsonRecord): Told => {
  const known = TOOL_FAILURES.find((one) => one === reason) ?? "garbage";
  const words = textOrNull(message) ?? "The server cannot be used.";
  return { failure: new ToolFailure(known, words, mayHaveRun !== false, undefined, textOrNull(serverText)) };
};
