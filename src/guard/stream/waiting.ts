import type { Piece } from "#guard/apis/api-stream";
import type { Channel, StreamedEvent } from "#guard/stream/channel";
import type { KnownRepeat } from "#guard/stream/transcripts";

/* Events of a stream that wait for the decision about their texts, and how far its groups have come. */

/** A stretch of one channel inside one event. */
export type Touch = { readonly channel: Channel; readonly to: number; readonly piece: Piece };

/** An event by itself; its value may be made only when it is asked for. */
export type WholeEvent = Pick<StreamedEvent, "value">;

/** An event that waits until all its text is decided. */
export type StreamWaiting = {
  readonly raw: string;
  readonly event: WholeEvent;
  readonly touches: readonly Touch[];
  readonly repeats: readonly KnownRepeat[];
  readonly groups: readonly number[];
  /** It ends the stream. */
  readonly isLast: boolean;
  /** Part of its text has been released in an event of its own. */
  split: boolean;
};

/** How far a group has come: text of it has left, its last event has come in, has left. */
export type StreamProgress = { spoke: boolean; finish: WholeEvent | null; closed: boolean };

export function* channelsOf(channels: ReadonlyMap<string, Channel>, group: number): Generator<Channel> {
  for (const [key, channel] of channels) if (key.startsWith(`${group}/`)) yield channel;
}

export const newProgress = (): StreamProgress => ({ spoke: false, finish: null, closed: false });

export const isReady = (waiting: StreamWaiting): boolean => {
  for (const { channel, to } of waiting.touches) if (channel.clearedTo < to) return false;
  return true;
};
