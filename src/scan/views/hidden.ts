import { decodeTags, type HiddenRun, HiddenText } from "#scan/fold/hidden-text";
import { fold } from "#scan/fold/normalize";
import { LONGEST } from "./most-held";
import { CONTEXT, type RewriteWindow } from "./rewrite";
import type { TextRun } from "./survey";
import { reversed } from "./words";

/** Right-to-left override, and what ends it: pop directional formatting, or the line. UAX #9. */
const OVERRIDE = "\u202e";
const OVERRIDDEN = /\u202e([^\u202c\u202e\n]{4,512})\u202c?/y;
/** What ends what an override shows. */
const OVERRIDE_END = /[\u202c\u202e\n]/;
const MOST_OVERRIDDEN = 512;
/** What a window costs beside its text, in units of it. */
const COST = 128;
/** Units of an answer in which something is hidden, and of what stands about it, that are looked at. */
const MOST_HIDDEN = 65_536;
const BYTES = new TextDecoder();

/** What invisible characters say, and what a right-to-left override shows, each with the text about it; `most` units. */
export function hiddenWindows(original: string, most: number): RewriteWindow[] {
  const found: RewriteWindow[] = [];
  let left = most;
  const take = (run: TextRun, meant: string): void => {
    if (meant.length === 0 || left <= 0) return;
    const window = inPlace(original, run, meant.slice(0, left));
    // What stands about a run counts too: else many short ones would cost the text many times over.
    left -= window.text.length + COST;
    found.push(window);
  };
  for (const run of hiddenRuns(original)) take(run, decoded(original.slice(run.start, run.end)));
  for (let at = original.indexOf(OVERRIDE); at >= 0; at = original.indexOf(OVERRIDE, at + 1)) {
    OVERRIDDEN.lastIndex = at;
    const match = OVERRIDDEN.exec(original);
    if (match) take({ start: at, end: at + match[0].length }, reversed(match[1] ?? ""));
  }
  return found;
}

/** Something hidden, and what it says. */
type Hidden = TextRun & { readonly meant: string };

/** Finds what is hidden in an answer, whole or as it grows, in offsets of the original text. Each is told of with the text about it. */
export class HiddenViews {
  private text = "";
  private base = 0;
  private left = MOST_HIDDEN;
  private runs: HiddenRun[] = [];
  private overrides: number[] = [];
  /** Known, but the text behind it is not. */
  private found: Hidden[] = [];
  private readonly hidden = new HiddenText((run) => this.runs.push(run));

  constructor(private readonly tell: (window: RewriteWindow) => void) {}

  get isIdle(): boolean {
    return this.hidden.isIdle && this.runs.length + this.overrides.length + this.found.length === 0;
  }

  /** What puts it back to where it is now; it must be idle. */
  mark(): () => void {
    const { text, base, left } = this;
    const undo = this.hidden.mark();
    return () => {
      Object.assign(this, { text, base, left, runs: [], overrides: [], found: [] });
      undo();
    };
  }

  /** Where something hidden may begin that has not been told of. */
  heldFrom(): number {
    const { runs, overrides, found, hidden } = this;
    if (this.left <= 0) return Number.POSITIVE_INFINITY;
    const begun = hidden.isIdle ? Number.POSITIVE_INFINITY : hidden.decidedTo();
    let from = Math.min(begun, runs[0]?.start ?? begun, overrides[0] ?? begun);
    for (const { start } of found) from = Math.min(from, start);
    return from;
  }

  /** A piece must not end between two surrogates. `isUnfolded`: the fold leaves it as it is, so that it hides nothing. */
  push(piece: string, isUnfolded: boolean, isLast: boolean): void {
    const from = this.base + this.text.length;
    this.text += piece;
    this.hidden.push(piece, isUnfolded);
    if (isLast) this.hidden.end();
    if (!isUnfolded) this.findOverrides(piece, from);
    if (!this.isIdle) this.settle(isLast);
    else if (this.text.length > 4 * CONTEXT) this.drop(CONTEXT);
  }

