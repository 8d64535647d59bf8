import type { Action } from "./detector";
import { isEnforced, LABEL_KEY } from "./policy";

/** What stands in for redacted values: the same value gets the same label within one call. */
export class Labels {
  private readonly numbers = new Map<string, number>();
  private readonly counts = new Map<string, number>();

  /** `[pii.email:1]`; numbered by type in the order of first appearance. */
  label(type: string, value: string): string {
    const key = `${type}\0${value}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = (this.counts.get(type) ?? 0) + 1;
      this.counts.set(type, number);
      this.numbers.set(key, number);
    }
    return `[${type}:${number}]`;
  }
}

/** A span to be replaced. `open`: it goes on at least to where the text is known. */
export type Span = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly action: Action;
  readonly open?: boolean;
};

/**
 * The order in which overlapping spans are looked at: earliest first; of those the strictest, then
 * the longest (as far as label numbers look), then by name.
 */
export function bySpan(one: Span, other: Span): number {
  return (
    one.start - other.start ||
    Number(other.action === "block") - Number(one.action === "block") ||
    keyLength(other) - keyLength(one) ||
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

  constructor(private readonly labels: Labels) {}

  /**
   * The redacted text of [position, upTo). `raw` is the original text from `base` on; `spans` are
   * those that begin in that range, in `bySpan` order.
   */
  step(raw: string, base: number, spans: readonly Span[], upTo: number): { text: string; changed: boolean } {
    if (spans.length === 0 && this.covering.length === 0 && this.coveredTo <= this.position) {
      const plain = raw.slice(this.position - base, upTo - base);
      this.position = upTo;
      return { text: plain, changed: false };
    }
    let text = "";
    let changed = false;
    const release = (to: number): void => {
      const from = Math.max(this.position, Math.min(this.covered(), to));
      if (from > this.position) changed = true;
      text += raw.slice(from - base, to - base);
      this.position = to;
    };
    for (const span of spans) {
      release(span.start);
      const fresh = span.start >= this.covered();
      if (fresh || (span.action === "block" && this.action !== "block")) {
        text += this.labels.label(span.type, raw.slice(span.start - base, span.start - base + keyLength(span)));
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
  const spans = findings.filter((finding) => isEnforced(finding.action)).sort(bySpan);
  return new Redaction(labels).step(text, 0, spans, text.length).text;
}

/** Spans that are put in place between two looks at the time. */
const STRIDE = 256;

/** The same in slices, for texts with many findings. `pause`: null to go on, or what to wait for before going on. */
export async function redactInSlices(
  text: string,
  findings: readonly Span[],
  labels: Labels,
  pause: () => Promise<void> | null,
): Promise<string> {
  const spans = inSpanOrder(findings.filter((finding) => isEnforced(finding.action)));
  const redaction = new Redaction(labels);
  const parts: string[] = [];
  for (let at = 0; at < spans.length; ) {
    const part = spans.slice(at, at + STRIDE);
    at += part.length;
    // A step takes all spans that begin before its end.
    for (let next = spans[at]; next !== undefined && next.start === part.at(-1)?.start; next = spans[at]) {
      part.push(next);
      at += 1;
    }
    parts.push(redaction.step(text, 0, part, spans[at]?.start ?? text.length).text);
    const wait = pause();
    if (wait) await wait;
  }
  if (spans.length === 0) parts.push(text);
  return parts.join("");
}

/** Sorted by `bySpan`. Findings come in the order of their starts, so that only those of one start are to be sorted. */
function inSpanOrder(spans: readonly Span[]): Span[] {
  const ordered: Span[] = [];
  for (let from = 0; from < spans.length; ) {
    let to = from + 1;
    while (spans[to]?.start === spans[from]?.start && to < spans.length) to += 1;
    ordered.push(...(to - from === 1 ? spans.slice(from, to) : spans.slice(from, to).sort(bySpan)));
    from = to;
  }
  return ordered.every((span, at) => at === 0 || (ordered[at - 1]?.start ?? 0) <= span.start)
    ? ordered
    : ordered.sort(bySpan);
}

/** How much of a span its label number depends on. */
export function keyLength(span: Span): number {
  return Math.min(span.end - span.start, LABEL_KEY);
}
