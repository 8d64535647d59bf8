import type { CharSet } from "./char-set";
import type { View } from "./view";

/** Where a text comes from. Policies can differ by origin. */
export const ORIGINS = [
  "system",
  "user",
  "assistant",
  "tool_result",
  "tool_args",
  "tool_definition",
  "output",
] as const;
export type Origin = (typeof ORIGINS)[number];

export type Category = "pii" | "secret" | "injection" | "tool" | "egress" | "custom";

/** What is done about a finding. Ordered: a later one is stricter, and the strictest wins. */
export const ACTIONS = ["allow", "flag", "redact", "block"] as const;
export type Action = (typeof ACTIONS)[number];

/** One detector's claim about one span of a text. Holds no content. */
export type Finding = {
  /** Dotted flag type, e.g. `pii.email`. A prefix stands for all below it. */
  readonly type: string;
  readonly category: Category;
  /** The id of the detector that made the claim. */
  readonly detector: string;
  /** UTF-16 units of the text that was given, `start` inclusive, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** 0 to 1: how sure the detector is. */
  readonly score: number;
};

/**
 * How a match of unbounded length goes on after its head: over a run of units of one class, or to a
 * terminator and the runs of `closing` behind it, at most `max` units from the head's end.
 */
export type Tail =
  | { readonly kind: "run"; readonly set: CharSet }
  | {
      readonly kind: "until";
      readonly literal: string;
      readonly closing: readonly { readonly set: CharSet; readonly most: number }[];
      readonly max: number;
    };

/** What a detector saw at one anchor. Indices are those of the view it was given. */
export type Match = {
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** One of the detector's `emits`, where one detector tells several types apart. */
  readonly type?: string;
  /** Where a link points: hosts a policy expects are no findings. */
  readonly host?: string;
  readonly tail?: Tail;
};

/**
 * What must stand behind an anchor for a decision to find anything, so that most anchors are passed over without one.
 * Says nothing of units beyond ASCII, which may always stand there, nor of the text's end.
 */
export type Precheck = {
  /** One of these, directly behind it. */
  readonly behind: CharSet | null;
  /** The bits of the detector's word lists of which one must have a word there, whole within its reach; 0: none must. */
  readonly words: number;
};

/** Words in lower case of which something needs one. Lists that share a bit are not told apart, which costs time only. */
export type WordList = { readonly bit: number; readonly words: readonly string[] };

export type Severity = "low" | "medium" | "high" | "critical";

/**
 * A detector is data and pure functions. The prefilter finds its anchors; for each anchor in text
 * order `read` decides, seeing the text only through the view, so that a stream knows when a
 * decision needs text that has not come yet. A match that begins before the end of the detector's
 * last one is dropped.
 */
export type Detector = {
  /** The detector's name, and the flag type it emits unless `type` or `types` says otherwise. */
  readonly id: string;
  readonly type?: string;
  readonly category: Category;
  readonly severity: Severity;
  /** Units from the anchor's first unit on that a decision may read. */
  readonly reach: number;
  /** Units before the anchor that a decision may read. */
  readonly behind: number;
  /** The highest score it gives; below a policy's thresholds it delays no stream. 1 if absent. */
  readonly maxScore?: number;
  /** Anchors: lower-case literals, found in any case. `anchorDigits` adds the first digit of each run. */
  readonly keywords: readonly string[];
  readonly anchorDigits?: boolean;
  /** What must stand directly behind an anchor that is a digit, as in `Precheck.behind`; anything if absent. */
  readonly digitBehind?: CharSet;
  /** `anchorCapitals` adds each capital letter of ASCII that begins a word. */
  readonly anchorCapitals?: boolean;
  /** An anchor directly after one of these is none. */
  readonly boundary?: CharSet;
  /** The same for anchors that are digits, where that differs. */
  readonly digitBoundary?: CharSet;
  /** How many digits the run must have that an anchor begins, once all of it is there; any number if absent. */
  readonly digitWidths?: readonly number[];
  /** The anchor is a cue before the match, not part of it: nothing before its end can be matched. */
  readonly cue?: boolean;
  /** The flag types its matches may name instead of the detector's own. */
  readonly emits?: readonly string[];
  /** Where it looks; everywhere if absent. */
  readonly origins?: readonly Origin[];
  /** Other flag types for some origins. */
  readonly types?: Partial<Record<Origin, string>>;
  /** What the anchors by a keyword are held to before `read` is asked; null for those that are always read. */
  precheck?(keyword: string): Precheck | null;
  readonly wordLists?: readonly WordList[];
  /** `words`: the bits of its word lists of which one has a word behind the anchor; absent where that is not known. */
  read(view: View, at: number, length: number, words?: number): Match | null;
  /** Where a match anchored at `at` would begin, if that can be before `at`. */
  begin?(view: View, at: number): number;
  /** Where, at the view's end, a match may have begun whose anchor has not come yet. */
  pending?(view: View): number;
  /** The score of a match that is the whole value of the JSON field of this name. */
  inField?(score: number, name: string): number;
  /** Judges the folded text as a whole, and an answer, which may come in pieces, by paragraphs. */
  readonly whole?: WholeText;
};

export type WholeText = {
  readonly origins: readonly Origin[];
  /** The flag type instead of the detector's own where a rule found a sign of the same category, scored at least so. */
  readonly withRule?: { readonly type: string; readonly from: number };
  /** Where it judges paragraph by paragraph, and does no more than flag. */
  readonly paragraphsOf: readonly Origin[];
  /** 0 to 1, or 0 for nothing worth a finding. */
  score(folded: string): number;
};
