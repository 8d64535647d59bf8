/** A header or a pair of a TOML document, by offsets. */
export type Statement = {
  readonly kind: "table" | "tables" | "pair";
  /** Its names from the outermost on. */
  readonly path: readonly string[];
  /** Of the header it stands under. */
  readonly section: readonly string[];
  readonly from: number;
  /** Behind its value, or behind the brackets of a header. */
  readonly to: number;
  /** Where its value begins; of a header where that ends. */
  readonly valueFrom: number;
};

const BLANK = /[ \t]*/y;
const BETWEEN = /(?:[ \t\r\n]|#[^\n]*)*/y;
const NAME = /[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
const STRINGS = [
  /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}/y,
  /'''(?:(?!''')[\s\S])*'{3,5}/y,
  /"(?:\\.|[^"\\\n])*"/y,
  /'[^'\n]*'/y,
];
/** Of numbers, dates and words. */
const PLAIN = /[^\s#,[\]{}"'=]+/y;

/** What stands in a value between its parts, and how it changes the depth. */
const DEPTHS: Readonly<Record<string, number>> = { "[": 1, "{": 1, "]": -1, "}": -1, ",": 0, "=": 0 };

/** The statements of a document that was parsed; what is between them are comments and blank lines. */
export const statementsIn = (text: string): Statement[] => new Reader(text).statements();

class Reader {
  #at = 0;

  constructor(private readonly text: string) {}

  statements(): Statement[] {
    const found: Statement[] = [];
    let section: readonly string[] = [];
    this.skip(BETWEEN);
    while (this.#at < this.text.length) {
      const from = this.#at;
      const isHeader = this.text[from] === "[";
      const statement = isHeader ? this.header(from) : this.pair(from, section);
      if (isHeader) section = statement.path;
      found.push(statement);
      this.skip(BETWEEN);
      if (this.#at === from) return found;
    }
    return found;
  }

  private header(from: number): Statement {
    const isList = this.text.startsWith("[[", from);
    this.#at += isList ? 2 : 1;
    const path = this.names();
    this.#at += isList ? 2 : 1;
    return { kind: isList ? "tables" : "table", path, section: path, from, to: this.#at, valueFrom: this.#at };
  }

  private pair(from: number, section: readonly string[]): Statement {
    const names = this.names();
    this.#at += 1;
    this.skip(BLANK);
    const valueFrom = this.#at;
    this.value();
    return { kind: "pair", path: [...section, ...names], section, from, to: this.#at, valueFrom };
  }

  private names(): string[] {
    const names: string[] = [];
    for (;;) {
      this.skip(BLANK);
      const name = this.take(NAME);
      names.push(plainName(name));
      this.skip(BLANK);
      if (name === "" || this.text[this.#at] !== ".") return names;
      this.#at += 1;
    }
  }

  /** Up to the end of a value: lists and tables in it with all they hold. */
  private value(): void {
    let depth = 0;
    do {
      const sign = this.text[this.#at] ?? "";
      depth += DEPTHS[sign] ?? 0;
      if (sign in DEPTHS) this.#at += 1;
      else if (this.string() === "" && this.take(PLAIN) === "") return;
      if (depth > 0) this.skip(BETWEEN);
    } while (depth > 0 || this.isInDate());
  }

  /** A date and its time may have a blank between them. */
  private isInDate(): boolean {
    const day = this.text.slice(Math.max(0, this.#at - 10), this.#at);
    const isDate = /^\d{4}-\d\d-\d\d$/.test(day) && /^ \d\d:/.test(this.text.slice(this.#at, this.#at + 4));
    if (isDate) this.#at += 1;
    return isDate;
  }

  private string(): string {
    for (const pattern of STRINGS) {
      const found = this.take(pattern);
      if (found !== "") return found;
    }
    return "";
  }

  private skip(pattern: RegExp): void {
    this.take(pattern);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.text) ?? [];
    this.#at += found.length;
    return found;
  }
}

const plainName = (name: string): string => {
  if (name.startsWith("'")) return name.slice(1, -1);
  if (!name.startsWith('"')) return name;
  try {
    const read: unknown = JSON.parse(name);
    return typeof read === "string" ? read : name;
  } catch {
    // Escapes that TOML has and JSON has not: the name is not one of ours.
    return name;
  }
};
