import { expect, test } from "bun:test";
import fc from "fast-check";
import { Automaton, BLOCK } from "#scan/automaton";
import { AutomatonBuilder } from "#scan/automaton-tables";
import type { Detector } from "#scan/detector";
import { buildTrie } from "#scan/trie";

const detectorOf = (id: string, keywords: readonly string[]): Detector => ({
  id,
  category: "custom",
  severity: "low",
  reach: 256,
  behind: 0,
  keywords,
  read: () => null,
});

/** The automaton of detectors, and what ends in its states. */
function built(detectors: readonly Detector[]) {
  const trie = buildTrie(detectors);
  const builder = new AutomatonBuilder(trie);
  const automaton = new Automaton(builder.built(), trie.alphabet);
  return { automaton, endingIn: (state: number) => builder.endings[automaton.states - 1 - state] ?? [] };
}

/** "keyword@end" of all that the automaton finds in a text that comes in pieces. */
function found(keywords: readonly string[], pieces: readonly string[]): string[] {
  const { automaton, endingIn } = built(keywords.map((keyword) => detectorOf(keyword, [keyword])));
  const all: string[] = [];
  let text = "";
  let state = 0;
  for (const piece of pieces) {
    const before = text.length;
    text += piece;
    for (let from = before; from < text.length; from += BLOCK) {
      state = automaton.walk(text, from, Math.min(from + BLOCK, text.length), state);
      for (let i = 0; i < automaton.hits.count; i++) {
        for (const { detector } of endingIn(automaton.hits.states[i] ?? 0)) {
          all.push(`${keywords[detector]}@${automaton.hits.ends[i]}`);
        }
      }
    }
  }
  return all;
}

/** The same by looking for each keyword at each place, the longest first. */
function expected(keywords: readonly string[], text: string): string[] {
  const lower = Array.from({ length: text.length }, (_, i) => text.charAt(i).toLowerCase()).join("");
  const longestFirst = [...keywords].sort((one, other) => other.length - one.length);
  return Array.from({ length: text.length }, (_, i) => i + 1).flatMap((end) =>
    longestFirst.filter((keyword) => lower.slice(0, end).endsWith(keyword)).map((keyword) => `${keyword}@${end}`),
  );
}

const LETTERS = [..."abc ж禁止忽אä"];
const word = (least: number, most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...LETTERS), { minLength: least, maxLength: most }).map((units) => units.join(""));
const keywordSets = fc.uniqueArray(word(1, 5), { minLength: 1, maxLength: 12 });

test("every keyword is found where it ends, however the text comes and whatever its letters", () => {
  fc.assert(
    fc.property(keywordSets, fc.array(word(0, 30), { maxLength: 6 }), (keywords, pieces) => {
      const shouted = pieces.map((piece, i) => (i % 2 === 0 ? piece.toUpperCase() : piece));
      expect(found(keywords, shouted)).toEqual(expected(keywords, shouted.join("")));
    }),
  );
});

test("long texts, which are read in lanes and blocks, give the same", () => {
  fc.assert(
    fc.property(keywordSets, word(1, 40), fc.integer({ min: 900, max: 9000 }), (keywords, part, length) => {
      const text = part.repeat(Math.ceil(length / part.length)).slice(0, length);
      expect(found(keywords, [text])).toEqual(expected(keywords, text));
    }),
    { numRuns: 25 },
  );
});

test("a keyword that begins in one lane and ends in another, or covers several, is found once", () => {
  const long = fc.array(fc.constantFrom(..."abж"), { minLength: 1, maxLength: 60 }).map((units) => units.join(""));
  fc.assert(
    fc.property(
      fc.uniqueArray(long, { minLength: 1, maxLength: 8 }),
      fc.array(long, { maxLength: 6 }),
      (keywords, between) => {
        const texts = [...between.flatMap((part, i) => [keywords[i % keywords.length] ?? "", part]), ...keywords];
        expect(found(keywords, texts)).toEqual(expected(keywords, texts.join("")));
        expect(found(keywords, [texts.join("")])).toEqual(expected(keywords, texts.join("")));
      },
    ),
  );
});

test("a catalogue of more states than 16 bits can number is walked as any other", () => {
  const keywords = Array.from({ length: 9000 }, (_, i) => `${(i * 7919).toString(36)}-${(i * 104_729).toString(36)}-x`);
  const text = keywords.slice(-50).join(" ");
  const { automaton } = built([detectorOf("custom.words", keywords)]);
  expect(automaton.states).toBeGreaterThan(65_536);
  automaton.walk(text, 0, text.length, 0);
  expect(automaton.hits.count).toBe(50);
});

test("of the digits in a row the first is an anchor, and keywords with digits are found among them", () => {
  const { automaton, endingIn } = built([
    { ...detectorOf("digits", ["a2", "23"]), anchorDigits: true },
    detectorOf("words", ["x12", "3"]),
  ]);
  const text = "7 123 a23 x12 4";
  automaton.walk(text, 0, text.length, 0);
  const { count, ends, states } = automaton.hits;
  const all = Array.from({ length: count }, (_, i) =>
    endingIn(states[i] ?? 0).map(({ detector, length, digit }) => {
      const end = ends[i] ?? 0;
      return `${detector}${digit ? "#" : ":"}${text.slice(end - length, end)}@${end}`;
    }),
  );
  expect(all.flat()).toEqual([
    ...["0#7@1", "0#1@3", "0:23@5", "1:3@5"],
    ...["0:a2@8", "0#2@8", "0:23@9", "1:3@9", "0#1@12", "1:x12@13", "0#4@15"],
  ]);
});

test("a letter beyond ASCII does not take the capital of one in it", () => {
  expect(found(["talimatı", "ignore"], ["IGNORE talimatı"])).toEqual(["ignore@6", "talimatı@15"]);
});
