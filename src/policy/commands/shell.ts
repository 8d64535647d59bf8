import { UNKNOWN } from "#core/wildcards";
import { type Cursor, Unreadable, WORDS, type Word, WordReader } from "./shell-word";

/*
 * Splits a shell's command line into its simple commands, wherever they stand: between operators, in brackets, loops,
 * functions, substitutions and here-documents. What it cannot read it says so of; nothing is guessed.
 */

export type Redirect = { readonly target: string; readonly isWritten: boolean };

/** One program and what it is given. Words may have unknown parts (`UNKNOWN`, `WORDS`). */
export type SimpleCommand = {
  /** Assignments in front: `X=1`. */
  readonly assigned: readonly string[];
  /** Empty where there are assignments or redirections alone. */
  readonly words: readonly string[];
  readonly redirects: readonly Redirect[];
  /** What it reads on stdin, where the line itself has it. */
  readonly stdin: string | null;
};

export type ShellLine = {
  readonly commands: readonly SimpleCommand[];
  /** Words that variables of the line are given: what is looped over, and what stands in lists. */
  readonly values: readonly string[];
  /** Whether all of the line was read. */
  readonly isWhole: boolean;
};

/** UTF-16 units of a line, and of all texts in it that are read as lines again. */
export const MAX_LINE = 65_536;
const MAX_READ = 262_144;
const MAX_DEPTH = 24;
const MAX_COMMANDS = 1_000;
const MAX_WORDS = 10_000;

/** Reads one line, and the texts that its commands have shells read. */
export class ShellReader {
  readonly commands: SimpleCommand[] = [];
  readonly values: string[] = [];
  isRead = true;
  isHomeKnown: boolean;
  private isEvaluated = false;
  private hasCode = false;
  private left = MAX_READ;
  private words = MAX_WORDS;
  private depth = 0;

  constructor(line: string) {
    // Whatever may set it has its name in the line, without a sign that it is read.
    this.isHomeKnown = !/(?<!\$|\$\{)\bHOME\b/.test(line);
  }

  /** What expressions evaluate may be code that the line keeps in quotes: then nobody knows what it runs. */
  get isWhole(): boolean {
    return this.isRead && !(this.isEvaluated && this.hasCode);
  }

  set isWhole(isWhole: boolean) {
    this.isRead &&= isWhole;
  }

  evaluated(): void {
    this.isEvaluated = true;
  }

  /** A text that an expression may be given. */
  given(text: string): void {
    this.hasCode ||= CODE.test(text);
  }

  /** A text that a variable of the line has, or that stands in an expression. */
  kept(text: string): void {
    this.hasCode ||= KEPT_CODE.test(text);
  }

  /** A value of a variable. Throws `Unreadable`. */
  value(text: string): void {
    this.kept(text);
    this.words -= 1;
    if (this.words < 0) throw new Unreadable();
    this.values.push(text);
  }

  /** Adds the commands of a line. Those before a place that cannot be read are commands of it all the same. */
  read(line: string): void {
    this.noting(() => this.nested(line));
  }

  /** Adds a command that another one runs. */
  run(command: SimpleCommand): void {
    this.noting(() => this.add(command));
  }

  private noting(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.isRead = false;
    }
  }

  /** Of a line in the line. Throws `Unreadable`. */
  nested(line: string): void {
    this.left -= line.length;
    if (line.length > MAX_LINE || this.left < 0 || /[\0\uFFFE\uFFFF]/.test(line)) throw new Unreadable();
    this.deeper(() => new ListReader({ text: line, at: 0 }, this).list(null));
  }

  deeper(read: () => void): void {
    if (this.depth === MAX_DEPTH) throw new Unreadable();
    this.depth += 1;
    try {
      read();
    } finally {
      this.depth -= 1;
    }
  }

  add(command: SimpleCommand): void {
    this.words -= command.words.length;
    if (this.commands.length === MAX_COMMANDS || this.words < 0) throw new Unreadable();
    this.commands.push(command);
    for (const word of command.words) this.given(word);
    for (const assigned of command.assigned) this.kept(assigned.slice(assigned.indexOf("=") + 1));
    if (command.stdin !== null) this.given(command.stdin);
  }
}

