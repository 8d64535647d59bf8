import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { rawOf, type SseEvent, SseSplitter, sseData, sseNamed } from "#core/sse";
import { HoldNeeded, noteTools } from "#guard/answered-calls";
import type { ApiStream, EventNote, Leaving, Piece, Repeat, StreamEnd } from "#guard/apis/api-stream";
import type { GuardedCall } from "#guard/guarded-call";
import { MAX_UNITS_AT_ONCE } from "#guard/long-scan";
import {
  type Alike,
  ArgumentsChannel,
  type Channel,
  replacePiece,
  type StreamedEvent,
  TextChannel,
} from "#guard/stream/channel";
import { EventReader, LikeEvent, type Padding } from "#guard/stream/event-reader";
import {
  isLongEvent,
  lacksProvenance,
  mayPass,
  type Prepared,
  type Preparing,
  prepareEnd,
  prepareEvent,
  reportedError,
} from "#guard/stream/preparation";
import { type KnownRepeat, NO_REPEATS, skippedOf, Transcripts } from "#guard/stream/transcripts";
import {
  channelsOf,
  isReady,
  newProgress,
  type StreamProgress,
  type StreamWaiting,
  type Touch,
  type WholeEvent,
} from "#guard/stream/waiting";
import type { ToolRules } from "#guard/tool-approval-gate";
import { type Pause, slices } from "#platform/slices";
import type { Texts } from "#scan/texts/text-walk";

/** An event whose text is decided this far, but not to its end, is split rather than held. In UTF-16 units. */
const WORTH_SPLITTING = 64;

/**
 * Guards one streamed answer: text in, guarded text out, no input or output of its own. One hold-back scanner per
 * channel; an event leaves byte for byte unless its text was changed, in order within its group.
 */
export class StreamGuard {
  private readonly splitter = new SseSplitter();
  private readonly reader: EventReader;
  private readonly channels = new Map<string, Channel>();
  /** Null where no event repeats the text of others. */
  private readonly transcripts: Transcripts | null;
  private latest: { group: number; path: string; channel: Channel } | null = null;
  /** A name that was found to be plain: that of nearly every event. */
  private namedAs: { readonly beside: string; readonly type: unknown } = NOT_NAMED;
  private queue: StreamWaiting[] = [];
  private readonly open = new Map<number, StreamProgress>();
  private done = false;
  /** All channels were ended: whatever came now would pass unread. */
  private isEnded = false;
  /** What ends the stream for the client; null while there is nothing of the kind. */
  private last: string | null = null;
  /** UTF-16 units of arguments of tool calls. */
  private heldUnits = 0;
  private isAccounted = false;
  private failed = false;
  /** Released, but not handed out yet. What was released before a block still leaves. */
  private released = "";

  constructor(
    private readonly call: GuardedCall,
    private readonly stream: ApiStream,
    private readonly maxDepth: number,
    private readonly toolRules: ToolRules | null = null,
  ) {
    this.reader = new EventReader(stream);
    this.transcripts = stream.repeatsIn ? new Transcripts() : null;
    call.record.content.streams();
  }

  /** True when nothing is held back: output so far equals input so far, up to changes. */
  get isIdle(): boolean {
    return this.queue.length === 0 && this.splitter.isEmpty && !this.done;
  }

  /** The upstream has ended its answer: nothing is wanted of it any more. */
  get isDone(): boolean {
    return this.done;
  }

  /** The upstream said all it had to. */
  get isComplete(): boolean {
    if (this.done) return true;
    const groups = [...this.open.values()];
    return this.stream.endsWithGroups && groups.length > 0 && groups.every((group) => group.finish !== null);
  }

  /** What ended it is the provider's own error. */
  get hasFailed(): boolean {
    return this.failed;
  }

  /** What ends the stream for the client: to be sent when the final record is on disk. */
  get lastEvent(): string {
    const { endMark } = this.stream;
    return this.last ?? (endMark === null ? "" : sseData(endMark));
  }

  /** What may leave now. Throws `content_filter` for a block, `upstream_error` for what is no stream of events. */
  push(text: string): string {
    return this.release(() => {
      this.pass(this.split(text));
    });
  }

  /** What comes at once is read at once where it goes on with one text in which nothing is found: the outcome is the same. */
  private pass(events: readonly SseEvent[]): void {
    const [first, second] = events;
    if (first && !second) this.released += this.event(first);
    else this.passAll(events);
  }

