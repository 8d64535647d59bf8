import { RE2JS } from "re2js";
import { WORD } from "./char-set";
import type { Detector } from "./detector";

/**
 * A rule of the operator's own: whole words, or a pattern that begins with one of its keywords. What it finds has
 * the type `custom.<id>`.
 */
export type CustomRule = {
  readonly id: string;
  /** Found in any case, as whole words. */
  readonly words?: readonly string[];
  /** RE2 syntax, in any case. Tried where a keyword stands, from the keyword's first character on. */
  readonly pattern?: string;
  readonly keywords?: readonly string[];
  /** 0 to 1; 0.9 if absent. */
  readonly score?: number;
};

const MAX_RULES = 200;
const MAX_WORDS = 10_000;
const MAX_PATTERN_LENGTH = 1_000;
/** Instructions of a compiled pattern: what one place in a text can cost is this times `MAX_MATCH_LENGTH`. */
const MAX_PROGRAM_SIZE = 500;
/** Units of a match; it is cut there. */
const MAX_MATCH_LENGTH = 256;
const LITERAL = /^[\x20-\x7e]{3,64}$/;
const DEFAULT_SCORE = 0.9;

/** The rules as detectors. Throws an `Error` that names the rule and what is wrong with it. */
export const customDetectors = (rules: readonly CustomRule[]): Detector[] => {
  if (rules.length > MAX_RULES) throw new Error(`custom rules: at most ${MAX_RULES}`);
  const words = rules.reduce((sum, rule) => sum + (rule.words?.length ?? 0) + (rule.keywords?.length ?? 0), 0);
  if (words > MAX_WORDS) throw new Error(`custom rules: at most ${MAX_WORDS} words and keywords in all`);
  const ids = new Set(rules.map(({ id }) => id));
  if (ids.size < rules.length) throw new Error("custom rules: two have one id");
  return rules.map(detectorOf);
};

const detectorOf = (rule: CustomRule): Detector => {
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(rule.id)) {
    throw new Error(`custom rule ${JSON.stringify(rule.id)}: an id is lower-case letters, digits, '_' and '-'`);
  }
  if ((rule.words === undefined) === (rule.pattern === undefined)) {
    throw new Error(`custom rule ${rule.id}: words, or a pattern with keywords`);
  }
  const { score = DEFAULT_SCORE } = rule;
  if (!(score >= 0 && score <= 1)) throw new Error(`custom rule ${rule.id}: score must be a number from 0 to 1`);
  return rule.pattern === undefined
    ? wordDetector(rule.id, literals(rule.id, "words", rule.words), score)
    : patternDetector(rule.id, { literal: literals(rule.id, "keywords", rule.keywords), pattern: rule.pattern, score });
};

/** Lower case: the prefilter finds them in any. */
const literals = (id: string, what: string, given: readonly string[] = []): string[] => {
  const trimmed = given.map((word) => word.trim().toLowerCase());
  if (trimmed.length === 0) throw new Error(`custom rule ${id}: ${what} must name at least one`);
  const bad = trimmed.findIndex((word) => !LITERAL.test(word));
  if (bad >= 0) throw new Error(`custom rule ${id}: ${what}[${bad}] must be 3 to 64 visible ASCII characters`);
  return [...new Set(trimmed)];
};

const common = (id: string) =>
  ({ id: `custom.${id}`, category: "custom", severity: "medium", behind: 1, boundary: WORD }) as const;

const wordDetector = (id: string, words: readonly string[], score: number): Detector => ({
  ...common(id),
  reach: Math.max(...words.map(({ length }) => length)) + 1,
  maxScore: score,
  keywords: words,
  read: (view, at, length) => (view.is(at + length, WORD) ? null : { start: at, end: at + length, score }),
});

type PatternOptions = { readonly literal: readonly string[]; readonly pattern: string; readonly score: number };

/** Linear in the text whatever the pattern (RE2, Cox 2007), and bounded at each place. */
const patternDetector = (id: string, { literal, pattern, score }: PatternOptions): Detector => {
  const compiled = compile(id, pattern);
  return {
    ...common(id),
    reach: MAX_MATCH_LENGTH,
    maxScore: score,
    keywords: literal,
    read(view, at) {
      const matcher = compiled.matcher(view.slice(at, at + MAX_MATCH_LENGTH));
      if (!matcher.lookingAt()) return null;
      const end = at + matcher.end();
      return end > at ? { start: at, end, score } : null;
    },
  };
};

/** Whether a text fits a pattern from end to end. Throws what `compile` throws for a pattern that is no good. */
export const fitsPattern = (pattern: string, text: string): boolean =>
  text.length <= MAX_MATCH_LENGTH && compile("exception", pattern).matcher(text).matches();

const compile = (id: string, pattern: string): RE2JS => {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new Error(`custom rule ${id}: the pattern is over ${MAX_PATTERN_LENGTH} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    const why = error instanceof Error ? error.message : "not RE2 syntax";
    throw new Error(`custom rule ${id}: ${why}`, { cause: error });
  }
  if (compiled.programSize() > MAX_PROGRAM_SIZE) {
    throw new Error(`custom rule ${id}: the pattern is too large; shorten its repetitions`);
  }
  return compiled;
};
