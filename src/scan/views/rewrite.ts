import { OffsetMap, type Places } from "#scan/fold/normalize";
import type { Raw } from "#scan/matcher";
import type { TextRun } from "./survey";

/** What stands in a text for something else. Only about a telling one is looked; the others help it. */
export type Rewrite = TextRun & { readonly text: string; readonly telling: boolean };

/** A part of a text with its rewrites done. */
export type RewriteWindow = {
  readonly text: string;
  readonly places: Places;
  /** From the first to the last of what was rewritten. */
  readonly core: TextRun;
  /** Whether a match in `text` touches anything rewritten: it, or the words that led to it. */
  touches(match: Pick<Raw, "from" | "start" | "end">): boolean;
};

/** Units of plain text on either side of a rewrite: enough for the words that give a value away. */
export const CONTEXT = 160;

/** The parts of a text about its telling rewrites, which must be in text order and not overlap. */
export function windowsOf(text: string, rewrites: readonly Rewrite[], original: Places): RewriteWindow[] {
  const windows: RewriteWindow[] = [];
  let from = 0;
  let to = -1;
  let first = 0;
  const close = (): void => {
    if (to < 0) return;
    while (first < rewrites.length && (rewrites[first]?.start ?? 0) < from) first++;
    const begun = first;
    while (first < rewrites.length && (rewrites[first]?.end ?? 0) <= to) first++;
    windows.push(windowOf(text, from, to, rewrites.slice(begun, first), original));
  };
  for (const { start, end, telling } of rewrites) {
    if (!telling) continue;
    if (to < 0 || start - CONTEXT > to) {
      close();
      from = Math.max(0, start - CONTEXT);
    }
    to = Math.min(text.length, end + CONTEXT);
  }
  close();
  return windows;
}

function windowOf(
  text: string,
  from: number,
  to: number,
  rewrites: readonly Rewrite[],
  original: Places,
): RewriteWindow {
  const map = new OffsetMap();
  map.add(0, from, 0);
  const starts: number[] = [];
  const ends: number[] = [];
  let out = "";
  let done = from;
  for (const { start, end, text: meant } of rewrites) {
    out += text.slice(done, start);
    starts.push(out.length);
    if (meant !== "") map.add(out.length, start, end - start);
    out += meant;
    ends.push(out.length);
    map.add(out.length, end, 0);
    done = end;
  }
  return {
    text: out + text.slice(done, to),
    places: {
      start: (index) => original.start(map.start(index)),
      end: (index) => original.end(map.end(index) - 1),
    },
    core: { start: starts[0] ?? 0, end: ends.at(-1) ?? 0 },
    touches: ({ from: begun, end }) => (starts[firstAfter(ends, begun)] ?? Number.POSITIVE_INFINITY) < end,
  };
}

/** Index of the first of sorted numbers that is greater. */
function firstAfter(sorted: readonly number[], than: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > than) high = middle;
    else low = middle + 1;
  }
  return low;
}
