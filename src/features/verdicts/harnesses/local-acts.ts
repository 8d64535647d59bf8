import { isRecord, type JsonRecord } from "#core/json/json";
import { readJson } from "#core/json/json-reader";
import { UNKNOWN } from "#core/wildcards";
import type { AskedActs } from "#features/verdicts/local-gate";
import type { Access } from "#policy/files/file-rules";
import { patchedFiles } from "#policy/files/patch";
import { isAbsolute, isWindows, type Place } from "#policy/files/paths";
import type { LocalActs, LocalCommand, LocalFile } from "#policy/profile/local-acts";

/*
 * What the tools of coding agents do on their machines, by the tools' names in lower case. The names of all harnesses are
 * in one table: where two have the same, they do the same.
 */

const SHELLS = new Set([
  ...["bash", "shell", "local_shell", "container.exec", "exec", "exec_command", "unified_exec", "write_stdin"],
  ...["run_shell_command", "run_terminal_cmd", "execute_command", "terminal", "write_bash", "monitor"],
]);
/** Their lines are not for a POSIX shell; on Windows that is so of all but Bash. */
const OTHER_SHELLS = new Set(["powershell", "write_powershell"]);
const PATCHES = new Set(["apply_patch", "applypatch"]);

const READ: readonly Access[] = ["read"];
const WRITE: readonly Access[] = ["write"];
const FILES: Readonly<Record<string, readonly Access[]>> = {
  read: READ,
  view: READ,
  view_image: READ,
  read_file: READ,
  read_many_files: READ,
  notebookread: READ,
  ls: READ,
  list_dir: READ,
  list_directory: READ,
  glob: READ,
  grep: READ,
  grep_files: READ,
  grep_search: READ,
  rg: READ,
  search_file_content: READ,
  write: WRITE,
  write_file: WRITE,
  create: WRITE,
  delete: WRITE,
  delete_file: WRITE,
  edit: WRITE,
  edit_file: WRITE,
  multiedit: WRITE,
  notebookedit: WRITE,
  replace: WRITE,
  search_replace: WRITE,
  str_replace: WRITE,
  insert: WRITE,
};
/** Begin where the agent is when they are given no path. */
const SEARCHES = new Set([
  ...["ls", "list_dir", "list_directory", "glob", "grep", "grep_files", "grep_search", "rg", "search_file_content"],
]);
/** What it does with the file stands in its input. */
const EDITOR = "str_replace_editor";

const LINES = ["command", "cmd", "script", "input", "chars"];
const FOLDERS = ["workdir", "cwd", "dir_path", "directory"];
const PATHS = [
  ...["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_notebook", "target_file"],
  ...["dir_path", "directory", "file", "filename", "filepath", "uri"],
];
/** Patterns of paths, relative to the paths of the same call. */
const PATTERNS = ["include", "glob"];
/** Of these tools other fields are patterns, too. */
const MORE_PATTERNS: Readonly<Record<string, string>> = { glob: "pattern", read_many_files: "paths" };
/** Paths of one call that are looked at. */
const MAX_PATHS = 1_000;

/** What a call of a tool is about to do; null for a tool that does nothing there, as far as is known. */
export const localActs = (tool: string, given: unknown, place: Place): LocalActs | null => {
  const name = tool.toLowerCase();
  const acts = { place, commands: [], files: [] };
  const isPosix = SHELLS.has(name) && (name === "bash" || place === null || !isWindows(place));
  if (isPosix) return { ...acts, commands: commandsIn(given) };
  if (SHELLS.has(name) || OTHER_SHELLS.has(name)) return { ...acts, commands: [{ line: null, from: null }] };
  if (PATCHES.has(name)) return { ...acts, files: filesOf(WRITE, patchesIn(given).flatMap(patchedFiles)) };
  if (name === EDITOR) {
    const isRead = isRecord(given) && given["command"] === "view";
    return { ...acts, files: filesOf(isRead ? READ : WRITE, pathsIn(name, given)) };
  }
  const accesses = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  return accesses === undefined
    ? null
    : { ...acts, files: [...filesOf(accesses, pathsIn(name, given)), ...patternsIn(name, given)] };
};

