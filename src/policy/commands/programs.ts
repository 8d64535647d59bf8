import { literally, mayMatch, UNKNOWN } from "#core/wildcards";
import { EVALUATES, isKnown, type ShellLine, ShellReader, type SimpleCommand } from "./shell";
import { WORDS } from "./shell-word";

/*
 * Programs that run what they are given: shells, `sudo`, `env`, `xargs` and their like. What they run is a command of the
 * line beside them, so that a rule about a program holds however it is called.
 */

/** The simple commands of a line, and what those run in turn. */
export const commandsOf = (line: string): ShellLine => {
  const reader = new ShellReader(line);
  reader.read(line);
  // The list grows by what is found in it.
  for (let at = 0; at < reader.commands.length; at += 1) {
    const command = reader.commands[at];
    if (command !== undefined && command.words.length > 0) new RunPrograms(command, reader).find();
  }
  return reader;
};

/** The last part of a path, as programs are called by, in lower case and without what Windows adds. */
export const programName = (word: string): string => {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return (
    name
      .normalize("NFKC")
      .replace(/\p{Cf}/gu, "")
      .toLowerCase()
      // zsh looks the program up.
      .replace(/^=/, "")
      .replace(/\.(?:exe|cmd|bat|com)$/, "")
  );
};

const SHELLS = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "ksh",
  "mksh",
  "ash",
  "fish",
  "rbash",
  "rzsh",
  "yash",
  "csh",
  "tcsh",
]);

/**
 * How a program that runs another is written: its options that take a value, of one letter and long, and how many
 * operands stand before the other program.
 */
type Runner = { readonly letters?: string; readonly long?: readonly string[]; readonly operands?: number };

const RUNNERS: Readonly<Record<string, Runner>> = {
  "-": {},
  and: {},
  begin: {},
  busybox: {},
  builtin: {},
  caffeinate: { letters: "tw" },
  chroot: { long: ["userspec", "groups"], operands: 1 },
  chrt: { letters: "TPD", operands: 1 },
  command: {},
  doas: { letters: "uC" },
  env: { letters: "uCS", long: ["unset", "chdir", "split-string"] },
  exec: { letters: "a" },
  flock: { letters: "wEc", long: ["timeout", "wait", "conflict-exit-code", "command"], operands: 1 },
  gosu: { operands: 1 },
  ionice: { letters: "cnpPu", long: ["class", "classdata"] },
  linux32: {},
  linux64: {},
  ltrace: { letters: "aAeFlnopsSuwx" },
  nice: { letters: "n", long: ["adjustment"] },
  noglob: {},
  nocorrect: {},
  nohup: {},
  not: {},
  nsenter: { letters: "tSG", long: ["target", "setuid", "setgid"] },
  or: {},
  pkexec: { long: ["user"] },
  prlimit: { letters: "p", long: ["pid"] },
  proxychains: { letters: "f" },
  proxychains4: { letters: "f" },
  runuser: { letters: "ugGcs", long: ["user", "group", "supp-group", "command", "shell"] },
  setarch: { operands: 1 },
  setpriv: { long: ["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits"] },
  setsid: {},
  stdbuf: { letters: "ioe", long: ["input", "output", "error"] },
  strace: { letters: "abeEIoOpPsSuUX" },
  sudo: {
    letters: "ugChprtTURD",
    long: [
      "user",
      "group",
      "close-from",
      "host",
      "prompt",
      "role",
      "type",
      "command-timeout",
      "other-user",
      "chroot",
      "chdir",
    ],
  },
  taskset: { letters: "p", operands: 1 },
  time: { letters: "fo", long: ["format", "output"] },
  timeout: { letters: "ks", long: ["kill-after", "signal"], operands: 1 },
  torsocks: { letters: "uPap" },
  toybox: {},
  unbuffer: {},
  unshare: { letters: "RSGw", long: ["root", "wd", "setuid", "setgid"] },
  "systemd-run": { letters: "pEHMut", long: ["property", "setenv", "host", "machine", "unit", "slice", "uid", "gid"] },
  "xvfb-run": { letters: "efnps", long: ["server-args", "server-num", "auth-file", "error-file"] },
  xargs: {
    letters: "adEILnPs",
    long: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "replace"],
  },
};

