import type { Requirement } from "./requirement";

const SOURCE = "docs/model-apis.md#openai-responses";
const STREAMS = "docs/model-apis.md#streamed-responses";

/** What is promised of OpenAI's Responses API. */
export const RESPONSES: readonly Requirement[] = [
  {
    id: "responses.client",
    promise:
      "OpenAI's own client creates and parses responses, runs tools, compacts and counts tokens through the hub.",
    source: SOURCE,
  },
  {
    id: "responses.redaction",
    promise: "Texts of every item are scanned by whose they are, in requests and in responses.",
    source: SOURCE,
  },
  {
    id: "responses.blocks",
    promise: "A block is an error; under a profile that has it answered, a response incomplete by content_filter.",
    source: "docs/model-apis.md#answers-that-are-blocked",
  },
  {
    id: "responses.codex-blocks",
    promise: "A blocked stream ends for Codex CLI as a fault of its request, which it does not send again.",
    source: "docs/model-apis.md#streamed-responses",
  },
  {
    id: "responses.governed",
    promise: "An agent's models, limits, tools, approvals and tainted arguments hold over Responses as over chat.",
    source: SOURCE,
  },
  {
    id: "responses.sub-agents",
    promise: "The session and the sub-agent that Codex CLI names are recorded with the call.",
    source: SOURCE,
  },
  {
    id: "responses.sdks",
    promise: "Vercel's AI SDK and OpenAI's Agents SDK run tools over Responses.",
    source: SOURCE,
  },
  {
    id: "responses.replay",
    promise: "A conversation of items that is sent again reaches its provider in the same bytes, redactions included.",
    source: SOURCE,
  },
  {
    id: "responses.kept",
    promise: "What is kept and counted of a response is what it says, not what it repeats of its request.",
    source: SOURCE,
  },
  {
    id: "responses.repeated",
    promise: "A finding in what a response only repeats of its request is recorded once, with the request.",
    source: SOURCE,
  },
  {
    id: "responses.server-tools",
    promise:
      "A provider-run tool is found wherever a request turns it on: at the top, in a namespace, in an item, in a stored prompt.",
    source: "docs/model-apis.md#provider-run-tools",
  },
  {
    id: "responses.items",
    promise: "An item that a provider keeps is named only by whom it was answered to, at the provider that keeps it.",
    source: "docs/model-apis.md#state-at-the-provider",
  },
  {
    id: "responses.websocket",
    promise: "A request for a WebSocket is answered with 426 and a JSON body at once.",
    source: SOURCE,
  },
  {
    id: "responses.own-ids",
    promise:
      "Callers get ids of the hub's own for what providers keep, bound to user, agent and provider; any other id is 404.",
    source: "docs/model-apis.md#state-at-the-provider",
  },
  {
    id: "responses.retrieved",
    promise: "What a provider keeps is retrieved, listed, cancelled and deleted by its id, by whom it was answered to.",
    source: "docs/model-apis.md#kept-responses",
  },
  {
    id: "responses.kept-scanned",
    promise: "What a provider keeps is scanned and recorded when it is retrieved, like a new answer.",
    source: "docs/model-apis.md#kept-responses",
  },
  {
    id: "responses.resumed",
    promise:
      "A kept response is streamed from any of its events on, and what is looked at is the stream from its beginning.",
    source: "docs/model-apis.md#kept-responses",
  },
  {
    id: "responses.background",
    promise: "A response in the background is begun, polled and cancelled.",
    source: "docs/model-apis.md#kept-responses",
  },
  {
    id: "responses.state-forbidden",
    promise:
      "Where a profile forbids state at the provider, nothing is stored there, nothing stored is used, and reasoning comes back encrypted.",
    source: "docs/enforcement.md#state-at-the-provider",
  },
  {
    id: "responses.stream",
    promise: "Events of a streamed response arrive in order, byte for byte where nothing was found.",
    source: STREAMS,
  },
  {
    id: "responses.stream-repeats",
    promise: "What events of a stream repeat says what has left; where it says something else it is scanned.",
    source: STREAMS,
  },
  {
    id: "responses.stream-tools",
    promise: "A tool call of a stream leaves whole, once it is judged, or not at all.",
    source: STREAMS,
  },
  {
    id: "responses.stream-block",
    promise: "A block in the middle of a stream closes what is open and ends as response.incomplete.",
    source: STREAMS,
  },
  {
    id: "responses.stream-faults",
    promise: "A stream that breaks off or fails ends with exactly one event of the API.",
    source: STREAMS,
  },
  {
    id: "responses.stream-findings",
    promise: "A response has the same findings under the same paths whether it is streamed or not.",
    source: STREAMS,
  },
  {
    id: "responses.stream-unknown",
    promise: "Events of unknown types are scanned, their pieces as one text.",
    source: STREAMS,
  },
  {
    id: "responses.echo",
    promise: "guardhouse/echo answers Responses, with tools, and compacts and counts.",
    source: SOURCE,
  },
];
