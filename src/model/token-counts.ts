import { isRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import type { Usage } from "./model-api";

/* The details of what a provider counted: OpenAI's words for them, and the audit log's. */

type Counts = readonly (readonly [theirs: string, ours: DetailedCount])[];
type DetailedCount = "cached_tokens" | "cache_write_tokens" | "cache_write_1h_tokens" | "reasoning_tokens";

export const PROMPT_COUNTS: Counts = [
  ["cached_tokens", "cached_tokens"],
  ["cache_write_tokens", "cache_write_tokens"],
];
export const ANSWER_COUNTS: Counts = [["reasoning_tokens", "reasoning_tokens"]];

/** Those there are any of; none for most calls. */
export const countsOf = (details: unknown, counts: Counts): Pick<Usage, DetailedCount> => {
  if (!isRecord(details)) return NONE;
  const found: Pick<Usage, DetailedCount> = {};
  for (const [theirs, ours] of counts) {
    const count = numberOf(details[theirs]);
    if (count !== undefined && count > 0) found[ours] = count;
  }
  return found;
};

const NONE: Pick<Usage, DetailedCount> = {};
