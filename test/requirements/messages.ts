import type { Requirement } from "./requirement";

const SOURCE = "docs/model-apis.md#anthropic-messages";

/** What is promised of Anthropic's Messages API. */
export const MESSAGES: readonly Requirement[] = [
  {
    id: "messages.anthropic-client",
    promise: "Anthropic's own client works against the hub: whole, streamed, thinking, tools.",
    source: SOURCE,
  },
  {
    id: "messages.models",
    promise: "GET /v1/models has Anthropic's shape for requests with an anthropic-version header.",
    source: SOURCE,
  },
  { id: "messages.count-tokens", promise: "count_tokens is guarded like a call to a model.", source: SOURCE },
  { id: "messages.echo", promise: "guardhouse/echo answers Messages: whole, streamed, with tools.", source: SOURCE },
  {
    id: "messages.headers",
    promise: "anthropic-version and anthropic-beta reach providers of kind anthropic verbatim, other headers none.",
    source: "docs/model-apis.md#headers",
  },
  {
    id: "messages.unchanged",
    promise: "Blocks keep their number, order and form; signatures, encrypted data and cache marks stay as they are.",
    source: "docs/model-apis.md#what-is-never-changed",
  },
  {
    id: "messages.redaction",
    promise: "Texts of every block are scanned by whose they are, and a redaction leaves no block empty.",
    source: "docs/model-apis.md#what-is-never-changed",
  },
  {
    id: "messages.thinking",
    promise: "Thinking in a request is scanned and flagged, never redacted; in an answer it is treated as any text.",
    source: "docs/model-apis.md#thinking",
  },
  {
    id: "messages.reasoning-dropped",
    promise:
      "Thinking that the provider refuses, because what stood before it has changed, is left out once, and that is recorded.",
    source: "docs/model-apis.md#thinking",
  },
  {
    id: "messages.reminders",
    promise: "What Claude Code puts between its user's words is scanned as a document, in its own requests alone.",
    source: SOURCE,
  },
  {
    id: "messages.ai-sdk",
    promise: "Vercel's AI SDK works against the hub with its Anthropic provider: whole, streamed, tools, blocks.",
    source: SOURCE,
  },
  {
    id: "messages.sub-agents",
    promise: "The session and the sub-agents that Claude Code names are recorded with the call.",
    source: "docs/model-apis.md#headers",
  },
  {
    id: "models.server-tools",
    promise:
      "A governed agent turns on a provider-run tool only where its profile lists it, and what is turned on is recorded.",
    source: "docs/enforcement.md#tools-that-run-at-the-provider",
  },
  {
    id: "messages.stream",
    promise: "Unchanged events of a streamed message pass byte for byte, whatever the cuts; tool calls are held whole.",
    source: "docs/model-apis.md#streams",
  },
  {
    id: "messages.stream-fault",
    promise: "A fault of the provider in the middle of a stream is an event of type error with its type.",
    source: "docs/model-apis.md#streams",
  },
  {
    id: "messages.stream-block",
    promise: "A block in the middle of a stream closes the open block and ends with stop_reason refusal.",
    source: "docs/model-apis.md#blocks",
  },
  {
    id: "messages.errors",
    promise: "Errors have Anthropic's shape and types and a request-id header, also before the call is known.",
    source: "docs/model-apis.md#errors",
  },
  {
    id: "messages.provider-errors",
    promise: "A provider's own 4xx comes through with its status and its words, scanned.",
    source: "docs/model-apis.md#errors",
  },
];
