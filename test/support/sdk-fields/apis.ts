import type { ModelApiName } from "#model/model-api";
import { type Body, Corpus, type Exception } from "./corpus";
import { type Declared, readShapes } from "./shapes";

/** An API as an SDK declares it, and what the hub promises about it. */
export type ApiFields = {
  readonly path: string;
  readonly request: readonly Declared[];
  readonly answer: readonly Declared[];
  readonly event: readonly Declared[];
  /** Values of requests that the API's own rules decide, by position. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** What no body of the corpus has: what the client sends as headers, and names of what a provider keeps. */
  readonly absent: readonly string[];
  /** Never scanned and never changed: recorded as not scanned. */
  readonly opaque: readonly Exception[];
  /** In requests scanned, and never redacted. */
  readonly kept: readonly Exception[];
};

/** The model that every call of a corpus names. */
export const CORPUS_MODEL = "fake-model";

const CHAT = "openai/resources/chat/completions/completions.d.ts";
const RESPONSES = "openai/resources/responses/responses.d.ts";
const INPUT_TOKENS = "openai/resources/responses/input-tokens.d.ts";
const EMBEDDINGS = "openai/resources/embeddings.d.ts";
const COMPLETIONS = "openai/resources/completions.d.ts";
const MESSAGES = "@anthropic-ai/sdk/resources/messages/messages.d.ts";
const BETA_MESSAGES = "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts";

/** An API, or an address of it that takes and answers something else. */
export type EndpointName = ModelApiName | "count_tokens" | "compact" | "input_tokens";

const RESPONSES_OPAQUE: readonly Exception[] = [
  { field: "encrypted_content", why: "reasoning and compacted conversations, readable by their provider alone" },
  { field: "[program].fingerprint", why: "proof of a program, checked by its provider" },
];

const MESSAGES_OPAQUE: readonly Exception[] = [
  { field: "[thinking].signature", why: "proof of the thinking, checked by its provider" },
  { field: "[signature_delta].signature", why: "the same, in pieces" },
  { field: "[redacted_thinking].data", why: "thinking that its provider alone can read" },
  { field: "[compaction].signature", why: "proof of a summary, checked by its provider" },
  { field: "encrypted_content", why: "results and summaries that their provider alone can read" },
  { field: "encrypted_index", why: "where a citation stands in such a result" },
  { field: "encrypted_stdout", why: "output of provider-run code that its provider alone can read" },
];

const MESSAGES_KEPT: readonly Exception[] = [
  { field: "[thinking].thinking", why: "its provider takes changed thinking for forged" },
];

/** Names of what a provider keeps: the hub takes those alone that it gave out. */
const RESPONSES_KEPT_STATE = ["conversation", "previous_response_id", "input[item_reference]"];

/** What the client declares of a Messages call beside its body. */
const MESSAGES_HEADERS = ["betas", "user_profile_id", "workspace_id"];

