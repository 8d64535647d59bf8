import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import type { Repaired } from "#guard/apis/api";

/**
 * Anthropic binds thinking to the conversation before it. Where that has changed since (a value is redacted that was not
 * then), it refuses the request, and would do so with every further one of the conversation. Its documentation has who
 * took something out remove the thinking ("The block is bound to a different conversation").
 */
const BOUND = /^messages\.(\d+)\.content\.(\d+): .*bound to a different conversation/s;

const THINKING: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/** The request without the thinking that a provider has refused, and all that came after it; null for any other refusal. */
export const withoutRefusedThinking = (
  body: JsonRecord,
  { status, text }: { readonly status: number; readonly text: string },
): Repaired | null => {
  const answer = status === 400 ? parseJson(text) : null;
  const error = isRecord(answer) ? answer["error"] : null;
  const message = isRecord(error) ? error["message"] : null;
  const place = typeof message === "string" ? BOUND.exec(message) : null;
  const { messages } = body;
  if (place === null || !Array.isArray(messages)) return null;
  const [turn, block] = [Number(place[1]), Number(place[2])];
  let dropped = 0;
  const kept = messages.flatMap((said: unknown, at) => {
    const content: unknown = isRecord(said) ? said["content"] : null;
    if (!isRecord(said) || !Array.isArray(content) || at < turn) return [said];
    const left = content.filter((each: unknown, index) => {
      const isThinking = isRecord(each) && THINKING.has(each["type"]);
      return !isThinking || (at === turn && index < block);
    });
    dropped += content.length - left.length;
    // A turn without content is refused; turns of one role may follow each other.
    if (left.length === content.length) return [said];
    return left.length === 0 ? [] : [{ ...said, content: left }];
  });
  return dropped === 0 ? null : { body: { ...body, messages: kept }, reasoningDropped: dropped };
};
