import { inSet } from "./char-set";
import type { Tail } from "./detector";
import type { View } from "./view";

/**
 * Where a tail that began at `from` ends, having been looked at up to `scanned`. The view is left
 * `short` when the tail may go on behind its end; `end` is then the view's end.
 */
export function tailEnd(view: View, from: number, scanned: number, tail: Tail): { end: number; scanned: number } {
  const { text } = view;
  if (tail.kind === "run") {
    let at = scanned;
    while (at < text.length && inSet(tail.set, text.charCodeAt(at))) at++;
    if (at === text.length) view.code(at);
    return { end: at, scanned: at };
  }
  const limit = from + tail.max;
  // Sliced, so that a missing terminator costs at most `max` units of search.
  const found = scanned + text.slice(scanned, limit).indexOf(tail.literal);
  if (found >= scanned) {
    let end = found + tail.literal.length;
    for (const { set, most } of tail.closing) end += view.run(end, set, Math.min(most, limit - end));
    return { end: view.short ? text.length : end, scanned: found };
  }
  if (limit <= text.length) return { end: limit, scanned: limit };
  view.code(text.length);
  return { end: text.length, scanned: Math.max(scanned, text.length - tail.literal.length + 1) };
}
