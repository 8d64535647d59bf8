import { isRecord, type JsonRecord } from "#core/json/json";
import type { BesideOptions, Piece, Skipped } from "#guard/apis/api-stream";
import { placesOf } from "#guard/apis/events";
import { groupOf, NO_ITEM, partPath } from "#guard/apis/responses-growing";
import { annotationPath } from "#guard/apis/responses-repeats";
import { ANSWER_RULES, REPEATED } from "#guard/apis/responses-texts";
import { itemParam } from "#guard/apis/responses-tools";
import { logprobsOf } from "#scan/texts/logprobs";
import { type Texts, Walk } from "#scan/texts/text-walk";
import type { WalkRules } from "#scan/texts/walk-rules";
import { answerField } from "#scan/texts/walk-table";

/**
 * All texts of an event beside its pieces and what it only repeats, by the rules and under the paths of a whole answer;
 * null for none. `known`: parts of it that were looked at before.
 */
export const textsBeside = (
  event: JsonRecord,
  pieces: readonly Piece[],
  known: Skipped,
  { maxDepth, seen, skipped }: BesideOptions,
): Texts | null => {
  const passed: readonly Skipped[] = [placesOf(pieces), skipped, known];
  const looks: WalkRules["looks"] = (walk, holder, key, param) =>
    passed.some((places) => places.get(holder)?.has(key) === true) ||
    ANSWER_RULES.looks?.(walk, holder, key, param) === true;
  const walk = new Walk(maxDepth, false, { ...ANSWER_RULES, looks });
  for (const key of Object.keys(event)) {
    const value = event[key];
    if (value !== null && (value !== seen[key] || typeof value === "object")) fieldOf(walk, event, key);
  }
  return walk.slots.length === 0 && walk.gaps.length === 0 ? null : walk;
};

const fieldOf = (walk: Walk, event: JsonRecord, key: string): void => {
  const value = event[key];
  if (key === "response" && isRecord(value)) {
    for (const name of Object.keys(value)) answerField(walk, value, name, REPEATED.get(name));
  } else if (key === "logprobs") {
    const said = event["delta"] ?? event["text"];
    logprobsOf(walk, event, `${itemParam(groupOf(event))}.${partPath(event)}`, (text) => text === said);
  } else if (PARTS.has(key) && isRecord(value)) walk.value(event, key, placeOf(event, key), "output", 1);
  else answerField(walk, event, key);
};

const PARTS: ReadonlySet<string> = new Set(["item", "part", "annotation"]);

/** Where in the whole answer that stands which an event brings. */
const placeOf = (event: JsonRecord, key: string): string => {
  const group = groupOf(event);
  if (group === NO_ITEM) return key;
  if (key === "item") return itemParam(group);
  return `${itemParam(group)}.${key === "part" ? partPath(event) : annotationPath(event)}`;
};
