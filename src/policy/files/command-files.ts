import { UNKNOWN } from "#core/wildcards";
import { type Ruling, stricterOf } from "#policy/commands/permission";
import { programName } from "#policy/commands/programs";
import { isKnown, type ShellLine, type SimpleCommand } from "#policy/commands/shell";
import { WORDS } from "#policy/commands/shell-word";
import { ACCESSES, type Access, FileList, type FileRules } from "./file-rules";
import { patchedFiles } from "./patch";
import { type Place, readingsOf, resolvedPath } from "./paths";

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
  const places = new Places(rules, place);
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
    left -= words.length;
    if (left < 0) return ACCESSES.map((access) => places.unread(access)).reduce(stricterOf, ruling);
    for (const word of words) {
      yield;
      for (const access of accesses) ruling = stricterOf(ruling, places.rulingOnWord(word, access) ?? ruling);
    }
    places.follow(command);
  }
  return ruling;
};

/** `apply_patch`, which Codex knows as a command. */
const patchedIn = ({ words, stdin }: SimpleCommand): readonly string[] => {
  const [name = "", patch = stdin ?? ""] = words;
  return /^apply_?patch$/.test(name) ? patchedFiles(patch) : [];
};

/** What may be a path of the words behind the name: of `--output=FILE`, `if=FILE` and `@FILE` the file. */
const wordsOf = ({ words }: SimpleCommand): string[] =>
  words.slice(1).flatMap((word) => {
    const value = /^(?:--?[\w-]+|[\w-]{1,20})=(.+)$/s.exec(word)?.[1] ?? /^@(.+)$/s.exec(word)?.[1];
    if (value !== undefined) return [value];
    return word === "" || word.startsWith("-") ? [] : [word];
  });

/** The directories that a line may be in: where it begins, and where it changes to. */
class Places {
  private readonly lists: { readonly place: Place; readonly read: FileList; readonly write: FileList }[] = [];
  /** Whether it changes to a directory that cannot be told. */
  private isLost = false;

  constructor(
    private readonly rules: FileRules,
    /** What relative patterns are of, wherever the line goes. */
    private readonly home: Place,
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
    else for (const { place } of [...this.lists]) this.add(resolvedPath(folder, place));
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
    let ruling: Ruling | null = null;
    for (const { place, ...lists } of this.lists) {
      for (const path of readingsOf(word.replaceAll(WORDS, UNKNOWN))) {
        const named = lists[access].rulingOnName(resolvedPath(path, place));
        if (named !== null) ruling = ruling === null ? named : stricterOf(ruling, named);
      }
    }
    return ruling;
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
