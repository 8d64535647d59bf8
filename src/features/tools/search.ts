import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import type { ToolView } from "#guard/tools/view";
import type { CallToolResult, Tool } from "#model/tools/mcp-types";
import { CALL_TOOL, CALL_TOOL_DESCRIPTION, SEARCH_TOOLS } from "#model/tools/own-tools";
import type { ToolDefinition } from "#model/tools/tool";
import type { Pause } from "#platform/slices";
import type { CallArguments } from "./dialect/port";
import { MAX_QUERY, type ToolSearchIndex } from "./search-index";

const USUAL_LIMIT = 5;
const MAX_LIMIT = 20;

export const SEARCH_TOOL_DEFINITIONS: readonly (Tool & ToolDefinition)[] = [
  {
    name: SEARCH_TOOLS,
    title: "Search tools",
    description: `Finds the tools you can use here by words of what they do. Answers with name, description and input schema of the best matches, as JSON. Call the one you choose with ${CALL_TOOL}, or by its name if your client lets you.`,
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          maxLength: MAX_QUERY,
          description: 'What the tool should do, in a few words: "create pull request", "send e-mail".',
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          default: USUAL_LIMIT,
          description: "Maximum number of tools in the answer.",
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: CALL_TOOL,
    title: "Call a tool",
    description: CALL_TOOL_DESCRIPTION,
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "Name of the tool, as the search gave it." },
        arguments: { type: "object", description: "Arguments of the tool, by its input schema." },
      },
      required: ["name"],
      additionalProperties: false,
    },
  },
];

/**
 * `params` of a call as the tool it is meant for gets them: what calls `guardhouse__call_tool` calls the tool it names.
 * Everything else stays as it is. Throws `invalid_value`.
 */
export const meantParams = (params: unknown): unknown => {
  if (!isRecord(params) || params["name"] !== CALL_TOOL) return params;
  const given = params["arguments"];
  if (!isRecord(given) || typeof given["name"] !== "string") {
    throw invalid("params.arguments.name", `must be the name of a tool, as ${SEARCH_TOOLS} gives it`);
  }
  const { name, arguments: inner, ...rest } = given;
  if (Object.keys(rest).length > 0) {
    throw invalid("params.arguments", 'takes "name" and "arguments" only; the tool\'s own go into "arguments"');
  }
  return { ...params, name, arguments: inner };
};

/** Throws `invalid_value`. */
export const queryOf = ({ query, limit = USUAL_LIMIT }: CallArguments): { query: string; limit: number } => {
  if (typeof query !== "string" || query.trim() === "" || query.length > MAX_QUERY) {
    throw invalid("params.arguments.query", `must be a text of 1 to ${MAX_QUERY} characters`);
  }
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalid("params.arguments.limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  return { query, limit };
};

export type Searched = { readonly result: CallToolResult; readonly listed: number };

/** The caller's tools that match best, as JSON. Of what is hidden from it nothing is searched. */
export const search = async (
  index: ToolSearchIndex,
  view: ToolView,
  { query, limit }: ReturnType<typeof queryOf>,
  pause: Pause,
): Promise<Searched> => {
  const found = await index.find(view.open, query, limit, pause);
  const tools = found.map(({ definition }) => ({
    name: definition.name,
    description: definition.description,
    inputSchema: definition.inputSchema,
  }));
  const text =
    tools.length > 0
      ? JSON.stringify({ tools, searched: view.open.size })
      : `None of your ${view.open.size} tools has a word of this query. Try other words for what the tool should do.`;
  return { result: { content: [{ type: "text", text }], isError: false }, listed: tools.length };
};

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `${param} ${problem}.`, { param });
