import { fold } from "#scan/fold/normalize";
import { decodedTokens } from "#scan/views/encodings";
import { survey } from "#scan/views/survey";

/** Tokens that may be base64 or hexadecimal of something worth following, and how much of a text is decoded. */
const ENCODED = /[A-Za-z0-9+/_-]{20}/;
const MAX_DECODED = 16_384;
/** What a text says in base64 or hexadecimal, which models read. */
export const decodedIn = (text: string): readonly string[] => {
  if (!ENCODED.test(text)) return NONE;
  const folded = fold(text).text;
  const shapes = survey(folded);
  if (shapes === null) return NONE;
  return [...decodedTokens(folded, shapes, MAX_DECODED)].map(({ text: meant }) => meant);
};

const NONE: readonly string[] = [];
