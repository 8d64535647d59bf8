import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { suggestionFor } from "#core/nearest";
import { CLIENT_VARIABLES } from "#model/client-variables";
import type { Environment } from "./environment";
import type { Key } from "./schema";

/** One value on its way in: where it was found, and still in the form it was found in. */
export type Given = {
  readonly value: unknown;
  /** `--listen`, `GUARDHOUSE_LISTEN`, a file name, or `default`. */
  readonly origin: string;
  /** Text still to be read as the key's kind. */
  readonly raw: boolean;
};
export type SettingSource = Map<string, Given>;

/** One value in force, and where it comes from. */
export type Setting = { readonly key: Key; readonly value: unknown; readonly origin: string };

const PREFIX = "GUARDHOUSE_";
/** Names the TOML file when `--config` does not. */
export const CONFIG_VARIABLE = "GUARDHOUSE_CONFIG";
/** Names a process that `serve --workers` has started, by its id. Not a setting. */
export const WORKER_VARIABLE = "GUARDHOUSE_WORKER";

export { CLIENT_VARIABLES };

const NO_SETTINGS: ReadonlySet<string> = new Set([
  CONFIG_VARIABLE,
  WORKER_VARIABLE,
  ...Object.values(CLIENT_VARIABLES),
]);

export const variableOf = (key: Key): string => key.variable ?? PREFIX + key.path.replaceAll(".", "__").toUpperCase();

const takesFile = (key: Key): boolean => key.kind === "string";

/** Reads a file a setting points to; one trailing newline is the editor's, not the value's. */
export const readValueFile = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch {
    // The reason is in the problem the caller reports: the file, and that it cannot be read.
    return null;
  }
};

type Variable = { readonly key: Key; readonly isFile: boolean };

const variablesOf = (keys: readonly Key[]): ReadonlyMap<string, Variable> => {
  const plain = keys.map((key) => [variableOf(key), { key, isFile: false }] as const);
  const files = keys.filter(takesFile).map((key) => [`${variableOf(key)}_FILE`, { key, isFile: true }] as const);
  return new Map<string, Variable>([...plain, ...files]);
};

/** `GUARDHOUSE_…` variables. An empty one counts as not set, so that `${X:-}` in a compose file does no harm. */
export const fromEnvironment = (keys: readonly Key[], environment: Environment, problems: string[]): SettingSource => {
  const known = variablesOf(keys);
  const source: SettingSource = new Map();
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || NO_SETTINGS.has(name)) continue;
    const variable = known.get(name);
    if (!variable) {
      const names = [...known.keys(), CONFIG_VARIABLE].map((one) => one.slice(PREFIX.length));
      problems.push(`${name}: unknown variable${suggestionFor(name.slice(PREFIX.length), names, PREFIX)}`);
    } else if (text) take(name, text, variable, { source, problems });
  }
  return source;
};

const take = (
  name: string,
  text: string,
  { key, isFile }: Variable,
  { source, problems }: { source: SettingSource; problems: string[] },
): void => {
  if (source.has(key.path)) {
    problems.push(`${variableOf(key)}: set it or ${variableOf(key)}_FILE, not both`);
    return;
  }
  const value = isFile ? readValueFile(text) : text;
  if (value === null) problems.push(`${name}: the file ${text} cannot be read`);
  else source.set(key.path, { value, origin: name, raw: true });
};

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

type Into = {
  readonly keys: readonly Key[];
  readonly file: string;
  readonly source: SettingSource;
  readonly problems: string[];
};

/** A secret need not stand in the TOML file: `…_file` names the file it is in, as the variable of that name does. */
const readSecretFile = (path: string, named: unknown, { file, source, problems }: Into): void => {
  const value = typeof named === "string" ? readValueFile(named) : null;
  if (value === null) problems.push(`${path}: the file it names cannot be read (in ${file})`);
  else source.set(path.replace(/_file$/, ""), { value, origin: `${path} in ${file}`, raw: false });
};

/** `guard`, `upstream`: what keys stand under. */
const tablesOf = (keys: readonly Key[]): string[] => [
  ...new Set(keys.flatMap(({ path }) => path.split(".").slice(0, -1))),
];

/** Walks a parsed TOML table down to the known keys. */
const collect = (table: Record<string, unknown>, prefix: string, into: Into): void => {
  for (const [name, value] of Object.entries(table)) {
    const path = prefix + name;
    if (into.keys.some((key) => key.path === path)) {
      into.source.set(path, { value, origin: into.file, raw: false });
    } else if (into.keys.some((key) => key.secret && `${key.path}_file` === path)) {
      readSecretFile(path, value, into);
    } else if (into.keys.some((key) => key.path.startsWith(`${path}.`))) {
      if (isTable(value)) collect(value, `${path}.`, into);
      else into.problems.push(`${path}: expected a table (in ${into.file})`);
    } else {
      const known = isTable(value) ? tablesOf(into.keys) : into.keys.map((key) => key.path);
      into.problems.push(`${path}: unknown key in ${into.file}${suggestionFor(path, known)}`);
    }
  }
};

/** The TOML file. Its parser's message is not passed on whole, because it quotes the line, which may hold a secret. */
export const fromFile = (keys: readonly Key[], file: string, problems: string[]): SettingSource => {
  const source: SettingSource = new Map();
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    problems.push(`${file}: the configuration file cannot be read`);
    return source;
  }
  try {
    collect(parse(text), "", { keys, file, source, problems });
  } catch (error) {
    const line =
      error instanceof Error && "line" in error && typeof error.line === "number" ? ` at line ${error.line}` : "";
    problems.push(`${file}: not valid TOML${line}`);
  }
  return source;
};

/** Flags that stand for a key, by path: `{ listen: "0.0.0.0:80" }`. */
export const fromFlags = (flags: Readonly<Record<string, string | undefined>>): SettingSource => {
  const source: SettingSource = new Map();
  for (const [path, value] of Object.entries(flags)) {
    if (value !== undefined)
      source.set(path, { value, origin: `--${path.replace(/^.*\./, "").replaceAll("_", "-")}`, raw: true });
  }
  return source;
};
