import type { Requirement } from "./requirement";

/** What is promised of the authorization server. */
export const OAUTH: readonly Requirement[] = [
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
    id: "oauth.documents",
    promise:
      "A program whose id is the address of its document signs in without registering: by the hub's own copy, or by what a host that an administrator named serves now.",
    source: "issue 7; MCP 2026-07-28, Client ID Metadata Documents",
  },
  {
    id: "oauth.documents-guarded",
    promise:
      "A document is fetched for signed-in people only, from public addresses by https, in bounds of time and size and without redirects; one that is not exactly its client's, or wants secrets, lets nobody in.",
    source: "draft-ietf-oauth-client-id-metadata-document §6; auth.md §9",
  },
  {
    id: "oauth.documents-stray",
    promise:
      "A client whose document is not known, not to be had or not good gets a page that says what to do, and sends nobody anywhere.",
    source: "issue 7",
  },
  {
    id: "oauth.conformance",
    promise:
      "The official conformance suite's scenarios for authorization servers pass, with registered clients and with documents.",
    source: "issue 7; auth.md §10",
  },
  {
    id: "oauth.isolation",
    promise:
      "Nobody sees, changes or ends what another person granted: clients, tool lists, tokens, sessions, tool servers.",
    source: "auth.md §10",
  },
  {
    id: "oauth.database-leak",
    promise: "Nothing that stands in the database opens a door, whatever door it is tried at.",
    source: "auth.md §10",
  },
  {
    id: "oauth.redacted",
    promise: "No code, token, verifier, cookie or password is written to a log or a record, whatever goes wrong.",
    source: "auth.md §10",
  },
  {
    id: "oauth.survives",
    promise: "Grants outlive a crash, a restart, a clock that was set wrong and a restored backup.",
    source: "auth.md §10",
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
    id: "oauth.crowd",
    promise:
      "Strangers fill no disk and hold nobody up: registrations are kept to a number, made-up codes and tokens write nothing, and who crowds at one token waits there alone.",
    source: "issue 7; auth.md §4.17, §10",
  },
  {
    id: "oauth.swept",
    promise: "Clients that nobody let in are forgotten after a day, and so are tokens that have ended.",
    source: "auth.md §4.17",
  },
  {
    id: "oauth.pages",
    promise:
      "Clients that are web pages of this machine, or of origins the operator named, register, get tokens and renew them; pages of all others get nothing, and no page anything that takes a cookie.",
    source: "issue 7; mcp.md §2",
  },
  {
    id: "oauth.empty-parameters",
    promise: "A parameter without a value is taken as one that is not there.",
    source: "RFC 6749 §3.1, §3.2",
  },
  {
    id: "oauth.under-way",
    promise:
      "Calls under way end when their token, grant, client or user is taken away, and not when a token has only run out; who listens is told when its list was changed.",
    source: "issue 7",
  },
  {
    id: "oauth.browser",
    promise:
      "From an empty directory to a tool's answer in a real browser: first administrator, sign-in, consent, call; without an error on any page or a request to anybody else.",
    source: "issue 7",
  },
  {
    id: "oauth.mcp-remote",
    promise:
      "mcp-remote, which speaks for programs that know stdio only, signs in, lists, calls and renews unmodified.",
    source: "issue 7",
  },
];
