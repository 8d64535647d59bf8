import type { CallToolResult } from "#model/tools/mcp-types";

/** A call that failed in a way that a model can act on. */
export const failedResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
