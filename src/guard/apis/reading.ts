import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { encodingOfModel, type TokenEncoding } from "#model/token-encoding";
import { hasTokenIds } from "#scan/texts/token-ids";

/** A string of a body; an empty one where there is none. */
export const stringAt = (body: JsonRecord, key: string): string => {
  const value = body[key];
  return typeof value === "string" ? value : "";
};

/** What functions and custom tools are given. */
export const TOOL_INPUT = /\.(?:arguments|input)(?:[.[]|$)/;

/** The encoding of the token ids below a key of a request; null for none. Throws `invalid_value` for one nobody knows. */
export const encodingOfIds = (body: JsonRecord, key: string): TokenEncoding | null => {
  if (!hasTokenIds(body[key])) return null;
  const encoding = encodingOfModel(stringAt(body, "model"));
  if (encoding !== null) return encoding;
  throw new GuardError(
    "invalid_value",
    "The hub does not know the encoding of this model's token ids, so it cannot scan them. Send the text instead; LangChain: check_embedding_ctx_length=False.",
    { param: key },
  );
};

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
