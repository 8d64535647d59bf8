import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { Type } from "#core/schema";
import type { Usage } from "#model/model-api";
import { ANSWER_COUNTS, countsOf, PROMPT_COUNTS } from "#model/token-counts";

/*
 * OpenAI's Responses, as far as they are read. Open at every level: what is not known is scanned and passed on unchanged.
 */
const OPEN = { additionalProperties: true } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** Messages may leave out their `type`, references to items may have null there. */
const Item = Type.Object(
  {
    type: Type.Optional(nullable(Type.String())),
    role: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  },
  OPEN,
);

const INPUT = {
  model: Type.String({ minLength: 1, maxLength: 256 }),
  input: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(Item)]))),
  instructions: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(Item)]))),
  tools: Type.Optional(nullable(Type.Array(Type.Object({}, OPEN)))),
};

export const ResponsesRequest = Type.Object(
  {
    ...INPUT,
    max_output_tokens: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
    metadata: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
    stream: Type.Optional(nullable(Type.Boolean())),
  },
  { ...OPEN, $id: "ResponsesRequest" },
);

/** A request of which nothing is generated. */
export const CompactRequest = Type.Object(INPUT, { ...OPEN, $id: "CompactRequest" });

/** Tokens of a whole answer, or of the response in an event. */
export const responseUsage = ({ usage }: Readonly<JsonRecord>): Usage | null => {
  const input = isRecord(usage) ? numberOf(usage["input_tokens"]) : undefined;
  if (!isRecord(usage) || input === undefined) return null;
  const output = numberOf(usage["output_tokens"]) ?? 0;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: numberOf(usage["total_tokens"]) ?? input + output,
    ...countsOf(usage["input_tokens_details"], PROMPT_COUNTS),
    ...countsOf(usage["output_tokens_details"], ANSWER_COUNTS),
  };
};
