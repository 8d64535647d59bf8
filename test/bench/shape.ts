export const APIS = ["chat", "responses", "messages"] as const;
export type Api = (typeof APIS)[number];

const WHOLE = { model: "bench-json", isStream: false } as const;
const STREAM = { model: "bench-stream", isStream: true } as const;

/** What is asked of a provider: whole answers, streams sent at once, or streams with a pause between the tokens. */
export const MODEL_SHAPES = {
  json: { title: "whole answers", api: "chat", ...WHOLE },
  stream: { title: "streams of 64 tokens, sent at once", api: "chat", ...STREAM },
  paced: { title: "streams of 64 tokens, 2 ms apart", api: "chat", model: "bench-paced", isStream: true },
  "responses-json": { title: "whole answers, Responses", api: "responses", ...WHOLE },
  "responses-stream": { title: "streams of 64 tokens, sent at once, Responses", api: "responses", ...STREAM },
  "messages-json": { title: "whole answers, Messages", api: "messages", ...WHOLE },
  "messages-stream": { title: "streams of 64 tokens, sent at once, Messages", api: "messages", ...STREAM },
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
  read: { title: "resources/read, 2025-11-25", method: "resources/read", dialect: "2025", era: "2025", tools: 20 },
  prompt: { title: "prompts/get, 2025-11-25", method: "prompts/get", dialect: "2025", era: "2025", tools: 20 },
  "resources-20": { title: "resources/list, 20", method: "resources/list", dialect: "2025", era: "2025", tools: 20 },
} as const;

export type ModelShape = keyof typeof MODEL_SHAPES;
export type ToolShape = keyof typeof TOOL_SHAPES;
export type Shape = ModelShape | ToolShape;

export const isModel = (shape: Shape): shape is ModelShape => Object.hasOwn(MODEL_SHAPES, shape);
export const isStream = (shape: Shape): boolean => isModel(shape) && MODEL_SHAPES[shape].isStream;
/** The same in another API: whole answers or streams at once. */
export const inApi = (shape: "json" | "stream", api: Api): ModelShape => (api === "chat" ? shape : `${api}-${shape}`);
export const titleOf = (shape: Shape): string => (isModel(shape) ? MODEL_SHAPES[shape] : TOOL_SHAPES[shape]).title;

/** Where `mcp-upstream.ts` has the server behind a shape. */
export const serverPath = ({ era, tools }: { readonly era: string; readonly tools: number }): string =>
  `/${era}/${tools}`;
