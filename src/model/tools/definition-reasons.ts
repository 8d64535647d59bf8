import { isRecord } from "#core/json/json";
import { parseExactly } from "#core/json/json-reader";
import type { ToolPin } from "#model/tools/tool";
import { DEFINITION_TYPE, reasonOf, signsIn } from "#scan/structure/definition-signs";

/** Why a definition waits for a person: one sign, where it stands, and the words around it. */
export type DefinitionReason = {
  readonly type: string;
  readonly reason: string;
  /** Where in the definition, e.g. `inputSchema.properties.note.description`. */
  readonly place: string;
  readonly quote: string;
};

/** Shown of a text on both sides of a sign, and of the sign itself. In UTF-16 units. */
const AROUND = 40;
const MAX_SIGN = 160;
const MAX_PLACE = 200;

/** How much may be read for places and words, in UTF-16 units: some milliseconds. Beyond it reasons are told without. */
export type ReadingBudget = { left: number };
export const readingBudget = (): ReadingBudget => ({ left: 32_768 });

/** Found anew in what the server listed last: only the types of what was found are stored. */
export const reasonsFor = (
  { flags, seen }: Pick<ToolPin, "flags" | "seen">,
  budget: ReadingBudget,
): DefinitionReason[] => {
  const prefix = `${DEFINITION_TYPE}.`;
  const wanted = new Set(flags.filter((flag) => flag.startsWith(prefix)).map((flag) => flag.slice(prefix.length)));
  if (wanted.size === 0) return [];
  const reasons: DefinitionReason[] = [];
  const texts = seen.length <= budget.left ? textsIn(parseExactly(seen)) : [];
  budget.left -= seen.length;
  for (const [place, text] of texts) {
    for (const { id, reason, start, end } of signsIn(text)) {
      if (wanted.delete(id)) reasons.push({ type: prefix + id, reason, place, quote: quoteOf(text, start, end) });
    }
    if (wanted.size === 0) break;
  }
  for (const id of wanted) reasons.push({ type: prefix + id, reason: reasonOf(id) ?? id, place: "", quote: "" });
  return reasons.sort((one, other) => (one.type < other.type ? -1 : 1));
};

const quoteOf = (text: string, start: number, end: number): string => {
  const [from, to] = [Math.max(0, start - AROUND), Math.min(text.length, Math.min(end, start + MAX_SIGN) + AROUND)];
  const inside = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${inside}${to < text.length ? "…" : ""}`;
};

/** Texts and names of a definition with their places, outermost first. Without recursion: a stranger decides its depth. */
function* textsIn(value: unknown): Generator<readonly [place: string, text: string]> {
  const open: (readonly [place: string, value: unknown])[] = [["", value]];
  for (let at = 0; at < open.length; at += 1) {
    const [place, next] = open[at] ?? ["", null];
    if (typeof next === "string") yield [place, next];
    else if (Array.isArray(next))
      for (const [index, item] of next.entries()) open.push([inside(place, `${index}`), item]);
    else if (isRecord(next)) {
      for (const [name, part] of Object.entries(next)) {
        yield [place, name];
        open.push([inside(place, name), part]);
      }
    }
  }
}

const inside = (place: string, name: string): string => (place === "" ? name : `${place}.${name}`).slice(0, MAX_PLACE);
