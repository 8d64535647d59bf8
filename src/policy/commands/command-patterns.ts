import { mayMatch, surelyMatches, UNKNOWN, type Wildcards, wordPattern } from "#core/wildcards";
import { programName } from "./programs";
import type { SimpleCommand } from "./shell";
import { WORDS } from "./shell-word";

/*
 * A pattern of commands is words: `*` in a word stands for any characters of it, a word `*` for any words, or none. What
 * is denied or asked about is looked for by the program's name alone, in any case, and in all that unknown parts can turn
 * out to be; what is allowed has to be so as it is written, whatever they turn out to be.
 */

/** Where a program that is called by its path is the one of its name. */
const PROGRAM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;

export class CommandPattern {
  private readonly words: readonly Wildcards[];
  private readonly hasFolder: boolean;
  private readonly folded: readonly Wildcards[];

  constructor(pattern: string) {
    const [first = "", ...rest] = pattern.trim().split(/\s+/);
    const given = rest.map(wordPattern);
    this.words = [wordPattern(first), ...given];
    this.folded = [wordPattern(fold(first)), ...given];
    this.hasFolder = first.includes("/");
  }

  /** Whether the command is one of these, as far as can be told. */
  mayBe({ words }: SimpleCommand): boolean {
    const [first = "", ...rest] = words;
    return isMet(this.folded, [this.hasFolder ? fold(first) : nameOf(first), ...rest], true);
  }

  /** Whether the command, with its assignments, is one of these for certain. */
  isFor({ assigned, words }: SimpleCommand): boolean {
    const [first = "", ...rest] = words;
    const called = PROGRAM_FOLDERS.test(first) && !this.hasFolder ? first.slice(first.lastIndexOf("/") + 1) : first;
    return isMet(this.words, [...assigned, called, ...rest], false);
  }
}

const fold = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase();

/** What may become several words keeps its beginning: the name may end there. */
const nameOf = (word: string): string => {
  const at = word.indexOf(WORDS);
  return at < 0 ? programName(word) : programName(word.slice(0, at)) + WORDS;
};

const isRun = (pattern: Wildcards | undefined): boolean => pattern?.length === 1 && pattern[0]?.is === "run";

const isMet = (pattern: readonly Wildcards[], words: readonly string[], isGuessed: boolean): boolean => {
  let states = reach(pattern, [0]);
  for (const word of words) {
    states = reach(pattern, isGuessed ? guessed(pattern, states, word) : certain(pattern, states, word));
    if (states.size === 0) return false;
  }
  return states.has(pattern.length);
};

/** With the places behind words `*`, which may be no word. */
const reach = (pattern: readonly Wildcards[], from: Iterable<number>): ReadonlySet<number> => {
  const states = new Set<number>();
  for (let state of from) {
    states.add(state);
    for (; isRun(pattern[state]); state += 1) states.add(state + 1);
  }
  return states;
};

type Step = (pattern: readonly Wildcards[], states: ReadonlySet<number>, word: string) => number[];

const stepWith =
  (isOne: (pattern: Wildcards, word: string) => boolean): Step =>
  (pattern, states, word) =>
    [...states].flatMap((state) => {
      const part = pattern[state];
      if (part === undefined) return [];
      if (isRun(part)) return [state];
      return isOne(part, word) ? [state + 1] : [];
    });

const certain: Step = stepWith((part, word) => !word.includes(WORDS) && surelyMatches(part, word));
const possible: Step = stepWith(mayMatch);

/** What may become several words is at least one where something stands before it, and any number else. */
const guessed: Step = (pattern, states, word) => {
  const at = word.indexOf(WORDS);
  if (at < 0) return possible(pattern, states, word);
  const from = at === 0 ? [...states] : possible(pattern, states, word.slice(0, at) + UNKNOWN);
  if (from.length === 0) return [];
  const lowest = Math.min(...from);
  return Array.from({ length: pattern.length + 1 - lowest }, (_, more) => lowest + more);
};
