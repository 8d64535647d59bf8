import { type CharSet, charSet } from "#scan/char-set";

/** What a pattern is made of, as far as what it matches can be told from it. Letters stand for both cases. */
export type Part =
  /** A text, in lower case. */
  | { readonly kind: "text"; readonly text: string }
  /** One unit. Those beyond ASCII may be any of it. `members`: what it can be in lower case, where that is a few. */
  | { readonly kind: "unit"; readonly set: CharSet; readonly members: readonly string[] | null }
  | { readonly kind: "sequence"; readonly parts: readonly Part[] }
  | { readonly kind: "choice"; readonly parts: readonly Part[] }
  | { readonly kind: "repeated"; readonly part: Part; readonly least: number; readonly most: number };

const NOTHING: Part = { kind: "sequence", parts: [] };
const ASCII = 128;
/** More members than this say too little. */
const MAX_MEMBERS = 4;
const EVERY = new Uint8Array(ASCII).fill(1);
const ANY: Part = { kind: "unit", set: EVERY, members: null };
const CLASSES: ReadonlyMap<string, CharSet> = new Map(
  Object.entries({ w: charSet("A-Za-z0-9_"), d: charSet("0-9"), s: charSet(" \t\r\n\v\f") }).flatMap(([name, set]) => [
    [name, set] as const,
    [name.toUpperCase(), set.map((on) => 1 - on)] as const,
  ]),
);
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", v: "\v", f: "\f" };
/** Without a last unit that is counted. */
const TEXT = /[^\\^$.*+?()[\]{}|]+(?![*+?{])/y;
const GROUP = /\(\?(?::|(<?[!=]))/y;
const COUNT = /(?:\{(\d+)(,?)(\d*)\}|[?*+])\??/y;
const ESCAPE = /\\(.)/sy;

/** Reads a pattern of the forms that rules are written in. Throws an Error for any other. */
export function parsedPattern(source: string): Part {
  const reader = new Reader(source);
  const whole = reader.choice();
  if (!reader.isAtEnd) throw new Error("unexpected end of a group");
  return whole;
}

class Reader {
  private at = 0;

  constructor(private readonly source: string) {}

  get isAtEnd(): boolean {
    return this.at === this.source.length;
  }

  choice(): Part {
    const parts = [this.sequence()];
    while (this.takes("|")) parts.push(this.sequence());
    return parts.length === 1 ? (parts[0] ?? NOTHING) : { kind: "choice", parts };
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (!this.isAtEnd && !this.sees("|") && !this.sees(")")) {
      const [text] = this.match(TEXT) ?? [];
      parts.push(text === undefined ? this.counted(this.one()) : { kind: "text", text: text.toLowerCase() });
    }
    return parts.length === 1 ? (parts[0] ?? NOTHING) : { kind: "sequence", parts };
  }

  private one(): Part {
    const group = this.match(GROUP);
    if (group) {
      const inner = this.choice();
      if (!this.takes(")")) throw new Error("a group without its end");
      // What is looked ahead or back for takes no room.
      return group[1] === undefined ? inner : NOTHING;
    }
    if (this.takes("[")) return this.charClass();
    const [escaped] = this.match(ESCAPE) ?? [];
    if (escaped !== undefined) return escapedPart(escaped);
    const unit = this.source.charAt(this.at++);
    if (unit === ".") return ANY;
    if (unit === "^" || unit === "$") return NOTHING;
    if ("(*+?{".includes(unit)) throw new Error(`unexpected ${unit}`);
    return { kind: "text", text: unit.toLowerCase() };
  }

  private charClass(): Part {
    const isNegated = this.takes("^");
    const set = new Uint8Array(ASCII);
    let isBeyond = isNegated;
    while (!this.takes("]")) {
      if (this.isAtEnd) throw new Error("a class without its end");
      isBeyond = this.classMember(set) || isBeyond;
    }
    inBothCases(set);
    const units = isNegated ? set.map((on) => 1 - on) : set;
    return { kind: "unit", set: units, members: isBeyond ? null : membersOf(units) };
  }

  /** Adds a unit, a range or an escape to a set. Gives whether units beyond ASCII are in it. */
  private classMember(set: Uint8Array): boolean {
    const low = this.member();
    const isRange = low.length === 1 && this.sees("-") && this.source[this.at + 1] !== "]";
    if (isRange) this.at++;
    const high = isRange ? this.member() : low;
    if (high.length === 1) {
      set.fill(1, low.charCodeAt(0), high.charCodeAt(0) + 1);
      return high.charCodeAt(0) >= ASCII;
    }
    for (const [code, on] of (CLASSES.get(high.charAt(1)) ?? EVERY).entries()) if (on === 1) set[code] = 1;
    return "sWDS".includes(high.charAt(1));
  }

  /** One unit, or an escape that stands for several. */
  private member(): string {
    const [escaped] = this.match(ESCAPE) ?? [];
    if (escaped === undefined) return this.source.charAt(this.at++);
    const name = escaped.charAt(1);
    return CLASSES.has(name) ? escaped : literalOf(name);
  }

  private counted(part: Part): Part {
    const count = this.match(COUNT);
    if (!count) return part;
    const [sign, low, comma, high] = count;
    if (low === undefined) {
      const isOnce = sign.startsWith("?");
      return {
        kind: "repeated",
        part,
        least: sign.startsWith("+") ? 1 : 0,
        most: isOnce ? 1 : Number.POSITIVE_INFINITY,
      };
    }
    const most = comma === "" ? Number(low) : high ? Number(high) : Number.POSITIVE_INFINITY;
    return { kind: "repeated", part, least: Number(low), most };
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private sees(sign: string): boolean {
    return this.source[this.at] === sign;
  }

  private takes(sign: string): boolean {
    const isThere = this.sees(sign);
    if (isThere) this.at++;
    return isThere;
  }
}

/** What a backslash and a letter stand for. */
function escapedPart(escaped: string): Part {
  if (escaped === "\\b") return NOTHING;
  const name = escaped.charAt(1);
  const set = CLASSES.get(name);
  return set ? { kind: "unit", set, members: null } : { kind: "text", text: literalOf(name) };
}

function literalOf(name: string): string {
  const control = CONTROLS[name];
  if (control !== undefined) return control;
  if (/\w/.test(name)) throw new Error(`unknown escape ${name}`);
  return name;
}

function inBothCases(set: Uint8Array): void {
  for (let code = 0x41; code <= 0x5a; code++) {
    if (set[code] === 1 || set[code + 32] === 1) {
      set[code] = 1;
      set[code + 32] = 1;
    }
  }
}

/** What a set of units can be in lower case, if that is a few. */
function membersOf(set: CharSet): readonly string[] | null {
  const members: string[] = [];
  for (let code = 0; code < ASCII; code++) {
    if (set[code] !== 1 || (code > 0x40 && code < 0x5b)) continue;
    if (members.push(String.fromCharCode(code)) > MAX_MEMBERS) return null;
  }
  return members;
}