  private findOverrides(piece: string, from: number): void {
    for (let at = piece.indexOf(OVERRIDE); at >= 0; at = piece.indexOf(OVERRIDE, at + 1))
      this.overrides.push(from + at);
  }

  private settle(isLast: boolean): void {
    const { runs } = this;
    for (const run of runs) this.take(run);
    this.runs = runs.filter(({ open }) => open);
    while (this.overrides.length > 0 && this.override(isLast)) this.overrides.shift();
    const end = this.base + this.text.length;
    const isReady = (one: Hidden): boolean => isLast || one.end + CONTEXT <= end;
    for (const each of this.found.filter(isReady)) this.show(each);
    this.found = this.found.filter((each) => !isReady(each));
    const needed = Math.min(this.heldFrom(), end) - CONTEXT;
    if (end - needed > 4 * CONTEXT || needed - this.base > 4 * CONTEXT) this.drop(end - needed);
  }

  /** Takes in what a run says; of one that goes on as much as is looked at together. */
  private take(run: HiddenRun): void {
    while (!run.open || run.end - run.start > LONGEST) {
      const end = Math.min(run.end, run.start + LONGEST);
      const meant = decoded(this.slice(run.start, end));
      if (meant !== "") this.found.push({ start: run.start, end, meant });
      if (end === run.end) return;
      Object.assign(run, { start: end });
    }
  }

  /** False while what the first override shows may go on. */
  private override(isLast: boolean): boolean {
    const start = this.overrides[0] ?? 0;
    const shown = this.slice(start + 1, start + 1 + MOST_OVERRIDDEN);
    if (!isLast && shown.length < MOST_OVERRIDDEN && !OVERRIDE_END.test(shown)) return false;
    OVERRIDDEN.lastIndex = start - this.base;
    const match = OVERRIDDEN.exec(this.text);
    if (match) this.found.push({ start, end: start + match[0].length, meant: reversed(match[1] ?? "") });
    return true;
  }

  private show({ start, end, meant }: Hidden): void {
    if (this.left <= 0) return;
    const window = inPlace(this.text, { start: start - this.base, end: end - this.base }, meant);
    this.left -= window.text.length + COST;
    this.tell({ ...window, places: { start: () => start, end: () => end } });
  }

  private slice(from: number, to: number): string {
    return this.text.slice(from - this.base, to - this.base);
  }

  /** Keeps the last units only. */
  private drop(kept: number): void {
    const cut = this.text.length - kept;
    if (cut <= 0) return;
    this.text = this.text.slice(cut);
    this.base += cut;
  }
}

function hiddenRuns(original: string): TextRun[] {
  const runs: TextRun[] = [];
  const hidden = new HiddenText((run) => runs.push(run));
  hidden.push(original);
  hidden.end();
  return runs;
}

/** Tag characters are ASCII moved up; a variation selector is a byte: 0 to 15, and 16 to 255. */
function decoded(run: string): string {
  const tags = decodeTags(run);
  if (tags !== "") return tags;
  const bytes = Array.from(run, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x10000 ? code - 0xfe00 : code - 0xe0100 + 16;
  });
  return BYTES.decode(Uint8Array.from(bytes));
}

/** The emoji that selectors hang on is no part of what they say. */
const CARRIER = /\p{Extended_Pictographic}$/u;

/** Whatever is found belongs to the whole run. */
function inPlace(original: string, { start, end }: TextRun, meant: string): RewriteWindow {
  const before = fold(original.slice(Math.max(0, start - CONTEXT), start)).text.replace(CARRIER, "");
  const shown = fold(meant).text;
  return {
    text: before + shown + fold(original.slice(end, end + CONTEXT)).text,
    places: { start: () => start, end: () => end },
    core: { start: before.length, end: before.length + shown.length },
    // What only words that are hidden lead to stands elsewhere.
    touches: ({ start: from, end: to }) => from < before.length + shown.length && to > before.length,
  };
}
