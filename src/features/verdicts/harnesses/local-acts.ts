import { isRecord, type JsonRecord } from "#core/json/json";
import type { Access } from "#policy/files/file-rules";
import { patchedFiles } from "#policy/files/patch";
import { isWindows, type Place } from "#policy/files/paths";
import type { LocalActs, LocalCommand } from "#policy/profile/local-acts";

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
/** What it does with the file stands in its input. */
const EDITOR = "str_replace_editor";

const LINES = ["command", "cmd", "script", "input", "chars"];
const FOLDERS = ["workdir", "cwd", "dir_path", "directory"];
const PATHS = [
  ...["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_notebook", "target_file"],
  ...["dir_path", "directory", "paths", "include"],
];
/** Paths of one call that are looked at. */
const MAX_PATHS = 1_000;

/** What a call of a tool is about to do; null for a tool that does nothing there, as far as is known. */
export const localActs = (tool: string, given: unknown, place: Place): LocalActs | null => {
  const name = tool.toLowerCase();
  const acts = { place, commands: [], files: [] };
  const isPosix = SHELLS.has(name) && (name === "bash" || place === null || !isWindows(place));
  if (isPosix) return { ...acts, commands: [commandIn(given)] };
  if (SHELLS.has(name) || OTHER_SHELLS.has(name)) return { ...acts, commands: [{ line: null, from: null }] };
  if (PATCHES.has(name)) return { ...acts, files: filesOf(WRITE, patchedFiles(patchIn(given))) };
  if (name === EDITOR) {
    const isRead = isRecord(given) && given["command"] === "view";
    return { ...acts, files: filesOf(isRead ? READ : WRITE, pathsIn(given)) };
  }
  const accesses = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  return accesses === undefined ? null : { ...acts, files: filesOf(accesses, pathsIn(given)) };
};

/** A file that is about to be read. */
export const readOf = (path: string, place: Place): LocalActs => ({
  place,
  commands: [],
  files: [{ access: "read", path }],
});

const commandIn = (given: unknown): LocalCommand => {
  if (!isRecord(given)) return { line: typeof given === "string" ? given : null, from: null };
  const from = firstText(given, FOLDERS);
  const line = LINES.map((key) => given[key]).find((value) => value !== undefined);
  return { line: lineOf(line), from };
};

/** Programs are also started by their words, without a shell. */
const lineOf = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ") : null;
};

const patchIn = (given: unknown): string => {
  if (typeof given === "string") return given;
  if (!isRecord(given)) return "";
  const { command } = given;
  // `["apply_patch", "*** Begin Patch…"]`
  if (Array.isArray(command)) return command.filter((word) => typeof word === "string").join("\n");
  return firstText(given, ["command", "input", "patch"]) ?? "";
};

/** Where a tool is given none, it works where the agent is. */
const pathsIn = (given: unknown): readonly string[] => {
  if (!isRecord(given)) return [""];
  const paths = PATHS.flatMap((key): string[] => {
    const value = given[key];
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.map((path) => (typeof path === "string" ? path : ""));
    return value === undefined || value === null ? [] : [""];
  });
  if (paths.length > MAX_PATHS) return [""];
  return paths.length === 0 ? ["."] : paths;
};

const filesOf = (accesses: readonly Access[], paths: readonly string[]): LocalActs["files"] =>
  paths.flatMap((path) => accesses.map((access) => ({ access, path })));

const firstText = (given: JsonRecord, keys: readonly string[]): string | null => {
  const found = keys.map((key) => given[key]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : null;
};
