import { hasWidth } from "./anchor-table";
import { BLOCK } from "./automaton";
import { inSet, WORD } from "./char-set";
import type { Detector, Tail } from "./detector";
import type { HoldMasks, Prefilter } from "./prefilter";
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
  /** Where what led to it begins: its anchor, if that stands before it. */
  readonly from: number;
  readonly start: number;
  end: number;
  readonly score: number;
  /** The flag type, where the match named one. */
  readonly type?: string | undefined;
  readonly host?: string | undefined;
  /** It has no end of its own, but goes on as a tail does. */
  readonly isTailed?: boolean;
  /** A judgement on all the words of a paragraph: it does no more than flag. */
  readonly isJudgement?: boolean;
  open: boolean;
};

/** What a matcher runs: the detectors, their prefilter, and which of them count here. */
export type Plan = {
  readonly detectors: readonly Detector[];
  readonly prefilter: Prefilter;
  /** Detectors with `anchorCapitals` that are looked for. */
  readonly capitals: readonly number[];
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

const ANY_WORDS = -1;

/**
 * `until`: how far the text must reach before another look can say more than the one before. `row`: what may stand
 * behind the keyword, if that unit has not come. `widths`: of the run of digits that it begins, as in `AnchorTable`.
 */
type Waiting = {
  readonly at: number;
  readonly length: number;
  until: number;
  readonly row: number;
  readonly widths: number;
};
const NO_QUEUES: readonly { readonly detector: number; readonly queue: Waiting[] }[] = [];
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
  /** Something waits whose unit behind it has not come. */
  private isBesideEnd = false;

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
    const { state, scanned, isBesideEnd } = this;
    const nextStart = this.nextStart?.slice() ?? null;
    const waiting =
      this.waiting.size === 0
        ? NO_QUEUES
        : Array.from(this.waiting, ([detector, queue]) => ({ detector, queue: [...queue] }));
    return () => {
      Object.assign(this, { state, scanned, nextStart, isBesideEnd });
      this.open.clear();
      this.waiting.clear();
      for (const { detector, queue } of waiting) this.waiting.set(detector, queue);
    };
  }

  /** Takes in what the view has gained since the last call. */
  advance(): void {
    // Where there are none, as nearly always, no iterator is made.
    if (this.open.size > 0) for (const [detector, open] of this.open) this.followTail(detector, open);
    if (this.isBesideEnd) this.lookBehind();
    if (this.waiting.size > 0) for (const [detector, queue] of this.waiting) this.retry(detector, queue);
    const { automaton } = this.plan.prefilter;
    const { hits } = automaton;
    const { text, base } = this.view;
    for (let from = this.scanned - base; from < text.length; from += BLOCK) {
      const to = Math.min(from + BLOCK, text.length);
      this.state = automaton.walk(text, from, to, this.state);
      for (let hit = 0; hit < hits.count; hit++) this.anchors(hit, to);
      for (const index of this.plan.capitals) this.capitals(index, from, to);
    }
    this.scanned = base + text.length;
  }

  /**
   * Before this offset of the whole folded text the enforced detectors have decided everything. It is the text's end
   * where what waits begins there, and infinite where nothing waits.
   */
  enforcedFrom(): number {
    const { plan, view } = this;
    let from = plan.prefilter.heldFrom(this.state, view.text, plan.enforcedMasks);
    for (const begunIn of plan.pending) from = Math.min(from, begunIn(view));
    if (from === view.text.length) from = Number.POSITIVE_INFINITY;
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

  /** Decides about what ended at a hit; the text has been walked up to `to`. */
  private anchors(hit: number, to: number): void {
    const { view, plan } = this;
    const { anchors, automaton } = plan.prefilter;
    const state = automaton.hits.states[hit] ?? 0;
    const end = automaton.hits.ends[hit] ?? 0;
    const stop = anchors.end(state);
    for (let entry = anchors.begin(state); entry < stop; entry = anchors.next(entry)) {
      const index = anchors.detector(entry);
      if (plan.active[index] !== 1 || !anchors.isAnchor(entry, view.text, end)) continue;
      const length = anchors.length(entry);
      const words = anchors.wordsNeeded(entry);
      const found =
        words === 0 ? ANY_WORDS : this.wordsBehind(hit, end - length + (plan.detectors[index]?.reach ?? 0), to);
      if (words !== 0 && (found & words) === 0) continue;
      const row = end < view.text.length ? 0 : anchors.row(entry);
      this.settle(index, view.base + end - length, length, row, found, anchors.widths(entry));
    }
  }

  /** Decides about an anchor, or has it wait. */
  private settle(index: number, at: number, length: number, row: number, words: number, widths: number): void {
    const { waiting } = this;
    const queue = waiting.size === 0 ? undefined : waiting.get(index);
    // Nothing is made for an anchor that does not wait: there are hundreds in a kilobyte.
    if (!queue && this.decide(index, at, length, words)) return;
    if (row !== 0) this.isBesideEnd = true;
    if (queue) queue.push({ at, length, until: 0, row, widths });
    else waiting.set(index, [{ at, length, until: this.until, row, widths }]);
  }

  /** Lets go of what waits and turns out to be no anchor: as if it had come together with the unit behind it. */
  private lookBehind(): void {
    const { view, waiting } = this;
    const { anchors } = this.plan.prefilter;
    this.isBesideEnd = false;
    for (const [index, queue] of waiting) {
      const left = queue.filter(({ at, length, row }) => {
        const end = at - view.base + length;
        if (row !== 0 && end >= view.text.length) this.isBesideEnd = true;
        return row === 0 || end >= view.text.length || anchors.mayGoOn(row, view.text.charCodeAt(end));
      });
      if (left.length === 0) waiting.delete(index);
      else if (left.length < queue.length) waiting.set(index, left);
    }
  }

  /** Decides about the capitals that begin a word. */
  private capitals(index: number, from: number, to: number): void {
    const { text, base } = this.view;
    let before = from > 0 ? text.charCodeAt(from - 1) : 0;
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x40 && code < 0x5b && !inSet(WORD, before)) {
        this.settle(index, base + i, 1, 0, ANY_WORDS, 0);
      }
      before = code;
    }
  }

  /** The lists of words of which one stands behind a hit and up to `until`; all where not all of that has been walked. */
  private wordsBehind(hit: number, until: number, to: number): number {
    const { view, plan } = this;
    const isWalked = until <= to || (view.final && to === view.text.length);
    if (!isWalked) return ANY_WORDS;
    const { anchors, automaton } = plan.prefilter;
    const { count, ends, states } = automaton.hits;
    let found = 0;
    for (let next = hit + 1; next < count && (ends[next] ?? 0) <= until; next++) {
      found |= anchors.wordsIn(states[next] ?? 0);
    }
    return found;
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
    if (!hasWidth(one.widths, view.text, one.at - view.base)) return false;
    if (this.decide(index, one.at, one.length)) return false;
    one.until = this.until;
    return true;
  }

  /** Behind a decision that the view was too short for: how far the text must reach. */
  private get until(): number {
    return this.view.base + this.view.least;
  }

  /** False when the view is too short to say. */
  private decide(index: number, at: number, length: number, words = ANY_WORDS): boolean {
    const { view } = this;
    const detector = this.plan.detectors[index];
    const least = this.nextStart?.[index] ?? 0;
    if (!detector || at < least) return true;
    view.short = false;
    const match = detector.read(view, at - view.base, length, words);
    if (view.short) return false;
    if (!match || match.start + view.base < least) return true;
    const raw: Raw = {
      detector: index,
      from: Math.min(at, match.start + view.base),
      start: match.start + view.base,
      end: match.end + view.base,
      score: match.score,
      type: match.type,
      host: match.host,
      isTailed: match.tail !== undefined,
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