/** Options by which these are given a command line: attached to the option, or the next word. */
const LINE_OPTIONS: Readonly<Record<string, RegExp>> = {
  su: /^(?:-[a-z]*c|--(?:session-)?command(?:=|$))/,
  runuser: /^(?:-[a-z]*c|--(?:session-)?command(?:=|$))/,
  script: /^(?:-[a-z]*c|--command(?:=|$))/,
  flock: /^(?:-[a-z]*c|--command(?:=|$))/,
  env: /^(?:-[a-z0]*S|--split-string(?:=|$))/,
  mapfile: /^-[a-z]*C/,
  readarray: /^-[a-z]*C/,
};
/** Run what is left by a shell. */
const SHELL_OPTIONS: Readonly<Record<string, RegExp>> = {
  sudo: /^(?:-[a-zA-Z]*[si]|--shell$|--login$)/,
  doas: /^-[a-z]*s/,
};
/** Their language is another one. */
const OTHER_SHELLS = new Set(["pwsh", "powershell", "cmd", "nu", "xonsh", "elvish", "parallel"]);

const NAMES = new RegExp(`[[${UNKNOWN}${WORDS}]`);
const DECLARES = new RegExp(`^-\\w*i|^[^=]*${NAMES.source}`);
const TESTS = new RegExp(`${EVALUATES.source}|^[${UNKNOWN}${WORDS}]`);
/** Builtins that evaluate what they are given, or a name with a bracket in it, and by which words it is told. */
const EVALUATORS: Readonly<Record<string, RegExp>> = {
  ...{ let: /^/, integer: /^/, float: /^/, printf: /^-v/, test: TESTS, "[": TESTS },
  ...{ declare: DECLARES, typeset: DECLARES, local: DECLARES, export: DECLARES, readonly: DECLARES },
  ...{ read: NAMES, mapfile: NAMES, readarray: NAMES, unset: NAMES, getopts: NAMES, wait: NAMES },
  ...{ return: NAMES, exit: NAMES, shift: NAMES, break: NAMES, continue: NAMES },
};

const SSH_LETTERS = "BbcDEeFIiJLlmOopQRSWw";
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"]);

class RunPrograms {
  private readonly name: string;
  private readonly given: readonly string[];

  constructor(
    private readonly command: SimpleCommand,
    private readonly line: ShellReader,
  ) {
    const [first = "", ...given] = command.words;
    this.name = programName(first);
    this.given = given;
  }

  find(): void {
    const { name } = this;
    if (this.given.some((word) => own(EVALUATORS, name)?.test(word))) this.line.evaluated();
    if (!isKnown(name) && this.mayRun()) this.line.isWhole = false;
    if (SHELLS.has(name)) this.shell();
    else if (OTHER_SHELLS.has(name)) this.line.isWhole = false;
    else {
      this.givenLines();
      const run = own(this.ways, name) ?? (() => this.runner());
      run();
    }
  }

  /** Programs with a way of their own to be told what to run. */
  private readonly ways: Readonly<Record<string, () => void>> = {
    eval: () => this.code(this.given.join(" ")),
    watch: () => this.code(this.operandsOf({ letters: "n", long: ["interval"] }).join(" ")),
    ssh: () => this.optional(this.operandsOf({ letters: SSH_LETTERS, operands: 1 }).join(" ")),
    trap: () => this.optional(this.given.find((word) => !word.startsWith("-")) ?? ""),
    alias: () => {
      for (const word of this.given) if (word.includes("=")) this.optional(word.slice(word.indexOf("=") + 1));
    },
    source: () => this.script(this.given[0] ?? ""),
    ".": () => this.script(this.given[0] ?? ""),
    find: () => this.found(),
    fd: () => this.found(),
    fdfind: () => this.found(),
    command: () => {
      // With these it only says where a program is.
      if (!this.given.some((word) => /^-p?[vV]/.test(word))) this.runner();
    },
  };

  /** Whether a name of which a part is unknown may be one of these. What is wholly unknown patterns may match anyway. */
  private mayRun(): boolean {
    const name = this.name.replaceAll(WORDS, UNKNOWN);
    if (name.replaceAll(UNKNOWN, "") === "") return false;
    const names = [...SHELLS, ...OTHER_SHELLS, ...Object.keys({ ...RUNNERS, ...LINE_OPTIONS, ...this.ways })];
    return names.some((one) => mayMatch(literally(one), name));
  }

  /** Options that have a command line. */
  private givenLines(): void {
    const { name, given } = this;
    const option = own(LINE_OPTIONS, name);
    if (option === undefined) return;
    // Alone it is a shell that reads its commands.
    if (name === "su" && !given.some((word) => option.test(word))) this.line.isWhole = false;
    for (const [at, word] of given.entries()) {
      const taken = option.exec(word)?.[0];
      if (taken !== undefined) this.code(word.length > taken.length ? word.slice(taken.length) : (given[at + 1] ?? ""));
    }
  }

