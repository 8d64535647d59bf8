import { CHAT_WIRE } from "./chat-wire.ts";
import { MESSAGES_WIRE } from "./messages-wire.ts";
import { RESPONSES_WIRE } from "./responses-wire.ts";
import type { Api } from "./shape.ts";
import type { Wire } from "./wire.ts";

export const WIRES: Readonly<Record<Api, Wire>> = {
  chat: CHAT_WIRE,
  responses: RESPONSES_WIRE,
  messages: MESSAGES_WIRE,
};
