import type { Requirement } from "./requirement";

/** What is promised of chat completions: callers, routes, providers. */
export const CHAT: readonly Requirement[] = [
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
    id: "route.guarded",
    promise: "Every route states a role or why it is open, and what states a role lets nobody in without a token.",
    source: "house.md §1",
  },
  {
    id: "route.authorized",
    promise:
      "Every address that takes a key has a written rule of who may do what there, by role and by ownership; the hub answers each role by it, and what is somebody else's as what is not there.",
    source: "decisions.md §1, §2, house.md §1",
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
    id: "route.not-offered",
    promise:
      "A 404 for an API that is not offered says which setting of the client helps, in the shape of the API that was called.",
    source: "docs/clients.md",
  },
  {
    id: "route.headers",
    promise: "Every answer carries x-request-id and the security headers.",
    source: "decisions.md §3",
  },
  {
    id: "provider.timeouts",
    promise:
      "Connecting, the first byte, silence inside a stream and the whole call have limits; each answers upstream_timeout or upstream_error.",
    source: "decisions.md §4",
  },
  {
    id: "upstream.answer-size",
    promise:
      "An answer of a provider of more than upstream.answer_bytes, whole, streamed or listing models, counted as unpacked, ends as 502 upstream_error with a record, and costs the limit in memory at most.",
    source: "docs/configuration.md",
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
    id: "provider.concurrency",
    promise: "Calls under way at one provider are bounded; one too many goes to the next provider or is refused.",
    source: "decisions.md §4",
  },
];
