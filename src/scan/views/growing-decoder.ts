import type { Places } from "#scan/fold/normalize";
import type { View } from "#scan/view";
import { decodedTokens, isNextLine, mayGoOn } from "./encodings";
import { escapeAt, isEscapeOpen } from "./escapes";
import { GrowingWindow, type Matching, type Undone } from "./growing-window";
import { LONGEST, MAX_WINDOW } from "./most-held";
import { behindWordAt, DIGIT, type Dotted, ESCAPE, KINDS, LOWER, MARK, OpenToken, Pairs, UPPER } from "./open-token";
import { CONTEXT, type Rewrite } from "./rewrite";
import { joinedGroups } from "./spellings";
import { GROUP_HEAD, GROUPED, MIN_ENCODED, MIN_GROUPED, MIN_PAIRS, type TextRun } from "./survey";

/** Units that may still be decoded, of one text all in all. */
export type Budget = { left: number };

const DOT = 0x2e;
const MAX_GROUPED = 255;
/** Digits of the longest number whose groups are joined. */
const MAX_WEIGHT = 34;
const LETTERS = LOWER | UPPER;
/** The first of several: printable ASCII, and no word. */
const HEX_PAIR = /^[2-7][0-9a-f]$/i;
const HEX_PAIR_BEGUN = /^[2-7][0-9a-f]?$/i;
const HEX_DIGITS = /^[0-9a-f]{1,2}$/i;
const GROUPED_BEGUN = /^\+?(?:[A-Z]{2}\d{2}[A-Z0-9]{0,10}|\d{1,6})(?:_\d{0,6}){1,8}$/;
/** The head of a number in groups, whose sign belongs to it once a dot follows. */
const SIGNED_BEGUN = /^\+\d{0,6}$/;
const FREE = Number.POSITIVE_INFINITY;
const NONE: readonly TextRun[] = [];
/** Units behind which what was undone is let go of: seldom, not with each piece. */
const SLACK = 256;

/** Where a word ends that begins there and is nothing else; -1 where it may be. */
function wordEnd(text: string, from: number, kind: number): number {
  if ((kind & LETTERS) === 0) return -1;
  const most = Math.min(text.length, from + MIN_ENCODED);
  let at = from + 1;
  while (at < most && KINDS[text.charCodeAt(at)] === LOWER) at++;
  if (at === most) return -1;
  const behind = KINDS[text.charCodeAt(at)];
  return behind === 0 || behind === ESCAPE ? at : -1;
}

/** A window, and what undoes what is undone in it once more. */
type Probe = { readonly in: GrowingWindow; readonly nested: GrowingDecoder | null };

/** Where of a text something enforced may begin that was not told of, in a window that will have the text up to `to`. */
function windowHeldFrom({ in: window, nested }: Probe, to: number): number {
  const from = nested?.heldFrom() ?? FREE;
  const found = Math.min(window.heldFrom(), from === FREE ? FREE : window.placeOf(from));
  return window.takenTo < to ? Math.min(found, window.takenTo) : found;
}

/** `from`, `to`: what it takes of the text; more, if something is undone soon behind it. */
type Opened = Probe & { readonly from: number; to: number };

/**
 * Undoes the encodings of a text that grows, and matches what it then says. A token is decoded when it closes; how the
 * text came in makes no difference. Offsets are those of the text.
 */
export class GrowingDecoder {
  private readonly budget: Budget;
  private readonly budgets: readonly Budget[];
  private at = 0;
  private readonly token = new OpenToken();
  /** Long tokens that may be the lines of one, and where what may be replaced of it begins. */
  private lines: TextRun[] = [];
  private linesFrom = 0;
  private pairs: Pairs | null = null;
  private dotted: Dotted | null = null;
  /** Units that escapes may begin with, not yet looked at. */
  private marks: number[] = [];
  private escapedTo = 0;
  /** Undone, but something that begins before them may be too. */
  private undone: Undone[] = [];
  /** Undone for good, for windows that still need them. */
  private settled: Undone[] = [];
  private settledTo = 0;
  private coveredTo = 0;
  private window: Opened | null = null;
  /** Matches what stands before an escape that may come: what it begins there is held. */
  private probe: Probe | null = null;

  constructor(
    private readonly matching: Matching,
    private readonly view: View,
    private readonly places: Places,
    /** One for each level: what was decoded is decoded again as long as there is one. */
    [budget, ...budgets]: readonly Budget[],
    /** The window that the text is: what is undone in it touches what was undone before, and is replaced from there on. */
    private readonly within: GrowingWindow | null = null,
  ) {
    this.budget = budget ?? { left: 0 };
    this.budgets = budgets;
  }

