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
    for (const key of COUNTS) isNew = this.note(key, usage[key]) || isNew;
    const written = usage["cache_creation"];
    if (isRecord(written)) this.note(WRITTEN_1H, written[WRITTEN_1H]);
    return isNew ? this.usage : null;
  }

  private note(key: string, said: unknown): boolean {
    const count = numberOf(said);
    if (count !== undefined) this.counts.set(key, count);
    return count !== undefined;
  }

  get output(): number {
    return this.counts.get(OUTPUT) ?? 0;
  }

  private get usage(): Usage {
    const prompt = INPUT.reduce((sum, key) => sum + (this.counts.get(key) ?? 0), 0);
    const usage: Usage = { prompt_tokens: prompt, completion_tokens: this.output, total_tokens: prompt + this.output };
    for (const [key, name] of DETAILS) {
      const count = this.counts.get(key) ?? 0;
      if (count > 0) usage[name] = count;
    }
    return usage;
  }
}

/** What was read, from the cache or not, is all part of the prompt. */
const INPUT = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const;
const OUTPUT = "output_tokens";
const COUNTS = [...INPUT, OUTPUT] as const;
/** Within `cache_creation`. */
const WRITTEN_1H = "ephemeral_1h_input_tokens";
const DETAILS = [
  ["cache_read_input_tokens", "cached_tokens"],
  ["cache_creation_input_tokens", "cache_write_tokens"],
  [WRITTEN_1H, "cache_write_1h_tokens"],
] as const;

/** Tokens of a whole answer. */
export const messageUsage = (answer: Readonly<JsonRecord>): Usage | null => new MessageTokens().add(answer["usage"]);
