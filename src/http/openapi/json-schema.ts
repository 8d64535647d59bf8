import { isRecord, type JsonRecord } from "#core/json/json";
import { CHECKED_LATER, type TSchema } from "#core/schema";

const PREFIX = "#/components/schemas/";

/**
 * Schemas as the document holds them: those with an `$id` once, among its components, and a reference wherever they
 * are used. Two that are different under one name are a mistake, and said so.
 */
export class Components {
  private readonly known = new Map<string, JsonRecord>();

  of(schema: TSchema): JsonRecord {
    return this.shown(schema);
  }

  all(): JsonRecord {
    return Object.fromEntries([...this.known].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private shown(schema: unknown): JsonRecord {
    if (!isRecord(schema)) return {};
    const { $id, ...rest } = schema;
    if (typeof $id !== "string") return this.plain(rest);
    const made = this.plain(rest);
    const known = this.known.get($id);
    if (known && JSON.stringify(known) !== JSON.stringify(made)) throw new Error(`two schemas are named ${$id}`);
    this.known.set($id, made);
    return { $ref: PREFIX + $id };
  }

  private plain(schema: JsonRecord): JsonRecord {
    const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
      if (value === undefined) return [];
      if (name === CHECKED_LATER && isRecord(value)) return Object.entries(value);
      if (name === "properties" || name === "patternProperties") return [[name, this.each(value)]];
      if (name === "items" || (name === "additionalProperties" && isRecord(value))) return [[name, this.shown(value)]];
      if (Array.isArray(value) && ["anyOf", "allOf", "oneOf"].includes(name)) {
        return [[name, value.map((one) => this.shown(one))]];
      }
      return [[name, value]];
    });
    return shortened(Object.fromEntries(entries));
  }

  private each(properties: unknown): JsonRecord {
    const entries = isRecord(properties) ? Object.entries(properties) : [];
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.shown(schema)]));
  }
}

/** A choice of words as `enum`, and "a text or null" as two types: what readers and generators expect. */
const shortened = (schema: JsonRecord): JsonRecord => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const options = anyOf.filter(isRecord);
  const words = options.map(({ const: word }) => word);
  if (words.every((word) => typeof word === "string")) return { ...rest, type: "string", enum: words };
  const [one, other, more] = options;
  if (one && other?.["type"] === "null" && more === undefined && typeof one["type"] === "string") {
    const { type, enum: values, ...said } = one;
    return {
      ...said,
      ...rest,
      type: [type, "null"],
      ...(Array.isArray(values) && { enum: [...values, null] }),
    };
  }
  return schema;
};
