import { ANY, type InjectionRule, rule } from "#scan/detectors/injection/rule";
import { CHINESE, VERB_LAST } from "./eastern";
import { ENGLISH, GERMANIC } from "./germanic";
import { ROMANCE } from "./romance";
import { SLAVIC } from "./slavic";
import type { Tongue } from "./tongue";

/** None of them is enough to block: words of giving orders stand in honest texts too. */
const DROP_SCORE = 0.75;
const MODE_SCORE = 0.65;
const TELL_SCORE = 0.6;
const OBEY_SCORE = 0.55;

/** An ending of a word that was cut at its stem, and the end of one that was not. */
const ENDING = `[^\\s.,;:!?'")]{0,5}`;
const END = "(?!\\w)";
/** A pronoun behind a verb: `montre-moi`, `diga-me`. */
const PRONOUN = "(?:-\\w{2,4})?";
/** What stands before a noun without a space: `l'instruction`. */
const ARTICLE = "(?:\\w{1,4}')?";
/** Not `a system prompt`, which is anybody's. */
const NO_OTHER = "(?<!\\b(?:a|an|any|another|ein|eine|einen|einem|een|un|une|una|uno|um|uma) {1,2})";

const escaped = (word: string): string => word.replaceAll(/[.*+?()[\]\\]/g, "\\$&").replaceAll(" ", "\\s{1,2}");

/** Any entry of some lists. */
function oneOf(...lists: readonly string[]): string {
  const entries = lists.flatMap((list) => list.split(","));
  const ends = (entry: string): string => (/[\w\u00c0-\u04ff]$/.test(entry) ? END : "");
  return `(?:${entries.map((entry) => (entry.includes("|") ? `${escaped(stemOf(entry))}${ENDING}` : `${escaped(entry)}${ends(entry)}`)).join("|")})`;
}

const stemOf = (entry: string): string => entry.split("|")[0] ?? entry;
const stems = (...lists: readonly string[]): string =>
  lists
    .flatMap((list) => list.split(","))
    .map(stemOf)
    .join(",");

/** Words between two parts of an order, in a language that parts them by spaces. */
const apart = (most: number): string => `\\s{1,3}(?:[^\\s.!?;:]{1,18}\\s{1,3}){0,${most}}?${ARTICLE}`;
/** The same in characters of one sentence. */
const near = (most: number): string => `[^。．！？.!?\\n]{0,${most}}?`;

type Drafted = {
  readonly keywords: string;
  readonly pattern: string;
  readonly score: number;
  readonly needed: string;
};

/** Verb before object, words parted by spaces. */
function spaced(it: Tongue): Drafted[] {
  const orders = oneOf(it.orders);
  const own = oneOf(it.own);
  const past = oneOf(it.past);
  const drop = `${oneOf(it.drop)}${PRONOUN}`;
  const tell = `${oneOf(it.tell)}${PRONOUN}`;
  const ask = `${oneOf(it.ask)}${PRONOUN}`;
  const prompt = oneOf(it.prompt);
  const obey = `${oneOf(it.obey)}${PRONOUN}`;
  const [only, mine] = [oneOf(it.only), oneOf(it.mine)];
  return [
    draft(
      it.drop,
      `${drop}${apart(3)}(?:${own}${apart(3)}${orders}|${past}${apart(2)}${orders}|${orders}${apart(1)}${past})`,
      DROP_SCORE,
      it.orders,
    ),
    draft(
      it.tell,
      `${tell}${apart(4)}(?:${NO_OTHER}${prompt}|${own}${apart(2)}${orders}|${orders},?${apart(3)}${oneOf(it.given)})`,
      TELL_SCORE,
      it.prompt,
      it.orders,
    ),
    draft(
      it.ask,
      `${ask}${apart(4)}(?:${own}${apart(2)}${prompt}|(?:${prompt}|${orders}),?${apart(3)}${oneOf(it.given)})`,
      TELL_SCORE,
      it.prompt,
      it.orders,
    ),
    draft(it.obey, `${obey}${apart(3)}(?:${only}${apart(3)}${mine}|${mine}\\s${only})`, OBEY_SCORE, it.mine),
    draft(it.enter, `${oneOf(it.enter)}${apart(3)}${oneOf(it.mode)}`, MODE_SCORE, it.mode),
  ];
}

