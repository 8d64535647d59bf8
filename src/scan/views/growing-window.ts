import { OffsetMap, type Places } from "#scan/fold/normalize";
import { Matcher, type Plan, type Raw } from "#scan/matcher";
import { MAX_KEYWORD_LENGTH } from "#scan/trie";
import { View } from "#scan/view";
import type { Rewrite } from "./rewrite";

export type DerivedFinding = (places: Places, raw: Raw) => void;

/** What stands in an answer for something else. */
export type Undone = Rewrite & {
  /** Where what a label replaces of it begins: not before what may have left as a word. */
  readonly from: number;
  /** A token as a whole: what begins before it does not go on in it. */
  readonly isToken: boolean;
};

/** What a window is matched with. `behind`: units before a decision's place that a detector may look at. */
export type Matching = { readonly plan: Plan; readonly behind: number; readonly found: DerivedFinding };

type Begun = Pick<Raw, "from" | "start">;
type Span = Pick<Raw, "from" | "start" | "end">;

/** Units that a view may gather before it is cut. */
const SLACK = 128;

/** A part of a text with its rewrites done, matched as it grows. Offsets of the text, and of the window, never start anew. */
export class GrowingWindow {
  readonly view = new View("", false);
  readonly places: Places;
  private readonly map = new OffsetMap();
  private readonly matcher: Matcher;
  /** In the window's text. */
  private readonly undone: { readonly start: number; readonly end: number; readonly of: Undone }[] = [];
  /** Matches that still grow and touch nothing that was undone yet, with what begins them in the text. */
  private readonly growing = new Map<Raw, Begun>();
  private taken: number;

  constructor(
    private readonly matching: Matching,
    private readonly original: Places,
    from: number,
    /** The window that the text is. */
    private readonly within: GrowingWindow | null,
  ) {
    this.taken = from;
    this.map.add(0, from, 0);
    this.places = {
      start: (index) => original.start(this.map.start(index)),
      end: (index) => original.end(this.map.end(index) - 1),
    };
    this.matcher = new Matcher(matching.plan, this.view, (raw) => this.matched(raw));
  }

  /** How far the text was taken in. */
  get takenTo(): number {
    return this.taken;
  }

  add(plain: string): void {
    this.view.text += plain;
    this.taken += plain.length;
  }

  undo(of: Undone): void {
    const { map, view } = this;
    const start = this.end;
    if (of.text !== "") map.add(start, of.from, of.end - of.from);
    view.text += of.text;
    map.add(this.end, of.end, 0);
    this.undone.push({ start, end: this.end, of });
    this.taken = of.end;
  }

  advance(isLast: boolean): void {
    this.view.final = isLast;
    this.matcher.advance();
    for (const raw of this.growing.keys()) this.look(raw);
  }

  /** Where, in the text, something enforced may begin that has not been told of: it touches what was undone, or what may be next. */
  heldFrom(): number {
    const { plan } = this.matching;
    let from = this.matcher.enforcedFrom();
    for (const [raw] of this.growing) if (plan.enforced[raw.detector] === 1) from = Math.min(from, raw.start);
    if (from === Number.POSITIVE_INFINITY) return from;
    const first = this.undone[this.firstBehind(from)];
    if (!first?.of.isToken || from >= first.start) return this.map.start(from);
    // What begins before a token begins in it, unless words that were undone lead to it.
    return this.tellingIn(from - MAX_KEYWORD_LENGTH, from) >= 0 ? this.map.start(from) : first.of.from;
  }

  /** Where of what begins at an offset something is replaced: nothing before what was undone. */
  tellingFrom(offset: number): number {
    return Math.max(offset, this.undone[this.firstBehind(offset)]?.start ?? offset);
  }

  /** Where in the text an offset of the window stands. */
  placeOf(offset: number): number {
    return this.map.start(offset);
  }

  /** Where in a span of the window the first begins that tells something once undone; -1 for none. */
  tellingIn(start: number, end: number): number {
    const { undone } = this;
    for (let at = this.firstBehind(start); at < undone.length; at++) {
      const each = undone[at];
      if (!each || each.start >= end) return -1;
      if (each.of.telling) return each.start;
    }
    return -1;
  }

  /** From where on, in the text, it must be known where that comes from; `nested`: the same, in the window. */
  placesNeededFrom(nested: number): number {
    let from = this.map.start(Math.min(this.view.base, nested));
    for (const begun of this.growing.values()) from = Math.min(from, begun.from, begun.start);
    return from;
  }

  /** Cuts off what no decision needs any more. The reader of the window needs it from `needed` on, its places from `places` on. */
  trim(needed: number, places: number): void {
    const { view, undone, matching } = this;
    if (view.text.length - matching.behind < SLACK) return;
    const cut = Math.min(this.matcher.neededFrom() - matching.behind, needed) - view.base;
    if (cut < SLACK) return;
    view.text = view.text.slice(cut);
    view.base += cut;
    const placed = Math.min(view.base, places);
    this.map.dropBefore(placed);
    const kept = undone.findIndex(({ end }) => end >= placed);
    undone.splice(0, kept < 0 ? undone.length : kept);
  }

  private get end(): number {
    return this.view.base + this.view.text.length;
  }

  private matched(raw: Raw): void {
    this.growing.set(raw, { from: this.map.start(raw.from), start: this.map.start(raw.start) });
    this.look(raw);
  }

  /** Index of the first that was undone and ends behind an offset. */
  private firstBehind(offset: number): number {
    const { undone } = this;
    let low = 0;
    let high = undone.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((undone[middle]?.end ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Where in the original text what a label replaces of a match begins. */
  private placeFor(match: Span, begun: Begun): number {
    const { within, map, original } = this;
    const token = this.tokenFrom(match);
    if (token !== undefined) return original.start(token);
    if (!within) return original.start(begun.start);
    const outer = { ...begun, end: map.end(match.end - 1) };
    return within.placeFor(outer, { from: within.map.start(outer.from), start: within.map.start(outer.start) });
  }

  /** Where of a match that begins before a token, and not by words that were undone, the part in the token begins. */
  private tokenFrom({ from, start, end }: Span): number | undefined {
    const first = this.undone[this.firstBehind(start)];
    if (!first?.of.isToken || start >= first.start || end <= first.start) return undefined;
    return this.tellingIn(from, start) >= 0 ? undefined : first.of.from;
  }

  /** Tells of a match as soon as it touches something undone that tells. */
  private look(raw: Raw): void {
    const begun = this.growing.get(raw) ?? { from: 0, start: 0 };
    const touches = this.tellingIn(raw.from, raw.end) >= 0;
    if (touches || !raw.open) this.growing.delete(raw);
    if (!touches) return;
    const from = this.placeFor(raw, begun);
    this.matching.found({ start: () => from, end: this.places.end }, raw);
  }
}
