import type { AnsweredCall } from "#core/answered-call";
import { usageOf } from "#core/chat";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json";
import { numberOf } from "#core/json-number";
import { type SseEvent, SseSplitter, sseData } from "#core/sse";
import { shownPath } from "#core/text-walk";
import { reportedFault } from "#engine/call-notes";
import { ChunkReader } from "#engine/chunk-reader";
import { HoldNeeded } from "#engine/governance/answered-calls";
import type { GuardedCall } from "#engine/guarded-call";
import { MAX_UNITS_AT_ONCE } from "#engine/long-scan";
import {
  ArgumentsChannel,
  type Channel,
  type Chunk,
  type Piece,
  replacePiece,
  TextChannel,
} from "#engine/stream-channel";
import {
  isLongEvent,
  lacksProvenance,
  mayPass,
  type Prepared,
  type Preparing,
  prepareEnd,
  prepareEvent,
} from "#engine/stream-preparation";
import { StreamTools } from "#engine/stream-tools";
import {
  channelsOf,
  endingChunks,
  isReady,
  newProgress,
  type Progress,
  rewritten,
  type ToolRules,
  type Touch,
  type Waiting,
} from "#engine/stream-waiting";
import { type Pause, slices } from "#platform/slices";

/** A chunk whose text is decided this far, but not to its end, is split rather than held. In UTF-16 units. */
const WORTH_SPLITTING = 64;

/**
 * Guards one streamed answer: text in, guarded text out, no input or output of its own. One hold-back scanner per
 * choice and channel; a chunk leaves byte for byte unless its text was changed, in order within its choice.
 */
export class StreamGuard {
  private readonly splitter = new SseSplitter();
  private readonly reader = new ChunkReader();
  private readonly tools = new StreamTools();
  private readonly channels = new Map<string, Channel>();
  private latest: { choice: number; path: string; channel: Channel } | null = null;
  private queue: Waiting[] = [];
  private readonly open = new Map<number, Progress>();
  private base: JsonRecord = { object: "chat.completion.chunk" };
  private done = false;
  /** UTF-16 units of arguments of tool calls. */
  private heldUnits = 0;
  private isAccounted = false;
  /** Released, but not handed out yet. What was released before a block still leaves. */
  private released = "";

  constructor(
    private readonly call: GuardedCall,
    private readonly wantsUsage: boolean,
    private readonly maxDepth: number,
    private readonly toolRules: ToolRules | null = null,
  ) {
    call.content.streams();
  }

  /** True when nothing is held back: output so far equals input so far, up to changes. */
  get isIdle(): boolean {
    return this.queue.length === 0 && this.splitter.isEmpty && !this.done;
  }

  /** The upstream has sent `[DONE]`: nothing is wanted of it any more. */
  get isDone(): boolean {
    return this.done;
  }

  /** The upstream said all it had to: `[DONE]`, or a finish reason for every choice. */
  get isComplete(): boolean {
    if (this.done) return true;
    const choices = [...this.open.values()];
    return choices.length > 0 && choices.every((choice) => choice.finish !== null);
  }

  /** What may leave now. Throws `content_filter` for a block, `upstream_error` for what is no stream of chunks. */
  push(text: string): string {
    return this.release(() => {
      for (const event of this.split(text)) this.released += this.event(event);
    });
  }

  /** Whether `push`, or `end`, would keep the thread for long: much text, or arguments that are held until complete. */
  takesLong(text: string): boolean {
    if (lacksProvenance(this.call, text, this.heldUnits)) return true;
    return text.length + this.splitter.waiting + this.heldUnits > MAX_UNITS_AT_ONCE;
  }

  /** `push` in slices. No other call may come before it resolves. */
  async pushLong(text: string): Promise<string> {
    const pause = slices.begin();
    try {
      if (lacksProvenance(this.call, text, this.heldUnits)) await this.call.scans.prepare(pause);
      for (const event of this.split(text)) await this.eventInSlices(event, pause);
      return this.handOut();
    } catch (error) {
      throw this.fault(error);
    }
  }

  /** `end` in slices. */
  async endLong(): Promise<string> {
    try {
      if (lacksProvenance(this.call, "", this.heldUnits)) await this.call.scans.prepare(slices.begin());
      const rest = this.splitter.rest();
      if (rest) await this.eventInSlices({ ...rest, raw: `${rest.raw.trimEnd()}\n\n` }, slices.begin());
      await prepareEnd(this.channels.values());
    } catch (error) {
      throw this.fault(error);
    }
    return this.end();
  }

  private async eventInSlices(event: SseEvent, pause: Pause): Promise<void> {
    const isLong = isLongEvent(event) || this.heldUnits > MAX_UNITS_AT_ONCE;
    this.released += this.event(event, isLong ? await prepareEvent(this.preparing, event, pause) : null);
    await pause();
  }

  private get preparing(): Preparing {
    const { call, maxDepth, channels, open } = this;
    const isFinished = (choice: number) => Boolean(open.get(choice)?.finish);
    const ofChoice = (choice: number) => channelsOf(channels, choice);
    return { call, maxDepth, channelOf: (piece) => this.channelOf(piece), isFinished, channelsOf: ofChoice };
  }