/** Verb before object, no spaces. */
function unspaced(it: Tongue): Drafted[] {
  const [orders, whose] = [oneOf(it.orders), oneOf(it.own, it.past)];
  return [
    draft(it.drop, `${oneOf(it.drop)}${near(6)}${whose}${near(6)}${orders}`, DROP_SCORE, it.orders),
    draft(
      `${it.tell},${it.ask}`,
      `${oneOf(it.tell, it.ask)}${near(8)}(?:${oneOf(it.prompt)}|${oneOf(it.own, it.given)}${near(5)}${orders})`,
      TELL_SCORE,
      it.prompt,
      it.orders,
    ),
    draft(it.only, `${oneOf(it.only)}${near(3)}${oneOf(it.obey)}${near(3)}${oneOf(it.mine)}`, OBEY_SCORE, it.mine),
    draft(it.enter, `${oneOf(it.enter)}${near(5)}${oneOf(it.mode)}`, MODE_SCORE, it.mode),
  ];
}

/** The verb behind its object. */
function verbLast(it: Tongue): Drafted[] {
  const orders = oneOf(it.orders);
  return [
    draft(
      `${it.own},${it.past}`,
      `${oneOf(it.own, it.past)}${near(8)}${orders}${near(8)}${oneOf(it.drop)}`,
      DROP_SCORE,
      it.drop,
    ),
    draft(
      `${it.prompt},${it.own},${it.given}`,
      `(?:${oneOf(it.prompt)}|${oneOf(it.own, it.given)}${near(5)}${orders})${near(8)}${oneOf(it.tell, it.ask)}`,
      TELL_SCORE,
      it.tell,
      it.ask,
    ),
    draft(it.mine, `${oneOf(it.mine)}${near(3)}${oneOf(it.only)}${near(5)}${oneOf(it.obey)}`, OBEY_SCORE, it.obey),
    draft(it.mode, `${oneOf(it.mode)}${near(5)}${oneOf(it.enter)}`, MODE_SCORE, it.enter),
  ];
}

/** The automaton takes memory by the letter: so many of an anchor, and of what must stand behind it, tell enough. */
const ANCHOR = 7;
const NEEDED = 5;

const begins = (most: number, ...lists: readonly string[]): string =>
  [
    ...new Set(
      stems(...lists)
        .split(",")
        .map((word) => word.slice(0, most).trimEnd()),
    ),
  ].join(",");

const draft = (verbs: string, pattern: string, score: number, ...needed: readonly string[]): Drafted => ({
  keywords: begins(ANCHOR, verbs),
  pattern,
  score,
  needed: begins(NEEDED, ...needed),
});

const compiled = (drafts: readonly Drafted[]): InjectionRule[] =>
  drafts.map(({ keywords, pattern, score, needed }) => rule(keywords, pattern, score, { words: needed, letters: ANY }));

/** Verbs × objects in twelve languages. English, which has rules of its own, apart: one place is one finding. */
export const ENGLISH_GRAMMAR: readonly InjectionRule[] = compiled(spaced(ENGLISH));
export const FOREIGN_GRAMMAR: readonly InjectionRule[] = compiled([
  ...[...GERMANIC, ...ROMANCE, ...SLAVIC].flatMap(spaced),
  ...unspaced(CHINESE),
  ...VERB_LAST.flatMap(verbLast),
]);

/** All of them. */
export const TONGUES: readonly Tongue[] = [ENGLISH, ...GERMANIC, ...ROMANCE, ...SLAVIC, CHINESE, ...VERB_LAST];
