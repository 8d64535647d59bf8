import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { Type } from "#core/schema";
import type { Usage } from "#model/model-api";

/*
 * Anthropic's Messages, as far as they are read. Open at every level: what is not known is scanned and passed on
 * unchanged.
 */
const OPEN = { additionalProperties: true } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const Content = Type.Union([Type.String(), Type.Array(Type.Object({}, OPEN))]);

const Turn = Type.Object(
  { role: Type.String({ minLength: 1, maxLength: 64 }), content: Type.Optional(nullable(Content)) },
  OPEN,
);

export const MessagesRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256 }),
    messages: Type.Array(Turn, { minItems: 1 }),
    system: Type.Optional(nullable(Content)),
    max_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    stream: Type.Optional(nullable(Type.Boolean())),
    tools: Type.Optional(nullable(Type.Array(Type.Object({}, OPEN)))),
  },
  { ...OPEN, $id: "MessagesRequest" },
);

/** Counts of tokens, each as it was said last: a stream says some at its begin and some at its end. */
export class MessageTokens {
  private readonly counts = new Map<string, number>();

  /** What is known with this; null where it says nothing. */
  add(usage: unknown): Usage | null {
    if (!isRecord(usage)) return null;
    let isNew = false;
    for (const key of COUNTS) {
      const count = numberOf(usage[key]);
      if (count === undefined) continue;
      this.counts.set(key, count);
      isNew = true;
    }
    return isNew ? this.usage : null;
  }

  get output(): number {
    return this.counts.get(OUTPUT) ?? 0;
  }

  private get usage(): Usage {
    const prompt = INPUT.reduce((sum, key) => sum + (this.counts.get(key) ?? 0), 0);
    return { prompt_tokens: prompt, completion_tokens: this.output, total_tokens: prompt + this.output };
  }
}

/** What was read, from the cache or not, is all part of the prompt. */
const INPUT = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const;
const OUTPUT = "output_tokens";
const COUNTS = [...INPUT, OUTPUT] as const;

/** Tokens of a whole answer. */
export const messageUsage = (answer: Readonly<JsonRecord>): Usage | null => new MessageTokens().add(answer["usage"]);
