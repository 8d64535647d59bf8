import type { ModelApi } from "#guard/apis/api";
import { CHAT } from "#guard/apis/chat";
import { COMPLETIONS } from "#guard/apis/completions";
import { EMBEDDINGS } from "#guard/apis/embeddings";
import { COUNT_TOKENS, MESSAGES } from "#guard/apis/messages";
import { COMPACT, INPUT_TOKENS, RESPONSES } from "#guard/apis/responses";
import { CANCEL, DELETE, INPUT_ITEMS, type KeptApi, RETRIEVE } from "#guard/apis/responses-kept";
import type { Detail } from "#http/openapi/route-doc";
import { SPOKEN } from "#model/model-api";
import { COMPLETE } from "./chat-docs";
import { COMPLETE_TEXT } from "./completions-docs";
import { EMBED } from "./embeddings-docs";
import { COUNT_MESSAGE_TOKENS, CREATE_MESSAGE } from "./messages-docs";
import { COMPACT_RESPONSE, COUNT_INPUT_TOKENS, CREATE_RESPONSE } from "./responses-docs";
import { CANCEL_RESPONSE, DELETE_RESPONSE, LIST_INPUT_ITEMS, RETRIEVE_RESPONSE } from "./responses-kept-docs";

/** Where callers speak an API to models. */
export type ModelEndpoint = { readonly path: string; readonly api: ModelApi; readonly detail: Detail };

export const MODEL_ENDPOINTS: readonly ModelEndpoint[] = [
  { path: SPOKEN.chat.path, api: CHAT, detail: COMPLETE },
  { path: SPOKEN.responses.path, api: RESPONSES, detail: CREATE_RESPONSE },
  { path: `${SPOKEN.responses.path}/compact`, api: COMPACT, detail: COMPACT_RESPONSE },
  { path: `${SPOKEN.responses.path}/input_tokens`, api: INPUT_TOKENS, detail: COUNT_INPUT_TOKENS },
  { path: SPOKEN.messages.path, api: MESSAGES, detail: CREATE_MESSAGE },
  { path: `${SPOKEN.messages.path}/count_tokens`, api: COUNT_TOKENS, detail: COUNT_MESSAGE_TOKENS },
  { path: SPOKEN.completions.path, api: COMPLETIONS, detail: COMPLETE_TEXT },
  { path: SPOKEN.embeddings.path, api: EMBEDDINGS, detail: EMBED },
];

/** Where callers ask for what a provider keeps, below the id of a response. */
export type KeptEndpoint = { readonly api: KeptApi; readonly detail: Detail };

export const KEPT_ENDPOINTS: readonly KeptEndpoint[] = [
  { api: RETRIEVE, detail: RETRIEVE_RESPONSE },
  { api: DELETE, detail: DELETE_RESPONSE },
  { api: CANCEL, detail: CANCEL_RESPONSE },
  { api: INPUT_ITEMS, detail: LIST_INPUT_ITEMS },
];