/** The same of a call that another system tells of: where its agent is nobody says, and nobody can ask its user. */
export const actsOfCall = (param: string, tool: string, input: unknown): AskedActs[] => {
  const isKnown = localActs(tool, null, null) !== null;
  const acts = isKnown ? localActs(tool, typeof input === "string" ? writtenIn(input) : input, null) : null;
  return acts === null ? [] : [{ param, acts, canAsk: false }];
};

const MAX_WRITTEN = 262_144;

/** A text that is no JSON, or long, is what the tool is given. */
const writtenIn = (text: string): unknown => {
  if (text.length > MAX_WRITTEN || !/^\s*\{/.test(text)) return text;
  try {
    return readJson(text).value;
  } catch (cause) {
    if (cause instanceof SyntaxError) return text;
    throw cause;
  }
};

/** A file that is about to be read. */
export const readOf = (path: string, place: Place): LocalActs => ({
  place,
  commands: [],
  files: [{ access: "read", path }],
});

/** Which of its lines a tool runs is the tool's to know, and in which directory: each is judged in each. */
const commandsIn = (given: unknown): LocalCommand[] => {
  if (!isRecord(given)) return [{ line: typeof given === "string" ? given : null, from: null }];
  const lines = valuesAt(given, LINES).map(lineOf);
  const folders = valuesAt(given, FOLDERS).map((folder) => (typeof folder === "string" ? folder : UNKNOWN));
  return orOne(lines, null).flatMap((line) => orOne(folders, null).map((from) => ({ line, from })));
};

const orOne = <T>(list: readonly T[], usual: T): readonly T[] => (list.length === 0 ? [usual] : list);

/** Programs are also started by their words, without a shell. */
const lineOf = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ") : null;
};

const patchesIn = (given: unknown): readonly string[] => {
  if (!isRecord(given)) return [typeof given === "string" ? given : ""];
  const patches = valuesAt(given, ["command", "input", "patch"]).map((value) => {
    // `["apply_patch", "*** Begin Patch…"]`
    if (Array.isArray(value)) return value.filter((word) => typeof word === "string").join("\n");
    return typeof value === "string" ? value : "";
  });
  return orOne(patches, "");
};

/** Where a search is given no path, it begins where the agent is; of other tools that is not understood. */
const pathsIn = (tool: string, given: unknown): readonly string[] => {
  if (!isRecord(given)) return [""];
  const paths = textsAt(given, PATHS);
  if (paths.length > 0) return paths;
  return SEARCHES.has(tool) ? ["."] : textsAt(given, patternFields(tool)).length > 0 ? [] : [""];
};

const patternsIn = (tool: string, given: unknown): LocalFile[] => {
  if (!isRecord(given)) return [];
  const bases = orOne(textsAt(given, PATHS), "");
  const placed = (pattern: string) =>
    pattern === "" || isAbsolute(pattern)
      ? [pattern]
      : bases.map((base) => (base === "" ? pattern : `${base}/${pattern}`));
  const paths = textsAt(given, patternFields(tool))
    .flatMap(placed)
    .slice(0, MAX_PATHS + 1);
  const read = paths.length > MAX_PATHS ? [""] : paths;
  return read.map((path) => ({ access: "read", path, isPattern: true }));
};

const patternFields = (tool: string): readonly string[] => {
  const more = Object.hasOwn(MORE_PATTERNS, tool) ? MORE_PATTERNS[tool] : undefined;
  return more === undefined ? PATTERNS : [...PATTERNS, more];
};

/** What is no text is one that nobody can read: empty. */
const textsAt = (given: JsonRecord, keys: readonly string[]): readonly string[] => {
  const texts = valuesAt(given, keys)
    .flat()
    .map((value) => (typeof value === "string" ? value : ""));
  return texts.length > MAX_PATHS ? [""] : texts;
};

const valuesAt = (given: JsonRecord, keys: readonly string[]): unknown[] =>
  keys.map((key) => given[key]).filter((value) => value !== undefined && value !== null);

const filesOf = (accesses: readonly Access[], paths: readonly string[]): LocalActs["files"] =>
  paths.flatMap((path) => accesses.map((access) => ({ access, path })));
