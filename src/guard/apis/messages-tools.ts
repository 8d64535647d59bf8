import { isRecord, type JsonRecord } from "#core/json/json";
import type { Leaving } from "#guard/apis/api-stream";
import { RESULT_BLOCKS } from "#guard/apis/messages-texts";
import type { AnsweredCall } from "#model/answered-call";
import { type Speech, voiceOfRole } from "#policy/provenance/speech";

/** Every tool call of a whole answer that the caller is to make. */
export const answeredCallsIn = ({ content }: JsonRecord): AnsweredCall[] =>
  Array.isArray(content)
    ? content.flatMap((block: unknown, at) => {
        const tool = toolOf(block);
        return tool === null ? [] : [{ param: blockParam(at), tool, arguments: JSON.stringify(inputOf(block)) }];
      })
    : [];

/** The tool that a block has the caller call; null where it does not. */
export const toolOf = (block: unknown): string | null =>
  isRecord(block) && block["type"] === "tool_use" && typeof block["name"] === "string" ? block["name"] : null;

export const inputOf = (block: unknown): unknown => (isRecord(block) ? (block["input"] ?? {}) : {});

export const blockParam = (at: number): string => `content[${at}]`;

type Definitions = { readonly param: string; readonly tools: readonly unknown[] };

/** Lists of definitions, wherever they stand. */
export function* definitionsIn(body: JsonRecord): Generator<Definitions> {
  if (Array.isArray(body["tools"])) yield { param: "tools", tools: body["tools"] };
  const { messages } = body;
  if (!Array.isArray(messages)) return;
  for (const [turn, message] of messages.entries()) {
    const content: unknown = isRecord(message) ? message["content"] : null;
    if (!Array.isArray(content)) continue;
    for (const [at, block] of content.entries()) yield* addedBy(block, `messages[${turn}].content[${at}]`);
  }
}

function* addedBy(block: unknown, param: string): Generator<Definitions> {
  if (!isRecord(block)) return;
  if (block["type"] === "tool_addition") yield { param: `${param}.tool`, tools: definitionOf(block["tool"]) };
  if (block["type"] === "compaction" && Array.isArray(block["tool_changes"])) {
    for (const change of block["tool_changes"]) yield* addedBy(change, `${param}.tool_changes`);
  }
}

/** A tool that is only named was declared elsewhere. */
const definitionOf = (tool: unknown): unknown[] =>
  isRecord(tool) && tool["type"] === "tool_definition" ? [tool["definition"]] : [];

const isResult = (part: unknown): boolean => isRecord(part) && RESULT_BLOCKS.has(part["type"]);

/** Who said what: the system prompt first, as its model reads it. */
export const speechOf = ({ system, messages }: JsonRecord): Speech | null => {
  if (!Array.isArray(messages)) return null;
  return {
    turns: [{ role: "system", content: system ?? null }, ...messages],
    place: (at) => (at === 0 ? "system" : `messages[${at - 1}]`),
    voiceOf: voiceOfRole,
    innerVoice: (record, voice) => (isResult(record) ? "tool" : voice),
    hasResult: (turn) => isRecord(turn) && Array.isArray(turn["content"]) && turn["content"].some(isResult),
  };
};

type Called = { readonly tool: string; readonly input: unknown; readonly pieces: string[] };

/** The tool calls of a streamed answer by their block, put together from their pieces. */
export class StreamedTools {
  private readonly blocks = new Map<number, Called>();

  /** Takes an event in; gives the call that begins with it. */
  note({ type, content_block: block, delta }: JsonRecord, index: number): AnsweredCall[] {
    if (type === "content_block_start") {
      const tool = toolOf(block);
      if (tool === null || this.blocks.has(index)) return [];
      this.blocks.set(index, { tool, input: inputOf(block), pieces: [] });
      return [{ param: blockParam(index), tool, arguments: "" }];
    }
    const piece = isRecord(delta) ? delta["partial_json"] : null;
    if (typeof piece === "string") this.blocks.get(index)?.pieces.push(piece);
    return [];
  }

  of(index: number, leaving: Leaving): AnsweredCall[] {
    const called = this.blocks.get(index);
    if (!called) return [];
    const { tool, input, pieces } = called;
    const came = pieces.join("") || JSON.stringify(input);
    return [{ param: blockParam(index), tool, arguments: leaving({ group: index, path: "input" }) ?? came }];
  }
}
