import { isEnforced, type Mode } from "./policy";
import type { Judged } from "./scan";

/**
 * A masked glimpse of a match: enough to recognise one's own text, too little to use. At most a quarter of it and
 * never more than four characters are shown; the mask's length says nothing of the length of the match.
 */
export const previewOf = (match: string): string => {
  const shown = Math.min(4, Math.floor(Array.from(match).length / 4));
  return `${Array.from(match).slice(0, shown).join("")}****`;
};

/** A finding as callers are shown it: what, where, how sure, and a masked glimpse. */
export const flagOf = (text: string, { type, category, score, action, would, start, end, detector }: Judged) => ({
  type,
  category,
  score,
  action,
  ...(would && { would }),
  start,
  end,
  preview: previewOf(text.slice(start, end)),
  detector,
});
export type Flag = ReturnType<typeof flagOf>;

/** Whether a policy lets a text pass unchanged; one that only watches is asked what it would do. */
export const isSafe = (findings: readonly Judged[], mode: Mode): boolean =>
  findings.every(({ action, would }) => !isEnforced(action) && (mode !== "monitor" || would === undefined));
