import type { ModelApi } from "#guard/apis/api";
import { CHAT } from "#guard/apis/chat";
import { COMPLETIONS } from "#guard/apis/completions";
import { EMBEDDINGS } from "#guard/apis/embeddings";
import { COUNT_TOKENS, MESSAGES } from "#guard/apis/messages";
import { COMPACT, INPUT_TOKENS, RESPONSES } from "#guard/apis/responses";
import type { Detail } from "#http/openapi/route-doc";
import { COMPLETE } from "./chat-docs";
import { COMPLETE_TEXT } from "./completions-docs";
import { EMBED } from "./embeddings-docs";
import { COUNT_MESSAGE_TOKENS, CREATE_MESSAGE } from "./messages-docs";
import { COMPACT_RESPONSE, COUNT_INPUT_TOKENS, CREATE_RESPONSE } from "./responses-docs";

/** Where callers speak an API to models. */
export type ModelEndpoint = { readonly path: string; readonly api: ModelApi; readonly detail: Detail };

export const MODEL_ENDPOINTS: readonly ModelEndpoint[] = [
  { path: "/v1/chat/completions", api: CHAT, detail: COMPLETE },
  { path: "/v1/responses", api: RESPONSES, detail: CREATE_RESPONSE },
  { path: "/v1/responses/compact", api: COMPACT, detail: COMPACT_RESPONSE },
  { path: "/v1/responses/input_tokens", api: INPUT_TOKENS, detail: COUNT_INPUT_TOKENS },
  { path: "/v1/messages", api: MESSAGES, detail: CREATE_MESSAGE },
  { path: "/v1/messages/count_tokens", api: COUNT_TOKENS, detail: COUNT_MESSAGE_TOKENS },
  { path: "/v1/completions", api: COMPLETIONS, detail: COMPLETE_TEXT },
  { path: "/v1/embeddings", api: EMBEDDINGS, detail: EMBED },
];