  /** Nothing is being undone but, perhaps, a token that has begun. */
  get isIdle(): boolean {
    const { lines, pairs, dotted, marks, undone, settled, window, probe } = this;
    if (pairs !== null || dotted !== null || window !== null || probe !== null) return false;
    return lines.length === 0 && marks.length === 0 && undone.length === 0 && settled.length === 0;
  }

  /** What puts it back to where it is now; it must be idle. */
  mark(): () => void {
    const { at, escapedTo, settledTo, coveredTo } = this;
    const token = this.token.mark();
    const budgets = [this.budget, ...this.budgets].map((budget) => ({ budget, left: budget.left }));
    return () => {
      Object.assign(this, { at, escapedTo, settledTo, coveredTo, linesFrom: 0 });
      Object.assign(this, { pairs: null, dotted: null, window: null, probe: null });
      for (const list of [this.lines, this.marks, this.undone, this.settled]) list.length = 0;
      for (const { budget, left } of budgets) budget.left = left;
      token();
    };
  }

  /** Takes in what the text has gained since the last call. */
  advance(): void {
    this.read();
    if (this.isIdle) {
      this.settledTo = this.token.start < 0 ? this.at : this.token.start;
      return;
    }
    this.lookAhead();
    while (this.marks.length > 0 && this.unescape()) this.marks.shift();
    this.settledTo = this.openFrom();
    this.feed();
    this.dropSettled();
  }

  private dropSettled(): void {
    const { settled } = this;
    const [first] = settled;
    if (!first) return;
    const { keptFrom } = this;
    if ((settled.at(-1)?.end ?? 0) < keptFrom) settled.length = 0;
    else if (first.end + SLACK < keptFrom) this.settled = settled.filter(({ end }) => end >= keptFrom);
  }

  /** Where something enforced may begin that has not been told of. */
  heldFrom(): number {
    const { window, probe, view, token, budget } = this;
    if (view.final || ((token.start < 0 || token.isWord(this.at)) && this.isIdle)) return FREE;
    const found = window ? windowHeldFrom(window, Math.min(this.at, window.to)) : FREE;
    if (budget.left <= 0) return found;
    const open = token.start < 0 ? FREE : this.heldIn(token.start, this.tokenHeldFrom());
    return Math.min(found, open, this.closedHeldFrom(), probe ? windowHeldFrom(probe, this.at) : FREE);
  }

  /** Where of what begins at `start` something is replaced, which is not before `from`: nothing before what was undone. */
  private heldIn(start: number, from: number = start): number {
    const { within } = this;
    if (!within || from === FREE) return from;
    return within.tellingIn(start, from) >= 0 ? from : within.tellingFrom(from);
  }

  /** What has ended and is not undone, since it may go on or something before it does. */
  private closedHeldFrom(): number {
    const { lines, pairs, dotted, marks, undone } = this;
    let from = this.heldIn(marks[0] ?? FREE);
    const [line] = lines;
    if (line) from = Math.min(from, this.heldIn(line.start, this.linesFrom));
    if (pairs?.isText) from = Math.min(from, this.heldIn(pairs.start));
    if (dotted && dotted.weight <= MAX_WEIGHT) from = Math.min(from, this.heldIn(dotted.start));
    for (const { from: begun } of undone) from = Math.min(from, begun);
    return from;
  }

  /** What the text must keep. */
  neededFrom(): number {
    return Math.max(0, this.keptFrom - CONTEXT);
  }

  /** From where on it must be known where the text comes from: what is in a window may begin long before. */
  placesNeededFrom(): number {
    const { window, probe } = this;
    let from = FREE;
    for (const each of [window, probe])
      if (each) from = Math.min(from, each.in.placesNeededFrom(each.nested?.placesNeededFrom() ?? FREE));
    return from;
  }

  private get keptFrom(): number {
    const fed = Math.min(this.window?.in.takenTo ?? FREE, this.probe?.in.takenTo ?? FREE);
    return Math.min(this.settledTo, fed) - CONTEXT;
  }

