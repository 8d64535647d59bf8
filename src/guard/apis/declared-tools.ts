import { isRecord } from "#core/json/json";

/**
 * Names of the tools in a list of a request, with their paths. A tool that has several names must be allowed under each.
 */
export function* toolsIn(key: string, items: unknown): Generator<[param: string, name: string]> {
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) for (const name of namesOf(item)) yield [`${key}[${index}]`, name];
}

/** Kinds of tools that have a name of the caller's choice; any other is the provider's own, and known by its type. */
const NAMED_KINDS: ReadonlySet<unknown> = new Set(["function", "custom", undefined]);

const namesOf = (item: unknown): string[] => {
  if (!isRecord(item)) return [""];
  const { type } = item;
  const inner = [item, item["function"], item["custom"]].flatMap((each) =>
    isRecord(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
  if (!NAMED_KINDS.has(type)) return [typeof type === "string" ? type : String(JSON.stringify(type)), ...inner];
  return inner.length > 0 ? inner : [""];
};
