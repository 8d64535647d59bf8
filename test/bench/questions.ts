import { modelQuestion } from "./model-question.ts";
import type { Question } from "./question.ts";
import { isModel, MODEL_SHAPES, type Shape } from "./shape.ts";
import { toolQuestion } from "./tool-question.ts";
import { WIRES } from "./wires.ts";

export const questionOf = (shape: Shape): Question => {
  if (!isModel(shape)) return toolQuestion(shape);
  const { api, model, isStream } = MODEL_SHAPES[shape];
  return modelQuestion(WIRES[api], model, isStream);
};
