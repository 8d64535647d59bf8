import type { Requirement } from "./requirement";

/** What is promised of embeddings and of completions. */
export const SMALL_APIS: readonly Requirement[] = [
  {
    id: "embeddings.client",
    promise: "OpenAI's own client embeds strings and token ids through the hub, as numbers and in base64.",
    source: "docs/model-apis.md#embeddings",
  },
  {
    id: "embeddings.scanned",
    promise: "Every text of an embeddings request is scanned; a block, a redaction and a dispute work as in chat.",
    source: "docs/model-apis.md#embeddings",
  },
  {
    id: "embeddings.token-ids",
    promise: "Token ids are decoded and scanned as the text they stand for; those nobody can decode are refused.",
    source: "docs/model-apis.md#embeddings",
  },
  {
    id: "embeddings.vectors",
    promise: "Vectors pass byte for byte, are neither logged nor stored, and cost no parsing.",
    source: "docs/model-apis.md#embeddings",
  },
  {
    id: "completions.client",
    promise: "OpenAI's own client completes prompts of every form through the hub, whole and streamed.",
    source: "docs/model-apis.md#completions",
  },
  {
    id: "completions.scanned",
    promise: "Every text of a completions request and of its answer is scanned, token ids as the text they stand for.",
    source: "docs/model-apis.md#completions",
  },
  {
    id: "completions.stream",
    promise: "A streamed completion is redacted as the whole text would be, however its bytes are cut.",
    source: "docs/model-apis.md#completions",
  },
  {
    id: "completions.logprobs",
    promise: "Log probabilities that repeat a redacted text are dropped.",
    source: "docs/model-apis.md#completions",
  },
  {
    id: "completions.blocks",
    promise: "A blocked stream ends each open choice with content_filter; the block is on record and can be disputed.",
    source: "docs/model-apis.md#completions",
  },
];
