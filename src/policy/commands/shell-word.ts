import { UNKNOWN } from "#core/wildcards";

/*
 * Words of a shell's command line, as bash and POSIX shells read them: quotes and escapes are taken off, and what is
 * known only when the line runs is unknown. Commands inside words (`$(…)`, backticks) are commands of the line too.
 */

/**
 * Unknown, and may also become several words, or none; before a bracket it is for what is between that and the next. A
 * noncharacter, as `UNKNOWN` is.
 */
export const WORDS = "\uFFFF";

/** The line cannot be read, or is too long or too deep to be. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

export type Word = {
  readonly text: string;
  /** Characters at its beginning that stand in the line as they are, without quotes or expansions. */
  readonly bare: number;
};

/** A place in a text. */
export type Cursor = { readonly text: string; at: number };

/** What reads commands inside words. */
type Inner = {
  /** From the cursor to behind the closing bracket. */
  readonly substitution: () => void;
  /** A text of its own. */
  readonly commands: (text: string) => void;
  /** Throws `Unreadable` where too much stands in one another. */
  readonly deeper: (read: () => void) => void;
  /** Told of expressions, whose variables and quoted texts a shell may expand once more. */
  readonly evaluated: () => void;
  /** Told of texts that are kept, or stand in expressions, as they are after their quotes are taken off. */
  readonly kept: (text: string) => void;
  readonly isHomeKnown: boolean;
};

