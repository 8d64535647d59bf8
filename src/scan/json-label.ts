import {
  BACKSLASH,
  beginsNumber,
  isOfNumber,
  isSpace,
  isStructure,
  type JsonPlace,
  leadsToValue,
  literalAt,
  opens,
  QUOTE,
} from "./json-place";

/** Units of an escape sequence by number (`\u0000`) behind its backslash. */
const NUMBERED_ESCAPE = 5;

/**
 * Writes labels in place of covered text. In a JSON text (see `JsonPlaces`) what is left stays JSON: a number or
 * literal that is covered in part becomes a quoted label as a whole, no escape sequence is left in part, and
 * the structure that a covered stretch has in it stays, with a label for each value beside it.
 */
export class LabelWriter {
  private place: JsonPlace = "plain";
  private label = "";
  /** Whether a label stands for the covered stretch already. */
  private isPlaced = false;
  /** What is left of an escape sequence or literal that is not to be given out. */
  private rest = 0;
  /** A backslash was left out: what it escapes is too. */
  private isInEscape = false;
  private isInNumber = false;

  /** Nothing of the text that follows is to be left out. */
  get isIdle(): boolean {
    return this.rest === 0 && !this.isInNumber && !this.isInEscape;
  }

  /** A covered stretch begins, or another label takes over in it. What to write at once. */
  begin(label: string, place: JsonPlace): string {
    this.place = place;
    this.label = label;
    this.isPlaced = place === "plain" || place === "string";
    return this.isPlaced ? label : "";
  }

  /** What stands in place of covered text. */
  cover(raw: string, from: number, to: number): string {
    let text = "";
    for (let at = from; at < to && this.place !== "plain"; at += 1) {
      at = this.leaveOut(raw, at, to);
      if (at < to) text += this.place === "string" ? this.inString(raw.charCodeAt(at)) : this.outside(raw, at);
    }
    return text;
  }

  /** What stands in place of text that is not covered: all of it, but for the end of what was replaced as a whole. */
  keep(raw: string, from: number, to: number): string {
    return raw.slice(this.leaveOut(raw, from, to), to);
  }

  /** Where what belongs to something replaced as a whole ends. */
  private leaveOut(raw: string, from: number, to: number): number {
    let at = from;
    if (this.isInEscape && at < to) {
      this.rest = raw.charAt(at) === "u" ? NUMBERED_ESCAPE : 1;
      this.isInEscape = false;
    }
    const left = Math.min(this.rest, to - at);
    this.rest -= left;
    at += left;
    while (this.isInNumber && at < to) {
      this.isInNumber = isOfNumber(raw.charCodeAt(at));
      if (this.isInNumber) at += 1;
    }
    return at;
  }

  private inString(unit: number): string {
    if (unit === QUOTE) {
      this.place = "structure";
      return '"';
    }
    if (unit === BACKSLASH) this.isInEscape = true;
    // No JSON allows it there.
    else if (unit < 0x20) this.place = "plain";
    return "";
  }

  private outside(raw: string, at: number): string {
    const unit = raw.charCodeAt(at);
    if (this.place === "root") {
      if (!opens(unit)) return this.asPlain();
      this.place = "value";
      return raw.charAt(at);
    }
    if (isSpace(unit)) return "";
    if (isStructure(unit)) {
      this.place = leadsToValue(unit) ? "value" : "structure";
      return raw.charAt(at);
    }
    if (unit === QUOTE) {
      this.place = "string";
      this.isPlaced = true;
      return `"${this.label}`;
    }
    return this.place === "value" ? this.asValue(raw, at) : this.asPlain();
  }

  private asValue(raw: string, at: number): string {
    const literal = literalAt(raw, at);
    if (beginsNumber(raw.charCodeAt(at))) this.isInNumber = true;
    else if (literal) this.rest = literal.length - 1;
    else return this.asPlain();
    this.place = "structure";
    this.isPlaced = true;
    return `"${this.label}"`;
  }

  /** It is no JSON after all. */
  private asPlain(): string {
    this.place = "plain";
    const text = this.isPlaced ? "" : this.label;
    this.isPlaced = true;
    return text;
  }
}
