import type { Requirement } from "./requirement";

/** What is promised of streamed answers. */
export const STREAM: readonly Requirement[] = [
  {
    id: "stream.byte-fidelity",
    promise:
      "What nothing is found in passes byte for byte, whatever the provider's chunking, line ends and unknown fields.",
    source: "docs/spec/streams.md#bytes-pass-unchanged",
  },
  {
    id: "stream.usage-chunk",
    promise: "Usage is always asked of the provider; the extra chunk reaches only clients that asked.",
    source: "docs/spec/streams.md#usage",
  },
  {
    id: "stream.done",
    promise: "A stream is complete at [DONE], or at its end after a finish reason.",
    source: "docs/spec/streams.md#the-end-of-a-stream",
  },
  {
    id: "stream.broken-off",
    promise: "A stream that just stops, or is none, ends with an error event and upstream_error in the record.",
    source: "docs/spec/streams.md#the-end-of-a-stream",
  },
  {
    id: "stream.provider-error",
    promise: "A provider's error in mid-stream is told in its own words, scanned as answers are, without addresses.",
    source: "docs/spec/streams.md#the-end-of-a-stream",
  },
  {
    id: "stream.choice-order",
    promise: "Within a choice everything keeps its order; held text of one choice delays no other.",
    source: "docs/spec/streams.md#held-text",
  },
  {
    id: "stream.splits",
    promise: "Streams of every form say the same wherever their bytes are cut.",
    source: "docs/spec/streams.md#held-text",
  },
  {
    id: "stream.hold-back",
    promise: "No byte of a match leaves a stream, whatever the chunking.",
    source: "docs/spec/streams.md#held-text",
  },
  {
    id: "stream.redact",
    promise: "Redactions in streams carry stable labels and are recorded with type, place and span.",
    source: "docs/spec/streams.md#what-is-scanned",
  },
  {
    id: "stream.channels",
    promise:
      "Every choice and every channel of an answer is guarded: content, refusal, reasoning, arguments, unknown fields.",
    source: "docs/spec/streams.md#what-is-scanned",
  },
  {
    id: "stream.logprobs",
    promise: "Log probabilities are dropped where anything was redacted.",
    source: "docs/spec/streams.md#what-is-scanned",
  },
  {
    id: "stream.tool-arguments",
    promise: "Tool-call arguments are held until complete and stay valid JSON when redacted.",
    source: "docs/spec/streams.md#held-text",
  },
  {
    id: "stream.block",
    promise:
      "A block ends a stream with a content_filter chunk per open choice, the error event and [DONE]; the provider is aborted.",
    source: "docs/spec/streams.md#a-block-in-a-stream",
  },
  {
    id: "stream.chunking",
    promise: "However a provider's bytes are cut, the same leaves the hub.",
    source: "docs/spec/streams.md#bytes-pass-unchanged",
  },
  {
    id: "stream.keep-alive",
    promise: "A silent or held stream carries a comment every 15 s, so that nothing between gives it up.",
    source: "docs/spec/streams.md#keep-alive",
  },
  {
    id: "stream.provider-keep-alive",
    promise: "An event that says only that the stream lives does not wait for held text.",
    source: "docs/spec/streams.md#keep-alive",
  },
  {
    id: "stream.repeats",
    promise:
      "An event that repeats a text says what has left of it; one that says something else is scanned as new text.",
    source: "docs/spec/streams.md#events-that-repeat-a-text",
  },
  {
    id: "stream.numbers",
    promise: "Numbers of events have no gap, however many events were held, split or put in place of others.",
    source: "docs/spec/streams.md#events-that-repeat-a-text",
  },
  {
    id: "stream.last-event",
    promise: "The event that ends a stream leaves when the final record is on disk, and nothing leaves after it.",
    source: "docs/spec/streams.md#the-end-of-a-stream",
  },
  {
    id: "stream.isolation",
    promise: "Calls under way at once share nothing: texts, labels and records stay apart.",
    source: "docs/spec/streams.md#isolation-and-backpressure",
  },
  {
    id: "stream.backpressure",
    promise: "A client that reads slowly slows its provider, not the hub's memory.",
    source: "docs/spec/streams.md#isolation-and-backpressure",
  },
];