  private passAll(events: readonly SseEvent[]): void {
    for (let at = 0; at < events.length; ) {
      const run = this.runFrom(events, at);
      if (run.length > 1 && this.readRun(run)) {
        this.released += this.passRun(run);
        at += run.length;
      } else if (run.length > 0) {
        for (const event of run) this.released += this.likeEvent(event);
        at += run.length;
      } else {
        const event = events[at];
        if (event) this.released += this.event(event);
        at += 1;
      }
    }
  }

  /** The events from `at` on that are like one that came before, and have nothing but their text to be looked at. */
  private runFrom(events: readonly SseEvent[], at: number): readonly RunEvent[] {
    const run: RunEvent[] = [];
    if (this.isEnded) return run;
    for (let next = at; next < events.length; next += 1) {
      const event = events[next];
      if (!event || event.data === null) return run;
      const read = this.reader.readAlike(event.data);
      if (!read || !this.isNamedOnly(event, read.pattern.type)) return run;
      const padding = read.padding === null ? null : this.reader.besideIn(read, this.maxDepth);
      if (padding && !this.isFree(padding)) return run;
      run.push({ read, sse: event, padding });
    }
    return run;
  }

  /** Reads the texts of a run in one; false where they are to be read one after the other. */
  private readRun(run: readonly RunEvent[]): boolean {
    const [first] = run;
    if (!first) return false;
    const { piece, pattern } = first.read;
    const { group } = piece;
    const { groups } = pattern.note;
    if (groups.length !== 1 || groups[0] !== group || this.open.get(group)?.finish) return false;
    const { isResumable } = this.stream;
    let text = "";
    for (const { read } of run) {
      // A long one may have to be split, at a place that depends on what was read when it came.
      if (!isResumable && read.piece.text.length >= WORTH_SPLITTING) return false;
      text += read.piece.text;
    }
    for (const waiting of this.queue) if (!this.isBeforeRun(waiting, group)) return false;
    const channel = this.channelOf(piece);
    return !channel.isEnded && channel.pushFree?.(text) === true;
  }

  /** Whether an event that waits leaves in its turn, and whole, whether a run is read in one or not. */
  private isBeforeRun({ groups, touches, split }: StreamWaiting, group: number): boolean {
    if (touches.length === 0 && groups.length === 0) return true;
    if (groups.length !== 1 || groups[0] !== group) return false;
    return this.stream.isResumable === true || (!split && touches.every(isShort));
  }

  /** Takes in a run whose texts have been read. */
  private passRun(run: readonly RunEvent[]): string {
    const [first] = run;
    if (!first) return "";
    const channel = this.channelOf(first.read.piece);
    const { groups } = first.read.pattern.note;
    for (const { read, padding } of run) this.cameIn(channel, read.piece.text, padding);
    this.reader.saw((run.at(-1) ?? first).read);
    const waited = this.queue.length > 0 ? this.drain() : "";
    return waited + this.passTexts(run, channel, groups);
  }

  private passTexts(run: readonly RunEvent[], channel: Channel, groups: readonly number[]): string {
    let out = "";
    const flowing: SseEvent[] = [];
    const { clearedTo } = channel;
    let isFlowing = this.queue.length === 0 && channel.isPlain === true;
    let to = channel.pushedTo;
    for (const { read } of run) to -= read.piece.text.length;
    const begin = to;
    let left = to;
    for (const { read, sse } of run) {
      const { piece } = read;
      const { text } = piece;
      to += text.length;
      isFlowing &&= to <= clearedTo;
      if (isFlowing) {
        left = to;
        channel.content?.left(text);
        this.transcripts?.left(channel, text, false);
        if (this.leavesUnseen(read)) flowing.push(sse);
        else out += this.leaving(read, sse.raw, false);
      } else {
        const touches = text === "" ? NO_TOUCHES : [{ channel, to, piece }];
        const { raw } = sse;
        this.queue.push({ raw, event: read, touches, repeats: NO_REPEATS, groups, isLast: false, split: false });
      }
    }
    if (flowing.length > 0) out = rawOf(flowing);
    if (left > begin) this.spoke(channel, left, groups);
    return isFlowing ? out : out + this.drain();
  }

  /** Notes what came of a channel with an event in which nothing else is to be noted. */
  private cameIn(channel: Channel, text: string, padding: Padding | null): void {
    if (padding) this.call.gate.passFree(padding.texts, "output");
    channel.content?.came(text);
    this.transcripts?.came(channel, text);
  }

