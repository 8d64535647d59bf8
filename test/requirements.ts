/** One promise of the product: an id that tests cite, what is promised, and where that is written. */
export type Requirement = {
  /** Dotted, kebab-case: `audit.fail-closed`. */
  readonly id: string;
  readonly promise: string;
  /** Section of the contract, or the issue. */
  readonly source: string;
};

/** What the product promises. Each must be cited by a test: see `coverage.test.ts`. */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "host.refused",
    promise: "A request whose Host is not an address of the hub is refused with 400 before anything else.",
    source: "decisions.md §1",
  },
  {
    id: "host.allowed",
    promise: "The public URL's name, loopback names and allowed_hosts are answered.",
    source: "decisions.md §1",
  },
  {
    id: "host.base-path",
    promise: "The path of the public URL stands before every address; nothing is served above it.",
    source: "decisions.md §1",
  },
  {
    id: "chat.openai-client",
    promise: "OpenAI's own client works against the hub: whole, streamed, tools, several choices, models.",
    source: "decisions.md §4",
  },
  {
    id: "chat.block-error",
    promise:
      "A block answers 400 content_filter with param, event_id and the guard's reasons, never with the matched text.",
    source: "decisions.md §3",
  },
  {
    id: "chat.no-retry",
    promise: "Decisions and exhausted retries carry x-should-retry: false, and official clients send them once.",
    source: "decisions.md §3",
  },
  {
    id: "chat.client-gone",
    promise: "When the client leaves, the provider's call is aborted and the record says client_closed.",
    source: "decisions.md §4",
  },
  {
    id: "models.list",
    promise: "GET /v1/models lists what callers may name; one model is found by its name, slashes included.",
    source: "decisions.md §1",
  },
  {
    id: "auth.one-answer",
    promise: "Every token that opens no door gets the same 401.",
    source: "decisions.md §3",
  },
  {
    id: "canary.silent",
    promise:
      "Nothing of a request, no token and no provider key gets into an answer, a log or the data directory, wherever in the request it stood.",
    source: "decisions.md §3, gateways.md §6 R14",
  },
  {
    id: "stream.byte-fidelity",
    promise:
      "What nothing is found in passes byte for byte, whatever the provider's chunking, line ends and unknown fields.",
    source: "decisions.md §4",
  },
  {
    id: "stream.usage-chunk",
    promise: "Usage is always asked of the provider; the extra chunk reaches only clients that asked.",
    source: "decisions.md §4",
  },
  {
    id: "stream.done",
    promise: "A stream is complete at [DONE], or at its end after a finish reason.",
    source: "decisions.md §4",
  },
  {
    id: "stream.broken-off",
    promise: "A stream that just stops, or is none, ends with an error event and upstream_error in the record.",
    source: "decisions.md §4",
  },
  {
    id: "body.limit",
    promise: "Bodies up to limits.body_bytes are served; larger ones get 413 in the envelope, whatever they announce.",
    source: "decisions.md §3",
  },
  {
    id: "body.memory",
    promise: "Memory taken by large bodies is given back.",
    source: "gateways.md §4",
  },
  {
    id: "body.hostile",
    promise: "No JSON, however deep, doubled, odd or broken, stops the hub or hides a text from the guard.",
    source: "decisions.md §4, gateways.md §2.5",
  },
  {
    id: "body.slow",
    promise: "A client that sends its request too slowly is cut off.",
    source: "gateways.md §0",
  },
  {
    id: "stream.choice-order",
    promise: "Within a choice everything keeps its order; held text of one choice delays no other.",
    source: "decisions.md §4",
  },
  {
    id: "stream.hold-back",
    promise: "No byte of a match leaves a stream, whatever the chunking.",
    source: "decisions.md §4",
  },
  {
    id: "stream.redact",
    promise: "Redactions in streams carry stable labels and are recorded with type, place and span.",
    source: "decisions.md §4",
  },
  {
    id: "stream.channels",
    promise:
      "Every choice and every channel of an answer is guarded: content, refusal, reasoning, arguments, unknown fields.",
    source: "decisions.md §4",
  },
  {
    id: "stream.logprobs",
    promise: "Log probabilities are dropped where anything was redacted.",
    source: "decisions.md §4",
  },
  {
    id: "stream.tool-arguments",
    promise: "Tool-call arguments are held until complete and stay valid JSON when redacted.",
    source: "decisions.md §4",
  },
  {
    id: "scan.duplicate-keys",
    promise: "A name given twice in one JSON object cannot carry anything past the scan.",
    source: "gateways.md §2.5",
  },
  {
    id: "stream.block",
    promise:
      "A block ends a stream with a content_filter chunk per open choice, the error event and [DONE]; the provider is aborted.",
    source: "decisions.md §4",
  },
  {
    id: "stream.chunking",
    promise: "However a provider's bytes are cut, the same leaves the hub.",
    source: "decisions.md §4",
  },
  {
    id: "scan.unscanned",
    promise: "What could not be scanned is recorded as unscanned with the reason, never as passed.",
    source: "decisions.md §4",
  },
  {
    id: "route.guarded",
    promise: "Every route states a role or why it is open, and what states a role lets nobody in without a token.",
    source: "house.md §1",
  },
  {
    id: "route.removed",
    promise: "The removed endpoints answer 404 endpoint_removed to any method, and so does everything below them.",
    source: "decisions.md §1",
  },
  {
    id: "route.unknown",
    promise:
      "An unknown address is a JSON 404 unknown_url; a method an address does not take is 405 with those it takes.",
    source: "decisions.md §1",
  },
  {
    id: "route.headers",
    promise: "Every answer carries x-request-id and the security headers.",
    source: "decisions.md §3",
  },
  {
    id: "token.one-refusal",
    promise: "Every token that opens nothing is refused alike: 401, one code, one message, WWW-Authenticate: Bearer.",
    source: "decisions.md §3",
  },
  {
    id: "error.envelope",
    promise: "Errors under /v1 and /api are one envelope, from one closed catalogue with the published statuses.",
    source: "decisions.md §3",
  },
  {
    id: "stream.keep-alive",
    promise: "A silent or held stream carries a comment every 15 s, so that nothing between gives it up.",
    source: "decisions.md §4",
  },
  {
    id: "provider.timeouts",
    promise:
      "Connecting, the first byte, silence inside a stream and the whole call have limits; each answers upstream_timeout or upstream_error.",
    source: "decisions.md §4",
  },
  {
    id: "audit.fail-closed",
    promise: "A call whose record cannot be written is not served to its end.",
    source: "decisions.md §11",
  },
  {
    id: "token.revocation",
    promise: "Once a command has returned, no call that begins with a revoked or disabled token succeeds.",
    source: "decisions.md §2",
  },
  {
    id: "token.states",
    promise: "Active, disabled (can come back), expired, revoked (final), rotated (works on for its grace).",
    source: "decisions.md §2",
  },
  {
    id: "token.shape",
    promise: "A token is checked by its shape before anything is looked up.",
    source: "decisions.md §2",
  },
  {
    id: "token.legacy",
    promise: "Legacy gwk_ tokens can be imported and are accepted.",
    source: "decisions.md §2",
  },
  {
    id: "token.agent",
    promise: "A call with an agent's token is the agent's in the record; a suspended agent is refused with 403.",
    source: "decisions.md §2, §3",
  },
  {
    id: "data.one-server",
    promise: "One hub serves from a data directory; a second one ends with 5, and with 6 when its address is taken.",
    source: "decisions.md §10",
  },
  {
    id: "scan.every-place",
    promise:
      "Every message of every role, part, tool call, result, schema, name, metadata and unknown field of a request is scanned.",
    source: "gateways.md §2.5",
  },
  {
    id: "scan.redaction-only",
    promise: "A redaction reaches the provider with a stable label, and nothing else of the request is changed.",
    source: "decisions.md §4",
  },
  {
    id: "scan.origins",
    promise: "Policies judge a text by where it comes from.",
    source: "decisions.md §4",
  },
  {
    id: "scan.baseline",
    promise:
      "Unless configured otherwise: secrets block on the way in and are redacted in outputs and tool results; card numbers, bank accounts and national ids are redacted, other personal data flagged; injections block where near certain from users and in tool results, else are flagged.",
    source: "decisions §7",
  },
  {
    id: "scan.transport-keys",
    promise: "Keys and headers that would choose the upstream or its key are refused or not passed on.",
    source: "decisions.md §4",
  },
  {
    id: "scan.verdict-cache",
    promise: "Unchanged history costs a look-up, not a scan.",
    source: "decisions.md §4",
  },
  {
    id: "audit.no-content",
    promise: "No record holds content.",
    source: "decisions.md §11",
  },
  {
    id: "provider.routing",
    promise: "A call goes to the providers whose globs match its model, first by priority.",
    source: "decisions.md §4",
  },
  {
    id: "provider.retries",
    promise:
      "Connect errors, 429 and 5xx before the first byte are retried with backoff; each attempt is counted in the record.",
    source: "decisions.md §4",
  },
  {
    id: "provider.fallback",
    promise: "When a provider stays down, refuses the key or asks for long patience, the next one is tried.",
    source: "decisions.md §4",
  },
  {
    id: "provider.auth-failure",
    promise:
      "A provider that refuses the hub's key answers 502 upstream_auth_failed, never 401, and the key is in no output.",
    source: "decisions.md §3",
  },
  {
    id: "provider.refusals",
    promise: "A provider's own 4xx about the request passes with its words scanned.",
    source: "decisions.md §4",
  },
  {
    id: "provider.redirect",
    promise: "Redirects of providers are not followed.",
    source: "decisions.md §4",
  },
  {
    id: "crash.no-loss",
    promise: "Killing the process at any moment loses no record of an answered call.",
    source: "decisions.md §11",
  },
  {
    id: "crash.interrupted",
    promise: "Calls that a crash left open are ended as interrupted at the next start.",
    source: "house.md §1",
  },
  {
    id: "audit.chain",
    promise: "audit verify finds any changed, removed or reordered record, and ends with 8.",
    source: "decisions.md §10, §11",
  },
  {
    id: "provider.concurrency",
    promise: "Calls under way at one provider are bounded; one too many goes to the next provider or is refused.",
    source: "decisions.md §4",
  },
  {
    id: "audit.call-record",
    promise:
      "Each call has one final record with who, what, policy, flags with spans, coverage, usage, times and outcome; open calls have one before.",
    source: "decisions.md §11",
  },
  {
    id: "audit.request-id",
    promise: "Every response carries x-request-id; a call's is the id of its record.",
    source: "decisions.md §3",
  },
  {
    id: "audit.refusals",
    promise: "Refused tokens leave a counted trace that cannot fill the disk.",
    source: "decisions.md §11",
  },
  {
    id: "guard.headers",
    promise: "x-guard-action, x-guard-event-id and x-guard-overhead-ms say what the guard did.",
    source: "decisions.md §4",
  },
  {
    id: "audit.recovery",
    promise: "When the audit log can be written again the hub serves again, without a restart.",
    source: "house.md §4",
  },
  {
    id: "load.isolation",
    promise: "Of many streams at once each hears its own answer and nothing of another's.",
    source: "decisions.md §8",
  },
  {
    id: "load.concurrency",
    promise: "More calls are at a provider at once than the runtime's 256.",
    source: "gateways.md §6 R2",
  },
  {
    id: "stop.graceful",
    promise: "On SIGTERM calls under way are served to their end, new ones are refused, and the hub exits with 0.",
    source: "decisions.md §4",
  },
  {
    id: "stop.cut-off",
    promise: "What takes longer than the shutdown grace is cut off and recorded.",
    source: "decisions.md §11",
  },
  {
    id: "audit.crash",
    promise: "Killing the process loses no record of an answered call; what was open is recorded as interrupted.",
    source: "decisions.md §11",
  },
  {
    id: "probe.shape",
    promise: "POST /v1/guard/scan answers safe, scan_ms, flags with masked previews, mode and policy_revision.",
    source: "decisions.md §5",
  },
  {
    id: "probe.offsets",
    promise: "Offsets are UTF-16 units of the text that was sent.",
    source: "decisions.md §5",
  },
  {
    id: "probe.origins",
    promise: "A probe is judged at its origin, as a call would be.",
    source: "decisions.md §5",
  },
  {
    id: "probe.agents",
    promise: "A probe may name the caller's own agents; any other answers as what does not exist.",
    source: "decisions.md §5",
  },
  {
    id: "probe.audited",
    promise: "A probe is audited as a call and makes no event.",
    source: "decisions.md §5",
  },
  {
    id: "probe.mode",
    promise: "A probe says the mode of the policy that would apply.",
    source: "decisions.md §5",
  },
  {
    id: "guard.modes",
    promise: "monitor changes nothing and records what would be done; off records everything as unscanned.",
    source: "decisions.md §5",
  },
  {
    id: "house.rooms",
    promise:
      "Rooms keep to themselves: the core is pure, one file reads the environment, packages live where they are named.",
    source: "house.md §1",
  },
  {
    id: "house.types",
    promise: "No any, no silenced check, no file longer than 400 lines.",
    source: "house.md §1",
  },
  {
    id: "house.version",
    promise: "The version the binary shows is the package's.",
    source: "house.md §5",
  },
  {
    id: "house.portable",
    promise: "No file names a directory of somebody's machine or a registry's host.",
    source: "house.md §5",
  },
  {
    id: "binary.no-autoload",
    promise: "The binary loads no .env and no bunfig.toml from its working directory.",
    source: "decisions.md §10",
  },
  {
    id: "stream.isolation",
    promise: "Calls under way at once share nothing: texts, labels and records stay apart.",
    source: "decisions.md §4",
  },
  {
    id: "stream.backpressure",
    promise: "A client that reads slowly slows its provider, not the hub's memory.",
    source: "decisions.md §4",
  },
  {
    id: "guard.fail-closed",
    promise: "A text that could not be judged is not passed on: the call fails with guard_unavailable.",
    source: "decisions.md §3",
  },
  {
    id: "tools.approve-as-read",
    promise: "An approval holds for the definition that was read; what a server has shown since then stays hidden.",
    source: "decisions.md §8",
  },
  {
    id: "tools.sign-in-once",
    promise: "The state of a sign-in at a tool server is good once, and not after its time.",
    source: "decisions.md §8",
  },
  {
    id: "tools.ssrf-ranges",
    promise: "Private, local, metadata, reserved and embedded IPv4 addresses are not public, however they are written.",
    source: "decisions.md §8",
  },
  {
    id: "tools.ssrf-connect",
    promise:
      "A URL given through /api is connected to only if every address of its host is public or allowed, and at the address that was checked.",
    source: "decisions.md §8",
  },
  {
    id: "tools.ssrf-tls",
    promise: "Connecting to a checked address still checks the certificate against the host's name.",
    source: "decisions.md §8",
  },
  {
    id: "tools.ssrf-redirects",
    promise: "No redirect takes a request to another origin, and none of an authorization server is followed.",
    source: "decisions.md §8",
  },
  {
    id: "tools.oauth-discovery",
    promise:
      "The hub finds a tool server's authorization server as RFC 9728 and RFC 8414 say and refuses documents of another resource or issuer.",
    source: "mcp.md §3",
  },
  {
    id: "tools.oauth-sign-in",
    promise:
      "A person signs in at a tool server with PKCE; an answer with another state or from another issuer is refused.",
    source: "mcp.md §3",
  },
  {
    id: "tools.oauth-renewal",
    promise: "Expired tokens are renewed once for all who wait; of two processes the loser uses the winner's tokens.",
    source: "mcp.md §4",
  },
  {
    id: "tools.oauth-guarded",
    promise: "Addresses a tool server hands out for OAuth pass the same address check as its own.",
    source: "mcp.md §5.12",
  },
  {
    id: "tools.oauth-secrets",
    promise: "No token, code or client secret of a tool server is in an error, and none is stored unsealed.",
    source: "decisions.md §8",
  },
  {
    id: "tools.oauth-conformance",
    promise: "The hub as a client of tool servers passes the official conformance suite.",
    source: "mcp.md §3",
  },
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
    id: "tools.conformance-baseline",
    promise: "The official conformance suite fails only where a gateway of tools alone has nothing to offer.",
    source: "mcp.md §3",
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
    id: "session.key",
    promise: "A session key is shown once, stored as its hash, and a secret to the scanner.",
    source: "decisions.md §2",
  },
  {
    id: "session.door",
    promise:
      "/api opens to live sessions only; a gateway token is told that it is not enough, a session key opens nothing under /v1.",
    source: "decisions.md §1, §2",
  },
  {
    id: "session.end",
    promise: "An expired or revoked session opens nothing, from the next request on.",
    source: "decisions.md §2",
  },
  {
    id: "api.pages",
    promise: "Lists under /api are pages, newest first; no page repeats anything or leaves it out.",
    source: "decisions.md §1",
  },
  {
    id: "tools.manage-own",
    promise: "Tool servers are their owner's to see and change; anybody else's answer as what does not exist.",
    source: "decisions.md §1",
  },
  {
    id: "tools.manage-audited",
    promise: "Every change of tool servers is on record, with who made it and without secrets.",
    source: "decisions.md §11",
  },
  {
    id: "tools.manage-sealed",
    promise: "Credentials of tool servers are sealed and never returned: only their kind and the names of headers.",
    source: "decisions.md §8",
  },
  {
    id: "tools.manage-checks",
    promise: "Addresses, headers and waits of tool servers are checked before they are stored.",
    source: "decisions.md §8",
  },
  {
    id: "tools.manage-stdio",
    promise: "Programs are added on the command line only, never by an API body.",
    source: "decisions.md §8",
  },
  {
    id: "tools.manage-approve",
    promise: "An approval is of the definition that was read; one that changed meanwhile is not approved.",
    source: "decisions.md §8",
  },
  {
    id: "tools.manage-assign",
    promise: "Tools are assigned to agents of the server's owner, by names the server has.",
    source: "decisions.md §8",
  },
  {
    id: "tools.manage-cli",
    promise: "tool-server add, list, test, approve, assign and remove work as the published table says.",
    source: "decisions.md §10",
  },
  {
    id: "tools.sign-in",
    promise: "A sign-in at a tool server ends once, on a page that shows nothing unescaped.",
    source: "decisions.md §9",
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
    id: "tools.definition-kept",
    promise: "A tool is listed with everything its server says of it.",
    source: "mcp.md §5.17",
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
    id: "tools.pins-changed",
    promise: "A tool whose definition changes is hidden until it is approved again.",
    source: "decisions.md §8",
  },
  {
    id: "tools.pins-new",
    promise: "A new tool is pinned as seen, or waits for a person, as configured.",
    source: "decisions.md §8",
  },
  {
    id: "tools.pins-suspect",
    promise: "A tool whose description holds instructions is hidden.",
    source: "decisions.md §8",
  },
  {
    id: "tools.pins-hidden",
    promise: "A tool with hidden characters is never approved.",
    source: "decisions.md §8",
  },
  {
    id: "tools.pins-kept",
    promise: "Approvals outlive a restart.",
    source: "decisions.md §8",
  },
  {
    id: "tools.stdio-servers",
    promise:
      "Real tool servers of both eras are spoken to over standard streams: lists, calls at once, changes, their own questions.",
    source: "decisions.md §8",
  },
  {
    id: "tools.stdio-environment",
    promise: "A tool server's process is given a few named variables of the environment and nothing else.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.stdio-failures",
    promise:
      "A tool server that hangs, floods, writes garbage, dies or is not there costs its callers a clear failure, nothing more.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.stdio-progress",
    promise: "Progress over standard streams reaches its own caller alone and ends a silence.",
    source: "mcp.md §5.9",
  },
  {
    id: "tools.stdio-cancel",
    promise: "A call given up is cancelled at its stdio server; who leaves ends nothing for others.",
    source: "decisions.md §8",
  },
  {
    id: "tools.stdio-group",
    promise: "A stdio server ends with everything it started, within seconds, however it resists.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.stdio-restart",
    promise: "A stdio server that ended is started again when used, after waits that double from 0.5 to 30 seconds.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.stdio-orphans",
    promise:
      "Processes left by a killed hub are ended by the next one; a process that only has the number of one is not.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.stdio-lines",
    promise: "However a server's output is cut, it gives the same messages, and the same line is too long.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.sse-servers",
    promise: "Tool servers of the first revision are spoken to over their event stream, and again after it ended.",
    source: "decisions.md §8",
  },
  {
    id: "tools.sse-endpoint",
    promise: "An event stream that names an address at another origin is not followed there.",
    source: "mcp.md §5.11",
  },
  {
    id: "tools.sse-failures",
    promise: "An event-stream server that refuses, breaks off, floods or answers something else gives a clear failure.",
    source: "mcp.md §5.11",
  },
  {
    id: "tools.upstream-era",
    promise:
      "The hub finds out by itself which revision of MCP a tool server speaks over HTTP, and notices when that changes.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-headers",
    promise:
      "Requests to tool servers of 2026-07-28 carry the headers that revision asks for, whatever names and arguments hold.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-session",
    promise:
      "A session a tool server has forgotten is begun again once, for all calls together, and the call is repeated.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-once",
    promise: "A call that a tool server may have run is never repeated by the hub.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-answers",
    promise:
      "What a tool server answers, as JSON or as a stream, with errors and fields nobody knows, arrives as it was sent.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-progress",
    promise: "Progress of a tool call is passed on and ends its silence.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-resume",
    promise: "A stream that a tool server ends early is resumed where and when the server says.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-cancel",
    promise: "A cancelled or overdue tool call ends at once, and its server is told in the way of its revision.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-limits",
    promise: "Size and silence of what a tool server sends are limited while it is read, however it is packed.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-garbage",
    promise: "Whatever a tool server sends in place of MCP fails that call alone, with a reason.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-origin",
    promise: "Requests to a tool server never leave its origin; refused credentials are renewed once.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-list",
    promise: "All pages of a tool server's list are read, and a list without end comes to one.",
    source: "decisions.md §8",
  },
  {
    id: "tools.upstream-changes",
    promise:
      "A tool server's word that its tools have changed is heard, and nobody listens after the connection is closed.",
    source: "decisions.md §8",
  },
  {
    id: "tools.meta",
    promise: "Protocol fields of _meta stay on their own leg, and no server can speak as the hub; the rest passes.",
    source: "mcp.md §5.17",
  },
  {
    id: "tools.faults-call",
    promise:
      "A tool server that fails, hangs, floods or talks nonsense gives a result that says so; nothing is asked twice.",
    source: "mcp.md §5.4",
  },
  {
    id: "tools.faults-silence",
    promise: "Progress ends a silence: a slow call that reports lives on.",
    source: "mcp.md §5.9",
  },
  {
    id: "tools.faults-list",
    promise: "A server that fails costs only its own tools; what it listed last is listed on.",
    source: "decisions.md §8",
  },
  {
    id: "tools.faults-odd-tools",
    promise: "An odd tool costs only itself.",
    source: "mcp.md §5.5",
  },
  {
    id: "tools.faults-session",
    promise: "A lost session at a tool server is begun again without the caller noticing.",
    source: "mcp.md §4",
  },
  {
    id: "tools.faults-restart",
    promise: "A tool server that is started anew is found again.",
    source: "mcp.md §4",
  },
  {
    id: "tools.faults-all-down",
    promise: "When every server is down and nothing is known of any, a list is an error and not empty.",
    source: "decisions.md §8",
  },
  {
    id: "tools.faults-slow-list",
    promise: "A server of which nothing is known is waited for no longer than its time.",
    source: "decisions.md §8",
  },
  {
    id: "tools.credentials",
    promise: "A tool server is sent its own credentials, never the caller's, and learns nothing of the caller.",
    source: "decisions.md §8",
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
    id: "tools.reference-servers",
    promise: "The protocol's own servers work over Streamable HTTP, SSE and stdio.",
    source: "decisions.md §8",
  },
  {
    id: "tools.stdio-ends",
    promise: "The processes of stdio servers end with the hub.",
    source: "mcp.md §5.10",
  },
  {
    id: "tools.sdk-clients",
    promise: "The protocol's own clients of both lines list, call, follow progress and cancel.",
    source: "decisions.md §8",
  },
  {
    id: "tools.stdio-variables",
    promise: "A stdio server is given variables of its own, which are sealed and shown to nobody.",
    source: "mcp.md §5",
  },
  {
    id: "scan.custom",
    promise: "Operators' own words and patterns are found like any other, in linear time, whole and streamed.",
    source: "decisions.md §5",
  },
  {
    id: "scan.detection",
    promise: "Of every type made by rule nearly all is found, and of what only looks like it next to nothing.",
    source: "decisions.md §5",
  },
  {
    id: "scan.evaluation",
    promise: "One command measures the scanner on a folder of labelled samples, and shows none of them unless told to.",
    source: "decisions.md §5",
  },
  {
    id: "provenance.tainted",
    promise:
      "A value in a tool call's arguments that only results of tools had is found, with the message it came from.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.trusted",
    promise: "A value that a system, developer or user message has is never taken for a tool's.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.rewriting",
    promise: "Case, spaces, Unicode forms and escapes do not hide where a value came from.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.lazy",
    promise: "Provenance costs nothing without results of tools and calls of tools.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.bounded",
    promise: "Following values takes linear time and bounded memory; what was not followed is recorded.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.enforced",
    promise: "Tainted arguments are flagged, redacted or blocked as configured, in whole answers and in streams.",
    source: "scanning.md §0",
  },
  {
    id: "scan.disguises",
    promise: "What a whole text says in an encoding or a disguised spelling is found, and replaced where it stands.",
    source: "decisions.md §5",
  },
  {
    id: "scan.rule-monitor",
    promise: "Any rule can run in monitor mode: it changes nothing, and every flag of it says what it would have done.",
    source: "decisions.md §5",
  },
  {
    id: "scan.linear",
    promise: "No detector is dearer than linear on hostile text, tried on a megabyte of its own keywords.",
    source: "decisions.md §5",
  },
  {
    id: "agents.one-review",
    promise: "An agent has at most one review going on.",
    source: "issue 5",
  },
  {
    id: "agents.review-cas",
    promise: "Of two who change a review that both have read one succeeds, and the other is told.",
    source: "issue 5",
  },
  {
    id: "agents.publish-whole",
    promise:
      "A decision, the profile it makes and the agent's new state come into force in one step with their record, or not at all.",
    source: "issue 5",
  },
  {
    id: "agents.profile-versions",
    promise: "An agent's profiles are numbered from 1 without a gap, each number once, and none is ever changed.",
    source: "issue 5",
  },
  {
    id: "agents.lift-once",
    promise: "A restriction is lifted once; who lifted it, when and why stays.",
    source: "issue 5",
  },
  {
    id: "agents.kill-once",
    promise: "A kill switch is on once for each level and target, and is switched off once.",
    source: "issue 5",
  },
  {
    id: "agents.hold-once",
    promise: "A held call is decided once and passes once, on an approval that has not run out, among all processes.",
    source: "issue 5",
  },
  {
    id: "agents.usage-sums",
    promise: "Usage is the sum of what was added, however it was split among batches and processes.",
    source: "issue 5",
  },
  {
    id: "agents.usage-waits-for-nobody",
    promise: "Counting calls and keeping their content never makes calls wait for a lock.",
    source: "issue 5",
  },
  {
    id: "agents.content-expires",
    promise: "What is kept of calls is gone once it has expired, and the audit log does not need it.",
    source: "issue 5",
  },
  {
    id: "agents.damage-refused",
    promise:
      "What governs agents is checked when it is read: damaged, it is refused, with its place and without its content.",
    source: "issue 5",
  },
  {
    id: "agents.no-change-without-record",
    promise: "Nothing that governs agents changes without its record in the audit log.",
    source: "issue 5",
  },
  {
    id: "agents.older-database",
    promise: "Agents registered with an earlier version keep working, and can be reviewed.",
    source: "issue 5",
  },
  {
    id: "health.formula",
    promise:
      "The health score follows its published formula: the table it was chosen by is reproduced, nothing bad ever raises it.",
    source: "issue 5 §6, product.md §2.4",
  },
  {
    id: "health.too-little",
    promise: "Under 50 calls in seven days there is no score, under 200 one with low confidence.",
    source: "product.md §2.4",
  },
  {
    id: "health.attacks",
    promise: "Attacks that are blocked do not lower an agent's health.",
    source: "product.md §2.4",
  },
  {
    id: "health.bands",
    promise: "A band changes when its edge is crossed by three points, or twice in a row.",
    source: "product.md §2.4",
  },
  {
    id: "drift.index",
    promise: "The population stability index is zero between equals, finite, symmetric, and loses no count.",
    source: "product.md §2.5",
  },
  {
    id: "drift.false-alarms",
    promise: "Without drift about one evaluation in a hundred exceeds its threshold, at any sample size.",
    source: "issue 5 §8, product.md §2.5",
  },
  {
    id: "drift.power",
    promise:
      "Of samples of 200, a true index of 0.13 is watched in more than 78 of 100, and one of 0.31 called drifting in more than 85.",
    source: "issue 5 §8, product.md §2.5",
  },
  {
    id: "drift.levels",
    promise: "One of models, tools and flags, or any two features, make an agent drift.",
    source: "product.md §2.5",
  },
  {
    id: "drift.first-seen",
    promise: "A model or tool that is new since the baseline, used five times, is said at once.",
    source: "product.md §2.5",
  },
  {
    id: "drift.hysteresis",
    promise: "Drift rises after two hourly evaluations and falls after six hours.",
    source: "product.md §2.5",
  },
  {
    id: "drift.acknowledge",
    promise:
      "A reviewer who is not the owner can acknowledge drift or set a new baseline, with a reason; both are on record.",
    source: "product.md §2.5",
  },
  {
    id: "egress.links",
    promise: "Links and images in answers that point to hosts a profile does not expect are found, whole and streamed.",
    source: "decisions.md §7",
  },
  {
    id: "agents.own",
    promise: "Anybody's agent but one's own answers as one that does not exist, except to roles that read all.",
    source: "decisions.md §7",
  },
  {
    id: "agents.lifecycle",
    promise:
      "A suspended agent may do nothing until it is resumed; a retired one never again, and its tokens are revoked.",
    source: "product.md §2.1",
  },
  {
    id: "review.risk",
    promise: "The tier comes from a published sum of answers; a riskier answer never lowers it.",
    source: "product.md §2.1",
  },
  {
    id: "review.states",
    promise: "A review moves by one table only; what is over stays over.",
    source: "product.md §2.1",
  },
  {
    id: "review.separation-of-duties",
    promise: "Whoever has a hand in a thing does not decide on it; a sole administrator may, with a reason, on record.",
    source: "product.md §2.8",
  },
  {
    id: "review.approvals",
    promise: "Low and medium take one approval, high two, critical two of which one is an administrator's.",
    source: "product.md §2.1",
  },
  {
    id: "review.edit-voids",
    promise: "An approval is of the answers as they were read: any change after it voids it.",
    source: "product.md §2.1",
  },
  {
    id: "review.material",
    promise:
      "What changed against the approved answers is shown, and whether it matters; the old profile holds meanwhile.",
    source: "product.md §2.1",
  },
  {
    id: "review.due",
    promise: "An approved agent is reviewed again after 24, 12, 6 or 3 months by its tier.",
    source: "product.md §2.1",
  },
  {
    id: "review.answers",
    promise: "Answers are checked question by question: an unknown name or wrong value is pointed at by its JSON path.",
    source: "decisions.md §5",
  },
  {
    id: "review.observed",
    promise: "Reviewers see which models and tools the agent really used, and which of them it declares.",
    source: "product.md §2.1",
  },
  {
    id: "review.publishes",
    promise: "The last approval puts the compiled profile in force in the same step.",
    source: "product.md §2.2",
  },
  {
    id: "review.idle",
    promise: "A review nobody touches for 30 days is withdrawn.",
    source: "product.md §2.1",
  },
  {
    id: "profile.compile",
    promise: "Equal answers compile into equal profiles, and what was not declared is not allowed.",
    source: "product.md §2.2",
  },
  {
    id: "profile.diff",
    promise:
      "Two versions of a profile are compared place by place, and each change says whether it is stricter or looser.",
    source: "product.md §2.2",
  },
  {
    id: "profile.by-hand",
    promise: "An administrator puts a profile in force by hand, and takes one out of force with a reason.",
    source: "decisions.md §10",
  },
  {
    id: "restriction.who",
    promise:
      "Administrators restrict anything, owners their own agents, analysts and the hub for a day at most; it is lifted by who set it or an administrator.",
    source: "product.md §2.3",
  },
  {
    id: "kill.levels",
    promise:
      "A kill switch stops chat, streams, tools and probes of an agent, an owner, a tool server, a model or everything, and nothing else.",
    source: "product.md §2.3",
  },
  {
    id: "kill.open-streams",
    promise: "An open stream that a kill switch stops ends within a second, with the error as its last event.",
    source: "issue 5",
  },
  {
    id: "kill.at-once",
    promise: "No call that began after a kill switch was confirmed is served.",
    source: "product.md §2.3",
  },
  {
    id: "kill.kept",
    promise: "A kill switch survives a restart, and is on once for each target.",
    source: "product.md §2.3",
  },
  {
    id: "kill.who",
    promise: "Only administrators switch kill switches.",
    source: "product.md §2.3",
  },
  {
    id: "kill.command-line",
    promise: "Kill switches work on the command line, beside a running hub and without one.",
    source: "decisions.md §10",
  },
  {
    id: "usage.counted",
    promise:
      "Every finished call of an agent is counted by what its record says, names from outside within bounds, and nothing of its content.",
    source: "issue 5 §6",
  },
  {
    id: "usage.recount",
    promise: "Counting the audit log again gives the same numbers.",
    source: "issue 5 §6",
  },
  {
    id: "usage.crash",
    promise: "What a crash took from the counters is counted again from the audit log, once.",
    source: "issue 5 §6",
  },
  {
    id: "usage.today",
    promise: "Requests and tokens of the day are known at once, also after a restart.",
    source: "issue 5 §4",
  },
  {
    id: "health.owned",
    promise: "Health and profile are shown to the agent and its owner; to every other caller they do not exist.",
    source: "decisions.md §7",
  },
  {
    id: "health.answer",
    promise:
      "GET /v1/guard/health/{agent_id} says score, band, drift, restrictions, inputs with explanations, caps and formula, and is audited.",
    source: "decisions.md §7",
  },
  {
    id: "health.restart",
    promise: "Health, drift and their trend are the same after a restart.",
    source: "issue 5 §6",
  },
  {
    id: "health.trend",
    promise: "Four points a day for seven days are kept, and never rewritten.",
    source: "product.md §2.4",
  },
  {
    id: "drift.baseline",
    promise:
      "A baseline is the first 1000 governed calls after approval, or at least 500 of the last 14 days, and frozen for its profile version.",
    source: "product.md §2.5",
  },
  {
    id: "profile.read",
    promise: "GET /v1/guard/agents/{agent_id}/profile is the active profile, or null.",
    source: "decisions.md §7",
  },
  {
    id: "restriction.kinds",
    promise: "Each kind of restriction has its effect from the next request on, and none once it is lifted.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.open-streams",
    promise: "Suspending an agent ends its open streams.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.expires",
    promise: "A restriction ends at its time with nobody doing anything.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.on-record",
    promise: "Restrictions survive a restart; who set, confirmed and lifted them is in the audit log.",
    source: "issue 5",
  },
  {
    id: "restriction.receipts",
    promise: "Receipts say where a restriction holds, and never sooner than it does.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.windows",
    promise: "What automatic restrictions count over is exact to its step, and forgets by itself.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.automatic",
    promise:
      "An agent that leaks, probes or runs away is restricted for a while, with the rule, its figures and evidence.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.automatic-suspension",
    promise: "The hub suspends no agent by itself unless an administrator has opted in for its tier.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.automatic-once",
    promise: "One rule restricts an agent once at a time, and anew only on new evidence.",
    source: "product.md §2.3",
  },
  {
    id: "restriction.automatic-cheap",
    promise: "Watching for automatic restrictions costs a call microseconds, and bounded memory.",
    source: "product.md §2.3",
  },
  {
    id: "hold.once",
    promise: "A held call passes once for each approval: the same tool with the same arguments, and no other.",
    source: "issue 5",
  },
  {
    id: "hold.denied",
    promise: "A held call that was denied stays denied until it runs out.",
    source: "issue 5",
  },
  {
    id: "hold.chat",
    promise: "A tool call of a model that needs a person is withheld from the answer, whole and streamed.",
    source: "issue 5",
  },
  {
    id: "hold.who",
    promise:
      "Owners decide on held calls of their agents, reviewers, analysts and administrators on all; never a gateway token.",
    source: "issue 5",
  },
  {
    id: "hold.sealed",
    promise: "Arguments of held calls are kept sealed; who may decide sees them, and each look is on record.",
    source: "issue 5",
  },
  {
    id: "hold.on-record",
    promise: "Holding, deciding and passing are in the audit log, and survive a restart.",
    source: "issue 5",
  },
  {
    id: "hold.expires",
    promise: "A held call waits, and an approval of it is good, for 15 minutes.",
    source: "issue 5",
  },
  {
    id: "hold.bounded",
    promise: "Of one agent 100 calls wait at most.",
    source: "issue 5",
  },
  {
    id: "webhook.signed",
    promise: "Each message is signed as Standard Webhooks has it; two secrets sign while one is being replaced.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.ssrf",
    promise:
      "Only public addresses are sent to, by https and without redirects, unless the configuration allows a network.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.thin",
    promise: "Payloads hold a type, a time, ids and an address: never content, names or reasons.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.retries",
    promise: "What a receiver does not take is sent again up to nine times over three days, under the same id.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.disabled",
    promise: "A receiver that is gone (410), or takes nothing for five days, is switched off, and that is on record.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.log",
    promise: "What was sent, and what came of each attempt, is kept for 30 days and can be sent again.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.events",
    promise:
      "Subscribers are told of changes of agents, reviews, restrictions, kill switches, tokens and tools, of blocked calls in sum, and of health and drift.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.at-least-once",
    promise: "A change is told at least once, also when the hub is killed in between.",
    source: "issue 6",
  },
  {
    id: "webhook.admin",
    promise: "Administrators alone have webhooks; the secret is shown once and kept sealed.",
    source: "product.md §2.13",
  },
  {
    id: "webhook.outbox",
    promise: "Every change of governance leaves its record in the outbox in the same step, whichever process makes it.",
    source: "issue 6",
  },
  {
    id: "restriction.automatic-off",
    promise: 'guard.automatic_restrictions = "off" leaves restricting to people.',
    source: "product.md §2.3",
  },
  {
    id: "restriction.bounded",
    promise:
      "Of one kind 50 restrictions are in force on an agent at most; that keeps nobody from setting another kind.",
    source: "product.md §2.3",
  },
  {
    id: "content.as-the-profile-says",
    promise: "Of a call's texts is kept what the agent's profile says: none, as they were passed on, or as they came.",
    source: "decisions §5, §11",
  },
  {
    id: "content.as-passed-on",
    promise: "What is kept as redacted is what the provider and the client got.",
    source: "decisions §5, §11",
  },
  {
    id: "content.blocked",
    promise: "A text in which something was blocked or redacted is kept for a day, so that it can be disputed.",
    source: "decisions §5, §11",
  },
  {
    id: "content.bound",
    promise: "The record has keyed hashes of such texts, and nothing can be tried against them without the key.",
    source: "decisions §5, §11",
  },
  {
    id: "content.sealed",
    promise: "Kept texts are sealed: they stand in clear in no file.",
    source: "decisions §5, §11",
  },
  {
    id: "content.expires",
    promise: "Kept texts are gone when their time is over, and deleted within the hour; the record stays whole.",
    source: "decisions §5, §11",
  },
  {
    id: "content.rights",
    promise:
      "Kept texts are read by whose they are, reviewers and administrators; deleted by whose they are and administrators.",
    source: "decisions §5, §11",
  },
  {
    id: "content.reads-recorded",
    promise: "Each look at kept texts is on record before it is answered.",
    source: "decisions §5, §11",
  },
  {
    id: "content.bounded",
    promise: "Of one call 1,048,576 characters a purpose are kept at most, and what was cut says so.",
    source: "decisions §5, §11",
  },
  {
    id: "content.never-in-the-way",
    promise: "A text that cannot be kept fails no call; it is logged and counted.",
    source: "decisions §5, §11",
  },
  {
    id: "reviewer.fenced",
    promise:
      "Whatever a report's content or reason says, it reaches the reviewer as evidence: quoted, between random marks that cannot occur in it, without markers of chat templates.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.masked",
    promise: "Secrets in a report are masked by the hub's own detectors before they leave it.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.bounded",
    promise: "Evidence that is too long for the reviewer goes to people whole; nothing is cut off.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.strict-answer",
    promise: "Of a reviewer's answer only the JSON object it ends with counts, and only in exactly the form asked for.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.plain-reasoning",
    promise: "A reviewer's reasoning is kept short, as plain text, with personal data and secrets masked.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.two-readings",
    promise: "A verdict takes two readings that agree, both at 0.7 or above; else it is inconclusive.",
    source: "decisions.md §5",
  },
  {
    id: "reviewer.canary",
    promise:
      "Every 50th review begins with a case whose answer is known; a wrong answer pauses the reviewer until a person lets it go on or another model is configured.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.alarm",
    promise:
      "When the model has found more than 80 % of a reporter's last 20 disputes right, people judge the next ones.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.optional",
    promise:
      "Without a reviewer configured, without consent or without content, a report goes to people, and its content to no model.",
    source: "decisions.md §5",
  },
  {
    id: "reviewer.audited",
    promise:
      "Each reading of a report is on record before and after it, without content, and a decision names who made it.",
    source: "issue 6",
  },
  {
    id: "reviewer.no-change",
    promise: "A verdict changes no rule: it makes a suggestion for a wrong block or a real miss, and nothing else.",
    source: "decisions.md §5",
  },
  {
    id: "reviewer.jobs",
    promise: "Reviews survive a restart and kill -9, are retried with growing pauses three times, then go to people.",
    source: "decisions.md §5",
  },
  {
    id: "reviewer.limits",
    promise: "A reading has a time limit, and the readings of a day a budget; what is beyond goes to people.",
    source: "product.md §2.7",
  },
  {
    id: "reviewer.people",
    promise:
      "Analysts, reviewers and administrators decide on any report but their own, with or without a model's verdict.",
    source: "issue 6",
  },
  {
    id: "reviewer.reading",
    promise:
      "Content of a report is opened for analysts, reviewers and administrators only, and each look is on record.",
    source: "issue 6",
  },
  {
    id: "tuning.exceptions",
    promise: "An exception lets pass exactly what it is about, whole and streamed, and nothing beside it.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.floor",
    promise: "No exception goes below the floor, but for one exact value, and none below a restriction.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.policy-rules",
    promise: "Thresholds, actions and patterns change for one subject, at the origins named, and for nobody else.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.monitor",
    promise: "A rule in monitor mode changes nothing, and flags say what it would have done.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.narrowest",
    promise: "A confirmed report leads to the narrowest change that would have avoided the mistake.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.rehearsal",
    promise: "A change that would break a sample nobody doubts is told of before anybody approves it.",
    source: "decisions.md §6",
  },
  {
    id: "reports.limit",
    promise:
      "Of one user's reports five are accepted in an hour, exactly, however many come at once in however many processes.",
    source: "decisions.md §5",
  },
  {
    id: "reports.same-once",
    promise: "The same report of one event again is answered with the first one, and counts once.",
    source: "decisions.md §5",
  },
  {
    id: "reports.cas",
    promise:
      "A report changes only from the revision that was read, and its suggestion is written with it or not at all.",
    source: "issue 6",
  },
  {
    id: "reports.content-goes",
    promise:
      "What a report shared is forgotten once it has been closed long enough, and no late writer brings it back.",
    source: "decisions.md §5",
  },
  {
    id: "loop.suggestion-cas",
    promise: "A suggestion changes only from the revision that was read.",
    source: "issue 6",
  },
  {
    id: "loop.apply-once",
    promise: "A suggestion is applied once, however many apply it at once in however many processes.",
    source: "issue 6",
  },
  {
    id: "loop.apply-whole",
    promise: "Rule, suggestion, policy revision and record of an application are written in one step, or none of them.",
    source: "decisions.md §6",
  },
  {
    id: "loop.revert-once",
    promise: "A rule ends once, with a new policy revision.",
    source: "issue 6",
  },
  {
    id: "loop.rule-feed",
    promise: "Every process learns of each rule that begins, changes or ends, and of the policy revision it came with.",
    source: "issue 6",
  },
  {
    id: "loop.job-lease",
    promise:
      "A job is given to one worker at a time, and to another once the lease is over; only who holds it ends it.",
    source: "issue 6",
  },
  {
    id: "loop.idempotency",
    promise: "Of requests under one key one is carried out; the others get its answer, wait, or are told they differ.",
    source: "issue 6",
  },
  {
    id: "loop.webhook-kept",
    promise:
      "Webhooks change with a record; a delivery is queued with its job or not at all, and goes with its webhook.",
    source: "issue 6",
  },
  {
    id: "loop.older-database",
    promise: "A database of the third release keeps all it held, and takes reports and rules.",
    source: "issue 6",
  },
  {
    id: "loop.damage-refused",
    promise:
      "A rule, suggestion, report or webhook whose stored form is damaged is refused, not read as something else.",
    source: "issue 6",
  },
  {
    id: "enforce.detectors",
    promise:
      "A governed agent's texts are judged by its profile's detectors, thresholds and actions, by origin, on every road.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.floor",
    promise: "No profile goes below the floor, not one that only watches either.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.monitor",
    promise:
      "A profile that only watches changes and refuses nothing, and puts on record what it would have done; what other layers say holds all the same.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.custom",
    promise: "The operator's own rules hold for governed agents too, unless their profile says otherwise of them.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.egress",
    promise: "Links and images in answers go only where the profile allows, whole and streamed.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.models",
    promise: "A governed agent uses and sees the models of its profile only.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tools-declared",
    promise:
      "A request that declares a tool the profile does not allow is refused, by whatever name or kind it is declared.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tools-called",
    promise:
      "A model's call of a tool the profile does not allow does not leave, whole or streamed, in whatever pieces its name comes.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tools-gateway",
    promise: "The tools a governed agent is listed and can call are those of its profile and its restrictions.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.output-tokens",
    promise: "Answers are as long as the profile allows: longer ones are refused, open ones are bounded.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.limits",
    promise:
      "Requests, tokens and calls at a time are limited per agent, exactly, under parallel calls too; a refused call takes nothing, and what was reserved too much is given back.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.limits-day",
    promise: "Budgets of a day survive a restart.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.limits-conversation",
    promise: "Calls of models and of tools are limited per conversation.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.rate-headers",
    promise: "Answers to an agent with limits say what is left of them, in the headers OpenAI's clients read.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.block-response",
    promise:
      "Where the profile says so a block is a completion with a refusal: whole, streamed, and in the middle of a stream.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tainted",
    promise:
      "A tool that acts is not given what only a tool had said: flagged, blocked or held as the profile says, on both roads.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.human",
    promise:
      "A tool call that needs a person passes once for each approval; of several in one answer none is used up before all are approved.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.denied-by",
    promise:
      "Every denial names its layer and rule in the error and on record, and every record carries the profile's version.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.versions",
    promise: "A new profile holds from the next call on; a stream that is open keeps its own.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.fail-mode",
    promise:
      "When the scanner fails, a profile decides whether the text passes unscanned, on record, or the call fails; streams fail.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.strictest",
    promise: "Another restriction or another rule of the floor never loosens anything.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.effective",
    promise: "Who may see an agent can ask what it is held to, and which layer says each of it.",
    source: "issue 5, 4",
  },
  {
    id: "scan.same-everywhere",
    promise: "The executable, over HTTP and by command, finds in a text what the library finds in it.",
    source: "issue 4, end",
  },
  {
    id: "reports.shape",
    promise:
      "A dispute or a miss report answers with the published fields, created_at, event_id, agent_id and direction; every published word is taken.",
    source: "published interface §2.2; decisions.md §5",
  },
  {
    id: "reports.defaults",
    promise: "Flag types and agent are the event's where the report names none.",
    source: "decisions.md §5",
  },
  {
    id: "reports.section",
    promise: "A report is of the questionnaire's section that its most severe flag type belongs to.",
    source: "decisions.md §5",
  },
  {
    id: "reports.own-events",
    promise: "Only events of one's own can be reported, an agent's token only its agent's; another's answers as none.",
    source: "decisions.md §5",
  },
  {
    id: "reports.not-disputable",
    promise: "Where nothing was blocked or redacted there is nothing to dispute: 409.",
    source: "decisions.md §5",
  },
  {
    id: "reports.content-bound",
    promise: "Content sent with a dispute must be of its event, also when the event's text is no longer kept.",
    source: "decisions.md §5",
  },
  {
    id: "reports.duplicates",
    promise: "The same event reported again in the same direction is the same report, not counted.",
    source: "decisions.md §5",
  },
  {
    id: "reports.refusals",
    promise: "What is wrong with a report is named, and counts for nothing.",
    source: "decisions.md §3, §5",
  },
  {
    id: "reports.headers",
    promise: "Every answer below /v1/guard and every block says how many reports are left.",
    source: "decisions.md §3, §5",
  },
  {
    id: "reports.idempotent",
    promise: "A report sent twice under one Idempotency-Key is one report with one answer.",
    source: "issue 6",
  },
  {
    id: "reports.found",
    promise: "An event can be reported for 30 days, also after a crash, and where nothing of it is kept.",
    source: "issue 6",
  },
  {
    id: "reports.list",
    promise: "Reports are listed newest first, by direction and status, page by page.",
    source: "published interface §4; decisions.md §1, §5",
  },
  {
    id: "reports.own",
    promise: "Reports of others do not exist; an agent is shown those about itself.",
    source: "published interface §4",
  },
  {
    id: "reports.withdrawn",
    promise: "A user can withdraw a report: what was told with it is forgotten, and it still counts.",
    source: "issue 6",
  },
  {
    id: "reports.sealed",
    promise:
      "Content of reports is kept sealed only where it was sent or shared; secrets in explanations are not kept.",
    source: "decisions.md §5",
  },
  {
    id: "reports.forgotten",
    promise: "What was shared is deleted 30 days after the report closes.",
    source: "decisions.md §5",
  },
  {
    id: "reports.recorded",
    promise: "Every report and withdrawal is on record as a call and as a change, without content.",
    source: "decisions.md §11",
  },
  {
    id: "tuning.states",
    promise: "A suggestion moves as its table says and no other way; what is rejected or reverted is over.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.separation",
    promise:
      "Nobody approves what they asked for, wrote, own or alone reported; a sole administrator does with a reason, on record.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.edit-revokes",
    promise: "An approval is of the change as it was read: an edit, or asking anew, takes it back.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.stale-base",
    promise: "What was made against tuning or a profile that has changed since is stale, and cannot be applied.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.approval-expires",
    promise: "An approval is good for seven days.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.apply-once",
    promise: "Of any number of applications at once one puts a rule in force, with one policy revision.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.in-force",
    promise: "The scan after an application shows it, and so does every one after a restart.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.revert",
    promise: "A rule that is taken back holds no more from the next scan on, and its suggestion is reverted.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.stricter-free",
    promise: "Going stricter is in force at once; going looser, by whichever way, is a suggestion first.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.agent-token",
    promise: "An agent's token reads its agent's tuning and changes nothing about it.",
    source: "decisions.md §2",
  },
  {
    id: "tuning.own-only",
    promise: "Tuning of others' agents answers as what does not exist.",
    source: "decisions.md §1",
  },
  {
    id: "tuning.below-floor",
    promise:
      "No threshold or action is loosened below the floor, or further than the profile says, in however many steps.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.validity",
    promise: "A change that says nothing, everything or no pattern of RE2 is refused, and nothing of it is repeated.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.lapse",
    promise: "What loosens ends after 90 days unless said otherwise.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.unused",
    promise: "A rule that nothing has met for 60 days is marked as unused.",
    source: "product.md §2.8",
  },
  {
    id: "tuning.on-record",
    promise:
      "Every step from a suggestion to a rule and back is in the audit log, without values, patterns or hashes of values.",
    source: "decisions.md §11",
  },
  {
    id: "tuning.command-line",
    promise: "Operators list, decide on, apply and take back tuning beside a running hub, under the same rules.",
    source: "decisions.md §10",
  },
  {
    id: "keys.rotate",
    promise: "The master key can be changed; every sealed value is sealed anew, and opens with the new key only.",
    source: "issue 7, 7",
  },
  {
    id: "keys.resume",
    promise: "A change of the master key may be cut off at any moment: nothing is lost, and the same command ends it.",
    source: "issue 7, 7",
  },
  {
    id: "keys.fence",
    promise: "What was sealed before a change of the master key and is written after it is refused, not lost.",
    source: "issue 7, 7",
  },
  {
    id: "keys.places",
    promise: "Nothing is sealed in a place that a change of the master key would not find.",
    source: "issue 7, 7",
  },
  {
    id: "keys.beside",
    promise: "The master key is changed while the hub runs; calls of providers and tools go on without a failure.",
    source: "issue 7, 7",
  },
  {
    id: "keys.given",
    promise: "Where the master key is given from outside, the new one is handed in, and the hub goes on with either.",
    source: "issue 7, 7",
  },
  {
    id: "keys.wrong-key",
    promise: "A value of another master key is refused with that key's id, and stops a change before it begins.",
    source: "issue 7, 7",
  },
  {
    id: "keys.audit",
    promise: "A change of the master key is in the audit log: its begin and its end, once, and nothing of the keys.",
    source: "issue 7, 7",
  },
  {
    id: "keys.hashes",
    promise: "Keyed hashes stay valid when the master key is changed, also those of an older hub.",
    source: "issue 7, 7",
  },
  {
    id: "keys.doctor",
    promise: "The doctor names sealed values without a key, a change that was not ended, and files others can read.",
    source: "issue 7, 7",
  },
  {
    id: "keys.files",
    promise: "Every file of the data directory is its owner's alone, those of the database and its backups too.",
    source: "issue 7, 7",
  },
  {
    id: "sign-in.password",
    promise: "People sign in with an e-mail address and a password; what is wrong is never said, nor who is known.",
    source: "issue 7",
  },
  {
    id: "sign-in.cookie",
    promise: "The session cookie is HttpOnly and SameSite=Lax, and Secure where the public URL is https.",
    source: "issue 7",
  },
  {
    id: "sign-in.recorded",
    promise: "Every sign-in, failed or not, leaves a record without anything a stranger typed.",
    source: "issue 7",
  },
  {
    id: "sign-in.fixation",
    promise: "Signing in always makes a new session: a cookie that was there before is worth nothing.",
    source: "issue 7",
  },
  {
    id: "sign-in.disable",
    promise: "Of a disabled user no token, session or key opens anything, from the next request on.",
    source: "issue 7",
  },
  {
    id: "sign-in.password-change",
    promise: "A new password ends every other session of its user, in browsers and keys.",
    source: "issue 7",
  },
  {
    id: "sign-in.origin",
    promise: "By cookie nothing is changed but from a page of the hub's own; sign-in itself needs that too.",
    source: "issue 7",
  },
  {
    id: "sign-in.allow-list",
    promise:
      "Below /api/auth nothing is served but what the hub has a route of its own for, whatever the library offers.",
    source: "issue 7",
  },
  {
    id: "sign-in.closed",
    promise: "Nobody makes an account for themselves.",
    source: "issue 7",
  },
  {
    id: "sign-in.invitation",
    promise: "An invitation's link works once, for a week, and only the newest one.",
    source: "issue 7",
  },
  {
    id: "sign-in.first-run",
    promise: "Without an administrator serve shows a link that makes one, once, within half an hour.",
    source: "issue 7",
  },
  {
    id: "sign-in.first-run-race",
    promise: "Of several who set up the first administrator at once one does.",
    source: "issue 7",
  },
  {
    id: "sign-in.unclaimed",
    promise:
      "On a public address nothing but the set-up page and its liveness is served before there is an administrator.",
    source: "issue 7",
  },
  {
    id: "sign-in.bootstrap",
    promise: "Configuration makes the first administrator when there is none of that address, and never changes one.",
    source: "issue 7",
  },
  {
    id: "sign-in.backoff",
    promise: "Guessing is slowed by account and by address, and no header of a stranger's changes which.",
    source: "issue 7",
  },
  {
    id: "sign-in.timing",
    promise: "An unknown address takes as long to refuse as a known one.",
    source: "issue 7",
  },
  {
    id: "sign-in.pages",
    promise: "The pages run under a policy that allows their own script only, load nothing, and are framed by nobody.",
    source: "issue 7",
  },
  {
    id: "sign-in.no-redirect",
    promise: "Nothing a request says leads a browser elsewhere.",
    source: "issue 7",
  },
  {
    id: "sign-in.database-leak",
    promise: "What is in the database opens nothing: no cookie can be made of it.",
    source: "issue 7",
  },
  {
    id: "loop.whole",
    promise:
      "A wrong block is disputed, reviewed, approved and mended for one agent, its neighbours stay blocked, and it can be taken back.",
    source: "decisions.md §6",
  },
  {
    id: "loop.demo",
    promise: "One command plays the whole loop without a key or a network, and prints each step.",
    source: "decisions.md §10",
  },
  {
    id: "oauth.metadata",
    promise:
      "A refused call of the tool gateway leads clients to the authorization server at every address where they look, and its issuer is the same everywhere.",
    source: "issue 7; mcp.md §2",
  },
  {
    id: "oauth.closed",
    promise: "Below /api/auth there is nothing but the hub's own addresses: nothing of the identity library's.",
    source: "auth.md §4.14",
  },
  {
    id: "oauth.register",
    promise:
      "Claude Code, claude.ai, Cursor, VS Code, Codex, Gemini CLI, OpenCode and mcp-remote register as they are; hostile registrations, floods and large ones are refused.",
    source: "issue 7; auth.md §4.1-3",
  },
  {
    id: "oauth.redirect",
    promise: "Codes go to registered addresses only: exactly, but for the port on the person's own machine.",
    source: "decisions.md §9; RFC 8252 §7.3",
  },
  {
    id: "oauth.consent",
    promise:
      "A person consents every time, on the hub's own page, knowing what is not verified; the answer names its issuer.",
    source: "auth.md §4.8, §9",
  },
  {
    id: "oauth.pkce",
    promise: "Codes are bound to PKCE with S256 and to nothing less.",
    source: "auth.md §9",
  },
  {
    id: "oauth.audience",
    promise:
      "Tokens of the authorization server open the tool gateway and nothing else, whatever resource a client names.",
    source: "decisions.md §9; RFC 8707",
  },
  {
    id: "oauth.code-once",
    promise: "A code is good once, for its client and address; when it comes twice, what was made of it ends.",
    source: "auth.md §9",
  },
  {
    id: "oauth.step-up",
    promise: "A token without the gateway's scope is answered 403 with what is needed.",
    source: "issue 7",
  },
  {
    id: "oauth.refresh",
    promise: "Refresh tokens rotate; parallel clients get the same new tokens; one that is used late ends the grant.",
    source: "decisions.md §9",
  },
  {
    id: "oauth.revoke",
    promise: "What is revoked or disabled - token, grant, client or user - opens nothing from the next request on.",
    source: "issue 7; RFC 7009",
  },
  {
    id: "oauth.allowlist",
    promise: "A client is listed and may call the tools that its user chose for it, and no others.",
    source: "issue 7; decisions.md §8",
  },
  {
    id: "oauth.recorded",
    promise: "Registrations, consents, tokens, refreshes, reuse and revocations are on record, without tokens.",
    source: "auth.md §9",
  },
  {
    id: "oauth.clients",
    promise:
      "The MCP SDK's clients of both generations find their way, sign in, list and call tools, and go on after a restart.",
    source: "issue 7",
  },
  {
    id: "oauth.swept",
    promise: "Clients that nobody let in are forgotten after a day, and so are tokens that have ended.",
    source: "auth.md §4.17",
  },
  {
    id: "agents.whole-life",
    promise:
      "From registration to approval, enforcement, an automatic restriction, a kill switch and recovery, every step shows in the record and in the agent's health.",
    source: "decisions.md §7",
  },
];
