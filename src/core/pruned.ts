import { isRecord, type JsonRecord } from "#core/json/json";
import { withDoubles } from "#core/json/json-number";
import { Shape, type TSchema } from "./schema";

/**
 * Cuts a JSON document down to what decides whether it fits a schema, so that checking it is short work however long
 * it is: fields the schema knows, and of each list the first part that does not fit, or else the first. What is left
 * fits if the document does, and has the same first fault. For schemas of objects, lists, unions and plain values that
 * say nothing of the number of a list's parts but that there is one, and nothing of the values of free-form records.
 */
export class Pruner {
  private readonly shapes = new Map<TSchema, Shape<TSchema>>();

  constructor(private readonly schema: TSchema) {}

  /** Yields after each part of a list, so that callers can work in slices. */
  *prune(value: unknown): Generator<undefined, Pruned> {
    const cuts = new Map<string, number>();
    return { value: yield* this.pruned(this.schema, value, "", cuts), cuts };
  }

  private *pruned(schema: TSchema, value: unknown, path: string, cuts: Cuts): Generator<undefined, unknown> {
    if (Array.isArray(value)) {
      const items = optionWith(schema, "items")?.["items"];
      return isSchema(items) ? yield* this.list(items, value, path, cuts) : [];
    }
    if (!isRecord(value)) return withDoubles(value);
    const properties = optionWith(schema, "properties")?.["properties"];
    return isRecord(properties) ? yield* this.fields(properties, value, path, cuts) : {};
  }

  private *fields(properties: JsonRecord, value: JsonRecord, path: string, cuts: Cuts): Generator<undefined, unknown> {
    const kept: JsonRecord = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (!(isSchema(schema) && Object.hasOwn(value, name))) continue;
      const field = value[name];
      const isPlain = typeof field !== "object" || field === null;
      kept[name] = isPlain ? field : yield* this.pruned(schema, field, `${path}/${name}`, cuts);
    }
    return kept;
  }

  private *list(items: TSchema, list: readonly unknown[], path: string, cuts: Cuts): Generator<undefined, unknown> {
    let first: unknown[] = [];
    for (let at = 0; at < list.length; at += 1) {
      const part = yield* this.pruned(items, list[at], `${path}/0`, cuts);
      if (!this.shapeOf(items).fits(part)) {
        cuts.set(path, at);
        return [part];
      }
      if (at === 0) first = [part];
      yield;
    }
    return first;
  }

  private shapeOf(schema: TSchema): Shape<TSchema> {
    const known = this.shapes.get(schema);
    if (known) return known;
    const made = new Shape(schema);
    this.shapes.set(schema, made);
    return made;
  }
}

/** By the JSON pointer of a list in what is left: where the one part that was kept stood. */
type Cuts = Map<string, number>;

export type Pruned = { readonly value: unknown; readonly cuts: ReadonlyMap<string, number> };

/** The JSON pointer, in the whole document, of a place in what was left of it. */
export const wholePointer = (pointer: string, cuts: ReadonlyMap<string, number>): string => {
  let [left, whole] = ["", ""];
  for (const part of pointer.split("/").slice(1)) {
    whole += `/${cuts.get(left) ?? part}`;
    left += `/${part}`;
  }
  return whole;
};

const isSchema = (value: unknown): value is TSchema => isRecord(value);

/** The schema, or that of its options, which has this keyword; schemas here have one of a kind at most. */
const optionWith = (schema: TSchema, keyword: "items" | "properties"): TSchema | undefined => {
  if (schema[keyword] !== undefined) return schema;
  const options: unknown = schema["anyOf"];
  return Array.isArray(options)
    ? options.find((option) => isRecord(option) && option[keyword] !== undefined)
    : undefined;
};
