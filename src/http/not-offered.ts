import { GuardError } from "#core/errors";

/*
 * What clients ask for that the hub does not serve, and which setting of theirs helps. A client that only hears "404"
 * takes the model or the key for wrong, and some ask five times.
 */

const CHAT_ONLY = "This hub serves Chat Completions.";
const MORE = "More: docs/clients.md.";

/** By address; the first that fits counts. Each is tried at the end of a path, behind any base path. */
const HINTS: readonly (readonly [path: RegExp, hint: string])[] = [
  [
    /\/v1\/v1(?:\/|$)/,
    "The address has /v1 twice: the client adds it by itself, so its base URL is the hub's address without /v1.",
  ],
  [
    /\/v1\/(?:responses|conversations)(?:\/|$)/,
    `${CHAT_ONLY} Set your client to them instead of the Responses API. OpenAI Agents SDK: set_default_openai_api("chat_completions"), in JavaScript setOpenAIAPI("chat_completions"); Vercel AI SDK: openai.chat(model); PydanticAI: "openai-chat:MODEL"; LangChain: use_responses_api=False, useResponsesApi: false; LlamaIndex: OpenAILike; Codex CLI needs Responses and cannot be used yet.`,
  ],
  [
    /\/v1\/messages(?:\/|$)/,
    `${CHAT_ONLY} Anthropic's Messages API is not served: clients built on Anthropic's SDK (Claude Code) cannot be used yet; others take an OpenAI-compatible provider with the base URL {hub_url}/v1.`,
  ],
  [
    /\/v1\/embeddings$/,
    `${CHAT_ONLY} Embeddings are not served: give the client's embeddings a base URL of their own. What is embedded there is not scanned.`,
  ],
  [
    /\/v1\/completions$/,
    `${CHAT_ONLY} The older Completions API is not served: LangChain: ChatOpenAI instead of OpenAI; LiteLLM: "openai/MODEL" instead of "text-completion-openai/MODEL"; others: chat.completions.create.`,
  ],
  [
    /\/v1\/(?:moderations|images|audio|videos|files|uploads|batches|realtime|vector_stores|assistants|threads|fine_tuning|containers|evals)(?:\/|$)/,
    `${CHAT_ONLY} This one of OpenAI's APIs is not served: give the client a base URL of its own for it. What is sent there is not scanned.`,
  ],
  [
    /\/openai\/(?:deployments|v1)(?:\/|$)/,
    `${CHAT_ONLY} It has no addresses of Azure's form: use the plain OpenAI client with the base URL {hub_url}/v1 and the model's name. The api-key header is taken.`,
  ],
  [
    /\/(?:v1beta(?:\/|$)|v1\/(?:models|projects)\/.+:(?:stream)?[gG]enerate)/,
    `${CHAT_ONLY} Gemini's API is not served: choose an OpenAI-compatible provider in the client, with the base URL {hub_url}/v1.`,
  ],
  [
    /\/api\/(?:chat|generate|tags|show|embed|embeddings|ps|pull|version)$/,
    `${CHAT_ONLY} Ollama's own API is not served: choose an OpenAI-compatible provider in the client, with the base URL {hub_url}/v1.`,
  ],
  [
    /(?<!\/v1)\/(?:chat\/completions|models|responses|embeddings|completions|messages)$/,
    "The /v1 is missing: the client's base URL is {hub_url}/v1.",
  ],
];

const NOTHING =
  "There is nothing at this address. The hub serves /v1/chat/completions, /v1/models, /v1/guard/scan and /mcp/gateway.";

/** For an address at which nothing is served. */
export const notOffered = (path: string): GuardError => {
  const plain = path.length > 1 ? path.replace(/\/+$/, "") : path;
  const hint = HINTS.find(([pattern]) => pattern.test(plain))?.[1];
  const message = hint === undefined ? NOTHING : `There is nothing at this address. ${hint} ${MORE}`;
  return new GuardError("unknown_url", message);
};

/** Addresses whose clients read errors in Anthropic's shape. */
const ANTHROPIC = /\/v1\/messages(?:\/|$)/;

/**
 * The same in the shape of the API that was called for (docs.claude.com, API errors), so that its clients show the
 * sentence rather than raw JSON. Null for every other address.
 */
export const anthropicError = (path: string, { message }: GuardError, requestId: string): object | null =>
  ANTHROPIC.test(path) ? { type: "error", error: { type: "not_found_error", message }, request_id: requestId } : null;
