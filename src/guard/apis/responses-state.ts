import { isRecord, type JsonRecord } from "#core/json/json";
import type { KeptState, RequestSide, StringPlace } from "#guard/apis/api";
import { stringAt } from "#guard/apis/reading";

/** Every place of a request that names state at the provider: texts that the hub does not see. */
export function* keptStateIn(body: JsonRecord): Generator<KeptState | null> {
  if (body["background"] === true) yield { param: "background", kind: "background" };
  if (body["previous_response_id"] != null) yield { param: "previous_response_id", kind: "response" };
  if (body["conversation"] != null) yield { param: "conversation", kind: "conversation" };
  const { input } = body;
  if (!Array.isArray(input)) return;
  for (const [at, item] of input.entries()) {
    if (isReference(item)) yield { param: `input[${at}]`, kind: "item", id: stringAt(item, "id") };
    else yield isReasoning(item) ? { param: `input[${at}]`, kind: "reasoning", id: stringAt(item, "id") } : null;
  }
}

/** What brings reasoning back where its provider keeps none. Known by identity: a client's own list is never changed. */
const ENCRYPTED_REASONING: readonly unknown[] = Object.freeze(["reasoning.encrypted_content"]);

/** Has the provider keep nothing; a client that says nothing of it then gets reasoning in a form that it can send again. */
export const keepNothing = (body: JsonRecord): void => {
  body["store"] = false;
  body["include"] ??= ENCRYPTED_REASONING;
};

/** Models that do not reason refuse the wish for reasoning: the request without it, where the hub added it. */
export const withoutEncryptedReasoning: NonNullable<RequestSide["repaired"]> = (body, { status, text }) => {
  const { include, ...rest } = body;
  if (include !== ENCRYPTED_REASONING || status !== 400 || !/\binclude\b|encrypted/i.test(text)) return null;
  return { body: rest, reasoningDropped: 0 };
};

/** What the model thought; of some providers' only the id, and the rest is kept there. */
const isReasoning = (item: unknown): item is JsonRecord =>
  isRecord(item) && (item["type"] === "reasoning" || item["type"] === "compaction") && typeof item["id"] === "string";

/** An item by its id alone; its type may be left out. */
const isReference = (item: unknown): item is JsonRecord =>
  isRecord(item) && (item["type"] === "item_reference" || (item["type"] == null && item["role"] == null));

/** Every id of a response in a whole answer, or in an event, whichever it is. */
export function* keptIdsIn(said: JsonRecord): Generator<StringPlace> {
  const isEvent = "type" in said;
  const { response } = said;
  const responses = [...(isEvent ? [] : [said]), ...(isRecord(response) ? [response] : [])];
  for (const holder of responses) {
    for (const key of ["id", "previous_response_id"]) {
      if (typeof holder[key] === "string") yield { holder, key };
    }
  }
  if (isEvent && typeof said["response_id"] === "string") yield { holder: said, key: "response_id" };
}

/** Every id of an item in a whole answer, or in an event that has items. */
export function* itemIdsIn({ output, response, item }: JsonRecord): Generator<string> {
  const lists = [output, isRecord(response) ? response["output"] : null, [item]];
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const one of list) if (isRecord(one) && typeof one["id"] === "string") yield one["id"];
  }
}

/** Whether an event may have any of these: most have none. */
export const mayNameState = ({ response, response_id, item, output }: JsonRecord): boolean =>
  response !== undefined || response_id !== undefined || item !== undefined || output !== undefined;