/** Of texts whose own expansions are unknown by now: commands that are kept in quotes. */
const CODE = /\$\(|`|\[[^\][]*\$/;
/** Of what may be put together from several. */
const KEPT_CODE = /[`[$]/;

/** What may stand in place of the name of a command without being one. */
const BEFORE_COMMANDS = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{"]);
const AFTER_COMMANDS = new Set(["fi", "done", "}"]);
/** Of other shells than bash: what follows them is not read here. */
const UNREAD = new Set(["coproc", "repeat", "foreach"]);
/** Operators of `[[ ]]` and `test` that evaluate what they are given. */
export const EVALUATES = /^-(?:eq|ne|lt|le|gt|ge|v|R|t)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** `x=(` begins a list. */
const LIST = /^[A-Za-z_]\w*\+?=$/;

/**
 * What a word means where the reader is: the name of a command or what comes before (`start`), what it is given (`words`),
 * what is looped over, what cases are of and their patterns, a condition in `[[ ]]`, a function's name; `closed` behind the
 * end of a compound command.
 */
type Mode = "start" | "words" | "loop" | "case" | "patterns" | "condition" | "function" | "closed";

type Draft = {
  readonly assigned: string[];
  readonly words: string[];
  readonly redirects: Redirect[];
  stdin: string | null;
};

type Document = {
  readonly command: Draft;
  readonly end: string;
  readonly isPlain: boolean;
  readonly isIndented: boolean;
};

class ListReader {
  private readonly reader: WordReader;
  private readonly documents: Document[] = [];
  private command: Draft = empty();
  private mode: Mode = "start";
  private cases = 0;
  /** The last word of a condition. */
  private before = "";

  constructor(
    private readonly cursor: Cursor,
    private readonly line: ShellReader,
  ) {
    this.reader = new WordReader(cursor, innerOf(cursor, line));
  }

  /** From the cursor to the end of the text, or to behind the closing bracket. */
  list(closer: ")" | null): void {
    for (;;) {
      this.skipBlank();
      const char = this.peek();
      if (char === "") break;
      if (char === ")" && closer === ")" && this.cases === 0) {
        this.cursor.at += 1;
        this.finish();
        return;
      }
      if (char === "\n") this.newline();
      else if (char === "(") this.open();
      else if (this.mode === "condition" && "&|;<>)".includes(char)) this.cursor.at += 1;
      else if (this.isRedirect()) this.redirect();
      else if (";&|)".includes(char)) this.operator(char);
      else this.nextWord();
    }
    if (closer !== null) throw new Unreadable();
    this.finish();
    if (this.cases > 0) throw new Unreadable();
  }

  private nextWord(): void {
    const { cursor } = this;
    const begin = cursor.at;
    const word = (this.mode === "start" ? this.reader.element() : null) ?? this.reader.word();
    // Written otherwise than usual, it may be part of the redirection.
    if (/[<>]/.test(this.peek()) && isRedirectName(word.text, cursor.text.slice(begin, cursor.at))) {
      throw new Unreadable();
    }
    this.word(word);
  }

  /** Commands in brackets: a list of its own in the same text. */
  private inner(): void {
    new ListReader(this.cursor, this.line).list(")");
  }

  private peek(ahead = 0): string {
    return this.cursor.text.charAt(this.cursor.at + ahead);
  }

  private isAt(text: string): boolean {
    return this.cursor.text.startsWith(text, this.cursor.at);
  }

  /** A number or `{name}` right before a redirection names what is redirected. */
  private isRedirect(): boolean {
    const { cursor } = this;
    REDIRECT.lastIndex = cursor.at;
    const before = REDIRECT.exec(cursor.text)?.[1];
    if (before !== undefined) cursor.at += before.length;
    return before !== undefined;
  }

  private skipBlank(): void {
    const { cursor } = this;
    for (;;) {
      const char = this.peek();
      if (char === " " || char === "\t") cursor.at += 1;
      else if (char === "\\" && this.peek(1) === "\n") cursor.at += 2;
      else if (char === "#") {
        const end = cursor.text.indexOf("\n", cursor.at);
        cursor.at = end < 0 ? cursor.text.length : end;
      } else return;
    }
  }

  private newline(): void {
    this.cursor.at += 1;
    if (this.mode !== "condition" && this.mode !== "case" && this.mode !== "patterns") this.finish();
    for (const document of this.documents.splice(0)) this.readDocument(document);
  }

  private operator(char: string): void {
    const { cursor } = this;
    if (this.mode === "patterns") {
      if (char !== ")" && char !== "|") throw new Unreadable();
      cursor.at += 1;
      if (char === ")") this.mode = "start";
      return;
    }
    if (char === ")" || this.mode === "case") throw new Unreadable();
    const isCaseEnd = this.isAt(";;") || this.isAt(";&");
    cursor.at += isCaseEnd || this.peek(1) === char || this.isAt("|&") ? 2 : 1;
    if (isCaseEnd && this.peek() === "&") cursor.at += 1;
    this.finish();
    if (!isCaseEnd) return;
    if (this.cases === 0) throw new Unreadable();
    this.mode = "patterns";
  }

  private open(): void {
    const { cursor, command, mode } = this;
    const before = this.peek(-1);
    cursor.at += 1;
    if (mode === "condition" || mode === "patterns") return;
    const isTwice = this.peek() === "(";
    if (isTwice && (mode === "start" || mode === "loop")) {
      cursor.at += 1;
      if (this.reader.arithmetic()) {
        if (mode === "start") this.mode = "closed";
        return;
      }
      cursor.at -= 1;
    }
    if (before === "=") {
      // In zsh a command may stand there where no list does.
      if (LIST.test(command.words.at(-1) ?? command.assigned.at(-1) ?? "")) this.array();
      else this.line.deeper(() => this.inner());
      return;
    }
    if (mode === "start" && this.peek() === ")") {
      // Of `function NAME ()`.
      cursor.at += 1;
      return;
    }
    if (mode === "start" && command.assigned.length === 0) {
      this.line.deeper(() => this.inner());
      this.mode = "closed";
      return;
    }
    // Of `NAME ()`; anything else is no command line.
    this.skipBlank();
    if (mode !== "words" || command.words.length !== 1 || this.peek() !== ")") throw new Unreadable();
    cursor.at += 1;
    this.command = empty();
    this.mode = "start";
  }

  /** `x=(…)`: of the words only the commands in them count. */
  private array(): void {
    const { cursor } = this;
    for (;;) {
      this.skipBlank();
      const char = this.peek();
      if (char === ")") break;
      if (char === "\n") cursor.at += 1;
      else if (";&|<>(".includes(char)) throw new Unreadable();
      else this.element(this.reader.word());
    }
    cursor.at += 1;
    // It would still be the value's.
    if (!/^[\s;&|)<>]?$/.test(this.peek())) throw new Unreadable();
  }

  private element({ text }: Word): void {
    if (/^[[\uFFFF].*=/s.test(text)) this.line.evaluated();
    this.line.kept(text);
    this.line.value(text.replace(/^[[\uFFFF][^=]*=/, ""));
  }

  private redirect(): void {
    const { cursor } = this;
    const form = REDIRECTIONS.find((one) => this.isAt(one));
    if (form === undefined || this.mode === "case" || this.mode === "patterns") throw new Unreadable();
    if (form.endsWith("(")) {
      cursor.at += form.length;
      this.line.deeper(() => this.inner());
      this.word({ text: UNKNOWN, bare: 0 });
      return;
    }
    cursor.at += form.length;
    this.skipBlank();
    // What other commands read or write is no file.
    if (this.isAt("<(") || this.isAt(">(")) {
      cursor.at += 2;
      this.line.deeper(() => this.inner());
      return;
    }
    const begin = cursor.at;
    const { text, bare } = this.reader.word();
    if (cursor.at === begin) throw new Unreadable();
    const { command } = this;
    if (form === "<<<") command.stdin = text;
    else if (form.startsWith("<<")) {
      // It is taken as it is written, and that is not kept.
      if (!isKnown(text)) throw new Unreadable();
      this.documents.push({
        command,
        end: text,
        isPlain: bare < text.length || text === "",
        isIndented: form === "<<-",
      });
    } else if (!form.endsWith("&") || !/^(?:\d+-?|-)$/.test(text)) {
      command.redirects.push({ target: text, isWritten: form !== "<" && form !== "<&" });
    }
  }

  private readDocument({ command, end, isPlain, isIndented }: Document): void {
    const { cursor } = this;
    const lines: string[] = [];
    const next = () => {
      const stop = cursor.text.indexOf("\n", cursor.at);
      const line = cursor.text.slice(cursor.at, stop < 0 ? undefined : stop);
      cursor.at = stop < 0 ? cursor.text.length : stop + 1;
      return line;
    };
    while (cursor.at < cursor.text.length) {
      let line = next();
      while (!isPlain && CONTINUED.test(line) && cursor.at < cursor.text.length) line = line.slice(0, -1) + next();
      const shown = isIndented ? line.replace(/^\t+/, "") : line;
      if (shown === end) break;
      lines.push(shown);
    }
    const text = lines.join("\n");
    command.stdin = isPlain ? text : this.expanded(text);
  }

  private expanded(text: string): string {
    let read = "";
    this.line.deeper(() => {
      const { line } = this;
      const cursor = { text, at: 0 };
      read = new WordReader(cursor, innerOf(cursor, line)).document();
    });
    return read;
  }

  private word(word: Word): void {
    const { text, bare } = word;
    const isBare = bare === text.length;
    switch (this.mode) {
      case "words":
        // For zsh it ends the commands in brackets, for bash it is a word that says nothing.
        if (isBare && text === "}") this.finish("closed");
        else this.command.words.push(text);
        return;
      case "function":
        this.mode = "start";
        return;
      case "loop":
        if (isBare && text === "do") this.mode = "start";
        else this.line.value(text);
        return;
      case "case":
        if (isBare && text === "in") this.mode = "patterns";
        return;
      case "patterns":
        if (isBare && text === "esac") this.endCase();
        return;
      case "condition":
        if (isBare && text === "]]") this.mode = "closed";
        else this.operand(text);
        return;
      case "closed":
        if (!isBare || !(BEFORE_COMMANDS.has(text) || AFTER_COMMANDS.has(text) || text === "esac"))
          throw new Unreadable();
        this.begin(word);
        return;
      case "start":
        this.begin(word);
    }
  }

  /** In `[[ ]]`: what stands beside an operator that evaluates is an expression. */
  private operand(text: string): void {
    const { line, before } = this;
    this.before = text;
    if (EVALUATES.test(text)) line.evaluated();
    if (EVALUATES.test(text)) line.kept(before);
    else if (EVALUATES.test(before)) line.kept(text);
  }

  private endCase(): void {
    if (this.cases === 0) throw new Unreadable();
    this.cases -= 1;
    this.mode = "closed";
  }

  private begin({ text, bare }: Word): void {
    const { command } = this;
    const assignment = ASSIGNMENT.exec(text)?.[0];
    if (assignment !== undefined && bare >= assignment.length) {
      command.assigned.push(text);
      return;
    }
    const keyword = bare === text.length && command.assigned.length === 0 ? text : "";
    // With options it is the program of that name.
    const isTime = keyword === "time" && !/^[ \t]*-/.test(this.cursor.text.slice(this.cursor.at, this.cursor.at + 100));
    if (BEFORE_COMMANDS.has(keyword) || isTime) this.mode = "start";
    else if (AFTER_COMMANDS.has(keyword)) this.mode = "closed";
    else if (keyword === "esac") this.endCase();
    else if (keyword === "for" || keyword === "select") this.mode = "loop";
    else if (keyword === "function") this.mode = "function";
    else if (keyword === "[[") this.mode = "condition";
    else if (keyword === "case") {
      this.mode = "case";
      this.cases += 1;
    } else if (UNREAD.has(keyword)) throw new Unreadable();
    else {
      command.words.push(text);
      this.mode = "words";
    }
  }

  private finish(next: Mode = "start"): void {
    const { command, mode } = this;
    if (mode === "condition" || mode === "case" || mode === "patterns") throw new Unreadable();
    this.command = empty();
    this.mode = next;
    if (command.words.length + command.assigned.length + command.redirects.length > 0) this.line.add(command);
  }
}

/** A line that goes on in the next. */
const CONTINUED = /(?<!\\)(?:\\\\)*\\$/;
const REDIRECT = /(\d*|\{[A-Za-z_]\w*\}(?!&))(?:[<>]|(?<!\d)&>)/y;
const isRedirectName = (text: string, written: string): boolean =>
  /^\{[A-Za-z_].*\}$/s.test(text) || (/^\d+$/.test(text) && written.includes("\\\n"));
/** The longest first. */
const REDIRECTIONS = ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<(", "<", ">>", ">&", ">|", ">(", ">"];

const innerOf = (cursor: Cursor, line: ShellReader) => ({
  substitution: () => new ListReader(cursor, line).list(")"),
  commands: (text: string) => line.nested(text),
  deeper: (read: () => void) => line.deeper(read),
  evaluated: () => line.evaluated(),
  kept: (text: string) => line.kept(text),
  isHomeKnown: line.isHomeKnown,
});

const empty = (): Draft => ({ assigned: [], words: [], redirects: [], stdin: null });

/** Whether something of a word is known only when the line runs. */
export const isKnown = (word: string): boolean => !word.includes(UNKNOWN) && !word.includes(WORDS);
