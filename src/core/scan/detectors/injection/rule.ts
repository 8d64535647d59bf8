import { fold } from "#core/scan/normalize";

/** One known technique: words that must stand at the rule's start, and the wording around them. */
export type InjectionRule = {
  /** Lower case, without accents: the folded text has none. */
  readonly keywords: readonly string[];
  /** Sticky: matched from the keyword's first letter on. All quantifiers bounded. */
  readonly pattern: RegExp;
  readonly score: number;
};

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

const capital = (keyword: string): string => keyword.charAt(0).toUpperCase() + keyword.slice(1);

export const rule = (keywords: string, pattern: RegExp, score: number): InjectionRule => ({
  // Texts are folded before they are matched: the look-alikes among Cyrillic letters are ASCII there.
  keywords: [
    ...new Set(
      keywords
        .toLowerCase()
        .split(",")
        .flatMap((keyword) => [fold(keyword).text, fold(capital(keyword)).text.toLowerCase()]),
    ),
  ],
  pattern: new RegExp(folded(literal(pattern.source)), "iy"),
  score,
});

/** Up to `most` words that may stand between two parts of a wording. */
export const words = (most: number): string => `(?:[\\w'-]{1,14},?\\s{1,3}){0,${most}}?`;
