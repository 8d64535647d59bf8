import { isRecord, type JsonRecord } from "#core/json/json";
import { digitsOf, isNumber } from "#core/json/json-number";
import type { Origin } from "#scan/detector";
import { isPlainName } from "#scan/texts/field-names";
import type { Looking } from "#scan/texts/walk-rules";

/**
 * Log probabilities repeat the text in tokens. Their tokens are looked at as one text, since each alone is too short;
 * where something is found in it they go as a whole. `isSaid`: whether that text is looked at anyway, beside them.
 */
export const logprobsOf = (
  walk: Looking,
  holder: JsonRecord,
  param: string,
  isSaid: (text: string) => boolean,
  origin: Origin = "output",
): void => {
  const logprobs = holder["logprobs"];
  if (logprobs == null) return;
  const tokens: Tokens = { said: [], others: [], isTooDeep: false };
  walk.each(2, (at) => {
    if (at === 0) tokensOf(walk, tokens, logprobs, "", 0);
    else joinTokens(walk, tokens, { holder, param: `${param}.logprobs`, isSaid, origin });
  });
};

/** Texts of log probabilities: the tokens that were said, and everything else. */
type Tokens = { readonly said: string[]; readonly others: string[]; isTooDeep: boolean };

type Place = {
  readonly holder: JsonRecord;
  readonly param: string;
  readonly isSaid: (text: string) => boolean;
  readonly origin: Origin;
};

const joinTokens = (walk: Looking, { said, others, isTooDeep }: Tokens, place: Place): void => {
  const { holder, param, isSaid, origin } = place;
  if (isTooDeep) {
    walk.gaps.push({ param, reason: "too_deep" });
    return;
  }
  const drop = () => dropLogprobsOf(holder);
  const text = said.join("");
  if (!isSaid(text)) walk.joined(param, origin, text, drop);
  walk.joined(param, origin, others.join("\n"), drop);
};

/** Takes log probabilities away, in the form the API has for none. */
export const dropLogprobsOf = (holder: JsonRecord): void => {
  if (holder["logprobs"] != null) holder["logprobs"] = Array.isArray(holder["logprobs"]) ? [] : null;
};

const MAX_LOGPROBS_DEPTH = 8;

/** Takes in what is below a value of log probabilities; nothing more once something lies too deep. */
const tokensOf = (walk: Looking, tokens: Tokens, value: unknown, key: string, depth: number): void => {
  if (tokens.isTooDeep) return;
  const { said, others } = tokens;
  if (typeof value === "string") (key === "tokens" || (key === "token" && depth <= 3) ? said : others).push(value);
  else if (isNumber(value)) {
    // A probability has a point; digits of a card have none.
    const digits = digitsOf(value);
    if (digits.length >= 9 && !digits.includes(".")) others.push(digits);
  } else if (Array.isArray(value)) {
    if (depth >= MAX_LOGPROBS_DEPTH) tokens.isTooDeep = true;
    else walk.each(value.length, (at) => tokensOf(walk, tokens, value[at], key, depth + 1));
  } else if (isRecord(value)) fieldsOf(walk, tokens, value, depth);
};

const fieldsOf = (walk: Looking, tokens: Tokens, record: JsonRecord, depth: number): void => {
  if (depth >= MAX_LOGPROBS_DEPTH) {
    tokens.isTooDeep = true;
    return;
  }
  const names = Object.keys(record);
  walk.each(names.length, (at) => {
    const name = names[at] ?? "";
    if (tokens.isTooDeep) return;
    if (!isPlainName(name)) tokens.others.push(name);
    tokensOf(walk, tokens, record[name], name, depth + 1);
  });
};
