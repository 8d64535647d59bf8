import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import { fold } from "#scan/fold/normalize";
import type { Tagger } from "#scan/tagger/tagger";
import {
  COMMON,
  CUE,
  endOfWord,
  FIRST_NAME,
  hashOf,
  isCapital,
  isLetter,
  LAST_NAME,
  PLACE,
  STREET,
} from "#scan/tagger/words";
import { random } from "./train-injection-model";
import { type Lists, TONGUES } from "./train-names-lists";
import { type Sample, Writer } from "./train-names-made";
import {
  BARE,
  CUES,
  DAYS,
  FIRMS,
  GENERAL,
  MONTHS,
  PEOPLES,
  PRODUCTS,
  SENTENCES,
  STREET_WORDS,
  TITLES,
} from "./train-names-sentences";

/** One word to learn from. */
export type Lesson = { readonly label: number; readonly weight: number; readonly features: Int32Array };

const NAMED = FIRST_NAME | LAST_NAME | PLACE;
/** Each sentence is written so often; what stands around nothing, in each language, too. */
const TIMES = 120;
const MAX_TEXT = 3000;
const MAX_MANUALS = 1500;

/** Real texts in which nothing is labelled: those of a folder of labelled samples, and manuals of pinned packages. */
export function readTexts(folder: string, packages: string): string[] {
  const texts = readdirSync(folder)
    .filter((name) => /^benign.*\.jsonl$/.test(name))
    .sort()
    .flatMap((name) =>
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .flatMap((line) => {
          const record: unknown = JSON.parse(line);
          return isRecord(record) && typeof record.text === "string" ? [record.text.slice(0, MAX_TEXT)] : [];
        }),
    );
  const manuals = readdirSync(packages, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:README\.md|\.d\.ts)$/.test(name))
    .sort();
  const step = Math.max(1, Math.floor(manuals.length / MAX_MANUALS));
  const some = manuals.filter((_, i) => i % step === 0).map((name) => readFileSync(join(packages, name), "utf8"));
  return [...texts, ...some.map((text) => text.slice(0, MAX_TEXT))];
}

export const weakSamples = (texts: readonly string[]): Sample[] =>
  texts.map((text) => ({ text, spans: [], weak: true, tongue: "en", pattern: -1 }));

