/**
 * One language's words for setting a model's orders aside, or for getting at them. Each list is split at commas. Behind
 * a `|` stands one ending of several: any ending is matched. Accents and case do not count.
 */
export type Tongue = {
  /** ISO 639-1. */
  readonly language: string;
  /** Verbs of ignoring, leaving, overriding. */
  readonly drop: string;
  /** "Your": whose orders. */
  readonly own: string;
  /** What a model is held to. */
  readonly orders: string;
  /** "Previous", "above", "of the system": which orders, before or behind them. */
  readonly past: string;
  /** Verbs of revealing. */
  readonly tell: string;
  /** Verbs of explaining, and what questions begin with: what they are about has to be the model's own. */
  readonly ask: string;
  /** What names a prompt outright. */
  readonly prompt: string;
  /** "Hidden", "that you were given": what makes orders a model's own. */
  readonly given: string;
  /** Verbs of obeying, "only", and "my orders". */
  readonly obey: string;
  readonly only: string;
  readonly mine: string;
  /** Verbs of switching on, and modes without rules. */
  readonly enter: string;
  readonly mode: string;
};

/** The entries of a list as they are written. */
export const formsOf = (list: string): string[] => list.split(",").map((entry) => entry.replace("|", ""));
