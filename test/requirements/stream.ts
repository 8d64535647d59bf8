import type { Requirement } from "./requirement";

/** What is promised of streamed answers. */
export const STREAM: readonly Requirement[] = [
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
    id: "stream.keep-alive",
    promise: "A silent or held stream carries a comment every 15 s, so that nothing between gives it up.",
    source: "decisions.md §4",
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
];
