import { Type } from "#core/schema";
import { detailOf } from "#http/openapi/about";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/call-errors";

const OPEN = { additionalProperties: true } as const;

const Asked = Type.Object(
  {
    jsonrpc: Type.Optional(Type.Literal("2.0")),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    method: Type.String({ examples: ["tools/call"] }),
    params: Type.Optional(Type.Object({}, OPEN)),
  },
  { ...OPEN, $id: "ToolRequest", description: "JSON-RPC 2.0 of either era of the protocol, or the same without it." },
);

/** One message, or several of an older dialect. */
const Body = Type.Unsafe<unknown>(Type.Union([Asked, Type.Array(Asked)]));

const Answered = Type.Unsafe<unknown>({
  $id: "ToolAnswer",
  description: "A JSON-RPC response, several of them, or the bare result for a request without jsonrpc.",
  anyOf: [
    { type: "object", additionalProperties: true },
    { type: "array", items: { type: "object", additionalProperties: true } },
  ],
  examples: [{ content: [{ type: "text", text: "Done." }], isError: false }],
});

export const GATEWAY = detailOf("Tools", "List and call tools, scanned and audited (Model Context Protocol)", {
  description:
    "Tools are listed and called with POST, in three dialects: JSON-RPC as of 2025, as of 2026-07-28, and without JSON-RPC. Requests of JSON-RPC that fail are answered in JSON-RPC, with the same status.",
  methods: ["post", "options"],
  headers: {
    "mcp-protocol-version": Type.String({ examples: ["2025-11-25"] }),
    "x-conversation-id": Type.String({ description: "Ties calls of one conversation together." }),
  },
  body: {
    schema: Body,
    example: { method: "tools/call", params: { name: "files__read_file", arguments: { path: "notes.md" } } },
  },
  answers: {
    200: {
      schema: Answered,
      description: "What the tools are, or what one said.",
      or: { media: "text/event-stream", example: 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n' },
    },
    202: { description: "A notification was taken." },
    204: { description: "A page of an allowed origin may ask." },
  },
  errors: [
    ...CALL_ERRORS,
    ...UPSTREAM_ERRORS,
    ...(["tool_not_allowed", "tool_not_found", "approval_required", "origin_not_allowed"] as const),
    ...(["method_not_allowed", "not_found", "parameter_not_allowed"] as const),
  ],
});
