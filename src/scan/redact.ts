import type { Action } from "./detector";
import { LabelWriter } from "./json-label";
import { type JsonPlace, JsonPlaces } from "./json-place";
import type { Labels } from "./label";
import { isEnforced, LABEL_KEY } from "./policy";

/** A span to be replaced. `open`: it goes on at least to where the text is known. */
export type Span = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly action: Action;
  readonly open?: boolean;
};

/** A span and where its label goes. */
export type PlacedLabel = {
  readonly span: Span;
  /** Where the replaced text begins: the span's start, or that of a number, literal or escape it begins in. */
  from: number;
  place: JsonPlace;
};

export const placed = (span: Span): PlacedLabel => ({ span, from: span.start, place: "plain" });

/** Looks where in a JSON text the spans stand; they come in the order of their starts, none before an earlier one. */
export function findPlaces(places: JsonPlaces, raw: string, base: number, spans: readonly PlacedLabel[]): void {
  for (const each of spans) {
    if (places.isOff) return;
    places.advanceTo(raw, base, each.span.start);
    each.from = places.from;
    each.place = places.place;
  }
}

/**
 * The order in which overlapping spans are looked at: earliest first; of those the strictest, then
 * the longest (as far as labels look), then by name.
 */
export function bySpan({ from, span: one }: PlacedLabel, { from: otherFrom, span: other }: PlacedLabel): number {
  return (
    from - otherFrom ||
    Number(other.action === "block") - Number(one.action === "block") ||
    keyLength(other) - keyLength(one) ||
    one.start - other.start ||
    (one.type < other.type ? -1 : Number(one.type > other.type))
  );
}

/**
 * Puts labels in place of spans, left to right, in as many steps as wanted. Overlapping spans
 * become one, under the label of the first in `bySpan` order; a block that begins inside a redacted
 * span takes over from there under its own label, so that what went out before it stays right.
 */
export class Redaction {
  /** Up to where the text has been given out. */
  position = 0;
  private coveredTo = 0;
  private covering: Span[] = [];
  private action: Action = "allow";
  private readonly writer = new LabelWriter();

  constructor(private readonly labels: Labels) {}

  /** No label that was begun goes on. */
  get isIdle(): boolean {
    return this.covering.length === 0 && this.coveredTo <= this.position && this.writer.isIdle;
  }

  /**
   * The redacted text of [position, upTo). `raw` is the original text from `base` on; `spans` are
   * those that begin in that range, in `bySpan` order.
   */
  step(raw: string, base: number, spans: readonly PlacedLabel[], upTo: number): { text: string; changed: boolean } {
    const { writer } = this;
    if (spans.length === 0 && this.isIdle) {
      const plain = raw.slice(this.position - base, upTo - base);
      this.position = upTo;
      return { text: plain, changed: false };
    }
    let text = "";
    let changed = false;
    const release = (to: number): void => {
      if (to <= this.position) return;
      const from = Math.max(this.position, Math.min(this.covered(), to));
      if (from > this.position) {
        text += writer.cover(raw, this.position - base, from - base);
        changed = true;
      }
      const kept = writer.keep(raw, from - base, to - base);
      if (kept.length < to - from) changed = true;
      text += kept;
      this.position = to;
    };
    for (const { span, from, place } of spans) {
      release(from);
      const fresh = from >= this.covered();
      if (fresh || (span.action === "block" && this.action !== "block")) {
        const label = this.labels(span.type, raw.slice(span.start - base, span.start - base + keyLength(span)));
        text += writer.begin(label, place);
        changed = true;
        this.action = span.action;
      }
      this.covering.push(span);
    }
    release(upTo);
    return { text, changed };
  }

  private covered(): number {
    if (this.covering.some((span) => span.open)) return Number.POSITIVE_INFINITY;
    for (const span of this.covering) this.coveredTo = Math.max(this.coveredTo, span.end);
    this.covering = [];
    return this.coveredTo;
  }
}

