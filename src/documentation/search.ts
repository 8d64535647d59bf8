/** A page as the search reads it: its name, its title, and its sections as heading, anchor and text. */
export type IndexedPage = readonly [
  name: string,
  title: string,
  sections: readonly (readonly [heading: string, anchor: string, text: string])[],
];

export type Found = {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  /** Some of the text around the first word that was found. */
  readonly excerpt: string;
};

/** Longest query that is read; more of it changes nothing. Characters. */
const MAX_QUERY = 100;
const EXCERPT = 160;
/** How much of the excerpt stands before the word. */
const BEFORE = 40;
const WEIGHTS = { title: 12, heading: 8, beginning: 3, text: 1 } as const;
/** A word that is everywhere says no more than one that is there five times. */
const MAX_COUNT = 5;

/** The words of a query in lower case, each once. */
export const wordsOf = (query: string): readonly string[] => [
  ...new Set(query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean)),
];

const countOf = (text: string, word: string): number => {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0 && count < MAX_COUNT; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
};

/** Whether a word of the text begins with it. */
const beginsIn = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return true;
  }
  return false;
};

/** How well a word fits a section; 0 for not at all. */
const weightOf = (word: string, title: string, heading: string, text: string): number => {
  const count = countOf(text, word);
  const inTitle = title.includes(word) ? WEIGHTS.title : 0;
  const inHeading = heading.includes(word) ? WEIGHTS.heading : 0;
  const all = inTitle + inHeading + count * WEIGHTS.text;
  return all === 0 ? 0 : all + (beginsIn(`${title} ${heading} ${text}`, word) ? WEIGHTS.beginning : 0);
};

const excerptOf = (text: string, words: readonly string[]): string => {
  const flat = text.replaceAll(/\s+/g, " ");
  const lower = flat.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const begin = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - BEFORE);
  const from = begin === 0 ? 0 : flat.indexOf(" ", begin) + 1;
  const some = flat.slice(from, from + EXCERPT);
  return `${from > 0 ? "…" : ""}${some}${from + EXCERPT < flat.length ? "…" : ""}`;
};

/** The sections that have all words of the query, best first; those that fit alike in the order of the documents. */
export const foundIn = (pages: readonly IndexedPage[], query: string, limit: number): readonly Found[] => {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const scored: { readonly score: number; readonly found: Found }[] = [];
  for (const [page, title, sections] of pages) {
    for (const [heading, anchor, text] of sections) {
      const lower = text.toLowerCase();
      const weights = words.map((word) => weightOf(word, title.toLowerCase(), heading.toLowerCase(), lower));
      if (weights.includes(0)) continue;
      const score = weights.reduce((sum, weight) => sum + weight, 0);
      scored.push({ score, found: { page, title, heading, anchor, excerpt: excerptOf(text, words) } });
    }
  }
  // Sorting is stable: what scores alike stays in the order of the documents.
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ found }) => found);
};
