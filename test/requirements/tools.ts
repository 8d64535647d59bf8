import type { Requirement } from "./requirement";

/** What is promised of the MCP gateway as its callers see it. */
export const TOOLS: readonly Requirement[] = [
  {
    id: "tools.scope-layers",
    promise:
      "A tool is listed and can be called exactly when server, definition, agent, profile and client all permit it; the first that does not is on record.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.scope-narrows",
    promise: "A further allowlist only ever takes tools away.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.names-valid",
    promise: "Public names are {server}__{tool}, of letters, digits, _ and -, at most 64 long.",
    source: "docs/spec/tool-gateway.md#names",
  },
  {
    id: "tools.names-unique",
    promise: "No two tools of one caller share a public name.",
    source: "docs/spec/tool-gateway.md#names",
  },
  {
    id: "tools.names-stable",
    promise: "A tool's public name stays the same, also after a restart.",
    source: "docs/spec/tool-gateway.md#names",
  },
  {
    id: "tools.conformance-scenarios",
    promise: "What is about tools passes the official suite through the hub as it does without it, in both eras.",
    source: "docs/spec/tool-gateway.md#conformance",
  },
  {
    id: "tools.conformance-wire",
    promise: "Every message of the tool gateway is valid by the schema of its revision.",
    source: "docs/spec/tool-gateway.md#conformance",
  },
  {
    id: "tools.dialect-minimal",
    promise: "Without JSON-RPC, a method and its parameters get the bare MCP result, and errors are the envelope's.",
    source: "docs/spec/published-interface.md#41-tool-gateway-post-hub_urlmcpgateway",
  },
  {
    id: "tools.dialect-2025",
    promise:
      "Clients of MCP 2024-11-05 to 2025-11-25 find the tool gateway as their protocol has it, without sessions.",
    source: "docs/spec/tool-gateway.md#dialects",
  },
  {
    id: "tools.dialect-2026",
    promise: "Clients of MCP 2026-07-28 find the tool gateway as their protocol has it.",
    source: "docs/spec/tool-gateway.md#dialects",
  },
  {
    id: "tools.dialect-total",
    promise: "Every body belongs to one dialect or is refused; none breaks the gateway.",
    source: "docs/spec/tool-gateway.md#dialects",
  },
  {
    id: "tools.progress",
    promise: "A tool's progress reaches the caller under its own token, in order and before the result.",
    source: "docs/spec/tool-gateway.md#progress-cancellation-list-changes",
  },
  {
    id: "tools.cancellation",
    promise: "A call ends when its caller cancels in the way of its protocol, and in no other.",
    source: "docs/spec/tool-gateway.md#progress-cancellation-list-changes",
  },
  {
    id: "tools.listen",
    promise: "A client that listens is told when its tools change, and a token holds only so many streams open.",
    source: "docs/spec/tool-gateway.md#progress-cancellation-list-changes",
  },
  {
    id: "tools.challenge",
    promise: "Who brings no good token to the tool gateway is told where to sign in, whatever else is wrong.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.origin",
    promise:
      "Only pages of the hub's own origin, of this machine and of the configured list may call the tool gateway.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.resource-metadata",
    promise:
      "The tool gateway's protected-resource metadata is found at each address clients look, with and without a base path.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.dialects-agree",
    promise: "Every dialect lists the same tools, in the same order.",
    source: "docs/spec/tool-gateway.md#dialects",
  },
  {
    id: "tools.transport",
    promise: "The tool gateway takes POST with a token from origins it knows, and nothing else.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.contents",
    promise: "Contents of every kind, structured content and annotations pass as they are.",
    source: "docs/spec/tool-gateway.md#content-and-metadata",
  },
  {
    id: "tools.param-headers",
    promise: "Arguments a schema asks for as headers are checked on the way in and sent on the way out.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.input-required",
    promise: "A tool that asks back reaches callers whose protocol can answer it.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.cancel",
    promise: "A caller that cancels, in its protocol's way, cancels at the tool's server.",
    source: "docs/spec/tool-gateway.md#progress-cancellation-list-changes",
  },
  {
    id: "tools.list-changed",
    promise: "Callers that listen are told when their list of tools changes.",
    source: "docs/spec/tool-gateway.md#progress-cancellation-list-changes",
  },
  {
    id: "tools.scope-human",
    promise: "A human token lists the tools of all of its user's active servers and of nobody else's.",
    source: "docs/spec/published-interface.md#41-tool-gateway-post-hub_urlmcpgateway",
  },
  {
    id: "tools.scope-agent",
    promise: "An agent token lists only the tools assigned to that agent; parameters change nothing.",
    source: "docs/spec/published-interface.md#41-tool-gateway-post-hub_urlmcpgateway",
  },
  {
    id: "tools.scope-agrees",
    promise: "What is listed can be called and nothing else can.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.scope-alike",
    promise: "Unknown and forbidden tools look alike to the caller.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.scope-recorded",
    promise: "The record says which layer hid a tool that was called, or that it is unknown.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.scope-server",
    promise: "A tool server that is switched off is gone for everybody.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.whoami",
    promise: "guardhouse__whoami counts what is hidden from a caller and names none of it.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.search",
    promise: "A caller with more tools than tool_gateway.search_above is listed how to search and call them instead.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.search-scope",
    promise: "A search finds what its caller may call, and nothing else.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.search-call",
    promise: "guardhouse__call_tool is the call of the tool it names: same layers, scan, profile and record.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "tools.search-scan",
    promise: "What a search asks for is scanned and recorded.",
    source: "docs/spec/tool-gateway.md#scanning",
  },
  {
    id: "tools.search-model",
    promise: "In a model's answer guardhouse__call_tool is judged as the call of the tool it names.",
    source: "docs/spec/tool-gateway.md#who-may-use-which-tool",
  },
  {
    id: "simulate.gateway",
    promise:
      "One command shows real tool servers by every client and dialect, for a person, an agent, a profile and an OAuth client, and fails when anything does not pass.",
    source: "docs/tool-gateway.md#what-was-tried-with-it",
  },
  {
    id: "registry.published",
    promise: "The registry lists tool servers that an administrator published, while they are on, and tells no more.",
    source: "docs/spec/tool-gateway.md#registry",
  },
  {
    id: "registry.api",
    promise: "The registry answers as version v0.1 of the MCP registry API says, to any web page.",
    source: "docs/spec/tool-gateway.md#registry",
  },
  {
    id: "registry.schema",
    promise: "What the registry answers, errors too, fits the MCP registry's own description of it.",
    source: "docs/spec/tool-gateway.md#registry",
  },
  {
    id: "registry.proposals",
    promise:
      "Servers of other registries are proposals: nothing is connected to or run before an operator approves one.",
    source: "docs/spec/tool-gateway.md#registry",
  },
  {
    id: "registry.round-trip",
    promise: "What is exported, imported and approved is exported again as it was, and is the same server.",
    source: "docs/spec/tool-gateway.md#registry",
  },
  {
    id: "registry.off",
    promise: "Without the setting the registry tells nothing.",
    source: "docs/spec/tool-gateway.md#registry",
  },
  {
    id: "tools.guard-arguments",
    promise: "Arguments of tools are scanned; a block is isError with the event id, and the server receives nothing.",
    source: "docs/spec/tool-gateway.md#scanning",
  },
  {
    id: "tools.guard-results",
    promise: "Results and errors of tools are scanned before the caller sees them.",
    source: "docs/spec/tool-gateway.md#scanning",
  },
  {
    id: "tools.guard-redaction",
    promise: "Redaction replaces what was found and nothing else.",
    source: "docs/spec/tool-gateway.md#scanning",
  },
  {
    id: "tools.guard-progress",
    promise: "Progress messages are scanned; what may not pass is left out.",
    source: "docs/spec/tool-gateway.md#scanning",
  },
  {
    id: "tools.meta",
    promise: "Protocol fields of _meta stay on their own leg, and no server can speak as the hub; the rest passes.",
    source: "docs/spec/tool-gateway.md#content-and-metadata",
  },
  {
    id: "tools.isolation",
    promise: "Connections are never shared between users.",
    source: "docs/spec/tool-gateway.md#isolation-and-records",
  },
  {
    id: "tools.audit",
    promise: "Lists and calls of tools leave records with dialect, server, tool and revision; the chain stays whole.",
    source: "docs/spec/tool-gateway.md#isolation-and-records",
  },
  {
    id: "tools.canary",
    promise: "Neither arguments nor results nor credentials of tools are found in log, audit or database.",
    source: "docs/spec/tool-gateway.md#isolation-and-records",
  },
  {
    id: "tools.sdk-clients",
    promise: "The protocol's own clients of both lines list, call, follow progress and cancel.",
    source: "docs/spec/tool-gateway.md#conformance",
  },
];
