import { isRecord } from "#core/json/json";
import type { Contents } from "./client";
import { withEntries } from "./entries";
import { tomlText } from "./toml-text";

/** A file that holds nothing but this: what is shown, and written where there is no file yet. */
export const textOf = (contents: Contents): string => {
  if ("text" in contents) return contents.text.trimEnd();
  const document = withEntries(undefined, contents.entries) ?? {};
  if (contents.format === "json") return JSON.stringify(document, null, 2);
  const record = isRecord(document) ? document : {};
  if (contents.format === "toml") return tomlText(record);
  return Object.entries(record)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
};
