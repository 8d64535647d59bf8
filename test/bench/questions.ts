import { chatQuestion } from "./chat-question.ts";
import type { Question } from "./question.ts";
import { CHAT_SHAPES, isChat, type Shape } from "./shape.ts";
import { toolQuestion } from "./tool-question.ts";

export const questionOf = (shape: Shape): Question => {
  if (!isChat(shape)) return toolQuestion(shape);
  const { model, isStream } = CHAT_SHAPES[shape];
  return chatQuestion(model, isStream);
};
