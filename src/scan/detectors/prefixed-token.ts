import { ALNUM, type CharSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { CUT_OFF_REACH, isCutOff, likeness } from "./placeholder";

/** One shape of token: a literal, then a body. */
export type TokenShape = {
  readonly prefix: string;
  readonly set: CharSet;
  /** Units of the body that decide; it may go on behind them unless `exact`. */
  readonly length: number;
  readonly exact?: boolean;
  /** What must stand directly before the prefix. */
  readonly after?: CharSet;
  /** The score for a body that is no placeholder; 1 if absent, 0 for no match. */
  readonly score?: (body: string) => number;
};

type Options = Pick<Detector, "id" | "severity"> & {
  readonly shapes: readonly TokenShape[];
  readonly boundary?: CharSet | undefined;
};

/** The same body behind each of some prefixes, which blanks part. */
export const shapesOf = (prefixes: string, shape: Omit<TokenShape, "prefix">): TokenShape[] =>
  prefixes.split(" ").map((prefix) => ({ prefix, ...shape }));

/**
 * A secret that is known by a fixed beginning. A body of open length is decided by its first
 * `length` units; the rest belongs to the match whatever its length.
 */
export function prefixedToken({ id, severity, shapes, boundary = ALNUM }: Options): Detector {
  const byPrefix = Map.groupBy(shapes, ({ prefix }) => prefix);
  return {
    id,
    category: "secret",
    severity,
    reach: Math.max(...shapes.map(({ prefix, length }) => prefix.length + length + 1)) + CUT_OFF_REACH,
    behind: 1,
    boundary,
    keywords: shapes.map(({ prefix }) => prefix.toLowerCase()),
    read(view, at, length) {
      for (const shape of byPrefix.get(view.slice(at, at + length)) ?? []) {
        const match = readShape(view, at, shape);
        if (match) return match;
      }
      return null;
    },
  };
}

const SHORT = 32;
/** Below what is flagged. */
const CUT_OFF_SCORE = 0.2;

function readShape(view: View, at: number, { prefix, set, length, exact, after, score }: TokenShape): Match | null {
  if (after && !view.is(at - 1, after)) return null;
  const body = at + prefix.length;
  if (view.run(body, set, length) < length) return null;
  const end = body + length;
  if (exact && view.is(end, set)) return null;
  const text = view.slice(body, end);
  const told = score?.(text) ?? 1;
  if (told === 0) return null;
  // Of a short deciding part, what follows tells of a made-up one too.
  const more = exact || length > SHORT ? 0 : view.run(end, set, CUT_OFF_REACH - 4);
  if (view.short) return null;
  const drawn = told * likeness(more === 0 ? text : view.slice(body, end + more));
  const sure = isCutOff(view, end, set) ? Math.min(drawn, CUT_OFF_SCORE) : drawn;
  return { start: at, end, score: sure, ...(!exact && { tail: { kind: "run", set } }) };
}