  /** The upstream has ended: everything left is judged and released. Throws as `push` does. */
  end(): string {
    return this.release(() => {
      const rest = this.splitter.rest();
      // It came without its blank line, which what we send after it needs.
      if (rest) this.released += this.event({ ...rest, raw: `${rest.raw.trimEnd()}\n\n` });
      for (const channel of this.channels.values()) channel.end();
      for (const channel of this.channels.values()) this.settle(channel);
      // Providers leave the finish reason out; what they called is called all the same.
      for (const [index, choice] of this.open) if (choice.finish === null) this.judgeTools(index);
      this.released += this.drain();
    });
  }

  /** Whatever fails in here that is no decision is the scanner's failure, not the provider's. */
  private release(work: () => void): string {
    try {
      work();
      return this.handOut();
    } catch (error) {
      throw this.fault(error);
    }
  }

  private fault(error: unknown): unknown {
    if (error instanceof GuardError || error instanceof HoldNeeded || error instanceof DOMException) return error;
    return this.call.scannerFailed(error);
  }

  /** What was released before `push` or `end` threw. */
  handOut(): string {
    const out = this.released;
    this.released = "";
    return out;
  }

  /** The chunks that end every open choice when the guard cuts the answer off; `refusal` says why where no error does. */
  cutOff(refusal: string | null = null): string {
    if (this.open.size === 0) this.open.set(0, newProgress());
    const out = endingChunks(this.open, this.base, refusal);
    this.queue = [];
    return out;
  }

  /** Notes in the record, once, what was looked at; to be called however the stream ends. */
  account(): void {
    if (this.isAccounted) return;
    this.isAccounted = true;
    for (const { param, coverage } of this.channels.values()) {
      if (!coverage) continue;
      this.call.coverage.look("output", coverage.chars);
      if (coverage.unscanned) this.call.coverage.gap("output", param, coverage.unscanned);
    }
  }

  private split(text: string): SseEvent[] {
    try {
      return this.splitter.push(text);
    } catch (cause) {
      throw new GuardError("upstream_error", "The provider sent an event that is too long.", { cause });
    }
  }

  private event(event: SseEvent, prepared: Prepared | null = null): string {
    const { data } = event;
    const isClean = event.beside === "" || mayPass(this.call, event.beside);
    // Comments and field-only events carry no answer; keep-alives of the provider may pass at once.
    if (data === null) return isClean ? event.raw : "";
    if (data.trim() === "[DONE]") {
      this.done = true;
      return "";
    }
    const chunk = prepared?.chunk ?? this.reader.read(data);
    if (!chunk) throw new GuardError("upstream_error", "The provider sent an event that is not JSON.");
    const { value, isAmbiguous } = chunk;
    if (value["error"] != null && !Array.isArray(value["choices"]))
      throw new GuardError("upstream_error", reportedFault(value["error"]));
    return this.chunk(chunk, isClean && !isAmbiguous ? event.raw : sseData(value), prepared);
  }

  private chunk(read: Chunk, raw: string, prepared: Prepared | null): string {
    const chunk = read.value;
    const usage = usageOf(chunk);
    if (usage) this.call.usage = usage;
    const choices: unknown[] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    if (choices.length === 0 && usage && !this.wantsUsage) return "";
    const beside = prepared ? null : this.reader.beside(read, this.maxDepth);
    const changedBeside = prepared?.isBesideChanged ?? (beside !== null && this.call.scanAtOnce(beside, "output"));
    this.reader.saw(read);
    const { id, object, created, model } = chunk;
    if (id !== this.base["id"]) this.base = { id, object, created, model };

    for (const begun of this.toolRules ? this.tools.note(chunk) : []) this.toolRules?.begun(begun);
    const touches = this.touch(prepared?.pieces ?? this.reader.pieces(read, beside === null), prepared);
    const indices = this.note(chunk, choices);
    for (const { channel } of touches) this.settle(channel);
    const waiting = { raw: changedBeside ? sseData(chunk) : raw, chunk, touches, choices: indices, split: false };
    if (this.queue.length === 0 && isReady(waiting)) return this.emit(waiting);
    this.queue.push(waiting);
    return this.drain();
  }

  private touch(pieces: readonly Piece[], prepared: Prepared | null): Touch[] {
    const touches: Touch[] = [];
    for (const piece of pieces) {
      if (piece.text === "") continue;
      if (this.open.get(piece.choice)?.finish) {
        // Its scanners have been told that the text is over: what comes after would pass unread.
        throw new GuardError("upstream_error", "The provider went on with a choice that it had finished.");
      }
      const channel = this.channelOf(piece);
      const read = prepared?.read.get(piece);
      if (read === undefined) channel.push(piece.text);
      if (piece.isArguments) this.heldUnits += piece.text.length;
      channel.content?.came(piece.text);
      touches.push({ channel, to: read ?? channel.pushedTo, piece });
    }
    return touches;
  }

