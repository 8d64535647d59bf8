import { BLOCK } from "./automaton";
import { inSet } from "./char-set";
import type { Detector, Tail } from "./detector";
import type { HoldMasks, Prefilter, TrieOutput } from "./prefilter";
import type { View } from "./view";

/**
 * Where a tail that began at `from` ends, having been looked at up to `scanned`. The view is left
 * `short` when the tail may go on behind its end; `end` is then the view's end.
 */
export function tailEnd(view: View, from: number, scanned: number, tail: Tail): { end: number; scanned: number } {
  const { text } = view;
  if (tail.kind === "run") {
    let at = scanned;
    while (at < text.length && inSet(tail.set, text.charCodeAt(at))) at++;
    if (at === text.length) view.code(at);
    return { end: at, scanned: at };
  }
  const limit = from + tail.max;
  // Sliced, so that a missing terminator costs at most `max` units of search.
  const found = scanned + text.slice(scanned, limit).indexOf(tail.literal);
  if (found >= scanned) {
    let end = found + tail.literal.length;
    for (const { set, most } of tail.closing) end += view.run(end, set, Math.min(most, limit - end));
    return { end: view.short ? text.length : end, scanned: found };
  }
  if (limit <= text.length) return { end: limit, scanned: limit };
  view.code(text.length);
  return { end: text.length, scanned: Math.max(scanned, text.length - tail.literal.length + 1) };
}

/** A match in the whole folded text. `open` while its tail still runs; then `end` is where it is now. */
export type Raw = {
  readonly detector: number;
  readonly start: number;
  end: number;
  readonly score: number;
  /** The flag type, where the match named one. */
  readonly type?: string | undefined;
  readonly host?: string | undefined;
  open: boolean;
};

/** What a matcher runs: the detectors, their prefilter, and which of them count here. */
export type Plan = {
  readonly detectors: readonly Detector[];
  readonly prefilter: Prefilter;
  /** 1: looked for. */
  readonly active: Uint8Array;
  /** 1: can redact or block here. Only these may delay a stream. */
  readonly enforced: Uint8Array;
  /** Those of them whose matches may have begun before their anchor comes. */
  readonly pending: readonly ((view: View) => number)[];
  /** The prefilter's hold masks for the enforced, and for all active, detectors. */
  readonly enforcedMasks: HoldMasks;
  readonly activeMasks: HoldMasks;
};

/** `until`: how far the text must reach before another look can say more than the one before. */
type Waiting = { readonly at: number; readonly length: number; until: number };
type OpenTail = { readonly raw: Raw; readonly tail: Tail; readonly from: number; scanned: number };

/**
 * Runs the detectors over a view that grows. Whole texts and streams go through this same code: a
 * whole text is a stream of one piece. An anchor whose decision needs more text waits, and with it
 * the later anchors of its detector, so that each detector decides in text order.
 */
export class Matcher {
  private state = 0;
  private scanned = 0;
  /** Per detector: matches must begin here or later. Infinity while a tail is open. Most texts have no match at all. */
  private nextStart: Float64Array | null = null;
  private readonly waiting = new Map<number, Waiting[]>();
  private readonly open = new Map<number, OpenTail>();

  constructor(
    private readonly plan: Plan,
    private readonly view: View,
    private readonly emit: (raw: Raw) => void,
  ) {}

  /** No match is still growing. */
  get isIdle(): boolean {
    return this.open.size === 0;
  }

  /** What puts it back to where it is now; it must be idle. */
  mark(): () => void {
    const { state, scanned } = this;
    const nextStart = this.nextStart?.slice() ?? null;
    const waiting = Array.from(this.waiting, ([detector, queue]) => ({ detector, queue: [...queue] }));
    return () => {
      Object.assign(this, { state, scanned, nextStart });
      this.open.clear();
      this.waiting.clear();
      for (const { detector, queue } of waiting) this.waiting.set(detector, queue);
    };
  }

  /** Takes in what the view has gained since the last call. */
  advance(): void {
    for (const [detector, open] of this.open) this.followTail(detector, open);
    for (const [detector, queue] of this.waiting) this.retry(detector, queue);
    const { automaton } = this.plan.prefilter;
    const { ends, states } = automaton.hits;
    const { text, base } = this.view;
    for (let from = this.scanned - base; from < text.length; from += BLOCK) {
      this.state = automaton.walk(text, from, Math.min(from + BLOCK, text.length), this.state);
      const { count } = automaton.hits;
      for (let i = 0; i < count; i++) this.anchors(states[i] ?? 0, ends[i] ?? 0);
    }
    this.scanned = base + text.length;
  }

