import { isRecord, type JsonRecord } from "#core/json/json";

/** Where a request speaks of what its provider keeps of earlier calls, or has it keep more. */
export type KeptState = { readonly param: string; readonly kind: "background" | "conversation" | "item" | "response" };

/** Every place of a request that names state at the provider: texts that the hub does not see. */
export function* keptStateIn(body: JsonRecord): Generator<KeptState> {
  if (body["background"] === true) yield { param: "background", kind: "background" };
  if (body["previous_response_id"] != null) yield { param: "previous_response_id", kind: "response" };
  if (body["conversation"] != null) yield { param: "conversation", kind: "conversation" };
  const { input } = body;
  if (!Array.isArray(input)) return;
  for (const [at, item] of input.entries()) {
    if (isReference(item)) yield { param: `input[${at}]`, kind: "item" };
  }
}

/** An item by its id alone; its type may be left out. */
const isReference = (item: unknown): boolean =>
  isRecord(item) && (item["type"] === "item_reference" || (item["type"] == null && item["role"] == null));
