import { UNKNOWN } from "#core/wildcards";
import { type Ruling, stricterOf } from "#policy/commands/permission";
import { programName } from "#policy/commands/programs";
import { isKnown, type ShellLine, type SimpleCommand } from "#policy/commands/shell";
import { WORDS } from "#policy/commands/shell-word";
import { ACCESSES, type Access, FileList, type FileRules } from "./file-rules";
import { patchedFiles } from "./patch";
import { alternativesOf, MAX_PATH, type Place, readingsOf, resolvedPath } from "./paths";

/*
 * Files that a command line names. Redirections are held to the rules as file tools are. Of other words those are found
 * that patterns deny or ask about; a program can open files that no word names.
 */

/** Words of a line that are looked at, and directories it changes to. */
const MAX_WORDS = 1_000;
const MAX_PLACES = 8;

const DEVICES = /^\/dev\/(?:null|zero|random|urandom|tty|std(?:in|out|err)|fd\/\d+)$/;

/** Programs that write or delete what they are given; of all others it is known alone that they may read it. */
const WRITERS = new Set([
  ...[
    "chgrp",
    "chmod",
    "chown",
    "cp",
    "dd",
    "ed",
    "ex",
    "install",
    "ln",
    "mkdir",
    "mv",
    "nano",
    "patch",
    "rm",
    "rmdir",
  ],
  ...["rsync", "scp", "sed", "shred", "tar", "tee", "touch", "truncate", "unlink", "unzip", "vi", "vim"],
]);

/** The strictest that the rules say of any file that a line names, step by step. */
export const rulingOnFiles = function* (
  rules: FileRules,
  line: ShellLine,
  { place, from }: { readonly place: Place; readonly from: string | null },
): Generator<undefined, Ruling> {
  const values = valuesOf(line);
  const places = new Places(rules, place, values);
  if (from !== null) places.goTo(from);
  let ruling: Ruling = { permission: "allow", rule: "files.read.default" };
  let left = MAX_WORDS;
  if (!line.isWhole) ruling = ACCESSES.map((access) => places.unread(access)).reduce(stricterOf, ruling);
  for (const command of line.commands) {
    if (ruling.permission === "deny") return ruling;
    for (const { target, isWritten } of command.redirects) {
      yield;
      ruling = stricterOf(ruling, places.rulingOnTarget(target, isWritten ? "write" : "read"));
    }
    for (const path of patchedIn(command)) ruling = stricterOf(ruling, places.rulingOnTarget(path, "write"));
    const accesses: readonly Access[] = WRITERS.has(programName(command.words[0] ?? "")) ? ACCESSES : ["read"];
    const words = wordsOf(command);
    left -= words.length + words.filter(isOpen).length * values.length;
    if (left < 0) return ACCESSES.map((access) => places.unread(access)).reduce(stricterOf, ruling);
    for (const word of words) {
      yield;
      for (const access of accesses) ruling = stricterOf(ruling, places.rulingOnWord(word, access) ?? ruling);
    }
    places.follow(command);
  }
  // Wherever the line is by then: nobody knows what uses them.
  for (const value of values.slice(0, MAX_WORDS)) {
    yield;
    for (const path of partsOf(value)) ruling = stricterOf(ruling, places.rulingOnWord(path, "read") ?? ruling);
  }
  return ruling;
};

/** `apply_patch`, which Codex knows as a command. */
const patchedIn = ({ words, stdin }: SimpleCommand): readonly string[] => {
  const [name = "", patch = stdin ?? ""] = words;
  return /^apply_?patch$/.test(name) ? patchedFiles(patch) : [];
};

/** What may be a path of words behind a name. */
const wordsOf = ({ words }: SimpleCommand): string[] => [...new Set(words.slice(1).flatMap(partsOf))];

/** Of `--output=FILE`, `if=FILE`, `f=@FILE;type=x`, `-d@FILE`, `-TFILE` and `file:///FILE` the file. */
const partsOf = (word: string): string[] => {
  const values = [...word.slice(0, MAX_PATH).matchAll(/=/g)].slice(0, 4).map(({ index }) => word.slice(index + 1));
  // Letters of one word may be several options.
  const attached = /^-[A-Za-z]/.test(word) ? [2, 3, 4].map((at) => word.slice(at)) : [];
  return [...(word.startsWith("-") ? [] : [word]), ...values, ...attached]
    .map((part) => part.replace(/^(?:file:(?:\/\/[^/]*)?(?=\/)|[@<]+)/, ""))
    .flatMap((part) => [part, part.split(/[;,:]/, 1)[0] ?? ""])
    .filter((part) => part !== "");
};