  private read(): void {
    const { view, token } = this;
    const { text, base } = view;
    for (let i = this.at - base; i < text.length; ) {
      const isApart = this.pairs === null && this.dotted === null && this.lines.length === 0;
      if (token.start < 0) {
        const kind = KINDS[text.charCodeAt(i)] ?? 0;
        if (kind === ESCAPE) this.marks.push(base + i);
        if (kind === 0 || kind === ESCAPE) {
          i++;
          continue;
        }
        const word = isApart ? wordEnd(text, i, kind) : -1;
        if (word > 0) {
          i = word;
          continue;
        }
        token.open(base + i, false);
      }
      const longest = token.start - base + LONGEST;
      i = token.take(text, base, i, Math.min(text.length, longest));
      if (i === longest) this.cut(base + i);
      else if (i < text.length) this.close(base + i);
    }
    this.at = base + text.length;
    if (view.final && token.start >= 0) this.close(this.at);
  }

  /** A token that is longer than any may be is judged in parts. */
  private cut(end: number): void {
    const run = { start: this.token.start, end };
    this.flush();
    this.decode([run]);
    this.token.open(end, true);
  }

  private close(end: number): void {
    const { token, view } = this;
    const { start, mask } = token;
    const length = end - start;
    const isPlain = length < MIN_ENCODED && (mask & ~LETTERS) === 0;
    if (!isPlain || this.lines.length > 0) this.closeLine(start, end);
    if (isPlain && !this.pairs && !this.dotted) {
      // A country's letters are no group's head without digits.
      token.start = -1;
      return;
    }
    const text = view.text.slice(start - view.base, end - view.base);
    this.closePair(start, text);
    this.closeGroup(start, end, text);
    token.start = -1;
  }

  private closeLine(start: number, end: number): void {
    const { lines, view } = this;
    const [first] = lines;
    const before = lines.at(-1);
    if (first && before) {
      const { text, base } = view;
      const width = first.end - first.start;
      const local = { start: start - base, end: end - base };
      const isOpen = before.end - before.start === width;
      const isLine = isOpen && end - start <= width && end - first.start <= LONGEST;
      if (isLine && isNextLine(text, { start: 0, end: before.end - base }, local)) {
        lines.push({ start, end });
        // Padding belongs to the last line, and may not all have come.
        if (end - start < width && !text.startsWith("=", local.end)) this.flush();
        return;
      }
      this.flush();
    }
    if (end - start < MIN_ENCODED) return;
    const from = this.token.encodedFrom(view.text, view.base, end);
    if (from < 0) return;
    this.lines = [{ start, end }];
    this.linesFrom = from;
  }

  /** Decodes lines behind which no other can follow. */
  private flush(): void {
    if (this.lines.length === 0) return;
    const { lines } = this;
    this.lines = [];
    this.decode(lines);
  }

  private decode(encoded: readonly TextRun[], pairs: readonly TextRun[] = NONE): void {
    const { view } = this;
    const local = (runs: readonly TextRun[]) =>
      runs.map(({ start, end }) => ({ start: start - view.base, end: end - view.base }));
    // A last line that is too short to be a token is found again behind the others.
    const tokens = local(encoded).filter(({ start, end }) => end - start >= MIN_ENCODED);
    const found = decodedTokens(view.text, { encoded: tokens, pairs: local(pairs) }, FREE);
    for (const each of found) this.note(each, this.isContinued(each) ? each.start : undefined);
  }

  /** Whether it is the second part of a longer token, or a later one. */
  private isContinued({ start }: TextRun): boolean {
    const { text } = this.view;
    return ((KINDS[text.charCodeAt(start - 1)] ?? 0) & (LETTERS | DIGIT)) !== 0 && start > 0;
  }

  /** `rewrite` and `head` in the view's text. */
  private note({ start, end, text, telling }: Rewrite, head?: number, isToken = true): void {
    const { view } = this;
    const from = head ?? behindWordAt(view.text, start, end);
    const { base } = view;
    const first = this.within ? this.within.tellingIn(start + base, end + base) : start + base;
    // All of it may have left as a word.
    if (from >= end || first < 0) return;
    const begun = Math.max(from + base, first);
    this.undone.push({ start: start + base, end: end + base, from: begun, text, telling, isToken });
  }

  private closePair(start: number, token: string): void {
    const { view, pairs } = this;
    if (pairs && start - pairs.end === 1 && HEX_DIGITS.test(token) && token.length === 2) {
      pairs.add(start, view.text, view.base);
      if (pairs.end - pairs.start >= LONGEST) this.endPairs();
      return;
    }
    this.endPairs();
    if (HEX_PAIR.test(token)) this.pairs = new Pairs(start, start + 2, view.text, view.base);
  }

