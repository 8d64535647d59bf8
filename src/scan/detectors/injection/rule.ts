import { anyOf, type CharSet, charSet } from "#scan/char-set";
import type { WordList } from "#scan/detector";
import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";

/** One known technique: words that must stand at the rule's start, and the wording around them. Both made when needed. */
export type InjectionRule = {
  /** Lower case, without accents: the folded text has none. */
  readonly keywords: readonly string[];
  /** Sticky: matched from the keyword's first letter on. All quantifiers bounded. */
  readonly pattern: RegExp;
  readonly score: number;
  /** Words of which one is in whatever the pattern matches, behind the keyword; null where none are known. */
  readonly words: WordList | null;
  /** The units of ASCII of which one stands directly behind the keyword. */
  readonly behind: CharSet;
};

/** What `\s` matches of ASCII. */
const BLANKS = charSet(" \t\n\r\v\f");
const EVERY = charSet("\0-\x7f");

/**
 * For rules behind words that stand in every text, so that most of them need not be matched. `words`: see there.
 * `letters`: what may stand directly behind a keyword besides white space, in both cases. A test derives both from the patterns.
 */
type Needed = { readonly words: string; readonly letters?: string | typeof ANY };

/** Anything may stand directly behind a keyword, as endings do. */
export const ANY = Symbol("any");

/** A pattern's source spells letters beyond ASCII as escapes, which would not be folded. */
const literal = (source: string): string =>
  source.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** A pattern folded as texts are. A look-alike may be folded in one case only: `п` becomes `n`, and `П` stays. */
const folded = (source: string): string =>
  source.replaceAll(/\[[^\]]*\]|[а-яё]|[^[а-яё]+/g, (part) => {
    const lower = fold(part).text;
    if (!/^[а-яё]$/.test(part)) return lower;
    const upper = fold(part.toUpperCase()).text.toLowerCase();
    return lower === upper ? lower : `[${lower}${upper}]`;
  });

export function rule(keywords: string, pattern: RegExp | string, score: number, needed?: Needed): InjectionRule {
  const known = once(() => keywordsOf(keywords.toLowerCase()));
  const list = needed && once(() => listOf(keywordsOf(needed.words)));
  const compiled = once(
    () => new RegExp(folded(literal(typeof pattern === "string" ? pattern : pattern.source)), "iy"),
  );
  return {
    get keywords() {
      return known();
    },
    get pattern() {
      return compiled();
    },
    score,
    get words() {
      return list?.() ?? null;
    },
    behind: needed ? unitsOf(needed) : EVERY,
  };
}

const unitsOf = ({ letters = "" }: Needed): CharSet =>
  letters === ANY ? EVERY : anyOf(BLANKS, charSet(letters), charSet(letters.toUpperCase()));

/** With a bit that its words give: which lists share one does not matter. */
function listOf(words: readonly string[]): WordList {
  let hash = 0x811c9dc5;
  for (const word of words.join(",")) hash = Math.imul(hash ^ word.charCodeAt(0), 0x01000193);
  return { bit: 1 << (Math.imul(hash, 0x9e3779b1) >>> 27), words };
}

/** Texts are folded before they are matched: the look-alikes among Cyrillic letters are ASCII there. */
function keywordsOf(list: string): string[] {
  if (!/[^\0-\x7f]/.test(list)) return [...new Set(list.split(","))];
  const capitals = list.replace(/(?<=^|,)./gsu, (letter) => letter.toUpperCase());
  const both = [fold(list), fold(capitals)].map(({ text }) => text.toLowerCase());
  return [...new Set(both.join(",").split(","))];
}

/** Up to `most` words that may stand between two parts of a wording. */
export const words = (most: number): string => `(?:[\\w'-]{1,14},?\\s{1,3}){0,${most}}?`;