/** Words as running texts have them: those in small letters, and capitalised ones that no list has for a name. */
function countWords(texts: readonly string[], count: (word: string) => void): void {
  for (const text of texts) for (const [word] of fold(text).text.matchAll(/\p{L}+(?:['-]\p{L}+)*/gu)) count(word);
}

/** What small words stand around names in made sentences. */
export function smallWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  countWords(texts, (word) => {
    if (/^\p{Ll}+$/u.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  });
  return [...counts]
    .filter(([, count]) => count > 2)
    .map(([word]) => word)
    .sort();
}

/** Words before which a place may stand that no list has; told from `CUES` by that they are not common. */
const PREPOSITIONS = "in near from nach aus bei chez";
/** Ordinary words, but how towns and countries begin. */
const PLACE_BEGINS =
  "San Santa Santo Los Las El La Le New Nueva Saint Sankt Bad North South East West Fort Port Porto Puerto Mount Lake Rio Sao Den Monte Villa Hong Cape Great United Sri Costa Saudi Buenos";
const KEYWORDS =
  "true false none null line call mobile best the more club string map list set date data version class".split(" ");
const MAX_COMMON = 12_000;
/** So often must a word be met in small letters, or in capitals though no list has it, to count as common. */
const OFTEN = 3;

/** Word hash → bits. `hidden`: names left out, as those are that no list has. */
export function lexiconWords(
  lists: Lists,
  texts: readonly string[],
  hidden: (name: string) => boolean,
): Map<number, number> {
  const bits = new Map<string, number>();
  const prepositions = new Set(PREPOSITIONS.split(" "));
  const add = (word: string, bit: number): void => {
    const key = fold(word).text.toLowerCase();
    if (prepositions.has(key) && bit !== CUE) return;
    const known = bits.get(key) ?? 0;
    if (key.length > 2 || (key.length === 2 && (known & COMMON) === 0)) bits.set(key, known | bit);
  };
  const small = new Map<string, number>();
  const large = new Map<string, number>();
  countWords(texts, (word) => {
    const key = word.toLowerCase();
    if (key.length < 2 || (word === word.toUpperCase() && word.length < 3)) return;
    const counts = /^\p{Ll}/u.test(word) ? small : large;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const named = new Set([...lists.first, ...lists.last, ...lists.places].map((name) => fold(name).text.toLowerCase()));
  const common = [...new Set([...small.keys(), ...large.keys()])].flatMap((word): [string, number][] => {
    const [low, high] = [small.get(word) ?? 0, large.get(word) ?? 0];
    const count = named.has(word) && low < high / 2 ? 0 : low + high;
    return count >= OFTEN ? [[word, count]] : [];
  });
  common.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const most = common.slice(0, MAX_COMMON);
  for (const [word] of most) add(word, COMMON);
  /** Words that running texts have for what they are; rare names among them are no names. */
  const ordinary = new Set(most.map(([word]) => word));
  for (const tongue of TONGUES)
    for (const word of GENERAL[tongue].split(" ")) ordinary.delete(fold(word).text.toLowerCase());
  const well = new Set([...lists.well, ...PLACE_BEGINS.split(" ")].map((name) => fold(name).text.toLowerCase()));
  for (const name of well) ordinary.delete(name);
  for (const word of KEYWORDS) ordinary.add(word);
  /** Three letters are a word of some language. */
  const isOrdinary = (part: string): boolean => {
    const key = fold(part).text.toLowerCase();
    return ordinary.has(key) || (key.length < 4 && !well.has(key));
  };
  for (const word of lists.words) for (const part of word.split(/[ -]/)) add(part, COMMON);
  for (const tongue of TONGUES) {
    for (const word of [...GENERAL[tongue].split(" "), ...DAYS[tongue].split(" "), ...MONTHS[tongue].split(" ")])
      add(word, COMMON);
    for (const title of TITLES[tongue].split(" ")) add(title.replace(".", ""), COMMON | CUE);
    for (const sentence of SENTENCES[tongue])
      for (const [word] of sentence.replaceAll(/\{.\}/g, " ").matchAll(/\p{L}+/gu)) add(word, COMMON);
  }
  for (const word of [...PRODUCTS, ...FIRMS, ...PEOPLES]) add(word.replace(".", ""), COMMON);
  for (const word of CUES.split(" ")) add(word, CUE | COMMON);
  for (const word of PREPOSITIONS.split(" ")) add(word, CUE);
  for (const word of STREET_WORDS.split(" ")) add(word, STREET);
  for (const [names, bit] of [
    [lists.first, FIRST_NAME],
    [lists.last, LAST_NAME],
  ] as const) {
    for (const name of names) {
      if (hidden(name)) continue;
      for (const part of name.split(/[ -]/)) if (isName(part) && !isOrdinary(part)) add(part, bit);
      if (name.includes("-")) add(name, bit);
    }
  }
  for (const name of lists.places) {
    if (hidden(name)) continue;
    const parts = name.split(/[ -]/);
    for (const part of parts) {
      // `San Miguel`: what is more often something else is no place by itself.
      const known = bits.get(fold(part).text.toLowerCase()) ?? 0;
      const isElse = parts.length > 1 && (known & (COMMON | FIRST_NAME)) !== 0;
      if (isName(part) && !isElse && !isOrdinary(part)) add(part, PLACE);
    }
    if (name.includes("-")) add(name, PLACE);
  }
  for (const word of PLACE_BEGINS.split(" ")) add(word, PLACE);
  return new Map([...bits].map(([word, bit]) => [hashOf(word, 0, word.length), simplified(bit)]));
}

/** A word that introduces a name or an address is for nothing else: so kinds stay few. */
function simplified(bits: number): number {
  if ((bits & STREET) !== 0) return STREET | COMMON;
  return (bits & CUE) !== 0 ? bits & (CUE | COMMON) : bits;
}

const isName = (part: string): boolean => part.length > 1 && /^\p{Lu}/u.test(part);

/** Written sentences, for the patterns wanted. */
export function madeSamples(lists: Lists, words: readonly string[], seed: number, times = TIMES): Sample[] {
  const writer = new Writer(lists, words, seed);
  return TONGUES.flatMap((tongue) =>
    Array.from({ length: (SENTENCES[tongue].length + BARE.length) * times }, (_, i) =>
      writer.write(tongue, i % (SENTENCES[tongue].length + BARE.length)),
    ),
  );
}

/** The words of a text that the tagger would judge, and what they are. */
export function lessonsOf({ text, spans, weak }: Sample, tagger: Tagger, bits: number): Lesson[] {
  const folded = fold(text).text;
  const placed = spans.map(({ start, end, label }) => ({
    start: fold(text.slice(0, start)).text.length,
    end: fold(text.slice(0, end)).text.length,
    label,
  }));
  const lessons: Lesson[] = [];
  for (let at = 0; at < folded.length; at++) {
    if (!isCapital(folded.charCodeAt(at)) || (at > 0 && isLetter(folded.charCodeAt(at - 1)))) continue;
    const span = placed.find(({ start, end }) => start <= at && at < end);
    const isBehind = placed.some(({ start, end }) => start < at && at <= end + 2);
    const judged = tagger.candidateAt(folded, at);
    const end = judged < 0 && isBehind ? endOfWord(folded, at) : judged;
    if (end < 0) continue;
    const known = tagger.lexicon.bitsOf(hashOf(folded, at, end));
    if (weak && (known & NAMED) !== 0 && (known & COMMON) === 0) continue;
    tagger.around.features(folded, at, end);
    const features = tagger.around.found.map((hash) => hash >>> (32 - bits));
    lessons.push({ label: span?.label ?? 0, weight: weak ? 1 : span ? 1 : 1.3, features });
  }
  return lessons;
}

/** One name in six is unknown in training, so that what stands around names counts too. */
export function hiddenNames(seed: number): (name: string) => boolean {
  const next = random(seed);
  const salt = Math.floor(next() * 1e9);
  return (name) => (hashOf(name, 0, name.length) ^ salt) >>> 0 < 2 ** 32 / 6;
}
