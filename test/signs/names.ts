/** What things are called. */
import { proseOf } from "#test/support/code";
import { KEPT_STRINGS, RETIRED_FAMILIES, RETIRED_NAMES, RETIRED_WORDS } from "./retired-words";
import { counted, type Measured, matches, type Sign } from "./sign";
import type { SourceFile } from "./tree";

const EXPORTED = /^export (?:declare )?(?:type|interface|enum|(?:abstract )?class) (\w+)/gm;
const METHOD =
  /^ +(?:(?:async|static|private|protected|readonly|override) )*#?take(?:<[^>\n]*>)?\??(?::? ?\([^()\n]*\)(?: =>|:| \{)|\($)/gm;
/** Texts that detectors look for are data, and say what they must. */
const DETECTION = /^src\/(?:core\/)?scan\//;

/** Names of exported types, interfaces and classes that more than one file exports. */
export const sharedTypeNames = (files: readonly SourceFile[]): string[] => {
  const homes = new Map<string, string[]>();
  for (const { path, code } of files)
    for (const [, name = ""] of code.matchAll(EXPORTED)) homes.set(name, [...(homes.get(name) ?? []), path]);
  return [...homes]
    .filter(([, paths]) => new Set(paths).size > 1)
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`);
};

/** How often each occurs, the most frequent first. */
const tally = (occurrences: readonly string[]): Measured => {
  const counts = new Map<string, number>();
  for (const word of occurrences) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return { now: occurrences.length, found: sorted.map(([word, count]) => `${word}: ${count}`) };
};

const anyOf = (words: readonly string[], flags: string): RegExp => new RegExp(`\\b(?:${words.join("|")})\\b`, flags);

const retiredNames = (files: readonly SourceFile[]): Measured => {
  // Not what a page shows between two tags.
  const names = new RegExp(`(?<!>)${anyOf(RETIRED_NAMES, "g").source}`, "g");
  const patterns = [names, ...RETIRED_FAMILIES];
  return tally(files.flatMap(({ code }) => patterns.flatMap((each) => [...code.matchAll(each)].map(([name]) => name))));
};

const retiredWords = (files: readonly SourceFile[]): Measured => {
  const pattern = anyOf(RETIRED_WORDS, "gi");
  return tally(
    files.flatMap(({ path, text }) => {
      const kept = KEPT_STRINGS.filter(([file]) => file === path).map(([, string]) => string);
      const { comments, strings: all } = proseOf(text);
      const strings = all.filter((string) => !kept.includes(string));
      const prose = DETECTION.test(path) ? comments : [...comments, ...strings];
      return prose.flatMap((piece) => [...piece.matchAll(pattern)].map(([word]) => word.toLowerCase()));
    }),
  );
};

export const NAME_SIGNS: readonly Sign[] = [
  {
    key: "most-constants",
    title: "constants called MOST_, LONGEST_ or DEEPEST_",
    atMost: 0,
    measure: ({ src }) => matches(src, /\bconst (?:MOST|LONGEST|DEEPEST)_\w+/g),
  },
  {
    key: "shared-type-names",
    title: "names that more than one exported type has",
    atMost: 0,
    measure: ({ src }) => counted(sharedTypeNames(src)),
  },
  { key: "take-methods", title: "methods called take", atMost: 3, measure: ({ src }) => matches(src, METHOD) },
  { key: "retired-names", title: "retired identifiers", atMost: 0, measure: ({ src }) => retiredNames(src) },
  {
    key: "retired-words",
    title: "retired words in comments and strings",
    atMost: 0,
    measure: ({ src }) => retiredWords(src),
  },
];