  private endPairs(): void {
    const { pairs } = this;
    this.pairs = null;
    if (pairs?.isText && pairs.count >= MIN_PAIRS) this.decode(NONE, [pairs]);
  }

  private closeGroup(start: number, end: number, token: string): void {
    const { view, dotted } = this;
    const isNumber = /^\d{1,6}$/.test(token);
    if (dotted && isNumber && start - dotted.end === 1) {
      this.dotted = { start: dotted.start, end, weight: dotted.weight + token.length };
    } else {
      this.endDotted();
      if (isNumber || (token.length < 15 && GROUP_HEAD.test(token))) this.dotted = { start, end, weight: token.length };
    }
    if (view.text.charCodeAt(end - view.base) !== DOT) this.endDotted();
    if (token.length > 7 && token.length <= MAX_GROUPED && GROUPED.test(token)) this.join({ start, end });
  }

  private endDotted(): void {
    const { dotted } = this;
    this.dotted = null;
    if (dotted && dotted.weight >= MIN_GROUPED && dotted.weight <= MAX_WEIGHT) this.join(dotted);
  }

  private join({ start, end }: TextRun): void {
    const { base, text } = this.view;
    const group = { start: start - base, end: end - base };
    for (const each of joinedGroups(text, { groups: [group] })) this.note(each, each.start);
  }

  /** Ends what cannot go on any more, as far as the text is known. */
  private lookAhead(): void {
    const { view, token, pairs, dotted, at } = this;
    const open = token.start < 0 ? "" : view.text.slice(token.start - view.base, token.start - view.base + 8);
    const begin = token.start < 0 ? at : token.start;
    if (pairs && (view.final || begin - pairs.end > 1 || (open !== "" && !HEX_DIGITS.test(open)))) this.endPairs();
    if (dotted && (view.final || begin - dotted.end > 1 || (open !== "" && !/^\d{1,6}$/.test(open)))) this.endDotted();
    const first = this.lines[0];
    if (first && !this.mayLineFollow(first, begin)) this.flush();
  }

  private mayLineFollow(first: TextRun, begin: number): boolean {
    const { view, at, token } = this;
    const { text, base } = view;
    const last = this.lines.at(-1) ?? first;
    if (view.final) return false;
    if (token.start >= 0 && at - begin > Math.max(first.end - first.start, MIN_ENCODED)) return false;
    if (text.startsWith("=", last.end - base)) return at < last.end + 2;
    return mayGoOn(text, last.end - base, begin - base);
  }

  /** False where the escape at the first mark may go on behind the text's end. */
  private unescape(): boolean {
    const { view, marks } = this;
    const at = marks[0] ?? 0;
    if (at < this.escapedTo) return true;
    const local = at - view.base;
    if (!view.final && isEscapeOpen(view.text, local)) return false;
    const { length, meant } = escapeAt(view.text, local);
    this.escapedTo = at + length;
    if (meant) this.note(meant, meant.start, false);
    return true;
  }

  private tokenHeldFrom(): number {
    const { view, token, at } = this;
    const { text, base } = view;
    const { start, mask } = token;
    const encoded = token.encodedFrom(text, base, at);
    if (encoded === start) return start;
    const from = encoded < 0 ? FREE : encoded;
    if (mask === 0 || (mask & (DIGIT | MARK)) === 0) return from;
    const length = at - start;
    if (length > MAX_GROUPED) return from;
    const open = text.slice(start - base);
    const isPair = length < 3 && HEX_PAIR_BEGUN.test(open);
    const isGroup = (mask & MARK) !== 0 && (GROUPED_BEGUN.test(open) || SIGNED_BEGUN.test(open));
    return isPair || isGroup ? start : from;
  }

  /** Where something may still begin that is undone: nothing that begins in what was undone already. */
  private openFrom(): number {
    const { token, lines, pairs, dotted, marks, coveredTo } = this;
    let from = marks[0] ?? FREE;
    for (const begun of [pairs, dotted]) if (begun && begun.start >= coveredTo) from = Math.min(from, begun.start);
    // Of one that begins in what was undone, the part behind it may still be.
    for (const { start, end } of lines) if (end > coveredTo) from = Math.min(from, Math.max(start, coveredTo));
    return Math.min(from, token.start < 0 ? this.at : token.openFrom(coveredTo, this.at));
  }

