import { isRecord, type JsonRecord } from "#core/json/json";

const ID = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";
const MOMENT = "2026-11-02T09:30:00.000Z";
const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/** What a text is like, by its name. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/(^|_)ids?$/, ID],
  [/(^|_)(at|since|until)$/, MOMENT],
  [/(^|_)(cursor)$/, ID],
  [/email|^owner$|^sponsor$|_by$|^by$/, "eve@example.com"],
  [/hash$/, HASH],
  [/url$/, "https://example.com/"],
  [/reason$|^note$|^comment$|rationale$/, "It was checked by hand."],
  [/description$|^message$|^text$/, "A few words."],
  [/^name$/, "support-bot"],
  [/^model$/, "gpt-5"],
];

/** One value a schema describes, made of its own examples, constants and names: every property is in it. */
export const exampleOf = (schema: JsonRecord, components: JsonRecord, name = ""): unknown => {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const meant = components[reference.slice(reference.lastIndexOf("/") + 1)];
    return isRecord(meant) ? exampleOf(meant, components, name) : {};
  }
  const { examples, default: usual, const: only, enum: words, anyOf, allOf } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (usual !== undefined) return usual;
  if (only !== undefined) return only;
  if (Array.isArray(words)) return words[0];
  if (Array.isArray(anyOf)) return exampleOf(recordIn(anyOf), components, name);
  if (Array.isArray(allOf)) {
    return Object.assign({}, ...allOf.filter(isRecord).map((part) => exampleOf(part, components, name)));
  }
  return byType(schema, components, name);
};

const recordIn = (options: readonly unknown[]): JsonRecord => options.find(isRecord) ?? {};

const byType = (schema: JsonRecord, components: JsonRecord, name: string): unknown => {
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  if (type === "object") return objectOf(schema, components);
  if (type === "array") return listIn(schema, components, name);
  if (type === "string") return textOf(schema, name);
  if (type === "integer" || type === "number") return numberOf(schema, type);
  if (type === "boolean") return true;
  return type === "null" ? null : {};
};

const objectOf = ({ properties }: JsonRecord, components: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => [
      name,
      isRecord(schema) ? exampleOf(schema, components, name) : null,
    ]),
  );

const listIn = ({ items, minItems }: JsonRecord, components: JsonRecord, name: string): unknown[] => {
  const one = isRecord(items) ? exampleOf(items, components, name.replace(/s$/, "")) : {};
  return Array.from({ length: typeof minItems === "number" && minItems > 1 ? minItems : 1 }, () => one);
};

const textOf = ({ format, minLength, maxLength }: JsonRecord, name: string): string => {
  if (format === "uuid") return ID;
  if (format === "date-time") return MOMENT;
  if (format === "uri") return "https://example.com/";
  const text = NAMED.find(([pattern]) => pattern.test(name))?.[1] ?? (name || "text");
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : Number.POSITIVE_INFINITY;
  return text.padEnd(least, "x").slice(0, most);
};

const numberOf = ({ minimum, maximum }: JsonRecord, type: "integer" | "number"): number => {
  const least = typeof minimum === "number" ? minimum : 0;
  const usual = type === "integer" ? Math.max(least, 1) : Math.max(least, 0.5);
  return typeof maximum === "number" ? Math.min(usual, maximum) : usual;
};
