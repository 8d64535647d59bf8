import { Type } from "#core/schema";
import { TOKEN_SECURITY } from "#http/auth/token";
import { CALL_ERRORS, ErrorEnvelope, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { describe } from "#http/openapi/route-doc";
import { GATEWAY_SCOPE } from "#model/oauth/authorization";

const OPEN = { additionalProperties: true } as const;

const Asked = Type.Object(
  {
    jsonrpc: Type.Optional(Type.Literal("2.0")),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    method: Type.String({ examples: ["tools/call"] }),
    params: Type.Optional(Type.Object({}, OPEN)),
  },
  {
    ...OPEN,
    $id: "ToolRequest",
    description: "JSON-RPC 2.0 of either protocol generation, or the same without the JSON-RPC envelope.",
  },
);

/** One message, or several of an older dialect. */
const Body = Type.Unsafe<unknown>(Type.Union([Asked, Type.Array(Asked, { minItems: 1 })]));

const RpcFailure = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()], { examples: [1] }),
    error: Type.Object({
      code: Type.Integer({ examples: [-32_600] }),
      message: Type.String(),
      data: Type.Optional(Type.Unknown()),
    }),
  },
  { $id: "ToolFailure", description: "A JSON-RPC error, for requests that are JSON-RPC or look like it." },
);

const Answered = Type.Unsafe<unknown>({
  $id: "ToolAnswer",
  description: "A JSON-RPC response, a batch of them, or the bare result for a request without jsonrpc.",
  anyOf: [
    { type: "object", additionalProperties: true },
    { type: "array", items: { type: "object", additionalProperties: true } },
  ],
  examples: [{ content: [{ type: "text", text: "Done." }], isError: false }],
});

/** Which of the two tells the dialect of the request. */
const Refusal = Type.Union([RpcFailure, ErrorEnvelope]);

/** A browser asks so before it sends anything; other `OPTIONS` are refused as every other method is. */
const PREFLIGHT = {
  ...describe("Tools", "CORS preflight for tool calls", {
    headers: {
      origin: Type.String({ examples: ["https://inspector.example"] }),
      "access-control-request-method": Type.String({ examples: ["POST"] }),
    },
    required: ["origin", "access-control-request-method"],
    answers: { 204: { description: "Allowed for pages of an allowed origin." } },
    errors: ["origin_not_allowed", "method_not_allowed", "invalid_api_key"],
  }),
  "x-open": "browsers ask without a token",
};

/** Gateway tokens, and those of the authorization server. */
export const TOOL_SECURITY = [...TOKEN_SECURITY, { oauth: [GATEWAY_SCOPE] }];

const SESSION = Type.String({
  description: "The session that the answer to initialize named.",
  examples: ["hub.-5f0c1a2b-6b1f7c52-1a7e-4f0e-9a4e-0f1d2c3b4a59"],
});

/** Sessions are of clients of the 2025 era. */
const STREAM = {
  ...describe("Tools", "Hear of changed lists and watched resources on a session's stream", {
    headers: { "mcp-session-id": SESSION, accept: Type.String({ examples: ["text/event-stream"] }) },
    required: ["mcp-session-id"],
    answers: {
      200: {
        description: "Notifications, as long as the session, its token and the client stay.",
        media: "text/event-stream",
        example: 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
      },
    },
    errors: ["method_not_allowed", "not_found", "rate_limit_exceeded", "origin_not_allowed", "invalid_api_key"],
  }),
  security: TOOL_SECURITY,
};

const END = {
  ...describe("Tools", "End a session of a tool client", {
    headers: { "mcp-session-id": SESSION },
    required: ["mcp-session-id"],
    answers: { 204: { description: "Ended, with its stream and all it watched." } },
    errors: ["method_not_allowed", "origin_not_allowed", "invalid_api_key"],
  }),
  security: TOOL_SECURITY,
};

export const GATEWAY = describe("Tools", "List and call tools, scanned and audited (Model Context Protocol)", {
  description:
    "Tools are listed and called, resources and prompts listed and read, with POST, in three dialects: JSON-RPC as of 2025, as of 2026-07-28, and without JSON-RPC. Requests of JSON-RPC that fail are answered in JSON-RPC: 200, or 400, 404 or 413 where the message itself is refused.",
  methods: ["post"],
  byMethod: { options: PREFLIGHT, get: STREAM, delete: END },
  headers: {
    "mcp-protocol-version": Type.String({ examples: ["2025-11-25"] }),
    "x-conversation-id": Type.String({ description: "Groups the calls of one conversation." }),
  },
  body: {
    schema: Body,
    example: { method: "tools/call", params: { name: "files__read_file", arguments: { path: "notes.md" } } },
  },
  answers: {
    200: {
      schema: Answered,
      description: "A list, or the result of a call or read.",
      or: { media: "text/event-stream", example: 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n' },
    },
    202: { description: "Notification accepted." },
    400: { schema: Refusal, description: "Not a valid request." },
    404: { schema: Refusal, description: "No such method, tool, resource or prompt." },
    413: { schema: Refusal, description: "Request body too long." },
  },
  errors: [
    ...CALL_ERRORS,
    ...UPSTREAM_ERRORS,
    ...(["tool_not_allowed", "tool_not_found", "approval_required", "origin_not_allowed"] as const),
    ...(["method_not_allowed", "not_found", "parameter_not_allowed"] as const),
  ],
});