  /** Text has left up to here, as it came. */
  private spoke(channel: Channel, upTo: number, groups: readonly number[]): void {
    channel.release(upTo);
    for (const index of groups) {
      const group = this.open.get(index);
      if (group) group.spoke = true;
    }
  }

  /** An event that is like one before it, whose text is read by itself. */
  private likeEvent({ read, sse, padding }: RunEvent): string {
    if (padding) this.call.gate.passFree(padding.texts, "output");
    this.reader.saw(read);
    return this.placed(read, read.alike, sse.raw);
  }

  /** Whether `push`, or `end`, would keep the thread for long: much text, or arguments that are held until complete. */
  takesLong(text: string): boolean {
    if (lacksProvenance(this.call, this.stream, text, this.heldUnits)) return true;
    return text.length + this.splitter.waiting + this.heldUnits > MAX_UNITS_AT_ONCE;
  }

  /** `push` in slices. No other call may come before it resolves. */
  async pushLong(text: string): Promise<string> {
    const pause = slices.begin();
    try {
      if (lacksProvenance(this.call, this.stream, text, this.heldUnits)) await this.call.gate.prepare(pause);
      for (const event of this.split(text)) await this.eventInSlices(event, pause);
      return this.handOut();
    } catch (error) {
      throw this.fault(error);
    }
  }

