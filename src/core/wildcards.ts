/*
 * Patterns with wildcards, held against texts of which parts may be unknown. Every step takes each state of the pattern
 * once, so time is linear in the text whatever the pattern.
 */

/** Stands in a text for a run of characters that nobody knows yet. A noncharacter: no text that is read has it. */
export const UNKNOWN = "\uFFFE";

/** Longer patterns are refused where they are written, in UTF-16 units. */
export const MAX_PATTERN = 256;

/** Of a longer text only the beginning is held against a pattern; the rest counts as unknown. */
const MAX_TEXT = 8_192;

type Token =
  | { readonly is: "char"; readonly char: string }
  /** Any run of characters. */
  | { readonly is: "run" }
  /** Any run within a segment of a path. */
  | { readonly is: "segment" }
  /** Directories, or none: two states, at the beginning of a segment and inside one. */
  | { readonly is: "directories" }
  | { readonly is: "inside" }
  /** Nothing more, or a slash and anything below. */
  | { readonly is: "below" };

export type Wildcards = readonly Token[];

/** A text that stands for itself. */
export const literally = (text: string): Token[] => [...text].map((char) => ({ is: "char", char }));

/** `*` stands for any run of characters. */
export const wordPattern = (pattern: string): Wildcards =>
  pattern.split("*").flatMap((part, at): Token[] => (at === 0 ? literally(part) : [{ is: "run" }, ...literally(part)]));

/** `*` stays within a segment, `**` stands for any number of segments; what ends in `/**` is also the directory itself. */
export const pathPattern = (pattern: string): Wildcards => {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    if (pattern.startsWith("**/", at)) {
      tokens.push({ is: "directories" }, { is: "inside" });
      at += 3;
    } else if (pattern.slice(at) === "/**") {
      tokens.push({ is: "below" }, { is: "run" });
      at += 3;
    } else if (pattern.startsWith("**", at)) {
      tokens.push({ is: "run" });
      at += 2;
    } else {
      const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
      tokens.push(char === "*" ? { is: "segment" } : { is: "char", char });
      at += char.length;
    }
  }
  return tokens;
};

/** Whether the text matches, whatever its unknown parts turn out to be. */
export const surelyMatches = (pattern: Wildcards, text: string): boolean => run(pattern, bounded(text), null);

/** Whether there is something its unknown parts can be with which the text matches. */
export const mayMatch = (pattern: Wildcards, text: string): boolean => run(pattern, bounded(text), anything);

/** The same where each unknown part is within one segment of a path. */
export const mayMatchWithin = (pattern: Wildcards, text: string): boolean => run(pattern, bounded(text), withinSegment);

const bounded = (text: string): string => (text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT) + UNKNOWN);

/** Where a part that nobody knows may lead to. */
type Guess = (pattern: Wildcards, from: States, next: States) => void;

const anything: Guess = (pattern, from, next) => {
  for (let at = Math.min(...from.list); at <= pattern.length; at += 1) next.add(at);
};

const withinSegment: Guess = (pattern, from, next) => {
  for (const state of from.list) next.add(state);
  // The list grows by what is found from it.
  for (let at = 0; at < next.list.length; at += 1) {
    const state = next.list[at] ?? 0;
    const token = pattern[state];
    const isPassed = token?.is === "char" ? token.char !== "/" : token?.is === "directories";
    if (isPassed) next.add(state + 1);
  }
};

const run = (pattern: Wildcards, text: string, guess: Guess | null): boolean => {
  let states = new States(pattern);
  states.add(0);
  for (const char of text) {
    const next = new States(pattern);
    if (char === UNKNOWN && guess !== null) guess(pattern, states, next);
    else for (const state of states.list) step(pattern, state, char, next);
    if (next.list.length === 0) return false;
    states = next;
  }
  return states.has(pattern.length);
};

/** How each kind of token goes on behind a character; `next` is told where to. */
const STEPS: Readonly<Record<Token["is"], (state: number, char: string, next: States) => void>> = {
  // Looked at where the token is, which has the character.
  char: (state, _, next) => next.add(state + 1),
  run: (state, _, next) => next.add(state),
  segment: (state, char, next) => {
    if (char !== "/" && char !== UNKNOWN) next.add(state);
  },
  directories: (state, char, next) => {
    if (char !== UNKNOWN) next.add(char === "/" ? state : state + 1);
  },
  inside: (state, char, next) => {
    if (char !== UNKNOWN) next.add(char === "/" ? state - 1 : state);
  },
  below: (state, char, next) => {
    if (char === "/") next.add(state + 1);
  },
};

const step = (pattern: Wildcards, state: number, char: string, next: States): void => {
  const token = pattern[state];
  if (token === undefined || (token.is === "char" && token.char !== char)) return;
  STEPS[token.is](state, char, next);
};

/** Places in a pattern that a text may have come to, each once. */
class States {
  readonly list: number[] = [];
  private readonly known: Uint8Array;

  constructor(private readonly pattern: Wildcards) {
    this.known = new Uint8Array(pattern.length + 1);
  }

  /** With the places that are come to by nothing. */
  add(state: number): void {
    if (this.known[state] === 1) return;
    this.known[state] = 1;
    this.list.push(state);
    const token = this.pattern[state];
    if (token?.is === "run" || token?.is === "segment") this.add(state + 1);
    if (token?.is === "directories") this.add(state + 2);
    if (token?.is === "below") this.add(this.pattern.length);
  }

  has(state: number): boolean {
    return this.known[state] === 1;
  }
}
