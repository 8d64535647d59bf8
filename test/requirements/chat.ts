import type { Requirement } from "./requirement";

/** What is promised of chat completions: callers, routes, providers. */
export const CHAT: readonly Requirement[] = [
  {
    id: "chat.openai-client",
    promise: "OpenAI's own client works against the hub: whole, streamed, tools, several choices, models.",
    source: "docs/spec/model-calls.md#openai-clients",
  },
  {
    id: "chat.block-error",
    promise:
      "A block answers 400 content_filter with param, event_id and the guard's reasons, never with the matched text.",
    source: "docs/spec/model-calls.md#blocked-calls",
  },
  {
    id: "chat.no-retry",
    promise: "Decisions and exhausted retries carry x-should-retry: false, and official clients send them once.",
    source: "docs/spec/model-calls.md#no-retries-of-decisions",
  },
  {
    id: "chat.client-gone",
    promise: "When the client leaves, the provider's call is aborted and the record says client_closed.",
    source: "docs/spec/model-calls.md#a-client-that-disconnects",
  },
  {
    id: "models.fields",
    promise:
      "Every field that OpenAI's and Anthropic's clients declare of requests, answers and events arrives as it was sent.",
    source: "docs/model-apis.md#fields",
  },
  {
    id: "models.places",
    promise: "Every text that a request, an answer or an event can hold is scanned, apart from those listed as opaque.",
    source: "docs/model-apis.md#fields",
  },
  {
    id: "models.list",
    promise: "GET /v1/models lists what callers may name; one model is found by its name, slashes included.",
    source: "docs/spec/model-calls.md#openai-clients",
  },
  {
    id: "route.guarded",
    promise: "Every route states a role or why it is open, and what states a role lets nobody in without a token.",
    source: "docs/spec/model-calls.md#who-may-call-what",
  },
  {
    id: "route.authorized",
    promise:
      "Every address that takes a key has a written rule of who may do what there, by role and by ownership; the hub answers each role by it, and what is somebody else's as what is not there.",
    source: "docs/spec/model-calls.md#who-may-call-what",
  },
  {
    id: "route.removed",
    promise: "The removed endpoints answer 404 endpoint_removed to any method, and so does everything below them.",
    source: "docs/spec/model-calls.md#removed-and-unknown-addresses",
  },
  {
    id: "route.unknown",
    promise:
      "An unknown address is a JSON 404 unknown_url; a method an address does not take is 405 with those it takes.",
    source: "docs/spec/model-calls.md#removed-and-unknown-addresses",
  },
  {
    id: "route.not-offered",
    promise:
      "A 404 for an API that is not offered says which setting of the client helps, in the shape of the API that was called.",
    source: "docs/spec/model-calls.md#apis-that-are-not-offered",
  },
  {
    id: "route.headers",
    promise: "Every answer carries x-request-id and the security headers.",
    source: "docs/spec/model-calls.md#headers-of-every-answer",
  },
  {
    id: "provider.timeouts",
    promise:
      "Connecting, the first byte, silence inside a stream and the whole call have limits; each answers upstream_timeout or upstream_error.",
    source: "docs/spec/model-calls.md#time-limits",
  },
  {
    id: "upstream.answer-size",
    promise:
      "An answer of a provider of more than upstream.answer_bytes, whole, streamed or listing models, counted as unpacked, ends as 502 upstream_error with a record, and costs the limit in memory at most.",
    source: "docs/spec/model-calls.md#size-of-an-answer",
  },
  {
    id: "provider.routing",
    promise: "A call goes to the providers whose globs match its model, first by priority.",
    source: "docs/spec/model-calls.md#choosing-a-provider",
  },
  {
    id: "provider.apis",
    promise:
      "A call goes only to providers that speak its API; where none serves the model by it, the error says which APIs do.",
    source: "docs/spec/model-calls.md#choosing-a-provider",
  },
  {
    id: "provider.retries",
    promise:
      "Connect errors, 429 and 5xx before the first byte are retried with backoff; each attempt is counted in the record.",
    source: "docs/spec/model-calls.md#retries",
  },
  {
    id: "provider.fallback",
    promise: "When a provider stays down, refuses the key or asks for long patience, the next one is tried.",
    source: "docs/spec/model-calls.md#choosing-a-provider",
  },
  {
    id: "provider.auth-failure",
    promise:
      "A provider that refuses the hub's key answers 502 upstream_auth_failed, never 401, and the key is in no output.",
    source: "docs/spec/model-calls.md#errors-of-a-provider",
  },
  {
    id: "provider.refusals",
    promise: "A provider's own 4xx about the request passes with its words scanned.",
    source: "docs/spec/model-calls.md#errors-of-a-provider",
  },
  {
    id: "provider.redirect",
    promise: "Redirects of providers are not followed.",
    source: "docs/spec/model-calls.md#errors-of-a-provider",
  },
  {
    id: "provider.concurrency",
    promise: "Calls under way at one provider are bounded; one too many goes to the next provider or is refused.",
    source: "docs/spec/model-calls.md#choosing-a-provider",
  },
];
