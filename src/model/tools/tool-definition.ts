import { isRecord, type JsonRecord } from "#core/json/json";
import { parseExactly } from "#core/json/json-reader";
import { isLongerThan } from "#core/json/json-size";
import type { Tool, ToolExecution, Unchecked } from "#model/tools/mcp-types";
import { withAppLink } from "#model/tools/offered-definition";
import type { ToolDefinition } from "#model/tools/tool";

/** A definition is shown to models with every call: larger ones are no definitions. In UTF-16 units of JSON. */
const MAX_DEFINITION_SIZE = 131_072;
const MAX_OWN_NAME_LENGTH = 1_000;
/** Not ours to promise: the hub runs tasks to their end itself. */
const LEFT_OUT = new Set(["execution"]);
/** What earlier versions left out: definitions they pinned are without. */
const LEFT_OUT_BEFORE = new Set([...LEFT_OUT, "_meta"]);

/**
 * What a server lists as a tool, as it may be shown; null for what no client could use through the hub. `runsTasks`:
 * whether the server runs calls as tasks.
 */
export const toolDefinition = (value: unknown, runsTasks = false): ToolDefinition | null => {
  if (!isRecord(value)) return null;
  const tool: Unchecked<Tool> = value;
  const { name, inputSchema = { type: "object" }, execution } = tool;
  if (typeof name !== "string" || name === "" || name.length > MAX_OWN_NAME_LENGTH || !isRecord(inputSchema))
    return null;
  const isTask = isTaskOnly({ execution });
  // It would refuse every call.
  if (isTask && !runsTasks) return null;
  const kept: JsonRecord = isTask ? { execution: TASK_ONLY } : {};
  for (const [key, part] of Object.entries(value)) if (!LEFT_OUT.has(key) && part !== null) kept[key] = part;
  const definition: ToolDefinition = { ...kept, name, inputSchema: { type: "object", ...inputSchema } };
  // What is far too long is not even written: a server may send megabytes as one tool.
  return isLongerThan(definition, MAX_DEFINITION_SIZE) || JSON.stringify(definition).length > MAX_DEFINITION_SIZE
    ? null
    : definition;
};

const TASK_ONLY: ToolExecution = { taskSupport: "required" };

/** Whether a tool runs as a task alone (2025-11-25, tasks). */
export const isTaskOnly = ({ execution }: Unchecked<Tool>): boolean => {
  const said: Unchecked<ToolExecution> = isRecord(execution) ? execution : {};
  return said.taskSupport === TASK_ONLY.taskSupport;
};

/** The same of a stored definition. */
export const isStoredTask = (json: string): boolean => {
  const value = json.includes('"execution"') ? parseExactly(json) : null;
  return isRecord(value) && isTaskOnly(value);
};

/** Names of tools that are not listed because their server does not run the tasks they need. */
export const withoutTasks = (tools: readonly unknown[], runsTasks: boolean): string[] =>
  runsTasks
    ? []
    : tools.flatMap((tool) =>
        isRecord(tool) && isTaskOnly(tool) && typeof tool["name"] === "string" ? [tool["name"]] : [],
      );

/** A definition as earlier versions took it in; null where they took it in as it is. */
export const asPinnedBefore = (definition: JsonRecord): JsonRecord | null =>
  [...LEFT_OUT_BEFORE].some((key) => key in definition)
    ? Object.fromEntries(Object.entries(definition).filter(([key]) => !LEFT_OUT_BEFORE.has(key)))
    : null;

/** A stored definition, for showing under its public name. Some clients refuse a tool without a description. */
export const shownDefinition = (json: string, name: string): ToolDefinition => {
  const value = parseExactly(json);
  const { execution: _execution, ...definition }: Unchecked<Tool> = isRecord(value) ? value : {};
  const { description, title } = definition;
  const isDescribed = typeof description === "string" && description.trim() !== "";
  const standIn = typeof title === "string" && title.trim() !== "" ? title : `The tool ${name}; it has no description.`;
  const shown = { ...definition, name, description: isDescribed ? description : standIn };
  if (definition._meta === undefined) return shown;
  // A host reads a tool's MCP App at the hub.
  return { ...shown, _meta: withAppLink(definition._meta, name.slice(0, Math.max(0, name.indexOf("__")))) };
};
