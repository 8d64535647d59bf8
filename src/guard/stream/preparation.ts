import { GuardError } from "#core/errors";
import { isEventStream, type SseEvent } from "#core/sse";
import type { ApiStream, Piece, Repeat } from "#guard/apis/api-stream";
import { reportedFault, reportedMessage } from "#guard/apis/reported-error";
import type { GuardedCall } from "#guard/guarded-call";
import { MAX_UNITS_AT_ONCE } from "#guard/long-scan";
import { type Channel, eventInSlices, type StreamedEvent } from "#guard/stream/channel";
import { type KnownRepeat, NO_REPEATS, skippedOf } from "#guard/stream/transcripts";
import type { Pause } from "#platform/slices";

/** What was done with an event of a stream before its turn came, so that its turn is short. */
export type Prepared = {
  readonly event: StreamedEvent;
  readonly pieces: readonly Piece[];
  /** How far its channel was pushed by each piece that was read already. */
  readonly read: ReadonlyMap<Piece, number>;
  readonly repeats: readonly KnownRepeat[];
  /** Whether something beside its pieces was changed. */
  readonly isBesideChanged: boolean;
};

/** What preparing needs of the guard of a stream. */
export type Preparing = {
  readonly call: GuardedCall;
  readonly stream: ApiStream;
  readonly maxDepth: number;
  readonly channelOf: (piece: Piece) => Channel;
  /** The channel of a place, if anything came of it. */
  readonly channelAt: (place: Pick<Piece, "group" | "path">) => Channel | undefined;
  readonly channels: () => Iterable<Channel>;
  /** Those that say what came of their channels. */
  readonly known: (repeats: readonly Repeat[]) => readonly KnownRepeat[];
  readonly isFinished: (group: number) => boolean;
  readonly channelsOf: (group: number) => Iterable<Channel>;
};

/** UTF-16 units of a channel that are read at a time: some four milliseconds of the dearest texts. */
const STEP = 4_096;

/**
 * Whether arguments are to be judged whose provenance is long work that was not done yet: some are held, or a tool call
 * seems to begin in the text. What is missed is judged all the same, in one piece.
 */
export const lacksProvenance = ({ gate }: GuardedCall, stream: ApiStream, text: string, heldUnits: number): boolean =>
  gate.isUnprepared && (heldUnits > 0 || stream.toolCallMark.test(text));

export const isLongEvent = ({ raw }: SseEvent): boolean => raw.length > MAX_UNITS_AT_ONCE;

/**
 * Clients skip what stands beside an event's data, but it leaves all the same: it passes only when nothing is found in
 * it. What is too long to be read in its turn is dropped, on record.
 */
export const mayPass = (call: GuardedCall, beside: string): boolean => {
  if (beside.length > MAX_UNITS_AT_ONCE) {
    call.record.coverage.gap("output", "comment", "dropped");
    return false;
  }
  if (!isEventStream(beside)) return false;
  const slot = { param: "comment", origin: "output" as const, text: beside, replace: () => {} };
  return !call.gate.scanAtOnce({ slots: [slot], gaps: [] }, "output");
};

/** A provider's own error in a stream; its message leaves as the policy lets it. Throws `content_filter` for a block. */
export const reportedError = (call: GuardedCall, error: unknown): GuardError => {
  let message = reportedMessage(error);
  if (message !== null) {
    const replace = (text: string) => {
      message = text;
    };
    const slot = { param: "error.message", origin: "output" as const, text: message, replace };
    call.gate.scanAtOnce({ slots: [slot], gaps: [] }, "output");
  }
  return new GuardError("upstream_error", reportedFault(error, message));
};

/**
 * Does what takes long about an event, in slices and in the scan pool: reads its texts, scans what stands beside them,
 * and the arguments of tool calls that it completes. Throws what scanning throws. Null for what holds no JSON object.
 */
export const prepareEvent = async (parts: Preparing, sse: SseEvent, pause: Pause): Promise<Prepared | null> => {
  const { call, stream, maxDepth } = parts;
  const read = sse.data === null || sse.data.trim() === stream.endMark ? null : await eventInSlices(sse.data);
  if (!read) return null;
  const { value } = read;
  const repeats = stream.repeatsIn ? parts.known(stream.repeatsIn(value)) : NO_REPEATS;
  const beside = stream.beside(value, { maxDepth, seen: {}, skipped: skippedOf(repeats) });
  const isBesideChanged = beside !== null && (await call.gate.scan(beside, "output"));
  const { finished, ended, isLast } = stream.note(value);
  const pieces = stream.piecesOf(value);
  const pushed = new Map<Piece, number>();
  for (const piece of pieces) {
    if (piece.text === "") continue;
    // Its turn says what is wrong with that.
    if (parts.isFinished(piece.group)) break;
    const channel = parts.channelOf(piece);
    if (channel.isEnded) break;
    await readInSteps(channel, piece.text, pause);
    pushed.set(piece, channel.pushedTo);
  }
  for (const { group } of finished) await prepareEnd(parts.channelsOf(group));
  if (isLast) await prepareEnd(parts.channels());
  if (ended) await prepareEnd(ended.flatMap((place) => parts.channelAt(place) ?? []));
  return { event: read, pieces, repeats, read: pushed, isBesideChanged };
};

/** Scans what is held until it is complete, and is complete now. */
export const prepareEnd = async (channels: Iterable<Channel>): Promise<void> => {
  for (const channel of channels) await channel.prepareEnd?.();
};

const readInSteps = async (channel: Channel, text: string, pause: Pause): Promise<void> => {
  for (let at = 0; at < text.length; at += STEP) {
    channel.push(text.slice(at, at + STEP));
    const wait = pause();
    if (wait) await wait;
  }
};
