import type { Requirement } from "./requirement";

/** What is promised of the MCP gateway as its callers see it. */
export const TOOLS: readonly Requirement[] = [
  {
    id: "tools.scope-layers",
    promise:
      "A tool is listed and can be called exactly when server, definition, agent, profile and client all permit it; the first that does not is on record.",
    source: "decisions.md §8",
  },
  {
    id: "tools.scope-narrows",
    promise: "A further allowlist only ever takes tools away.",
    source: "decisions.md §8",
  },
  {
    id: "tools.names-valid",
    promise: "Public names are {server}__{tool}, of letters, digits, _ and -, at most 64 long.",
    source: "decisions.md §8",
  },
  {
    id: "tools.names-unique",
    promise: "No two tools of one caller share a public name.",
    source: "decisions.md §8",
  },
  {
    id: "tools.names-stable",
    promise: "A tool's public name stays the same, also after a restart.",
    source: "decisions.md §8",
  },
  {
    id: "tools.conformance-scenarios",
    promise: "What is about tools passes the official suite through the hub as it does without it, in both eras.",
    source: "mcp.md §3",
  },
  {
    id: "tools.conformance-wire",
    promise: "Every message of the tool gateway is valid by the schema of its revision.",
    source: "mcp.md §3",
  },
  {
    id: "tools.dialect-minimal",
    promise: "Without JSON-RPC, a method and its parameters get the bare MCP result, and errors are the envelope's.",
    source: "published-interface.md §4.1",
  },
  {
    id: "tools.dialect-2025",
    promise:
      "Clients of MCP 2024-11-05 to 2025-11-25 find the tool gateway as their protocol has it, without sessions.",
    source: "decisions.md §8",
  },
  {
    id: "tools.dialect-2026",
    promise: "Clients of MCP 2026-07-28 find the tool gateway as their protocol has it.",
    source: "decisions.md §8",
  },
  {
    id: "tools.dialect-total",
    promise: "Every body belongs to one dialect or is refused; none breaks the gateway.",
    source: "decisions.md §8",
  },
  {
    id: "tools.progress",
    promise: "A tool's progress reaches the caller under its own token, in order and before the result.",
    source: "decisions.md §8",
  },
  {
    id: "tools.cancellation",
    promise: "A call ends when its caller cancels in the way of its protocol, and in no other.",
    source: "mcp.md §1",
  },
  {
    id: "tools.listen",
    promise: "A client that listens is told when its tools change, and a token holds only so many streams open.",
    source: "mcp.md §1",
  },
  {
    id: "tools.challenge",
    promise: "Who brings no good token to the tool gateway is told where to sign in, whatever else is wrong.",
    source: "mcp.md §2",
  },
  {
    id: "tools.origin",
    promise:
      "Only pages of the hub's own origin, of this machine and of the configured list may call the tool gateway.",
    source: "mcp.md §1",
  },
  {
    id: "tools.resource-metadata",
    promise:
      "The tool gateway's protected-resource metadata is found at each address clients look, with and without a base path.",
    source: "mcp.md §2",
  },
  {
    id: "tools.dialects-agree",
    promise: "Every dialect lists the same tools, in the same order.",
    source: "decisions.md §8",
  },
  {
    id: "tools.door",
    promise: "The tool gateway takes POST with a token from origins it knows, and nothing else.",
    source: "mcp.md §1",
  },
  {
    id: "tools.contents",
    promise: "Contents of every kind, structured content and annotations pass as they are.",
    source: "decisions.md §8",
  },
  {
    id: "tools.param-headers",
    promise: "Arguments a schema asks for as headers are checked on the way in and sent on the way out.",
    source: "mcp.md §1",
  },
  {
    id: "tools.input-required",
    promise: "A tool that asks back reaches callers whose protocol can answer it.",
    source: "mcp.md §1",
  },
  {
    id: "tools.cancel",
    promise: "A caller that cancels, in its protocol's way, cancels at the tool's server.",
    source: "decisions.md §8",
  },
  {
    id: "tools.list-changed",
    promise: "Callers that listen are told when their list of tools changes.",
    source: "mcp.md §1",
  },
  {
    id: "tools.scope-human",
    promise: "A human token lists the tools of all of its user's active servers and of nobody else's.",
    source: "published-interface.md §4.1",
  },
  {
    id: "tools.scope-agent",
    promise: "An agent token lists only the tools assigned to that agent; parameters change nothing.",
    source: "published-interface.md §4.1",
  },
  {
    id: "tools.scope-agrees",
    promise: "What is listed can be called and nothing else can.",
    source: "decisions.md §8",
  },
  {
    id: "tools.scope-alike",
    promise: "Unknown and forbidden tools look alike to the caller.",
    source: "decisions.md §8",
  },
  {
    id: "tools.scope-recorded",
    promise: "The record says which layer hid a tool that was called, or that it is unknown.",
    source: "decisions.md §8",
  },
  {
    id: "tools.scope-server",
    promise: "A tool server that is switched off is gone for everybody.",
    source: "decisions.md §8",
  },
  {
    id: "tools.whoami",
    promise: "guardhouse__whoami counts what is hidden from a caller and names none of it.",
    source: "mcp.md §4",
  },
  {
    id: "tools.guard-arguments",
    promise: "Arguments of tools are scanned; a block is isError with the event id, and the server hears nothing.",
    source: "decisions.md §8",
  },
  {
    id: "tools.guard-results",
    promise: "Results and errors of tools are scanned before the caller sees them.",
    source: "decisions.md §8",
  },
  {
    id: "tools.guard-redaction",
    promise: "Redaction replaces what was found and nothing else.",
    source: "decisions.md §8",
  },
  {
    id: "tools.guard-progress",
    promise: "Progress messages are scanned; what may not pass is left out.",
    source: "decisions.md §8",
  },
  {
    id: "tools.meta",
    promise: "Protocol fields of _meta stay on their own leg, and no server can speak as the hub; the rest passes.",
    source: "mcp.md §5.17",
  },
  {
    id: "tools.isolation",
    promise: "Connections are never shared between users.",
    source: "decisions.md §8",
  },
  {
    id: "tools.audit",
    promise: "Lists and calls of tools leave records with dialect, server, tool and revision; the chain stays whole.",
    source: "decisions.md §11",
  },
  {
    id: "tools.canary",
    promise: "Neither arguments nor results nor credentials of tools are found in log, audit or database.",
    source: "decisions.md §11",
  },
  {
    id: "tools.sdk-clients",
    promise: "The protocol's own clients of both lines list, call, follow progress and cancel.",
    source: "decisions.md §8",
  },
];
