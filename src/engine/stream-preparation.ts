import { isRecord, type JsonRecord } from "#core/json";
import { numberOf } from "#core/json-number";
import { isEventStream, type SseEvent } from "#core/sse";
import { hasTextsBeside, textsBeside } from "#core/texts";
import type { GuardedCall } from "#engine/guarded-call";
import { MAX_UNITS_AT_ONCE } from "#engine/long-scan";
import { type Channel, type Chunk, chunkInSlices, type Piece, piecesOf } from "#engine/stream-channel";
import type { Pause } from "#platform/slices";

/** What was done with an event of a stream before its turn came, so that its turn is short. */
export type Prepared = {
  readonly chunk: Chunk;
  readonly pieces: readonly Piece[];
  /** How far its channel was pushed by each piece that was read already. */
  readonly read: ReadonlyMap<Piece, number>;
  /** Whether something beside its choices was changed. */
  readonly isBesideChanged: boolean;
};

/** What preparing needs of the guard of a stream. */
export type Preparing = {
  readonly call: GuardedCall;
  readonly maxDepth: number;
  readonly channelOf: (piece: Piece) => Channel;
  readonly isFinished: (choice: number) => boolean;
  readonly channelsOf: (choice: number) => Iterable<Channel>;
};

/** UTF-16 units of a channel that are read at a time: some four milliseconds of the dearest texts. */
const STEP = 4_096;

/**
 * Whether arguments are to be judged whose provenance is long work that was not done yet: some are held, or a tool call
 * seems to begin in the text. What is missed is judged all the same, in one piece.
 */
export const lacksProvenance = ({ scans }: GuardedCall, text: string, heldUnits: number): boolean =>
  scans.isUnprepared && (heldUnits > 0 || TOOL_CALL.test(text));

const TOOL_CALL = /"(?:tool_calls|function_call)"/;

export const isLongEvent = ({ raw }: SseEvent): boolean => raw.length > MAX_UNITS_AT_ONCE;

/**
 * Clients skip what stands beside an event's data, but it leaves all the same: it passes only when nothing is found in
 * it. What is too long to be read in its turn is dropped, on record.
 */
export const mayPass = (call: GuardedCall, beside: string): boolean => {
  if (beside.length > MAX_UNITS_AT_ONCE) {
    call.coverage.gap("output", "comment", "dropped");
    return false;
  }
  if (!isEventStream(beside)) return false;
  const slot = { param: "comment", origin: "output" as const, text: beside, replace: () => {} };
  return !call.scanAtOnce({ slots: [slot], gaps: [] }, "output");
};

/**
 * Does what takes long about an event, in slices and in the scan pool: reads its texts, scans what stands beside them,
 * and the arguments of tool calls that it completes. Throws what scanning throws. Null for what holds no chunk.
 */
export const prepareEvent = async (parts: Preparing, event: SseEvent, pause: Pause): Promise<Prepared | null> => {
  const read = event.data === null || event.data.trim() === "[DONE]" ? null : await chunkInSlices(event.data);
  if (!read) return null;
  const { value } = read;
  const { call, maxDepth } = parts;
  const isBesideChanged = hasTextsBeside(value) && (await call.scan(textsBeside(value, maxDepth), "output"));
  const pieces = piecesOf(value);
  const pushed = new Map<Piece, number>();
  for (const piece of pieces) {
    if (piece.text === "") continue;
    // Its turn says what is wrong with that.
    if (parts.isFinished(piece.choice)) break;
    const channel = parts.channelOf(piece);
    await readInSteps(channel, piece.text, pause);
    pushed.set(piece, channel.pushedTo);
  }
  for (const choice of finishedIn(value)) await prepareEnd(parts.channelsOf(choice));
  return { chunk: read, pieces, read: pushed, isBesideChanged };
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

/** As `StreamGuard` counts them. */
function* finishedIn(chunk: JsonRecord): Generator<number> {
  const choices = chunk["choices"];
  if (!Array.isArray(choices)) return;
  for (const [position, choice] of choices.entries()) {
    if (!isRecord(choice) || typeof choice["finish_reason"] !== "string") continue;
    yield numberOf(choice["index"]) ?? position;
  }
}
