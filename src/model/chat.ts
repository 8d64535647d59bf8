import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { type Static, Type } from "#core/schema";
import type { Usage } from "#model/model-api";
import { ANSWER_COUNTS, countsOf, PROMPT_COUNTS } from "#model/token-counts";

/*
 * OpenAI's chat-completions shapes, as far as we read them. Open at every level: what we do not know is
 * scanned and passed on unchanged, so that providers' own fields and next year's survive.
 */
const OPEN = { additionalProperties: true } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const Part = Type.Object({ type: Type.String() }, OPEN);

const ToolCall = Type.Object(
  {
    id: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    function: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.Optional(Type.String()) }, OPEN)),
  },
  OPEN,
);

export const Message = Type.Object(
  {
    role: Type.String({ minLength: 1, maxLength: 64 }),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Part), Type.Null()])),
    name: Type.Optional(nullable(Type.String())),
    tool_calls: Type.Optional(nullable(Type.Array(ToolCall))),
  },
  OPEN,
);

export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256 }),
    messages: Type.Array(Message, { minItems: 1 }),
    stream: Type.Optional(nullable(Type.Boolean())),
    stream_options: Type.Optional(nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, OPEN))),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128 }))),
    tools: Type.Optional(nullable(Type.Array(Type.Object({ type: Type.String() }, OPEN)))),
    metadata: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  },
  { ...OPEN, $id: "ChatRequest" },
);
export type ChatRequest = Static<typeof ChatRequest>;

/** Token counts as providers report them; null when they are missing or not numbers. */
export const usageOf = (body: unknown): Usage | null => {
  const usage = isRecord(body) ? body["usage"] : null;
  if (!isRecord(usage)) return null;
  const prompt = numberOf(usage["prompt_tokens"]);
  if (prompt === undefined) return null;
  const completed = numberOf(usage["completion_tokens"]) ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completed,
    total_tokens: numberOf(usage["total_tokens"]) ?? prompt + completed,
    ...countsOf(usage["prompt_tokens_details"], PROMPT_COUNTS),
    ...countsOf(usage["completion_tokens_details"], ANSWER_COUNTS),
  };
};

/** The conversation a call says it belongs to: the header first, then `metadata.conversation_id`. */
export const conversationOf = (header: string | null, body: Readonly<JsonRecord>): string | null => {
  const metadata = body["metadata"];
  const named = header ?? (isRecord(metadata) ? metadata["conversation_id"] : null);
  return typeof named === "string" && named.length > 0 ? named : null;
};
