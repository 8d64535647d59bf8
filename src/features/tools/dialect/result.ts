import type { CallToolResult, Unchecked } from "#model/tools/mcp-types";

/** A call that failed in a way that a model can act on. */
export const failedResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });

/** A result of 2026-07-28, which says whether it is one. */
export type TypedResult = Unchecked<CallToolResult & { resultType: string }>;

/**
 * A result for callers whose protocol knows no `resultType`. A tool that asks back (`input_required`, or whatever
 * comes to be) has not answered them, and must not look as if it had.
 */
export const plainResult = ({ resultType, ...result }: TypedResult): Unchecked<CallToolResult> =>
  resultType === undefined || resultType === "complete"
    ? result
    : failedResult(
        "This tool asks for further input before it answers, which only clients of MCP 2026-07-28 or newer can give. Nothing was completed; call another tool or use a newer client.",
      );
