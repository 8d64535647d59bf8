import { SSE_KEEP_ALIVE } from "#core/sse";
import type { ModelApi } from "#guard/apis/api";
import { OPENAI_ERRORS } from "#guard/apis/openai-errors";
import { passOverMarks, withoutVectors } from "#guard/apis/vectors";
import { conversationOf, usageOf } from "#model/chat";
import { EmbeddingRequest } from "#model/small-apis";
import { tokenIdsIn } from "#scan/texts/token-ids";
import { COMMON_RULES } from "#scan/texts/walk-rules";
import { answerWalk, requestWalk } from "#scan/texts/walk-table";
import { encodingOfIds, stringAt, TOOL_INPUT } from "./reading";

const INPUT = "input";
const TABLE = { skips: new Set(["model"]), keys: new Map(), items: new Map(), rules: COMMON_RULES };
const walkOfTexts = requestWalk(TABLE);

/** OpenAI's embeddings. */
export const EMBEDDINGS: ModelApi = {
  name: "embeddings",
  kind: "embedding",
  path: "/embeddings",
  request: {
    schema: EmbeddingRequest,
    title: "an embeddings request",
    modelOf: (body) => stringAt(body, "model"),
    setModel: (body, model) => {
      body["model"] = model;
    },
    wantsStream: () => false,
    wantsUsage: () => true,
    conversationOf: (header, body) => conversationOf(header("x-conversation-id"), body),
    lengthKeys: [],
    answersWanted: () => 1,
    declaredTools: () => [],
    encodingOf: (body) => encodingOfIds(body, INPUT),
    walk: (body, maxDepth, tokens) =>
      tokens === null
        ? walkOfTexts(body, maxDepth)
        : requestWalk({ ...TABLE, rules: { ...COMMON_RULES, looks: tokenIdsIn(body, INPUT, tokens) } })(body, maxDepth),
    speechOf: () => null,
    passedHeaders: [],
  },
  answer: {
    withoutBulk: withoutVectors,
    walk: answerWalk({ ...COMMON_RULES, looks: passOverMarks }),
    toolInput: TOOL_INPUT,
    usageOf,
    finishReasonsOf: () => [],
    answeredCallsIn: () => [],
    dropCopies: () => {},
  },
  errors: { ...OPENAI_ERRORS, refusalOf: null },
  stream: null,
  keepAlive: SSE_KEEP_ALIVE,
};
