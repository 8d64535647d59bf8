import { isRecord, type JsonRecord } from "#core/json/json";
import { RpcFault } from "./mcp-fixture-answer.ts";
import { type FixtureTool, type ToolCall, text, tool } from "./mcp-fixture-tools.ts";

/*
 * Tools of the 2026 era that ask back: they answer `input_required`, and are called again with the answers
 * (SEP-2322). What they need to remember is signed and travels with the client.
 */

const asks = (inputRequests: JsonRecord, state?: string): JsonRecord => ({
  resultType: "input_required",
  inputRequests,
  ...(state === undefined ? {} : { requestState: seal(state) }),
});

const elicit = (message: string, field: string, type = "string"): JsonRecord => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] } },
});
const sample = (prompt: string): JsonRecord => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 },
});
const listRoots: JsonRecord = { method: "roots/list", params: {} };

const signature = (state: string): string =>
  new Bun.CryptoHasher("sha256", "a key of the fixture").update(state).digest("hex").slice(0, 16);
const seal = (state: string): string => `${state}.${signature(state)}`;

/** What was sealed, or undefined where nothing came. Throws for what was changed on the way. */
const stateOf = ({ params }: ToolCall): string | undefined => {
  const given = params["requestState"];
  if (given === undefined) return undefined;
  const state = typeof given === "string" ? given.slice(0, given.lastIndexOf(".")) : "";
  if (given !== seal(state)) throw new RpcFault(-32602, "requestState is not what this server gave");
  return state;
};

/** The answer to one of the requests; undefined where none came. Throws for what is no answer. */
const answerTo = ({ params }: ToolCall, key: string): JsonRecord | undefined => {
  if (!("inputResponses" in params)) return undefined;
  const responses = params["inputResponses"];
  if (!isRecord(responses)) throw new RpcFault(-32602, "inputResponses has to be an object");
  const answer = responses[key];
  if (answer === undefined || isRecord(answer)) return answer;
  throw new RpcFault(-32602, `inputResponses.${key} has to be an object`);
};

const elicited = (call: ToolCall, key: string, field: string): unknown => {
  const content = answerTo(call, key)?.["content"];
  return isRecord(content) ? content[field] : undefined;
};

/** Asks one question, then answers with what came. */
const asksOnce = (name: string, key: string, request: JsonRecord): FixtureTool =>
  tool(name, (call) => {
    const answer = answerTo(call, key);
    return answer === undefined ? asks({ [key]: request }) : text(`Answered: ${JSON.stringify(answer)}`);
  });

const multipleInputs = tool("test_input_required_result_multiple_inputs", (call) => {
  const all = { user_name: elicit("What is your name?", "name"), greeting: sample("A greeting"), roots: listRoots };
  const isComplete = Object.keys(all).every((key) => answerTo(call, key) !== undefined);
  if (!isComplete) return asks(all, "three questions");
  return text(`Hello after ${stateOf(call)}`);
});

const multiRound = tool("test_input_required_result_multi_round", (call) => {
  const state = stateOf(call);
  if (state === "round 1" && elicited(call, "step1", "name") !== undefined)
    return asks({ step2: elicit("Step 2: What is your favorite color?", "color") }, "round 2");
  if (state === "round 2" && elicited(call, "step2", "color") !== undefined) return text("Two rounds later");
  return asks({ step1: elicit("Step 1: What is your name?", "name") }, "round 1");
});

/** Complete only with the state it gave. */
const stateful = (name: string): FixtureTool =>
  tool(name, (call) => {
    if (stateOf(call) === undefined) return asks({ confirm: elicit("Please confirm", "ok", "boolean") }, "confirming");
    return text("state-ok");
  });

const capabilities = tool("test_input_required_result_capabilities", (call) => {
  const wanted: JsonRecord = {};
  if (call.capabilities["sampling"] !== undefined) wanted["answer"] = sample("Anything");
  if (call.capabilities["elicitation"] !== undefined) wanted["name"] = elicit("What is your name?", "name");
  return Object.keys(wanted).length === 0 ? text("Nothing to ask you") : asks(wanted);
});

const hello = tool("test_input_required_result_elicitation", (call) => {
  const name = elicited(call, "user_name", "name");
  return typeof name === "string" ? text(`Hello, ${name}!`) : asks({ user_name: elicit("What is your name?", "name") });
});

export const ASKING_TOOLS: readonly FixtureTool[] = [
  hello,
  asksOnce("test_input_required_result_sampling", "capital_question", sample("What is the capital of France?")),
  asksOnce("test_input_required_result_list_roots", "client_roots", listRoots),
  stateful("test_input_required_result_request_state"),
  stateful("test_input_required_result_tampered_state"),
  multipleInputs,
  multiRound,
  capabilities,
  tool("test_streaming_elicitation", (call) => {
    call.progress(1, 2);
    return asks({ name: elicit("What is your name?", "name") });
  }),
];
