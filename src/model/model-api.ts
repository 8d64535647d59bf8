/** The APIs that agents speak to models. A request goes only to providers that speak its own: nothing is translated. */
export const MODEL_APIS = ["chat", "responses", "messages", "embeddings", "completions"] as const;
export type ModelApiName = (typeof MODEL_APIS)[number];

/** What each API is called by those who made it, and where callers speak it to the hub. */
export const SPOKEN: Readonly<Record<ModelApiName, { readonly name: string; readonly path: string }>> = {
  chat: { name: "Chat Completions", path: "/v1/chat/completions" },
  responses: { name: "Responses", path: "/v1/responses" },
  messages: { name: "Messages", path: "/v1/messages" },
  embeddings: { name: "Embeddings", path: "/v1/embeddings" },
  completions: { name: "Completions", path: "/v1/completions" },
};

/** Kinds of calls to models in the audit log. Whatever counts or watches calls of models knows them from here. */
export const MODEL_CALL_KINDS = [
  "chat.completion",
  "responses.create",
  "responses.compact",
  "responses.input_tokens",
  "responses.retrieve",
  "responses.delete",
  "responses.cancel",
  "responses.input_items",
  "messages.create",
  "messages.count_tokens",
  "embedding",
  "completion",
] as const;
export type ModelCallKind = (typeof MODEL_CALL_KINDS)[number];

const KINDS: ReadonlySet<string> = new Set(MODEL_CALL_KINDS);

/** By which calls of every kind of these are asked for together, where calls are listed. */
export const ANY_MODEL_CALL = "model";

export const isModelCall = (kind: string): boolean => KINDS.has(kind);

/** Tokens of a call, as its provider counts them, in the words of the audit log. */
export type Usage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Of the prompt, what was read from a cache. Here and below: absent where there are none. */
  cached_tokens?: number;
  /** Of the prompt, what was written into a cache; of these, those that are kept for an hour. */
  cache_write_tokens?: number;
  cache_write_1h_tokens?: number;
  /** Of the answer, what is not shown. */
  reasoning_tokens?: number;
};