  private runner(): void {
    const runner = own(RUNNERS, this.name);
    if (runner === undefined) return;
    const operands = this.operandsOf(runner);
    const byShell = own(SHELL_OPTIONS, this.name);
    if (byShell && this.given.some((word) => byShell.test(word))) this.code(operands.join(" "));
    this.run(operands);
  }

  /** What is left behind a program's own options and operands. */
  private operandsOf({ letters = "", long = [], operands = 0 }: Runner): string[] {
    const { given } = this;
    let at = 0;
    for (; at < given.length; at += 1) {
      const word = given[at] ?? "";
      if (word === "--") {
        at += 1;
        break;
      }
      if (!word.startsWith("-")) break;
      if (!isKnown(word)) this.line.isWhole = false;
      if (takesNext(word, letters, long)) at += 1;
    }
    return given.slice(at + operands);
  }

  /** A program and what it is given, as another is told to run it. */
  private run(words: readonly string[]): void {
    let first = 0;
    while (/^[A-Za-z_]\w*=/.test(words[first] ?? "")) first += 1;
    const run = words.slice(first);
    if (run.length === 0) return;
    this.add(this.name === "xargs" ? this.fromInput(run) : run, words.slice(0, first));
  }

  /** `xargs` adds what it reads, or puts it in place of a mark. */
  private fromInput(words: readonly string[]): string[] {
    const { given } = this;
    const at = given.findIndex((word) => /^-[iIJ]|^--replace/.test(word));
    const [option = ""] = given.slice(at < 0 ? given.length : at);
    const mark =
      /^(?:-[iIJ]|--replace=?)(.*)$/s.exec(option)?.[1] || (/^-[IJ]$/.test(option) ? given[at + 1] : "{}") || "{}";
    return [...words.map((word) => word.replaceAll(mark, UNKNOWN)), ...(at < 0 ? [WORDS] : [])];
  }

  private add(words: readonly string[], assigned: readonly string[] = []): void {
    this.line.run({ assigned, words, redirects: [], stdin: this.command.stdin });
  }

  private found(): void {
    const { given } = this;
    for (let at = 0; at < given.length && this.line.isWhole; at += 1) {
      if (!FIND_RUNS.has(given[at] ?? "")) continue;
      const rest = given.slice(at + 1);
      const end = rest.findIndex((word) => word === ";" || word === "+");
      const run = (end < 0 ? rest : rest.slice(0, end)).map((word) => word.replaceAll(/\{[^}]{0,2}\}/g, UNKNOWN));
      if (run.length > 0) this.add(run);
    }
  }

  /** `sh -c LINE`, `sh FILE`, or `sh` alone, which runs what it reads. */
  private shell(): void {
    const { given } = this;
    if (given.includes("--version") || given.includes("--help")) return;
    const { at, isLine, isRead } = shellOptions(given);
    if (given.slice(0, at).some((word) => !isKnown(word))) this.line.isWhole = false;
    const operand = given[at];
    if (operand === undefined || isRead) this.readsCommands();
    else if (isLine) this.code(operand);
    else this.script(operand);
  }

  private readsCommands(): void {
    const { stdin } = this.command;
    if (stdin === null) this.line.isWhole = false;
    else this.code(stdin);
  }

  /** A command line where there may also be none. */
  private optional(text: string): void {
    if (text !== "") this.code(text);
  }

  /** What stands in a file is not read; what is made only when the line runs can be anything. */
  private script(file: string): void {
    if (!isKnown(file) || file === "" || /^\/dev\/(?:stdin|fd)|^\/proc\//.test(file)) this.line.isWhole = false;
  }

  private code(text: string): void {
    if (!isKnown(text) || text === "") this.line.isWhole = false;
    else this.line.read(text);
  }
}

export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Where a shell's operands begin, and whether its options make the first a command line, or have it read its commands. */
const shellOptions = (given: readonly string[]) => {
  let [at, isLine, isRead] = [0, false, false];
  for (; at < given.length; at += 1) {
    const word = given[at] ?? "";
    if (word === "-" || word === "--") continue;
    if (!/^[-+]/.test(word)) break;
    const letters = /^[-+](?![-+])/.test(word) ? word : "";
    isLine ||= letters.includes("c") || word === "--command";
    isRead ||= letters.includes("s");
    if (/^[-+]\w*[oO]$|^--(?:rcfile|init-file)$/.test(word)) at += 1;
  }
  return { at, isLine, isRead };
};

/** Whether an option has its value in the word after it. */
export const takesNext = (word: string, letters: string, long: readonly string[]): boolean => {
  if (word.startsWith("--")) return long.includes(word.slice(2));
  for (let at = 1; at < word.length; at += 1) if (letters.includes(word.charAt(at))) return at === word.length - 1;
  return false;
};
