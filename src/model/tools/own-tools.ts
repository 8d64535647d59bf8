import { OWN_SLUG } from "./tool";

/** Names of the tools that the hub itself offers at the tool gateway. */
export const WHOAMI = `${OWN_SLUG}__whoami`;
export const SEARCH_TOOLS = `${OWN_SLUG}__search_tools`;
/** Calls the tool its arguments name: what governs that tool governs the call. */
export const CALL_TOOL = `${OWN_SLUG}__call_tool`;
export const CALL_TOOL_DESCRIPTION = `Calls a tool that ${SEARCH_TOOLS} found. Give its name and its arguments as its input schema says.`;

/** Whether the tool is the hub's own. None reaches what its caller may not use. */
export const isOwnTool = (name: string): boolean => name === WHOAMI || name === SEARCH_TOOLS || name === CALL_TOOL;

/** Also under a client's own name of the gateway: `mcp__hub__guardhouse__call_tool`. */
export const isCallTool = (name: string): boolean => name === CALL_TOOL || name.endsWith(`__${CALL_TOOL}`);
