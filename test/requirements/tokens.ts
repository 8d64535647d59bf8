import type { Requirement } from "./requirement";

/** What is promised of tokens and the hub's own keys. */
export const TOKENS: readonly Requirement[] = [
  {
    id: "auth.one-answer",
    promise: "Every token that is not accepted gets the same 401.",
    source: "docs/spec/tokens-and-sessions.md#refused-credentials",
  },
  {
    id: "token.one-refusal",
    promise: "Every token that opens nothing is refused alike: 401, one code, one message, WWW-Authenticate: Bearer.",
    source: "docs/spec/tokens-and-sessions.md#refused-credentials",
  },
  {
    id: "token.headers",
    promise:
      "Under /v1 and at /mcp/gateway a token is taken from Authorization, x-api-key or api-key; two different ones are refused, and none is taken from the address.",
    source: "docs/clients.md#where-the-token-goes",
  },
  {
    id: "errors.clients",
    promise:
      "Clients that go by words or classes take a refused token for an authentication error and a block for a content policy violation, and send neither again.",
    source: "docs/clients.md#errors-as-clients-see-them",
  },
  {
    id: "token.revocation",
    promise: "Once a command has returned, no call that begins with a revoked or disabled token succeeds.",
    source: "docs/spec/tokens-and-sessions.md#states",
  },
  {
    id: "token.states",
    promise: "Active, disabled (can come back), expired, revoked (final), rotated (works on for its grace).",
    source: "docs/spec/tokens-and-sessions.md#states",
  },
  {
    id: "token.shape",
    promise: "A token is checked by its shape before anything is looked up.",
    source: "docs/spec/tokens-and-sessions.md#form",
  },
  {
    id: "token.legacy",
    promise: "Legacy gwk_ tokens can be imported and are accepted.",
    source: "docs/spec/tokens-and-sessions.md#form",
  },
  {
    id: "token.agent",
    promise: "A call with an agent's token is the agent's in the record; a suspended agent is refused with 403.",
    source: "docs/spec/tokens-and-sessions.md#agent-tokens",
  },
  {
    id: "keys.rotate",
    promise: "The master key can be changed; every sealed value is sealed anew, and opens with the new key only.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.resume",
    promise: "A change of the master key may be cut off at any moment: nothing is lost, and the same command ends it.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.fence",
    promise: "What was sealed before a change of the master key and is written after it is refused, not lost.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.places",
    promise: "Nothing is sealed in a place that a change of the master key would not find.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.beside",
    promise: "The master key is changed while the hub runs; calls of providers and tools go on without a failure.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.given",
    promise: "Where the master key is given from outside, the new one is handed in, and the hub goes on with either.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.wrong-key",
    promise: "A value of another master key is refused with that key's id, and stops a change before it begins.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.audit",
    promise: "A change of the master key is in the audit log: its begin and its end, once, and nothing of the keys.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.hashes",
    promise: "Keyed hashes stay valid when the master key is changed, also those of an older hub.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.doctor",
    promise: "The doctor names sealed values without a key, a change that was not ended, and files others can read.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "keys.files",
    promise: "Every file of the data directory is its owner's alone, those of the database and its backups too.",
    source: "docs/spec/tokens-and-sessions.md#the-master-key",
  },
  {
    id: "token.managed",
    promise: "At /api/tokens people make, list, disable, enable and revoke tokens, which they are shown once.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "token.managed-own",
    promise:
      "People make and change tokens for themselves and their own agents only; administrators for all who are not disabled; auditors see all.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "token.managed-rotation",
    promise: "Rotating shows the new token once and says when the old one ends and what took its place.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "token.managed-limit",
    promise: "Nobody has more than a hundred tokens that open something or could again.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "token.disabled-above",
    promise: "A token that an administrator or the command line disabled its owner can neither enable nor rotate.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "token.managed-record",
    promise: "Changes of tokens at /api are on record with the person who made them, and without the token.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "token.last-used",
    promise: "When a token was last used is shown, at the cost of one row a minute, and outlives a restart.",
    source: "docs/spec/tokens-and-sessions.md#managing-tokens",
  },
  {
    id: "clients.settings",
    promise:
      "The page shows, beside a key, settings of each client that can be pasted; docs/clients.md has the same, and the examples run.",
    source: "docs/clients.md#settings",
  },
  {
    id: "clients.seen",
    promise:
      "A block, a redaction, a limit, the kill switch and a fault of the provider are in each client what the table says, and a block or a stop is asked once.",
    source: "docs/clients.md#what-clients-see",
  },
];
