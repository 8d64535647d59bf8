import { isRecord, type JsonRecord } from "#core/json/json";
import { RpcFault } from "./mcp-fixture-answer.ts";

/*
 * What the conformance suite asks of a server beside tools: its own resources, template and prompts.
 */

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

export const OFFERED: JsonRecord = { prompts: { listChanged: true }, resources: { subscribe: true }, completions: {} };

const user = (content: JsonRecord): JsonRecord => ({ role: "user", content });
const said = (text: string): JsonRecord => user({ type: "text", text });

const RESOURCES = [
  { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "Watched", mimeType: "text/plain" },
];
/** Asks for its context first, where the era asks by results. */
const ASKING_PROMPT = { name: "test_input_required_result_prompt", description: "A prompt that asks for its context" };
const CONTEXT = {
  method: "elicitation/create",
  params: {
    message: "What context should the prompt use?",
    requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
  },
};
const argument = (name: string): JsonRecord => ({ name, description: `The ${name}`, required: true });
const PROMPTS = [
  { name: "test_simple_prompt", description: "A prompt without arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt of two words",
    arguments: [argument("arg1"), argument("arg2")],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource",
    arguments: [argument("resourceUri")],
  },
  { name: "test_prompt_with_image", description: "A prompt with an image" },
  ASKING_PROMPT,
];

const read = (uri: unknown): JsonRecord => {
  if (uri === "test://static-text") {
    return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
  }
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  if (uri === "test://watched-resource") return { contents: [{ uri, mimeType: "text/plain", text: "It changes." }] };
  const id = TEMPLATE.exec(`${uri}`)?.[1];
  if (id === undefined) throw new RpcFault(-32602, "Resource not found", { uri }, 200);
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text }] };
};

const asking = ({ inputResponses }: JsonRecord): JsonRecord => {
  const answer = isRecord(inputResponses) ? inputResponses["user_context"] : undefined;
  if (!isRecord(answer)) return { resultType: "input_required", inputRequests: { user_context: CONTEXT } };
  const context = isRecord(answer["content"]) ? answer["content"]["context"] : "none";
  return { messages: [said(`In this context: ${context}`)] };
};

const prompt = (name: unknown, given: JsonRecord): JsonRecord => {
  const { arg1, arg2, resourceUri: uri } = given;
  if (name === "test_simple_prompt") return { messages: [said("This is a simple prompt for testing.")] };
  if (name === "test_prompt_with_arguments") {
    return { messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
  }
  if (name === "test_prompt_with_image") {
    return { messages: [user({ type: "image", data: PNG, mimeType: "image/png" }), said("Look at the image above.")] };
  }
  if (name === "test_prompt_with_embedded_resource") {
    const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
    return { messages: [user({ type: "resource", resource }), said("Read the resource above.")] };
  }
  throw new RpcFault(-32602, "Unknown prompt", undefined, 200);
};

/** Null for what is no method of these. */
export const offered = (method: string, params: JsonRecord): JsonRecord | null => {
  switch (method) {
    case "resources/list":
      return { resources: RESOURCES };
    case "resources/templates/list":
      return { resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "Data of an id" }] };
    case "resources/read":
      return read(params["uri"]);
    case "prompts/list":
      return { prompts: PROMPTS };
    case "prompts/get":
      if (params["name"] === ASKING_PROMPT.name) return asking(params);
      return prompt(params["name"], isRecord(params["arguments"]) ? params["arguments"] : {});
    case "completion/complete":
      return { completion: { values: [], total: 0, hasMore: false } };
    default:
      return null;
  }
};
