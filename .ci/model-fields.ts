/*
 * The texts that model APIs have, as OpenAI's and Anthropic's clients declare them: the tables of docs/model-apis.md.
 * `bun .ci/model-fields.ts` prints them, `--write` puts each between its marks:
 * `<!-- fields: API -->` … `<!-- /fields -->`. test/model-fields.test.ts fails when the document says something else.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MODEL_APIS, type ModelApiName } from "#model/model-api";
import { API_FIELDS, type ApiFields, bodiesOf } from "#test/support/sdk-fields/apis";
import { type Body, isAmong, type Place } from "#test/support/sdk-fields/corpus";

export const DOCUMENT = join(import.meta.dir, "../docs/model-apis.md");

const code = (text: string): string => `\`${text}\``;
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => "---"), ...rows].map(row).join("\n");

/** What the nearest object says it is: `messages[user].content[text]` is a `text`. */
const objectOf = ({ object }: Place): string => /\[([^[\]]*)\][^[\]]*$/.exec(object)?.[1] ?? "";

/** The path below it. Objects of any fields are one place, with their names. */
const fieldOf = ({ field, isName }: Place): string => (isName ? `${field}.*` : field).replace(/\.\*.*$/, ".*");

type Fields = ReadonlyMap<string, ReadonlySet<string>>;

const fieldsOf = (bodies: readonly Body[], isShown: (place: Place) => boolean): Fields => {
  const found = new Map<string, Set<string>>();
  for (const place of bodies.flatMap(({ places }) => places).filter(isShown)) {
    const object = objectOf(place);
    found.set(object, (found.get(object) ?? new Set()).add(fieldOf(place)));
  }
  return found;
};

const shown = (fields: ReadonlySet<string> | undefined): string => [...(fields ?? [])].sort().map(code).join(", ");

const tableOf = async (api: ApiFields): Promise<string> => {
  const { requests, answers, events } = await bodiesOf(api);
  const isScanned = (place: Place): boolean => !place.isWord && !isAmong(api.opaque, place);
  const sent = fieldsOf(requests, isScanned);
  const answered = fieldsOf([...answers, ...events], isScanned);
  const objects = [...new Set([...sent.keys(), ...answered.keys()])].sort();
  const texts = table(
    ["Object", "Texts in requests", "Texts in answers and events"],
    objects.map((object) => [
      object === "" ? "the body" : code(object),
      shown(sent.get(object)),
      shown(answered.get(object)),
    ]),
  );
  const exceptions = [
    ...api.kept.map(({ field, why }) => [code(field), "in requests scanned, never redacted", why]),
    ...api.opaque.map(({ field, why }) => [code(field), "not scanned, never changed", why]),
  ];
  return exceptions.length === 0 ? texts : `${texts}\n\n${table(["Field", "Treatment", "Why"], exceptions)}`;
};

const MARKED = /(<!-- fields: ([a-z]+) -->\n)[\s\S]*?(<!-- \/fields -->)/g;

const isApi = (name: string): name is ModelApiName => MODEL_APIS.some((api) => api === name);

/** The document with every table as the types have it. */
export const refreshed = async (document: string): Promise<string> => {
  let made = document;
  for (const [marked, open = "", name = "", close = ""] of document.matchAll(MARKED)) {
    if (!isApi(name)) throw new Error(`there is no API "${name}"`);
    const fields = await tableOf(API_FIELDS[name]);
    made = made.replace(marked, () => `${open}\n${fields}\n\n${close}`);
  }
  return made;
};

if (import.meta.main) {
  if (process.argv[2] === "--write") writeFileSync(DOCUMENT, await refreshed(readFileSync(DOCUMENT, "utf8")));
  else for (const name of MODEL_APIS) console.log(`## ${name}\n\n${await tableOf(API_FIELDS[name])}\n`);
}
