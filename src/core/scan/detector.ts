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

export type Category = "pii" | "secret" | "injection" | "tool" | "custom";

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
