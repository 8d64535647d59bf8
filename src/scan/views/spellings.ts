import type { Rewrite } from "./rewrite";
import type { Survey, TextRun } from "./survey";
import { type Disguise, disguise, mayBeLeet, reversed, rot13, segmented, TRIGGER_WORDS, unleet } from "./words";

/** An address of the internet protocol, whose numbers are no parts of one. */
const ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Digits of one number parted by dots or underscores, together: how no form of numbers writes them. */
export function joinedGroups(text: string, { groups }: Pick<Survey, "groups">): Rewrite[] {
  return groups.flatMap(({ start, end }) => {
    const parted = text.slice(start, end);
    const joined = parted.replace(/[._]/g, "");
    return joined.length > 34 || ADDRESS.test(parted) ? [] : [{ start, end, text: joined, telling: true }];
  });
}

/** A word that is a trigger word in disguise. */
type Disguised = TextRun & { readonly as: Disguise };

export function disguisedWords(text: string, { words }: Survey): Disguised[] {
  return words.flatMap(({ start, end }) => {
    const as = disguise(text.slice(start, end));
    return as ? [{ start, end, as }] : [];
  });
}

/** Single letters in a row as words, and words with digits for letters or jumbled ones as they are meant. */
export function spelledOut(text: string, survey: Survey, disguised: readonly Disguised[]): Rewrite[] {
  const suspects = survey.mixed.filter(({ start, end }) => mayBeLeet(text, start, end));
  const leet = (suspects.length < SEVERAL ? [] : survey.mixed).map(({ start, end }) => {
    const word = unleet(text.slice(start, end));
    return { start, end, text: word, telling: TRIGGER_WORDS.has(word.toLowerCase()) };
  });
  const jumbled = disguised.flatMap(({ start, end, as }) =>
    as.kind === "jumbled" ? [{ start, end, text: as.word, telling: true }] : [],
  );
  const spaced = survey.spaced.flatMap((run) => unspaced(text, run));
  return [...spaced, ...several(leet), ...several(jumbled)];
}

/** One odd word is an odd word. */
const SEVERAL = 2;

function several(rewrites: readonly Rewrite[]): readonly Rewrite[] {
  return rewrites.filter(({ telling }) => telling).length >= SEVERAL ? rewrites : [];
}

/** What parts the first two letters parts all letters of a word; anything else parts words. */
function unspaced(text: string, { start, end }: TextRun): Rewrite[] {
  const separator = text.charAt(start + 1);
  const words: Rewrite[] = [];
  const telling = end - start > 8;
  let letters = text.charAt(start);
  let from = start;
  let last = start;
  for (let at = start + 1; at < end; at++) {
    if (!/[A-Za-z]/.test(text.charAt(at))) continue;
    if (text.slice(last + 1, at) !== separator) {
      words.push({ start: from, end: last + 1, text: segmented(letters), telling });
      words.push({ start: last + 1, end: at, text: " ", telling: false });
      letters = "";
      from = at;
    }
    letters += text.charAt(at);
    last = at;
  }
  words.push({ start: from, end: last + 1, text: segmented(letters), telling });
  return words;
}

const STRETCH = 160;

/** Lines with words in ROT13, each word undone in its place; stretches of reversed ones, undone as a whole. */
export function turnedBack(text: string, disguised: readonly Disguised[]): { rotated: Rewrite[]; reversed: Rewrite[] } {
  const stretches: { rotated: TextRun[]; reversed: TextRun[] } = { rotated: [], reversed: [] };
  for (const { start, end, as } of disguised) {
    if (as.kind === "jumbled") continue;
    const list = stretches[as.kind];
    const last = list.at(-1);
    if (last && start - STRETCH <= last.end) list[list.length - 1] = { start: last.start, end };
    else list.push({ start, end });
  }
  const lines = (run: TextRun): TextRun => widened(text, run);
  return {
    rotated: separate(stretches.rotated.map(lines)).flatMap(({ start, end }) =>
      Array.from(text.slice(start, end).matchAll(/[A-Za-z]+/g), ({ 0: word, index }) => ({
        start: start + index,
        end: start + index + word.length,
        text: rot13(word),
        telling: true,
      })),
    ),
    reversed: stretches.reversed.map(({ start, end }) => ({
      start,
      end,
      text: reversed(text.slice(start, end)),
      telling: true,
    })),
  };
}

/** A stretch up to the ends of its line, at most. */
function widened(text: string, { start, end }: TextRun): TextRun {
  const before = text.slice(Math.max(0, start - STRETCH), start);
  const behind = text.slice(end, end + STRETCH);
  const line = behind.indexOf("\n");
  return {
    start: start - (before.length - before.lastIndexOf("\n") - 1),
    end: end + (line < 0 ? behind.length : line),
  };
}

function separate(runs: readonly TextRun[]): TextRun[] {
  const apart: TextRun[] = [];
  for (const run of runs) {
    const last = apart.at(-1);
    if (last && run.start < last.end) apart[apart.length - 1] = { start: last.start, end: run.end };
    else apart.push(run);
  }
  return apart;
}