  private channelOf(piece: Piece): Channel {
    const { latest } = this;
    // Nearly every chunk goes on where the one before it stopped.
    if (latest && latest.choice === piece.choice && latest.path === piece.path) return latest.channel;
    const channel = this.findChannel(piece);
    this.latest = { choice: piece.choice, path: piece.path, channel };
    return channel;
  }

  private findChannel(piece: Piece): Channel {
    const key = `${piece.choice}/${piece.path}`;
    const known = this.channels.get(key);
    if (known) return known;
    const param = `choices[${piece.choice}].message.${shownPath(piece.path)}`;
    const content = this.call.content.channel(param);
    const made = piece.isArguments
      ? new ArgumentsChannel(param, this.call, this.maxDepth, content)
      : new TextChannel(param, this.call.rules, this.call.labels, content);
    this.channels.set(key, made);
    return made;
  }

  /** Learns of choices and their ends; a choice that has finished has all its text decided. */
  private note(chunk: JsonRecord, choices: readonly unknown[]): number[] {
    const indices: number[] = [];
    choices.forEach((choice, position) => {
      if (!isRecord(choice)) return;
      const index = numberOf(choice["index"]) ?? position;
      indices.push(index);
      const state = this.open.get(index) ?? newProgress();
      this.open.set(index, state);
      const reason = choice["finish_reason"];
      if (typeof reason !== "string" || state.finish) return;
      state.finish = chunk;
      this.call.finishReasons.push(reason);
      this.finish(index);
    });
    return indices;
  }

  private finish(choice: number): void {
    for (const channel of channelsOf(this.channels, choice)) {
      channel.end();
      this.settle(channel);
    }
    this.judgeTools(choice);
  }

  private judgeTools(choice: number): void {
    if (!this.toolRules) return;
    const calls = this.tools.of(choice);
    if (calls.length > 0) this.toolRules.complete(calls.map((called) => this.asItLeaves(called)));
  }

  /** What a person approves is what would leave: redacted, where something was redacted. */
  private asItLeaves(called: AnsweredCall): AnsweredCall {
    for (const channel of this.channels.values()) {
      if (channel instanceof ArgumentsChannel && channel.param.startsWith(`${called.param}.`) && channel.whole !== null)
        return { ...called, arguments: channel.whole };
    }
    return called;
  }

  /** Records what a channel has found; throws `content_filter` when that is a block. */
  private settle(channel: Channel): void {
    const findings = channel.settled();
    if (findings.length === 0) return;
    const action = this.call.record(findings, { param: channel.param, origin: "output" });
    if (action === "redact" || action === "block") channel.content?.withhold();
    if (action === "block") throw this.call.blocked("output", channel.param, findings);
  }

  /** Emits what is ready, in order within each choice: one choice's held text never delays another's. */
  private drain(): string {
    const { queue } = this;
    let out = "";
    const stuck = new Set<number>();
    const flowing = new Set(this.open.keys().filter((index) => !this.open.get(index)?.closed));
    const left: Waiting[] = [];
    for (const [at, waiting] of queue.entries()) {
      if (flowing.size === 0 && stuck.size > 0) {
        // Nothing behind it may leave. A walk to the end for every chunk that comes would cost its square.
        if (left.length === at) return out;
        left.push(...queue.slice(at));
        break;
      }
      // A chunk of no choice, such as the usage, keeps its place behind all text.
      const free =
        waiting.choices.length === 0 ? left.length === 0 : !waiting.choices.some((index) => stuck.has(index));
      if (free && isReady(waiting)) {
        out += this.emit(waiting);
        continue;
      }
      if (free) out += this.splitOff(waiting);
      for (const index of waiting.choices) {
        stuck.add(index);
        flowing.delete(index);
      }
      left.push(waiting);
    }
    this.queue = left;
    return out;
  }

  private emit(waiting: Waiting): string {
    let changed = waiting.split;
    for (const { channel, to, piece } of waiting.touches) {
      const taken = channel.take(to);
      const stays = !taken.changed && !waiting.split;
      channel.content?.left(stays ? piece.text : taken.text);
      if (stays) continue;
      replacePiece(piece, taken.text);
      changed = true;
    }
    for (const index of waiting.choices) {
      const choice = this.open.get(index);
      if (!choice) continue;
      choice.spoke = true;
      if (choice.finish === waiting.chunk) choice.closed = true;
    }
    return changed ? rewritten(waiting.chunk) : waiting.raw;
  }

  /** A long chunk whose end is undecided gives up its decided beginning as a chunk of its own. */
  private splitOff(waiting: Waiting): string {
    const [touch, second] = waiting.touches;
    if (!touch || second) return "";
    const begin = touch.to - touch.piece.text.length;
    const { clearedTo } = touch.channel;
    if (touch.piece.isArguments || clearedTo - begin < WORTH_SPLITTING || clearedTo <= touch.channel.takenTo) return "";
    const { text } = touch.channel.take(clearedTo);
    touch.channel.content?.left(text);
    replacePiece(touch.piece, text);
    waiting.split = true;
    return rewritten(waiting.chunk);
  }
}
