/** The APIs that agents speak to models. A request goes only to providers that speak its own: nothing is translated. */
export const MODEL_APIS = ["chat", "responses", "messages", "embeddings", "completions"] as const;
export type ModelApiName = (typeof MODEL_APIS)[number];

/** Kinds of calls to models in the audit log. Whatever counts or watches calls of models knows them from here. */
export const MODEL_CALL_KINDS = [
  "chat.completion",
  "responses.create",
  "responses.compact",
  "responses.input_tokens",
  "messages.create",
  "messages.count_tokens",
  "embedding",
  "completion",
] as const;
export type ModelCallKind = (typeof MODEL_CALL_KINDS)[number];

const KINDS: ReadonlySet<string> = new Set(MODEL_CALL_KINDS);

export const isModelCall = (kind: string): boolean => KINDS.has(kind);

/** Tokens of a call, as its provider counts them, in the words of the audit log. */
export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };
