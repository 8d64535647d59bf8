import { isRecord, type JsonRecord } from "#core/json/json";

const BARE = /^[A-Za-z0-9_-]+$/;

const key = (name: string): string => (BARE.test(name) ? name : JSON.stringify(name));

export const tomlName = (path: readonly string[]): string => path.map(key).join(".");

/** A value in one line; tables within it too. */
export const tomlValue = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (!isRecord(value)) return typeof value === "string" ? tomlString(value) : String(value);
  const pairs = Object.entries(value).map(([name, part]) => `${key(name)} = ${tomlValue(part)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
};

/** JSON's escapes are TOML's, but for the one character JSON leaves as it is. */
const tomlString = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

export const tomlPair = (name: string, value: unknown): string => `${key(name)} = ${tomlValue(value)}`;

/** A table with its header, lines without their ends. */
export const tomlTable = (path: readonly string[], table: JsonRecord): string[] => [
  `[${tomlName(path)}]`,
  ...Object.entries(table).map(([name, value]) => tomlPair(name, value)),
];

const isTables = (value: unknown): value is readonly JsonRecord[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** A whole document, a block of lines for each of its tables. */
const blocks = (table: JsonRecord, path: readonly string[]): string[][] => {
  const entries = Object.entries(table);
  const own = entries.filter(([, value]) => !isRecord(value) && !isTables(value)).map((pair) => tomlPair(...pair));
  const inner = entries.flatMap(([name, value]) => {
    const at = [...path, name];
    if (isTables(value)) return value.map((item) => [`[[${tomlName(at)}]]`, ...tomlTable(at, item).slice(1)]);
    return isRecord(value) ? blocks(value, at) : [];
  });
  if (path.length > 0 && own.length > 0) own.unshift(`[${tomlName(path)}]`);
  return own.length > 0 ? [own, ...inner] : inner;
};

export const tomlText = (document: JsonRecord): string =>
  blocks(document, [])
    .map((lines) => lines.join("\n"))
    .join("\n\n");