  /** Before this offset of the whole folded text the enforced detectors have decided everything. */
  enforcedFrom(): number {
    const { plan, view } = this;
    let from = plan.prefilter.heldFrom(this.state, view.text, plan.enforcedMasks);
    for (const begunIn of plan.pending) from = Math.min(from, begunIn(view));
    for (const [index, queue] of this.waiting) {
      const detector = plan.detectors[index];
      if (detector && plan.enforced[index] === 1) from = Math.min(from, this.beginOfWaiting(detector, queue));
    }
    return from + view.base;
  }

  /** What the view must keep for decisions still to come, look-behind not counted. */
  neededFrom(): number {
    let from = this.plan.prefilter.heldFrom(this.state, this.view.text, this.plan.activeMasks) + this.view.base;
    for (const queue of this.waiting.values()) from = Math.min(from, queue[0]?.at ?? from);
    for (const open of this.open.values()) from = Math.min(from, open.scanned);
    return from;
  }

  private beginOfWaiting(detector: Detector, queue: readonly Waiting[]): number {
    const { view } = this;
    let from = view.text.length;
    for (const { at, length } of queue) {
      const local = at - view.base;
      const begin = detector.cue ? local + length : (detector.begin?.(view, local) ?? local);
      from = Math.min(from, begin);
    }
    return from;
  }

  private anchors(state: number, end: number): void {
    const { view, plan, waiting } = this;
    for (const output of plan.prefilter.automaton.endingIn(state)) {
      const { detector: index, length } = output;
      if (plan.active[index] !== 1 || !this.isAnchor(output, end)) continue;
      const at = view.base + end - length;
      const queue = waiting.get(index);
      if (queue) queue.push({ at, length, until: 0 });
      else if (!this.decide(index, at, length)) waiting.set(index, [{ at, length, until: this.until }]);
    }
  }

  private isAnchor({ detector: index, length, digit }: TrieOutput, end: number): boolean {
    const before = end > length ? this.view.text.charCodeAt(end - length - 1) : -1;
    const { boundary, boundaryOf } = this.plan.detectors[index] ?? {};
    return boundary === undefined || (digit && boundaryOf === "keywords") || !inSet(boundary, before);
  }

  private retry(index: number, queue: Waiting[]): void {
    let done = 0;
    for (const one of queue) {
      if (this.isUndecided(index, one)) break;
      done++;
    }
    queue.splice(0, done);
    if (queue.length === 0) this.waiting.delete(index);
  }

  private isUndecided(index: number, one: Waiting): boolean {
    const { view } = this;
    const hasMore = view.final || view.base + view.text.length >= one.until;
    // Another match may have gone over it meanwhile: then there is nothing left to be said.
    if (!hasMore && one.at >= (this.nextStart?.[index] ?? 0)) return true;
    if (this.decide(index, one.at, one.length)) return false;
    one.until = this.until;
    return true;
  }

  /** Behind a decision that the view was too short for: how far the text must reach. */
  private get until(): number {
    return this.view.base + this.view.least;
  }

  /** False when the view is too short to say. */
  private decide(index: number, at: number, length: number): boolean {
    const { view } = this;
    const detector = this.plan.detectors[index];
    const least = this.nextStart?.[index] ?? 0;
    if (!detector || at < least) return true;
    view.short = false;
    const match = detector.read(view, at - view.base, length);
    if (view.short) return false;
    if (!match || match.start + view.base < least) return true;
    const raw: Raw = {
      detector: index,
      start: match.start + view.base,
      end: match.end + view.base,
      score: match.score,
      type: match.type,
      host: match.host,
      open: match.tail !== undefined,
    };
    this.beginAfter(index, raw.end);
    if (match.tail) this.followTail(index, { raw, tail: match.tail, from: raw.end, scanned: raw.end });
    this.emit(raw);
    return true;
  }

  private beginAfter(index: number, at: number): void {
    this.nextStart ??= new Float64Array(this.plan.detectors.length);
    this.nextStart[index] = at;
  }

  private followTail(index: number, open: OpenTail): void {
    const { view } = this;
    view.short = false;
    const found = tailEnd(view, open.from - view.base, open.scanned - view.base, open.tail);
    open.raw.end = found.end + view.base;
    open.scanned = found.scanned + view.base;
    open.raw.open = view.short;
    this.beginAfter(index, view.short ? Number.POSITIVE_INFINITY : open.raw.end);
    if (view.short) this.open.set(index, open);
    else this.open.delete(index);
  }
}