  /** Gives the windows what is settled by now. */
  private feed(): void {
    for (let ready = this.settle(); ready.length > 0; ready = this.settle()) {
      for (const each of ready) this.take(each);
      this.settledTo = this.openFrom();
    }
    this.feedWindow();
    this.feedProbe();
  }

  /** Takes what is undone for good into its window. */
  private take(each: Undone): void {
    this.settled.push(each);
    if (!each.telling) return;
    if (this.window && this.isBehind(this.window, each)) this.closeWindow(this.window);
    const window = this.window ?? this.openWindow(each.start - CONTEXT);
    window.to = each.end + CONTEXT;
    this.fill(window.in, each.end);
  }

  /** Those before which nothing can come any more, in order, without those that overlap an earlier one. */
  private settle(): readonly Undone[] {
    const { undone, settledTo, budget } = this;
    if (undone.length === 0) return undone;
    const ready = undone.filter(({ start }) => start < settledTo);
    if (ready.length === 0) return ready;
    this.undone = undone.filter(({ start }) => start >= settledTo);
    ready.sort((one, other) => one.start - other.start || other.end - one.end);
    return ready.filter(({ start, end, text }) => {
      if (start < this.coveredTo || text.length > budget.left || budget.left === 0) return false;
      this.coveredTo = end;
      budget.left -= text.length;
      return true;
    });
  }

  /** Whether what is undone belongs to another window. */
  private isBehind(window: Opened, { start }: Undone): boolean {
    if (start < window.from + MAX_WINDOW) return start - CONTEXT > window.to;
    window.to = Math.min(window.to, start);
    return true;
  }

  private openWindow(start: number): Opened {
    this.probe = null;
    const from = Math.max(this.view.base, 0, start);
    const window = { ...this.open(from, this.matching, this.budgets), from, to: 0 };
    this.window = window;
    return window;
  }

  private open(from: number, matching: Matching, budgets: readonly Budget[]): Probe {
    const opened = new GrowingWindow(matching, this.places, from, this.within);
    const { view, places } = opened;
    return {
      in: opened,
      nested: budgets.length > 0 ? new GrowingDecoder(matching, view, places, budgets, opened) : null,
    };
  }

  private feedWindow(): void {
    const { window, settledTo, view } = this;
    if (!window) return;
    if (view.final || settledTo > window.to + CONTEXT) {
      this.closeWindow(window);
      return;
    }
    this.fill(window.in, Math.min(settledTo, window.to));
    this.matchWindow(window, false);
  }

  private matchWindow({ in: window, nested }: Probe, isLast: boolean): void {
    window.advance(isLast);
    nested?.advance();
    window.trim(nested?.neededFrom() ?? FREE, nested?.placesNeededFrom() ?? FREE);
  }

  private closeWindow(window: Opened): void {
    this.fill(window.in, window.to);
    const { base, text } = this.view;
    const from = window.in.takenTo - base;
    window.in.add(text.slice(from, Math.max(from, window.to - base)));
    this.matchWindow(window, true);
    this.window = null;
  }

  private feedProbe(): void {
    const { settled, settledTo, marks, view, matching, budgets, window } = this;
    const last = settled.at(-1);
    const isWanted = marks.length > 0 || (last !== undefined && settledTo <= last.end + CONTEXT);
    if (!isWanted || view.final || (window && window.to >= settledTo)) {
      this.probe = null;
      return;
    }
    const from = Math.min(marks[0] ?? FREE, this.probe ? FREE : (last?.start ?? FREE));
    // Nothing of it is told, so that it spends nothing of what may be decoded.
    this.probe ??= this.open(
      Math.max(view.base, 0, from - CONTEXT),
      { ...matching, found: () => {} },
      budgets.map(({ left }) => ({ left })),
    );
    this.fill(this.probe.in, settledTo);
    this.matchWindow(this.probe, false);
  }

  /** Takes the text into a window up to `limit`, with what is undone in it; what goes on behind the limit waits. */
  private fill(window: GrowingWindow, limit: number): void {
    const { view, settled } = this;
    const plain = (to: number): void => {
      if (to > window.takenTo) window.add(view.text.slice(window.takenTo - view.base, to - view.base));
    };
    let next = settled.length;
    while (next > 0 && (settled[next - 1]?.start ?? 0) >= window.takenTo) next--;
    for (; next < settled.length; next++) {
      const each = settled[next];
      if (!each || each.start >= limit) break;
      plain(each.start);
      if (each.end > limit) return;
      window.undo(each);
    }
    plain(limit);
  }
}
