import type { AnsweredCall } from "#core/answered-call";
import type { JsonRecord } from "#core/json";
import { sseData } from "#core/sse";
import { dropLogprobs } from "#core/texts";
import type { Channel, Piece } from "#engine/stream-channel";

/* Chunks of a stream that wait for the decision about their texts, and how far its choices have come. */

/** A stretch of one channel inside one chunk. */
export type Touch = { readonly channel: Channel; readonly to: number; readonly piece: Piece };

/** A chunk that waits until all its text is decided. */
export type Waiting = {
  readonly raw: string;
  readonly chunk: JsonRecord;
  readonly touches: readonly Touch[];
  readonly choices: readonly number[];
  /** Part of its text has been released in a chunk of its own. */
  split: boolean;
};

/** How far a choice has come: text of it has left, its finish reason has come in, has left. */
export type Progress = { spoke: boolean; finish: JsonRecord | null; closed: boolean };

/** What is asked about the tool calls of an answer; both throw to end it. */
export type ToolRules = {
  /** Its tool is known. */
  readonly begun: (call: AnsweredCall) => void;
  /** All calls of a choice: their arguments are complete, were scanned, and are as they will leave. */
  readonly complete: (calls: readonly AnsweredCall[]) => void;
};

export function* channelsOf(channels: ReadonlyMap<string, Channel>, choice: number): Generator<Channel> {
  for (const [key, channel] of channels) if (key.startsWith(`${choice}/`)) yield channel;
}

export const newProgress = (): Progress => ({ spoke: false, finish: null, closed: false });

export const isReady = (waiting: Waiting): boolean => {
  for (const { channel, to } of waiting.touches) if (channel.clearedTo < to) return false;
  return true;
};

/** A chunk with changed text: the token-by-token copies of the old text and its padding go. */
export const rewritten = (chunk: JsonRecord): string => {
  dropLogprobs(chunk);
  delete chunk["obfuscation"];
  return sseData(chunk);
};

/** The chunks that end every open choice when the guard cuts an answer off. */
export const endingChunks = (open: ReadonlyMap<number, Progress>, base: JsonRecord, refusal: string | null): string => {
  let out = "";
  for (const [index, choice] of open) {
    if (choice.closed) continue;
    const role = choice.spoke ? {} : { role: "assistant" };
    if (refusal !== null) {
      out += sseData({ ...base, choices: [{ index, delta: { ...role, refusal }, finish_reason: null }] });
    }
    const delta = refusal === null ? role : {};
    out += sseData({ ...base, choices: [{ index, delta, finish_reason: "content_filter" }] });
  }
  return out;
};
