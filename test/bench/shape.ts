/** What is asked of a provider: whole answers, streams sent at once, or streams with a pause between the tokens. */
export const CHAT_SHAPES = {
  json: { title: "whole answers", model: "bench-json", isStream: false },
  stream: { title: "streams of 64 tokens, sent at once", model: "bench-stream", isStream: true },
  paced: { title: "streams of 64 tokens, 2 ms apart", model: "bench-paced", isStream: true },
} as const;

/**
 * What is asked of a tool server, and in which dialect. `era` is what the server behind speaks, `tools` how many it
 * has.
 */
export const TOOL_SHAPES = {
  call: { title: "tools/call, 2025-11-25", method: "tools/call", dialect: "2025", era: "2025", tools: 20 },
  "call-2026": { title: "tools/call, 2026-07-28", method: "tools/call", dialect: "2026", era: "2026", tools: 20 },
  "call-minimal": {
    title: "tools/call, minimal dialect",
    method: "tools/call",
    dialect: "minimal",
    era: "2025",
    tools: 20,
  },
  "list-20": { title: "tools/list, 20 tools", method: "tools/list", dialect: "2025", era: "2025", tools: 20 },
  "list-1000": { title: "tools/list, 1,000 tools", method: "tools/list", dialect: "2025", era: "2025", tools: 1_000 },
} as const;

export type ChatShape = keyof typeof CHAT_SHAPES;
export type ToolShape = keyof typeof TOOL_SHAPES;
export type Shape = ChatShape | ToolShape;

export const isChat = (shape: Shape): shape is ChatShape => Object.hasOwn(CHAT_SHAPES, shape);
export const isStream = (shape: Shape): boolean => isChat(shape) && CHAT_SHAPES[shape].isStream;
export const titleOf = (shape: Shape): string => (isChat(shape) ? CHAT_SHAPES[shape] : TOOL_SHAPES[shape]).title;

/** Where `mcp-upstream.ts` has the server behind a shape. */
export const serverPath = ({ era, tools }: { readonly era: string; readonly tools: number }): string =>
  `/${era}/${tools}`;
