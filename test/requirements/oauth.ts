import type { Requirement } from "./requirement";

/** What is promised of the authorization server. */
export const OAUTH: readonly Requirement[] = [
  {
    id: "oauth.metadata",
    promise:
      "A refused call of the tool gateway leads clients to the authorization server at every address where they look, and its issuer is the same everywhere.",
    source: "docs/spec/oauth.md#discovery",
  },
  {
    id: "oauth.closed",
    promise: "Below /api/auth there is nothing but the hub's own addresses: nothing of the identity library's.",
    source: "docs/spec/oauth.md#discovery",
  },
  {
    id: "oauth.register",
    promise:
      "Claude Code, claude.ai, Cursor, VS Code, Codex, Gemini CLI, OpenCode and mcp-remote register as they are; hostile registrations, floods and large ones are refused.",
    source: "docs/spec/oauth.md#registration",
  },
  {
    id: "oauth.documents",
    promise:
      "A program whose id is the address of its document signs in without registering: by the hub's own copy, or by what a host that an administrator named serves now.",
    source: "docs/spec/oauth.md#client-id-metadata-documents",
  },
  {
    id: "oauth.documents-guarded",
    promise:
      "A document is fetched for signed-in people only, from public addresses by https, in bounds of time and size and without redirects; one that is not exactly its client's, or wants secrets, lets nobody in.",
    source: "docs/spec/oauth.md#client-id-metadata-documents",
  },
  {
    id: "oauth.documents-unknown",
    promise:
      "A client whose document is not known, not to be had or not good gets a page that says what to do, and sends nobody anywhere.",
    source: "docs/spec/oauth.md#client-id-metadata-documents",
  },
  {
    id: "oauth.conformance",
    promise:
      "The official conformance suite's scenarios for authorization servers pass, with registered clients and with documents.",
    source: "docs/spec/oauth.md#conformance-and-clients",
  },
  {
    id: "oauth.isolation",
    promise:
      "Nobody sees, changes or ends what another person granted: clients, tool lists, tokens, sessions, tool servers.",
    source: "docs/spec/oauth.md#isolation-and-secrecy",
  },
  {
    id: "oauth.database-leak",
    promise: "Nothing stored in the database is accepted as a credential at any address.",
    source: "docs/spec/oauth.md#isolation-and-secrecy",
  },
  {
    id: "oauth.redacted",
    promise: "No code, token, verifier, cookie or password is written to a log or a record, whatever goes wrong.",
    source: "docs/spec/oauth.md#isolation-and-secrecy",
  },
  {
    id: "oauth.survives",
    promise: "Grants outlive a crash, a restart, a clock that was set wrong and a restored backup.",
    source: "docs/spec/oauth.md#durability",
  },
  {
    id: "oauth.redirect",
    promise: "Codes go to registered addresses only: exactly, but for the port on the person's own machine.",
    source: "docs/spec/oauth.md#redirects",
  },
  {
    id: "oauth.consent",
    promise:
      "A person consents every time, on the hub's own page, knowing what is not verified; the answer names its issuer.",
    source: "docs/spec/oauth.md#consent",
  },
  {
    id: "oauth.pkce",
    promise: "Codes are bound to PKCE with S256 and to nothing less.",
    source: "docs/spec/oauth.md#codes-and-pkce",
  },
  {
    id: "oauth.audience",
    promise:
      "Tokens of the authorization server open the tool gateway and nothing else, whatever resource a client names.",
    source: "docs/spec/oauth.md#access-tokens",
  },
  {
    id: "oauth.code-once",
    promise: "A code is good once, for its client and address; when it comes twice, what was made of it ends.",
    source: "docs/spec/oauth.md#codes-and-pkce",
  },
  {
    id: "oauth.step-up",
    promise: "A token without the gateway's scope is answered 403 with what is needed.",
    source: "docs/spec/oauth.md#discovery",
  },
  {
    id: "oauth.refresh",
    promise: "Refresh tokens rotate; parallel clients get the same new tokens; one that is used late ends the grant.",
    source: "docs/spec/oauth.md#refresh-tokens",
  },
  {
    id: "oauth.revoke",
    promise: "What is revoked or disabled - token, grant, client or user - opens nothing from the next request on.",
    source: "docs/spec/oauth.md#access-tokens",
  },
  {
    id: "oauth.allowlist",
    promise: "A client is listed and may call the tools that its user chose for it, and no others.",
    source: "docs/spec/oauth.md#consent",
  },
  {
    id: "oauth.recorded",
    promise: "Registrations, consents, tokens, refreshes, reuse and revocations are on record, without tokens.",
    source: "docs/spec/oauth.md#isolation-and-secrecy",
  },
  {
    id: "oauth.clients",
    promise:
      "The MCP SDK's clients of both generations find their way, sign in, list and call tools, and go on after a restart.",
    source: "docs/spec/oauth.md#conformance-and-clients",
  },
  {
    id: "oauth.crowd",
    promise:
      "Unauthenticated clients cannot fill the disk or delay others: registrations are limited in number, invented codes and tokens cause no writes, and many requests with one token delay only that token.",
    source: "docs/spec/oauth.md#registration",
  },
  {
    id: "oauth.swept",
    promise: "Clients that nobody let in are forgotten after a day, and so are tokens that have ended.",
    source: "docs/spec/oauth.md#registration",
  },
  {
    id: "oauth.pages",
    promise:
      "Clients that are web pages of this machine, or of origins the operator named, register, get tokens and renew them; pages of all others get nothing, and no page anything that takes a cookie.",
    source: "docs/spec/oauth.md#discovery",
  },
  {
    id: "oauth.empty-parameters",
    promise: "A parameter without a value is taken as one that is not there.",
    source: "docs/spec/oauth.md#codes-and-pkce",
  },
  {
    id: "oauth.under-way",
    promise:
      "Calls under way end when their token, grant, client or user is taken away, and not when a token has only run out; who listens is told when its list was changed.",
    source: "docs/spec/oauth.md#access-tokens",
  },
  {
    id: "oauth.browser",
    promise:
      "From an empty directory to a tool's answer in a real browser: first administrator, sign-in, consent, call; without an error on any page or a request to anybody else.",
    source: "docs/spec/oauth.md#conformance-and-clients",
  },
  {
    id: "oauth.mcp-remote",
    promise:
      "mcp-remote, which speaks for programs that know stdio only, signs in, lists, calls and renews unmodified.",
    source: "docs/spec/oauth.md#conformance-and-clients",
  },
];