export const API_FIELDS: Readonly<Record<EndpointName, ApiFields>> = {
  chat: {
    path: "/v1/chat/completions",
    request: [{ file: CHAT, name: "ChatCompletionCreateParamsNonStreaming" }],
    answer: [{ file: CHAT, name: "ChatCompletion" }],
    event: [{ file: CHAT, name: "ChatCompletionChunk" }],
    fixed: { model: CORPUS_MODEL, n: 2 },
    absent: [],
    opaque: [],
    kept: [],
  },
  responses: {
    path: "/v1/responses",
    request: [{ file: RESPONSES, name: "ResponseCreateParamsNonStreaming" }],
    answer: [{ file: RESPONSES, name: "Response" }],
    event: [{ file: RESPONSES, name: "ResponseStreamEvent" }],
    fixed: { model: CORPUS_MODEL },
    absent: RESPONSES_KEPT_STATE,
    opaque: RESPONSES_OPAQUE,
    kept: [],
  },
  messages: {
    path: "/v1/messages",
    request: [
      { file: MESSAGES, name: "MessageCreateParamsNonStreaming" },
      { file: BETA_MESSAGES, name: "MessageCreateParamsNonStreaming" },
    ],
    answer: [
      { file: MESSAGES, name: "Message" },
      { file: BETA_MESSAGES, name: "BetaMessage" },
    ],
    event: [
      { file: MESSAGES, name: "RawMessageStreamEvent" },
      { file: BETA_MESSAGES, name: "BetaRawMessageStreamEvent" },
    ],
    fixed: { model: CORPUS_MODEL },
    absent: MESSAGES_HEADERS,
    opaque: MESSAGES_OPAQUE,
    kept: MESSAGES_KEPT,
  },
  count_tokens: {
    path: "/v1/messages/count_tokens",
    request: [
      { file: MESSAGES, name: "MessageCountTokensParams" },
      { file: BETA_MESSAGES, name: "MessageCountTokensParams" },
    ],
    answer: [
      { file: MESSAGES, name: "MessageTokensCount" },
      { file: BETA_MESSAGES, name: "BetaMessageTokensCount" },
    ],
    event: [],
    fixed: { model: CORPUS_MODEL },
    absent: MESSAGES_HEADERS,
    opaque: MESSAGES_OPAQUE,
    kept: MESSAGES_KEPT,
  },
  compact: {
    path: "/v1/responses/compact",
    request: [{ file: RESPONSES, name: "ResponseCompactParams" }],
    answer: [{ file: RESPONSES, name: "CompactedResponse" }],
    event: [],
    fixed: { model: CORPUS_MODEL },
    absent: RESPONSES_KEPT_STATE,
    opaque: RESPONSES_OPAQUE,
    kept: [],
  },
  input_tokens: {
    path: "/v1/responses/input_tokens",
    request: [{ file: INPUT_TOKENS, name: "InputTokenCountParams" }],
    answer: [{ file: INPUT_TOKENS, name: "InputTokenCountResponse" }],
    event: [],
    fixed: { model: CORPUS_MODEL },
    absent: RESPONSES_KEPT_STATE,
    opaque: RESPONSES_OPAQUE,
    kept: [],
  },
  embeddings: {
    path: "/v1/embeddings",
    request: [{ file: EMBEDDINGS, name: "EmbeddingCreateParams" }],
    answer: [{ file: EMBEDDINGS, name: "CreateEmbeddingResponse" }],
    event: [],
    fixed: { model: CORPUS_MODEL },
    absent: [],
    opaque: [],
    kept: [],
  },
  completions: {
    path: "/v1/completions",
    request: [{ file: COMPLETIONS, name: "CompletionCreateParamsNonStreaming" }],
    answer: [{ file: COMPLETIONS, name: "Completion" }],
    event: [{ file: COMPLETIONS, name: "Completion" }],
    fixed: { model: CORPUS_MODEL },
    absent: [],
    opaque: [],
    kept: [],
  },
};

export type ApiBodies = {
  readonly requests: readonly Body[];
  readonly answers: readonly Body[];
  readonly events: readonly Body[];
  /** A body that was put together from these, with its texts found again. */
  readonly bodyOf: (value: unknown) => Body;
};

/** Every body and event of an API. */
export const bodiesOf = async ({ request, answer, event, fixed, absent, opaque }: ApiFields): Promise<ApiBodies> => {
  const shapes = await readShapes([...request, ...answer, ...event]);
  const rules = { fixed: new Map(Object.entries(fixed)), absent: new Set(absent) };
  const corpus = new Corpus(opaque);
  const bodies = shapes.map((shape, at) => corpus.bodiesOf(shape, at < request.length ? rules : undefined));
  const [answersAt, eventsAt] = [request.length, request.length + answer.length];
  return {
    requests: bodies.slice(0, answersAt).flat(),
    answers: bodies.slice(answersAt, eventsAt).flat(),
    events: bodies.slice(eventsAt).flat(),
    bodyOf: (value) => corpus.body(value),
  };
};
