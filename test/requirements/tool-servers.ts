import type { Requirement } from "./requirement";

/** What is promised of the MCP servers behind the gateway. */
export const TOOL_SERVERS: readonly Requirement[] = [
  {
    id: "tools.approve-as-read",
    promise: "An approval holds for the definition that was read; what a server has shown since then stays hidden.",
    source: "docs/spec/tool-gateway.md#isolation-and-records",
  },
  {
    id: "tools.sign-in-once",
    promise: "The state of a sign-in at a tool server is good once, and not after its time.",
    source: "docs/spec/tool-gateway.md#isolation-and-records",
  },
  {
    id: "tools.ssrf-ranges",
    promise: "Private, local, metadata, reserved and embedded IPv4 addresses are not public, however they are written.",
    source: "docs/spec/tool-servers.md#addresses",
  },
  {
    id: "tools.ssrf-connect",
    promise:
      "A URL given through /api is connected to only if every address of its host is public or allowed, and at the address that was checked.",
    source: "docs/spec/tool-servers.md#addresses",
  },
  {
    id: "tools.ssrf-tls",
    promise: "Connecting to a checked address still checks the certificate against the host's name.",
    source: "docs/spec/tool-servers.md#addresses",
  },
  {
    id: "tools.ssrf-redirects",
    promise: "No redirect takes a request to another origin, and none of an authorization server is followed.",
    source: "docs/spec/tool-servers.md#addresses",
  },
  {
    id: "tools.oauth-discovery",
    promise:
      "The hub finds a tool server's authorization server as RFC 9728 and RFC 8414 say and refuses documents of another resource or issuer.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.oauth-sign-in",
    promise:
      "A person signs in at a tool server with PKCE; an answer with another state or from another issuer is refused.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.oauth-renewal",
    promise: "Expired tokens are renewed once for all who wait; of two processes the loser uses the winner's tokens.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.oauth-guarded",
    promise: "Addresses a tool server hands out for OAuth pass the same address check as its own.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.oauth-secrets",
    promise: "No token, code or client secret of a tool server is in an error, and none is stored unsealed.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.oauth-conformance",
    promise: "The hub as a client of tool servers passes the official conformance suite.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.conformance-baseline",
    promise: "The official conformance suite fails only where a gateway of tools alone has nothing to offer.",
    source: "docs/spec/tool-servers.md#interoperability",
  },
  {
    id: "tools.manage-own",
    promise:
      "Tool servers are their owner's to change, and to see beside those who read everything; to others they do not exist.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-audited",
    promise: "Every change of tool servers is on record, with who made it and without secrets.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-sealed",
    promise: "Credentials of tool servers are sealed and never returned: only their kind and the names of headers.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-checks",
    promise: "Addresses, headers and waits of tool servers are checked before they are stored.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-stdio",
    promise: "Programs are added on the command line only, never by an API body.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-approve",
    promise: "An approval is of the definition that was read; one that changed meanwhile is not approved.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-assign",
    promise: "Tools are assigned to agents of the server's owner, by names the server has.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.manage-cli",
    promise: "tool-server add, list, test, approve, assign and remove work as the published table says.",
    source: "docs/spec/tool-servers.md#management",
  },
  {
    id: "tools.sign-in",
    promise: "A sign-in at a tool server ends once, on a page that shows nothing unescaped.",
    source: "docs/spec/tool-servers.md#oauth-at-tool-servers",
  },
  {
    id: "tools.definition-kept",
    promise: "A tool is listed with everything its server says of it.",
    source: "docs/spec/tool-servers.md#definitions",
  },
  {
    id: "tools.pins-changed",
    promise: "A tool whose definition changes is hidden until it is approved again.",
    source: "docs/spec/tool-servers.md#definitions",
  },
  {
    id: "tools.pins-new",
    promise: "A new tool is pinned as seen, or waits for a person, as configured.",
    source: "docs/spec/tool-servers.md#definitions",
  },
  {
    id: "tools.pins-suspect",
    promise: "A tool whose description holds instructions is hidden.",
    source: "docs/spec/tool-servers.md#definitions",
  },
  {
    id: "tools.pins-signs",
    promise:
      "A definition with structural signs of an attack waits for a person, when it is new and when it changes; API, command line and dashboard say which signs and where.",
    source: "docs/tool-gateway.md#pinned-definitions",
  },
  {
    id: "tools.pins-honest",
    promise: "Of honest definitions at most two in a thousand wait for their structure.",
    source: "docs/tool-gateway.md#pinned-definitions",
  },
  {
    id: "tools.pins-hidden",
    promise: "A tool with hidden characters is never approved.",
    source: "docs/spec/tool-servers.md#definitions",
  },
  {
    id: "tools.pins-kept",
    promise: "Approvals outlive a restart.",
    source: "docs/spec/tool-servers.md#definitions",
  },
  {
    id: "tools.stdio-servers",
    promise:
      "Real tool servers of both eras are spoken to over standard streams: lists, calls at once, changes, their own questions.",
    source: "docs/spec/tool-servers.md#programs-over-stdio",
  },
  {
    id: "tools.stdio-environment",
    promise: "A tool server's process is given a few named variables of the environment and nothing else.",
    source: "docs/spec/tool-servers.md#programs-over-stdio",
  },
  {
    id: "tools.stdio-failures",
    promise:
      "A tool server that hangs, floods, writes garbage, dies or is not there costs its callers a clear failure, nothing more.",
    source: "docs/spec/tool-servers.md#life-of-a-process",
  },
  {
    id: "tools.stdio-progress",
    promise: "Progress over standard streams reaches its own caller alone and ends a silence.",
    source: "docs/spec/tool-servers.md#programs-over-stdio",
  },
  {
    id: "tools.stdio-cancel",
    promise: "A call given up is cancelled at its stdio server; who leaves ends nothing for others.",
    source: "docs/spec/tool-servers.md#programs-over-stdio",
  },
  {
    id: "tools.stdio-group",
    promise: "A stdio server ends with everything it started, within seconds, however it resists.",
    source: "docs/spec/tool-servers.md#life-of-a-process",
  },
  {
    id: "tools.stdio-restart",
    promise: "A stdio server that ended is started again when used, after waits that double from 0.5 to 30 seconds.",
    source: "docs/spec/tool-servers.md#life-of-a-process",
  },
  {
    id: "tools.stdio-orphans",
    promise:
      "Processes left by a killed hub are ended by the next one; a process that only has the number of one is not.",
    source: "docs/spec/tool-servers.md#life-of-a-process",
  },
  {
    id: "tools.stdio-lines",
    promise: "However a server's output is cut, it gives the same messages, and the same line is too long.",
    source: "docs/spec/tool-servers.md#programs-over-stdio",
  },
  {
    id: "tools.sse-servers",
    promise: "Tool servers of the first revision are spoken to over their event stream, and again after it ended.",
    source: "docs/spec/tool-servers.md#servers-over-sse",
  },
  {
    id: "tools.sse-endpoint",
    promise: "An event stream that names an address at another origin is not followed there.",
    source: "docs/spec/tool-servers.md#servers-over-sse",
  },
  {
    id: "tools.sse-failures",
    promise: "An event-stream server that refuses, breaks off, floods or answers something else gives a clear failure.",
    source: "docs/spec/tool-servers.md#servers-over-sse",
  },
  {
    id: "tools.upstream-era",
    promise:
      "The hub finds out by itself which revision of MCP a tool server speaks over HTTP, and notices when that changes.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-headers",
    promise:
      "Requests to tool servers of 2026-07-28 carry the headers that revision asks for, whatever names and arguments hold.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-session",
    promise:
      "A session a tool server has forgotten is begun again once, for all calls together, and the call is repeated.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-once",
    promise: "A call that a tool server may have run is never repeated by the hub.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-answers",
    promise:
      "What a tool server answers, as JSON or as a stream, with errors and fields nobody knows, arrives as it was sent.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-progress",
    promise: "Progress of a tool call is passed on and ends its silence.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-resume",
    promise: "A stream that a tool server ends early is resumed where and when the server says.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-cancel",
    promise: "A cancelled or overdue tool call ends at once, and its server is told in the way of its revision.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-limits",
    promise: "Size and silence of what a tool server sends are limited while it is read, however it is packed.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-garbage",
    promise: "Whatever a tool server sends in place of MCP fails that call alone, with a reason.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-origin",
    promise: "Requests to a tool server never leave its origin; refused credentials are renewed once.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-list",
    promise: "All pages of a tool server's list are read, and a list without end comes to one.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.upstream-changes",
    promise: "A tool server's notification of changed tools is followed, and not after the connection is closed.",
    source: "docs/spec/tool-servers.md#servers-over-streamable-http",
  },
  {
    id: "tools.faults-call",
    promise:
      "A tool server that fails, hangs, floods or talks nonsense gives a result that says so; nothing is asked twice.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-silence",
    promise: "Progress ends a silence: a slow call that reports lives on.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-list",
    promise: "A server that fails costs only its own tools; what it listed last is listed on.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-odd-tools",
    promise: "An odd tool costs only itself.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-session",
    promise: "A lost session at a tool server is begun again without the caller noticing.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-restart",
    promise: "A tool server that is started anew is found again.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-all-down",
    promise: "When every server is down and nothing is known of any, a list is an error and not empty.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.faults-slow-list",
    promise: "A server of which nothing is known is waited for no longer than its time.",
    source: "docs/spec/tool-servers.md#failures-as-callers-see-them",
  },
  {
    id: "tools.credentials",
    promise: "A tool server is sent its own credentials, never the caller's, and learns nothing of the caller.",
    source: "docs/spec/tool-servers.md#credentials",
  },
  {
    id: "tools.resources",
    promise:
      "Resources, templates, prompts and completion of tool servers are listed, read and got by every dialect; links in results can be read back.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.resource-uris",
    promise:
      "The public URI of a resource maps back to its server and its own URI, from the text alone; no two are the same.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.resource-traversal",
    promise:
      "A URI with dot segments, or with characters that some parsers leave out or take for slashes, encoded or not, is nobody's resource.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.resource-scope",
    promise:
      "Resources and prompts are the caller's own: by user, agent, profile and client; an assignment of tools gives none.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.resource-scan",
    promise: "What is read is scanned as results of tools are; the record never has what a caller filled in.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.offer-pages",
    promise: "A list over several servers comes in pages, each entry once, whatever changes in between.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.mcp-apps",
    promise: "MCP Apps keep their scheme and their content security data, and tools name them by the URI to read.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.offer-changes",
    promise:
      "Subscribers are told of changed lists of prompts and resources; a changed prompt is held until it is approved.",
    source: "docs/spec/tool-gateway.md#resources-and-prompts",
  },
  {
    id: "tools.reference-servers",
    promise: "The protocol's own servers work over Streamable HTTP, SSE and stdio.",
    source: "docs/spec/tool-servers.md#interoperability",
  },
  {
    id: "tools.stdio-ends",
    promise: "The processes of stdio servers end with the hub.",
    source: "docs/spec/tool-servers.md#life-of-a-process",
  },
  {
    id: "tools.stdio-variables",
    promise: "A stdio server is given variables of its own, which are sealed and shown to nobody.",
    source: "docs/spec/tool-servers.md#programs-over-stdio",
  },
  {
    id: "tools.start-problem",
    promise: "A tool server that does not start says why, in its own words, to those who manage it.",
    source: "docs/tool-gateway.md#when-a-server-does-not-start",
  },
  {
    id: "tools.handshake-limit",
    promise: "The handshake of tool servers has a limit of its own, long enough for a program that downloads itself.",
    source: "docs/tool-gateway.md#when-a-server-does-not-start",
  },
  {
    id: "tools.task-only-hidden",
    promise: "A tool that can only be called as a task, which the hub does not relay, is not listed.",
    source: "docs/tool-gateway.md#limits",
  },
  {
    id: "tools.sdk-types",
    promise: "The tool gateway reads and writes the types of the official MCP SDK.",
    source: "docs/spec/tool-servers.md#interoperability",
  },
  {
    id: "tools.logging",
    promise:
      "A client that asks for log messages, by session or by request, hears what its calls' servers log from its level on; others hear nothing.",
    source: "docs/spec/tool-gateway.md#log-messages",
  },
  {
    id: "tools.logging-guarded",
    promise:
      "Log messages are scanned as results are; a blocked one is dropped and recorded; their number and size have limits.",
    source: "docs/spec/tool-gateway.md#log-messages",
  },
  {
    id: "tools.watching",
    promise: "A client of either era watches single resources of servers of either era, and hears when they change.",
    source: "docs/spec/tool-gateway.md#sessions-and-watched-resources",
  },
  {
    id: "tools.watching-guarded",
    promise:
      "To watch a resource is a call as reading it: scoped, scanned, recorded, limited; it ends with what allowed it: token, suspension, assignment, server, session.",
    source: "docs/spec/tool-gateway.md#sessions-and-watched-resources",
  },
  {
    id: "tools.session-stream",
    promise:
      "A 2025-era client hears on the stream of its session that its lists have changed; streams a token are bounded.",
    source: "docs/spec/tool-gateway.md#sessions-and-watched-resources",
  },
];