const ENDS = new Set(["", " ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);
const NAME = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
/** A set of characters, in which nothing else stands that has a meaning. */
const BRACKETS = /\[[^\s\]$`'"\\(){}<>;&|]{1,64}\]/y;
const BRACES = /\{[^\s;]{0,100}/y;
const HOME = "HOME";
/** `NAME` right before a bracket. */
const ELEMENT = /[A-Za-z_]\w*(?=\[)/y;
/** `${…}` that takes its name or a number from an expression: `${!x}`, `${x[…]}`, `${x:…}`. */
const EVALUATED = /^(?:!|#?\w+\[|(?:\w+|[@*])(?:\[[^\]]*\])?:(?![-=+?]))/;

export class WordReader {
  constructor(
    private readonly cursor: Cursor,
    private readonly inner: Inner,
  ) {}

  /** From the cursor to its end. */
  word(): Word {
    const { cursor } = this;
    let text = "";
    let bare: number | null = null;
    for (;;) {
      const char = this.peek();
      if (ENDS.has(char)) break;
      if (!"\\'\"$`*?[{".includes(char)) {
        text += char;
        cursor.at += 1;
        continue;
      }
      const before = cursor.at;
      const more = this.special(char, text === "");
      // A character that has no meaning where it stands is itself.
      if (more !== char || cursor.at > before + 1) bare ??= text.length;
      text += more;
    }
    return { text, bare: bare ?? text.length };
  }

  /** `NAME[…]=` from the cursor on, where an assignment may stand; null for anything else, of which nothing is read. */
  element(): Word | null {
    const { cursor } = this;
    ELEMENT.lastIndex = cursor.at;
    const name = ELEMENT.exec(cursor.text)?.[0];
    if (name === undefined) return null;
    const begin = cursor.at;
    cursor.at += name.length + 1;
    this.bracketed();
    const sign = /^\+?=/.exec(cursor.text.slice(cursor.at, cursor.at + 2))?.[0];
    if (sign === undefined) {
      // In other shells than bash it may end at a blank.
      if (/[\s'"\\$`]/.test(cursor.text.slice(begin, cursor.at))) throw new Unreadable();
      cursor.at = begin;
      return null;
    }
    this.inner.evaluated();
    cursor.at += sign.length;
    const front = `${name}[${UNKNOWN}]${sign}`;
    const { text, bare } = this.word();
    return { text: front + text, bare: front.length + bare };
  }

  /** A here-document whose expansions are carried out. */
  document(): string {
    let text = "";
    for (let char = this.peek(); char !== ""; char = this.peek()) text += this.inQuotes(char);
    return text;
  }

  /** `((…))` from the cursor on, which stands behind both brackets, where there is one; else nothing is read. */
  arithmetic(): boolean {
    const end = this.endOfArithmetic();
    if (end === null) return false;
    const { cursor } = this;
    this.inner.evaluated();
    while (cursor.at < end) this.expansionOr(this.peek());
    cursor.at = end + 2;
    return true;
  }

  private peek(ahead = 0): string {
    return this.cursor.text.charAt(this.cursor.at + ahead);
  }

  private special(char: string, isFirst: boolean): string {
    const { cursor } = this;
    switch (char) {
      case "\\":
        cursor.at += 2;
        return this.peek(-1) === "\n" ? "" : this.peek(-1);
      case "'":
        return this.literal();
      case '"':
        return this.quoted(isFirst);
      case "$":
        return this.dollar(false, isFirst);
      case "`":
        return this.backticks(WORDS);
      case "[":
        return this.skipping(BRACKETS) ? WORDS : this.itself();
      case "{":
        return this.isBraceExpansion() ? this.as(`${WORDS}{`) : this.itself();
      default:
        return this.as(WORDS);
    }
  }

  private itself(): string {
    return this.as(this.peek());
  }

  private as(text: string): string {
    this.cursor.at += 1;
    return text;
  }

  private skipping(pattern: RegExp): boolean {
    const { cursor } = this;
    pattern.lastIndex = cursor.at;
    if (!pattern.test(cursor.text)) return false;
    cursor.at = pattern.lastIndex;
    return true;
  }

  /** `{a,b}` and `{1..3}`; what stands behind the first bracket is then read as it is. */
  private isBraceExpansion(): boolean {
    const { cursor } = this;
    BRACES.lastIndex = cursor.at;
    const ahead = BRACES.exec(cursor.text)?.[0] ?? "";
    // What is quoted may have anything in it.
    if (ahead.includes("}") && !/['"\\$`]/.test(ahead)) return /,|\.\./.test(ahead);
    return ahead.length > 100 || /['"\\$`]/.test(ahead);
  }

  private literal(): string {
    const { cursor } = this;
    const end = cursor.text.indexOf("'", cursor.at + 1);
    if (end < 0) throw new Unreadable();
    const text = cursor.text.slice(cursor.at + 1, end);
    cursor.at = end + 1;
    return text;
  }

  private quoted(isFirst = false): string {
    const { cursor } = this;
    cursor.at += 1;
    let text = "";
    for (;;) {
      const char = this.peek();
      if (char === "") throw new Unreadable();
      if (char === '"') break;
      text += this.inQuotes(char, isFirst && text === "");
    }
    cursor.at += 1;
    return text;
  }

  private inQuotes(char: string, isFirst = false): string {
    if (char === "\\" && '\\$`"\n'.includes(this.peek(1)) && this.peek(1) !== "") {
      this.cursor.at += 2;
      return this.peek(-1) === "\n" ? "" : this.peek(-1);
    }
    if (char === "$") return this.dollar(true, isFirst);
    return char === "`" ? this.backticks(UNKNOWN) : this.itself();
  }

  /** An expression from the cursor to behind the closing bracket. */
  private bracketed(): void {
    for (let depth = 1; depth > 0; ) {
      const char = this.peek();
      if (char === "") throw new Unreadable();
      if (char === "[") depth += 1;
      else if (char === "]") depth -= 1;
      this.expansionOr(char);
    }
  }

  /** A character inside an expression: the commands in it count, and what its quotes keep for later. */
  private expansionOr(char: string): void {
    if (char === "\\") {
      this.inner.kept(this.peek(1));
      this.cursor.at += 2;
    } else if (char === "'") this.inner.kept(this.literal());
    else if (char === '"') this.inner.kept(this.quoted());
    else if (char === "$") this.dollar(true, false);
    else if (char === "`") this.backticks(UNKNOWN);
    else this.cursor.at += 1;
  }

  private dollar(isQuoted: boolean, isFirst: boolean): string {
    let read = "";
    this.inner.deeper(() => {
      read = this.expansion(isQuoted, isFirst);
    });
    return read;
  }

  private expansion(isQuoted: boolean, isFirst: boolean): string {
    const { cursor } = this;
    const unknown = isQuoted ? UNKNOWN : WORDS;
    switch (this.peek(1)) {
      case "(": {
        cursor.at += 2;
        if (this.peek() === "(") {
          cursor.at += 1;
          if (this.arithmetic()) return unknown;
          cursor.at -= 1;
        }
        this.inner.substitution();
        return unknown;
      }
      case "{":
        return this.parameter(unknown, isFirst);
      case "[":
        cursor.at += 2;
        this.inner.evaluated();
        this.bracketed();
        return unknown;
      case "'":
        return isQuoted ? this.itself() : this.escaped();
      case '"':
        if (isQuoted) return this.itself();
        cursor.at += 1;
        return this.quoted();
      default:
    }
    NAME.lastIndex = cursor.at + 1;
    const name = NAME.exec(cursor.text)?.[0];
    if (name === undefined) return this.itself();
    cursor.at += 1 + name.length;
    return this.named(name, unknown, isFirst);
  }

  private named(name: string, unknown: string, isFirst: boolean): string {
    if (name === HOME && isFirst && this.inner.isHomeKnown) return "~";
    return name === "@" || name === "*" ? WORDS : unknown;
  }

  /** `${…}`: whatever it does to the variable, and the commands in it. */
  private parameter(unknown: string, isFirst: boolean): string {
    const { cursor } = this;
    const begin = cursor.at + 2;
    cursor.at = begin;
    const isQuoted = unknown === UNKNOWN;
    for (let char = this.peek(); char !== "}"; char = this.peek()) {
      if (char === "") throw new Unreadable();
      if (char === "'" && isQuoted) cursor.at += 1;
      else this.expansionOr(char);
    }
    const inside = cursor.text.slice(begin, cursor.at);
    cursor.at += 1;
    if (EVALUATED.test(inside)) this.inner.evaluated();
    // Runs the commands that stand in the variable; so can flags of zsh.
    if (/@P$|^\(/.test(inside)) throw new Unreadable();
    return /\[[@*]\]|^[@*]/.test(inside) ? WORDS : this.named(inside, unknown, isFirst);
  }

  private backticks(unknown: string): string {
    const { cursor } = this;
    const begin = cursor.at + 1;
    let end = begin;
    for (; cursor.text.charAt(end) !== "`"; end += cursor.text.charAt(end) === "\\" ? 2 : 1) {
      if (end >= cursor.text.length) throw new Unreadable();
    }
    cursor.at = end + 1;
    const escapes = unknown === UNKNOWN ? /\\([\\`$"])/g : /\\([\\`$])/g;
    this.inner.commands(cursor.text.slice(begin, end).replace(escapes, "$1"));
    return unknown;
  }

  /** `$'…'`. */
  private escaped(): string {
    const { cursor } = this;
    const begin = cursor.at + 2;
    let end = begin;
    for (; cursor.text.charAt(end) !== "'"; end += cursor.text.charAt(end) === "\\" ? 2 : 1) {
      if (end >= cursor.text.length) throw new Unreadable();
    }
    cursor.at = end + 1;
    return unescaped(cursor.text.slice(begin, end));
  }

  /** Where the brackets of `((…))` end, if both end together. */
  private endOfArithmetic(): number | null {
    const { text, at } = this.cursor;
    let depth = 2;
    for (let end = at; end < text.length; end += 1) {
      const char = text.charAt(end);
      if (char === "\\") end += 1;
      else if (char === "'" || char === '"') {
        const begin = end;
        end = endOfQuotes(text, begin);
        // Shells do not agree on whether these are quotes here.
        if (char === "'" && /["()\\]/.test(text.slice(begin, end))) throw new Unreadable();
      } else if (char === "(") depth += 1;
      else if (char === ")") {
        depth -= 1;
        if (depth === 1) return text.charAt(end + 1) === ")" ? end : null;
      }
    }
    throw new Unreadable();
  }
}

const endOfQuotes = (text: string, begin: number): number => {
  const quote = text.charAt(begin);
  for (let end = begin + 1; end < text.length; end += 1) {
    if (text.charAt(end) === quote) return end;
    if (quote === '"' && text.charAt(end) === "\\") end += 1;
  }
  throw new Unreadable();
};

const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gsu;
const LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (...found: readonly string[]) => {
    const [all = "", hex, short, long, octal, control, letter] = found;
    const digits = hex ?? short ?? long;
    if (digits !== undefined) return character(Number.parseInt(digits, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return character(control.charCodeAt(0) & 0x1f);
    return LETTERS[letter ?? ""] ?? all;
  });

/** A NUL ends the text for a shell, so that nobody knows what is left. */
const character = (code: number): string => {
  if (code === 0 || code > 0x10ffff) throw new Unreadable();
  return String.fromCodePoint(code);
};