/** What the variables of a line are given. */
const valuesOf = ({ commands, values }: ShellLine): string[] => {
  const assigned = commands.flatMap((command) => command.assigned.map((one) => one.slice(one.indexOf("=") + 1)));
  return [...new Set([...values, ...assigned])].filter((value) => value !== "");
};

/** The directories that a line may be in: where it begins, and where it changes to. */
class Places {
  private readonly lists: { readonly place: Place; readonly read: FileList; readonly write: FileList }[] = [];
  /** Whether it changes to a directory that cannot be told. */
  private isLost = false;

  constructor(
    private readonly rules: FileRules,
    /** What relative patterns are of, wherever the line goes. */
    private readonly home: Place,
    /** What the variables of the line are given. */
    private readonly values: readonly string[],
  ) {
    this.add(home);
  }

  follow({ words }: SimpleCommand): void {
    const [name = "", ...given] = words;
    if (name !== "cd" && name !== "pushd") return;
    this.goTo(given.find((word) => !word.startsWith("-")) ?? "~");
  }

  goTo(folder: string): void {
    if (!isKnown(folder) || this.lists.length === MAX_PLACES) this.isLost = true;
    const known = this.filled(folder).filter(isKnown);
    for (const { place } of [...this.lists]) for (const one of known) this.add(resolvedPath(one, place));
  }

  rulingOnTarget(target: string, access: Access): Ruling {
    if (DEVICES.test(target)) return { permission: "allow", rule: `files.${access}.default` };
    const isRelative = !/^[/~]/.test(target);
    if (!isKnown(target) || (this.isLost && isRelative)) return this.unread(access);
    return this.lists
      .map(({ place, ...lists }) => lists[access].rulingOn(resolvedPath(target, place)))
      .reduce((one, other) => stricterOf(one, other));
  }

  /** Null where no pattern speaks of it. */
  rulingOnWord(word: string, access: Access): Ruling | null {
    const paths = this.pathsOf(word);
    if (paths === null) return this.unread(access);
    let ruling: Ruling | null = null;
    for (const { place, ...lists } of this.lists) {
      for (const path of paths) {
        const named = lists[access].rulingOnName(resolvedPath(path, place));
        if (named !== null) ruling = ruling === null ? named : stricterOf(ruling, named);
      }
    }
    return ruling;
  }

  /** All that a word may name; null for too much. */
  private pathsOf(word: string): string[] | null {
    const expanded = alternativesIn(word);
    return expanded && [...new Set(expanded.flatMap((one) => this.filled(one)).flatMap(readingsOf))];
  }

  /** What begins with a variable, with each value of the line in its place. */
  private filled(word: string): string[] {
    return isOpen(word) ? [word, ...this.values.map((value) => value + word.slice(1))] : [word];
  }

  unread(access: Access): Ruling {
    return new FileList(this.rules, access, this.home).unread();
  }

  private add(place: Place): void {
    const { rules, home } = this;
    if (this.lists.length === MAX_PLACES || this.lists.some((one) => one.place === place)) return;
    this.lists.push({ place, read: new FileList(rules, "read", home), write: new FileList(rules, "write", home) });
  }
}

/** Whether a word begins with what is known only when the line runs. */
const isOpen = (word: string): boolean => word.startsWith(UNKNOWN) || word.startsWith(WORDS);

/** What a word of a shell stands for, as far as brackets say; null for too much. */
const alternativesIn = (word: string): string[] | null => {
  const marked = word.replaceAll(`${WORDS}{`, OPEN).replaceAll(WORDS, UNKNOWN).replaceAll(OPEN, WORDS);
  if (!marked.includes(WORDS)) return [marked];
  // Of brackets in quotes nobody can tell which these are.
  return marked.split("}").length > marked.split(WORDS).length ? null : alternativesOf(marked, WORDS);
};

const OPEN = "\u0002";
