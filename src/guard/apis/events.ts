import type { JsonRecord } from "#core/json/json";
import type { BesideOptions, Piece, Skipped } from "#guard/apis/api-stream";
import { type Texts, Walk } from "#scan/texts/text-walk";
import type { WalkRules } from "#scan/texts/walk-rules";
import { answerField } from "#scan/texts/walk-table";

/** All texts of an event beside its pieces and what it only repeats; null for none. */
export const textsOfEvent = (
  event: JsonRecord,
  pieces: readonly Piece[],
  rules: WalkRules,
  { maxDepth, seen, skipped }: BesideOptions,
): Texts | null => {
  const own = placesOf(pieces);
  const looks: WalkRules["looks"] = (walk, holder, key, param) =>
    own.get(holder)?.has(key) === true ||
    skipped.get(holder)?.has(key) === true ||
    rules.looks?.(walk, holder, key, param) === true;
  const walk = new Walk(maxDepth, false, { ...rules, looks });
  for (const key of Object.keys(event)) {
    const value = event[key];
    if (value === null || (value === seen[key] && typeof value !== "object")) continue;
    answerField(walk, event, key);
  }
  return walk.slots.length === 0 && walk.gaps.length === 0 ? null : walk;
};

/** Places in an event, by what holds them. */
export const placesOf = (places: Iterable<Pick<Piece, "holder" | "key">>): Skipped => {
  const found = new Map<object, Set<string | number>>();
  for (const { holder, key } of places) {
    const keys = found.get(holder);
    if (keys) keys.add(key);
    else found.set(holder, new Set([key]));
  }
  return found;
};
