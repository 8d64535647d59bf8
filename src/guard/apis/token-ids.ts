import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { stringAt } from "#guard/apis/reading";
import { encodingOfModel, type TokenEncoding } from "#model/token-encoding";
import { hasTokenIds } from "#scan/texts/token-ids";

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
