import type { JsonRecord } from "#core/json/json";

/*
 * The wire types of the Model Context Protocol, as its official SDK has them (2025-11-25). Types only: nothing of the
 * SDK is loaded. What revision 2026-07-28 adds (`server/discover`, `subscriptions/listen`, `resultType`) is not in
 * them yet and stands in core/mcp.ts.
 */
export type {
  CallToolRequestParams,
  CallToolResult,
  CancelledNotificationParams,
  ClientCapabilities,
  ClientNotification,
  ClientRequest,
  CompleteRequestParams,
  CompleteResult,
  ContentBlock,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  GetPromptRequestParams,
  GetPromptResult,
  Implementation,
  InitializeRequestParams,
  InitializeResult,
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  LoggingMessageNotificationParams,
  PaginatedRequestParams,
  ProgressNotificationParams,
  Prompt,
  PromptMessage,
  ReadResourceRequestParams,
  ReadResourceResult,
  RequestId,
  Resource,
  ResourceTemplate,
  ResourceUpdatedNotificationParams,
  ServerCapabilities,
  ServerNotification,
  Tool,
  ToolAnnotations,
  ToolExecution,
} from "@modelcontextprotocol/sdk/types.js";

/** The fields that a type names itself, without its index signature. */
type Named<T> = { [Key in keyof T as string extends Key ? never : number extends Key ? never : Key]: T[Key] };

/**
 * A JSON object that came over the wire as a `T`, before anybody has checked it: its fields have the names of the SDK's
 * type, and values that are still to be looked at. A field that the protocol does not have is a compile error; fields
 * the protocol does not know are there all the same, and are kept.
 */
export type Unchecked<T> = JsonRecord & { [Key in keyof Named<T>]?: unknown };