  /** `end` in slices. */
  async endLong(): Promise<string> {
    try {
      if (lacksProvenance(this.call, this.stream, "", this.heldUnits)) await this.call.gate.prepare(slices.begin());
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
    const { call, stream, maxDepth, channels, open } = this;
    return {
      call,
      stream,
      maxDepth,
      channelOf: (piece) => this.channelOf(piece),
      channelAt: (place) => this.channelAt(place),
      channels: () => channels.values(),
      known: (repeats) => this.known(repeats),
      isFinished: (group) => Boolean(open.get(group)?.finish),
      channelsOf: (group) => channelsOf(channels, group),
    };
  }

  /** The upstream has ended: everything left is judged and released. Throws as `push` does. */
  end(): string {
    return this.release(() => {
      const rest = this.splitter.rest();
      // It came without its blank line, which what we send after it needs.
      if (rest) this.released += this.event({ ...rest, raw: `${rest.raw.trimEnd()}\n\n` });
      this.endAll();
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
    return this.call.gate.scannerFailed(error);
  }

  /** What was released before `push` or `end` threw. */
  handOut(): string {
    const out = this.released;
    this.released = "";
    return out;
  }

  /** The events that end the answer when it is cut off. */
  cutOff(end: Omit<StreamEnd, "groups">): string {
    this.queue = [];
    return this.stream.ending({ ...end, groups: this.open });
  }

  /** Notes in the record, once, what was looked at; to be called however the stream ends. */
  account(): void {
    if (this.isAccounted) return;
    this.isAccounted = true;
    for (const { param, coverage } of this.channels.values()) {
      if (!coverage) continue;
      this.call.record.coverage.count("output", coverage.chars);
      if (coverage.unscanned) this.call.record.coverage.gap("output", param, coverage.unscanned);
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
    if (this.isEnded) return "";
    // Comments and field-only events carry no answer; keep-alives of the provider may pass at once.
    if (data === null) return this.isClean(event, null) ? event.raw : "";
    const { stream } = this;
    if (stream.endMark !== null && data.trim() === stream.endMark) {
      this.done = true;
      return "";
    }
    const read = prepared?.event ?? this.reader.read(data);
    if (!read) throw new GuardError("upstream_error", "The provider sent an event that is not JSON.");
    if (read instanceof LikeEvent) return this.placed(read, read.alike, this.rawOfLike(event, read));
    const { value, isAmbiguous } = read;
    const fault = stream.faultOf(value);
    if (fault !== undefined) throw reportedError(this.call, fault);
    const isClean = this.isClean(event, read) && !isAmbiguous;
    const raw = isClean ? event.raw : this.written(value);
    if (stream.isKeepAlive?.(value)) return raw;
    return this.said(read, raw, prepared);
  }

  /** An event that is like one before it, as it leaves when its text is not changed. */
  private rawOfLike(event: SseEvent, read: LikeEvent): string {
    const isClean = this.isNamedOnly(event, read.pattern.type) || mayPass(this.call, event.beside);
    const isChanged = read.padding !== null && this.isPaddingChanged(read);
    this.reader.saw(read);
    return isClean && !isChanged ? event.raw : this.written(read.value);
  }

  /** Whether what stands beside an event's data may leave as it came. */
  private isClean(sse: SseEvent, event: WholeEvent | null): boolean {
    return (
      this.isNamedOnly(sse, sse.beside === "" ? undefined : event?.value["type"]) || mayPass(this.call, sse.beside)
    );
  }

  /** Whether nothing stands beside an event's data but its name. */
  private isNamedOnly({ beside }: SseEvent, type: unknown): boolean {
    if (beside === "" || (beside === this.namedAs.beside && type === this.namedAs.type)) return true;
    const isNamedOnly = this.stream.isNamed && type !== undefined && beside === `event: ${type}` && NAME.test(beside);
    if (isNamedOnly) this.namedAs = { beside, type };
    return isNamedOnly;
  }

  private said(read: StreamedEvent, raw: string, prepared: Prepared | null): string {
    const { call, stream } = this;
    const event = read.value;
    const usage = stream.usageOf(event, call.context.usage);
    if (usage) call.context.usage = usage;
    if (stream.isForHub?.(event)) return "";
    const repeats = prepared?.repeats ?? this.repeatsIn(event);
    const beside = prepared ? null : this.reader.beside(read, this.maxDepth, skippedOf(repeats));
    const changedBeside = prepared?.isBesideChanged ?? this.isBesideChanged(read, beside);
    this.reader.saw(read);
    call.context.trace?.answered(event);
    const note = stream.note(event);
    for (const begun of stream.begun(event)) this.toolRules?.begun(begun);
    const isPlain = beside === null && repeats.length === 0 && isAmongOthers(note);
    const pieces = prepared?.pieces ?? this.reader.pieces(read, isPlain ? note : null);
    return this.placed(read, { note, pieces }, changedBeside ? this.written(event) : raw, repeats, prepared);
  }

  private isBesideChanged(read: StreamedEvent, beside: Texts | null): boolean {
    const isChanged = beside !== null && this.call.gate.scanAtOnce(beside, "output");
    return this.isPaddingChanged(read) || isChanged;
  }

  /** Looks at an event's padding, which may be changed in it. */
  private isPaddingChanged(read: StreamedEvent): boolean {
    const padding = this.reader.besideIn(read, this.maxDepth);
    if (!padding || !this.call.gate.scanAtOnce(padding.texts, "output")) return false;
    Object.assign(read.value, padding.holder);
    return true;
  }

  /** Judged once more where it is not: then what that does is done in its turn. */
  private isFree({ texts }: Padding): boolean {
    try {
      return this.call.gate.isFree(texts);
    } catch {
      return false;
    }
  }

  /** Takes an event in whose own texts are left to look at. */
  private placed(
    event: WholeEvent,
    { note, pieces }: Alike,
    raw: string,
    repeats: readonly KnownRepeat[] = NO_REPEATS,
    prepared: Prepared | null = null,
  ): string {
    const touches = this.touch(pieces, prepared);
    this.note(event, note);
    for (const { channel } of touches) this.settle(channel);
    const { groups, isLast = false } = note;
    return this.place({ raw, event, touches, repeats, groups, isLast, split: false });
  }

  private repeatsIn(event: JsonRecord): readonly KnownRepeat[] {
    return this.stream.repeatsIn ? this.known(this.stream.repeatsIn(event)) : NO_REPEATS;
  }

  private place(waiting: StreamWaiting): string {
    if (waiting.isLast) return this.finishWith(waiting);
    if (this.queue.length === 0 && isReady(waiting)) return this.emit(waiting);
    this.queue.push(waiting);
    return this.drain();
  }

  /** Nothing of the answer comes any more, so nothing of it is undecided. */
  private finishWith(waiting: StreamWaiting): string {
    this.done = true;
    this.endAll();
    this.queue.push(waiting);
    return this.drain();
  }

  private endAll(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const channel of this.channels.values()) channel.end();
    for (const channel of this.channels.values()) this.settle(channel);
    // Providers leave the finish reason out; what they called is called all the same.
    for (const [index, group] of this.open) if (group.finish === null) this.judgeTools(index);
  }

  private touch(pieces: readonly Piece[], prepared: Prepared | null): Touch[] {
    const touches: Touch[] = [];
    for (const piece of pieces) {
      if (piece.text === "") continue;
      const read = prepared?.read.get(piece);
      const channel = this.channelOf(piece);
      // Its scanners have been told that the text is over: what comes after would pass unread.
      if (this.open.get(piece.group)?.finish || (read === undefined && channel.isEnded)) {
        throw new GuardError("upstream_error", "The provider went on with a part of its answer that it had finished.");
      }
      if (read === undefined) channel.push(piece.text);
      if (piece.isArguments) this.heldUnits += piece.text.length;
      channel.content?.came(piece.text);
      this.transcripts?.came(channel, piece.text);
      touches.push({ channel, to: read ?? channel.pushedTo, piece });
    }
    return touches;
  }

  private channelOf(piece: Piece): Channel {
    const { latest } = this;
    // Nearly every event goes on where the one before it stopped.
    if (latest && latest.group === piece.group && latest.path === piece.path) return latest.channel;
    const channel = this.findChannel(piece);
    this.latest = { group: piece.group, path: piece.path, channel };
    return channel;
  }

  private channelAt({ group, path }: Pick<Piece, "group" | "path">): Channel | undefined {
    return this.channels.get(`${group}/${path}`);
  }

  private findChannel(piece: Piece): Channel {
    const known = this.channelAt(piece);
    if (known) return known;
    const param = this.stream.paramOf(piece);
    const content = this.call.record.content.channel(param);
    const made = piece.isArguments
      ? new ArgumentsChannel(param, this.call, this.maxDepth, content)
      : new TextChannel(param, this.call.context.rules, this.call.gate.labels, content);
    this.channels.set(`${piece.group}/${piece.path}`, made);
    return made;
  }

  private known(repeats: readonly Repeat[]): readonly KnownRepeat[] {
    if (!this.transcripts || repeats.length === 0) return NO_REPEATS;
    return this.transcripts.known(repeats, (repeat) => this.channelAt(repeat));
  }

  /** Learns of groups and their ends; a group that has finished has all its text decided. */
  private note(event: WholeEvent, { groups, finished, ended, reasons, isFault }: EventNote): void {
    if (isFault) this.failed = true;
    for (const index of groups) if (!this.open.has(index)) this.open.set(index, newProgress());
    for (const { group, reason } of finished) {
      const state = this.open.get(group) ?? newProgress();
      this.open.set(group, state);
      if (state.finish) continue;
      state.finish = event;
      if (reason !== null) this.call.context.finishReasons.push(reason);
      this.finish(group);
    }
    if (ended) for (const place of ended) this.endChannel(this.channelAt(place));
    if (reasons) this.call.context.finishReasons.push(...reasons);
  }

  private finish(group: number): void {
    for (const channel of channelsOf(this.channels, group)) this.endChannel(channel);
    this.judgeTools(group);
  }

  private endChannel(channel: Channel | undefined): void {
    if (!channel) return;
    channel.end();
    this.settle(channel);
  }

  private judgeTools(group: number): void {
    const calls = this.stream.callsOf(group, this.leavingIn);
    if (calls.length === 0) return;
    noteTools(this.call.context, calls);
    this.toolRules?.complete(calls);
  }

  /** What a person approves is what would leave: redacted, where something was redacted. */
  private readonly leavingIn: Leaving = (place) => {
    const channel = this.channelAt(place);
    return channel instanceof ArgumentsChannel ? channel.whole : null;
  };

  /** Records what a channel has found; throws `content_filter` when that is a block. */
  private settle(channel: Channel): void {
    const findings = channel.settled();
    if (findings.length === 0) return;
    const action = this.call.record.add(findings, { param: channel.param, origin: "output" });
    if (action === "redact" || action === "block") channel.content?.withhold();
    if (action === "block") throw this.call.gate.blocked("output", channel.param, findings);
  }

  /** Emits what is ready, in order within each group: one group's held text never delays another's. */
  private drain(): string {
    // Most answers have one group: what waits for its text is all that waits.
    const [only, second] = this.open;
    if (second !== undefined) return this.drainGroups(this.queue);
    const isOpen = only !== undefined && !only[1].closed;
    const { queue } = this;
    let out = "";
    let at = 0;
    for (const waiting of queue) {
      if (!isReady(waiting)) break;
      out += this.emit(waiting);
      at += 1;
    }
    this.queue = queue.slice(at);
    const [first] = this.queue;
    if (first === undefined) return out;
    if (isOpen && !this.stream.isResumable && first.groups.length === 0) return out + this.drainGroups(this.queue);
    return out + this.splitOff(first);
  }

  private drainGroups(queue: readonly StreamWaiting[]): string {
    const isStrict = this.stream.isResumable === true;
    let out = "";
    const stuck = new Set<number>();
    const flowing = new Set(this.open.keys().filter((index) => !this.open.get(index)?.closed));
    const left: StreamWaiting[] = [];
    for (const [at, waiting] of queue.entries()) {
      if (left.length > 0 && (isStrict || flowing.size === 0)) {
        // Nothing behind it may leave. A walk to the end for every event that comes would cost its square.
        if (left.length === at) return out;
        left.push(...queue.slice(at));
        break;
      }
      const free = isFree(waiting, left.length > 0, stuck);
      if (free && isReady(waiting)) {
        out += this.emit(waiting);
        continue;
      }
      if (free) out += this.splitOff(waiting);
      for (const index of waiting.groups) {
        stuck.add(index);
        flowing.delete(index);
      }
      left.push(waiting);
    }
    this.queue = left;
    return out;
  }

  private emit(waiting: StreamWaiting): string {
    const { event } = waiting;
    let changed = waiting.split;
    for (const touch of waiting.touches) if (this.releasePiece(touch, waiting.split)) changed = true;
    for (const repeat of waiting.repeats) if (this.transcripts?.rebuild(repeat)) changed = true;
    for (const index of waiting.groups) {
      const group = this.open.get(index);
      if (!group) continue;
      group.spoke = true;
      if (group.finish === event) group.closed = true;
    }
    const out = this.leaving(event, waiting.raw, changed);
    if (!waiting.isLast) return out;
    this.last = out;
    return "";
  }

  /** Puts what may leave of a piece in its place; true when that is not what came. */
  private releasePiece({ channel, to, piece }: Touch, isSplit: boolean): boolean {
    const taken = channel.release(to);
    const stays = !taken.changed && !isSplit;
    const text = stays ? piece.text : taken.text;
    channel.content?.left(text);
    this.transcripts?.left(channel, text, taken.changed);
    if (!stays) replacePiece(piece, text);
    return !stays;
  }

  /** An event as it leaves, `raw` being what came; empty where its caller has it already. */
  private leaving(event: WholeEvent, raw: string, isTextChanged: boolean): string {
    if (!isTextChanged && this.leavesUnseen(event)) return raw;
    const { stream } = this;
    if (isTextChanged) stream.dropCopies(event.value);
    const isNumbered = stream.leaves?.(event.value) === true;
    if (stream.isHad?.(event.value) === true) return "";
    return isTextChanged || isNumbered ? this.written(event.value) : raw;
  }

  /** Whether an event whose text stays needs not be put together to know how it leaves. */
  private leavesUnseen(event: WholeEvent): boolean {
    const { leaves, ignoresAlike, isHad } = this.stream;
    return isHad === undefined && (leaves === undefined || (ignoresAlike === true && event instanceof LikeEvent));
  }

  private written(event: JsonRecord): string {
    const { type } = event;
    return this.stream.isNamed && typeof type === "string" ? sseNamed(type, event) : sseData(event);
  }

  /** A long event whose end is undecided gives up its decided beginning as an event of its own. */
  private splitOff(waiting: StreamWaiting): string {
    if (this.stream.isResumable) return "";
    const [touch, second] = waiting.touches;
    if (!touch || second || waiting.repeats.length > 0) return "";
    const begin = touch.to - touch.piece.text.length;
    const { clearedTo } = touch.channel;
    if (touch.piece.isArguments || clearedTo - begin < WORTH_SPLITTING || clearedTo <= touch.channel.takenTo) return "";
    const { text, changed } = touch.channel.release(clearedTo);
    touch.channel.content?.left(text);
    this.transcripts?.left(touch.channel, text, changed);
    replacePiece(touch.piece, text);
    waiting.split = true;
    return this.leaving(waiting.event, waiting.raw, true);
  }
}

/** An event that is like one before it, and the text that it came as. */
type RunEvent = { readonly read: LikeEvent; readonly sse: SseEvent; readonly padding: Padding | null };

/** An event of no group, such as the usage, keeps its place behind all text. */
const isFree = ({ groups }: StreamWaiting, isBehind: boolean, stuck: ReadonlySet<number>): boolean =>
  groups.length === 0 ? !isBehind : !groups.some((index) => stuck.has(index));

const isShort = ({ piece }: Touch): boolean => piece.text.length < WORTH_SPLITTING;

/** Whether events like it may follow: it ends nothing. */
const isAmongOthers = ({ finished, ended, isLast }: EventNote): boolean => finished.length === 0 && !ended && !isLast;

const NOT_NAMED = { beside: "", type: undefined };
const NO_TOUCHES: readonly Touch[] = [];

/** A name that no detector matches and no client misreads, as it stands in its line. */
const NAME = /^event: [a-z_.]{1,64}$/;