/** The text with a label in place of every span that is to be redacted or blocked. */
export function redactText(text: string, findings: readonly Span[], labels: Labels): string {
  const spans = enforced(findings);
  if (spans.length === 0) return text;
  findPlaces(new JsonPlaces(), text, 0, spans);
  return new Redaction(labels).step(text, 0, spans.sort(bySpan), text.length).text;
}

/** Spans that are put in place between two looks at the time. */
const STRIDE = 256;
/** UTF-16 units of JSON that are followed between two looks at the time. */
const UNITS_AT_ONCE = 65_536;

type Wait = () => Promise<void> | null;

/** The same in slices, for texts with many findings. `pause`: null to go on, or what to wait for before going on. */
export async function redactInSlices(
  text: string,
  findings: Iterable<Span>,
  labels: Labels,
  pause: Wait,
): Promise<string> {
  const spans = await enforcedInSlices(findings, pause);
  if (spans.length === 0) return text;
  await findPlacesInSlices(text, spans, pause);
  const ordered = await inSpanOrder(spans, pause);
  const redaction = new Redaction(labels);
  const parts: string[] = [];
  for (let at = 0; at < ordered.length; ) {
    const part = ordered.slice(at, at + STRIDE);
    at += part.length;
    // A step takes all spans that begin before its end.
    for (let next = ordered[at]; next !== undefined && next.from === part.at(-1)?.from; next = ordered[at]) {
      part.push(next);
      at += 1;
    }
    parts.push(redaction.step(text, 0, part, ordered[at]?.from ?? text.length).text);
    const wait = pause();
    if (wait) await wait;
  }
  return parts.join("");
}

async function findPlacesInSlices(text: string, spans: readonly PlacedLabel[], pause: Wait): Promise<void> {
  const places = new JsonPlaces();
  let at = 0;
  for (let to = UNITS_AT_ONCE; at < spans.length && !places.isOff; to += UNITS_AT_ONCE) {
    const from = at;
    while ((spans[at]?.span.start ?? to) < to) at += 1;
    findPlaces(places, text, 0, spans.slice(from, at));
    places.advance(text, 0, Math.min(to, text.length));
    const wait = pause();
    if (wait) await wait;
  }
}

/** What is to be redacted or blocked, in the order of the starts. Findings nearly always come in it. */
function enforced(findings: readonly Span[]): PlacedLabel[] {
  const spans = findings.filter((finding) => isEnforced(finding.action)).map(placed);
  const isOrdered = spans.every(({ from }, at) => at === 0 || (spans[at - 1]?.from ?? 0) <= from);
  return isOrdered ? spans : spans.sort(bySpan);
}

async function enforcedInSlices(findings: Iterable<Span>, pause: Wait): Promise<PlacedLabel[]> {
  const spans: PlacedLabel[] = [];
  let isOrdered = true;
  let seen = 0;
  for (const finding of findings) {
    if (isEnforced(finding.action)) {
      isOrdered &&= (spans.at(-1)?.from ?? 0) <= finding.start;
      spans.push(placed(finding));
    }
    seen += 1;
    const wait = seen % STRIDE === 0 ? pause() : null;
    if (wait) await wait;
  }
  return isOrdered ? spans : spans.sort(bySpan);
}

/** Sorted by `bySpan`: they come in the order of their starts, so that only those of one place are to be sorted. */
async function inSpanOrder(spans: readonly PlacedLabel[], pause: Wait): Promise<PlacedLabel[]> {
  const ordered: PlacedLabel[] = [];
  for (let from = 0, paused = 0; from < spans.length; ) {
    let to = from + 1;
    while (spans[to]?.from === spans[from]?.from && to < spans.length) to += 1;
    ordered.push(...(to - from === 1 ? spans.slice(from, to) : spans.slice(from, to).sort(bySpan)));
    from = to;
    const wait = from - paused >= STRIDE ? pause() : null;
    if (from - paused >= STRIDE) paused = from;
    if (wait) await wait;
  }
  return ordered;
}

/** How much of a span its label depends on. */
export function keyLength(span: Span): number {
  return Math.min(span.end - span.start, LABEL_KEY);
}
