import type { Requirement } from "./requirement";

/** What is promised of providers by kind: how the hub authenticates itself, and which of them it asks. */
export const PROVIDERS: readonly Requirement[] = [
  {
    id: "provider.kinds",
    promise:
      "A provider of each kind is called at that kind's addresses, by the APIs it speaks; those of earlier releases stay compatible with OpenAI.",
    source: "docs/providers.md#kinds",
  },
  {
    id: "provider.credential-sources",
    promise:
      "A provider is authenticated to by a key in the header of its kind, a token of Entra or Google, or a signature with keys of AWS from any of their sources.",
    source: "docs/providers.md#credentials",
  },
  {
    id: "provider.sigv4",
    promise: "Requests to Bedrock are signed as AWS's published test suite of Signature Version 4 has it.",
    source: "docs/providers.md#credentials",
  },
  {
    id: "provider.tokens-renewed",
    promise:
      "Tokens and temporary keys are asked for once for all calls, and again before they end, with no call waiting for it.",
    source: "docs/providers.md#credentials",
  },
  {
    id: "provider.key-files",
    promise: "A followed key file is read again when it is changed or replaced.",
    source: "docs/providers.md#key-files",
  },
  {
    id: "provider.machine-credentials",
    promise:
      "Only on the command line is a provider given what the hub's machine is known by: instance roles, metadata servers, files. Nobody else moves it to another address.",
    source: "docs/providers.md#credentials",
  },
  {
    id: "provider.failover",
    promise:
      "The next provider is asked after connection errors, time-outs, 401, 403, 404, 429, 501 and other 5xx, and after no other 4xx.",
    source: "docs/providers.md#failover",
  },
  {
    id: "provider.breaker",
    promise:
      "A credential that fails five times in a row is used after all others, until one call with it works; /api/providers, the command line and metrics say so.",
    source: "docs/providers.md#failover",
  },
  {
    id: "provider.aliases",
    promise:
      "An alias maps the model asked for to the provider's name for it, and nothing else of the request changes.",
    source: "docs/providers.md#model-names",
  },
  {
    id: "provider.test-apis",
    promise: "Testing a provider says for each API whether it works, with an empty request that costs nothing.",
    source: "docs/providers.md#test",
  },
  {
    id: "provider.anthropic-headers",
    promise:
      "Of a client's headers only anthropic-version and anthropic-beta reach a provider, as they came, with messages, at providers that know them.",
    source: "docs/providers.md#kinds",
  },
  {
    id: "provider.no-secrets",
    promise: "What authenticates the hub, and what an issuer says, is in no answer, error or log.",
    source: "docs/providers.md#credentials",
  },
  {
    id: "dashboard.providers",
    promise:
      "Administrators add, test and change providers of every kind in the dashboard, with the credentials that may be given over HTTP.",
    source: "docs/providers.md#in-the-dashboard",
  },
  {
    id: "provider.issuer-addresses",
    promise:
      "Metadata addresses are asked only for credentials of the machine, and an issuer that a key file names only where the provider itself could be.",
    source: "docs/providers.md#credentials",
  },
  {
    id: "provider.own-failures",
    promise:
      "Where an API's clients act on its words, what the last provider said with 429 or 5xx is shown, scanned and without the hub's key; never with 401 and 403.",
    source: "docs/providers.md#failover",
  },
];
