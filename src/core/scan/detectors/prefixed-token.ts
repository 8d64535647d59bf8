import { ALNUM, type CharSet } from "#core/scan/char-set";
import type { Detector, Match } from "#core/scan/detector";
import type { View } from "#core/scan/view";
import { likeness } from "./placeholder";

/** One shape of token: a literal, then a body. */
export type TokenShape = {
  readonly prefix: string;
  readonly set: CharSet;
  /** Units of the body that decide; it may go on behind them unless `exact`. */
  readonly length: number;
  readonly exact?: boolean;
  /** The score for a body that is no placeholder; 1 if absent. */
  readonly score?: (body: string) => number;
};

type Options = Pick<Detector, "id" | "severity"> & {
  readonly shapes: readonly TokenShape[];
  readonly boundary?: CharSet;
};

/**
 * A secret that is known by a fixed beginning. A body of open length is decided by its first
 * `length` units; the rest belongs to the match whatever its length.
 */
export function prefixedToken({ id, severity, shapes, boundary = ALNUM }: Options): Detector {
  return {
    id,
    category: "secret",
    severity,
    reach: Math.max(...shapes.map(({ prefix, length }) => prefix.length + length + 1)),
    behind: 1,
    boundary,
    keywords: shapes.map(({ prefix }) => prefix.toLowerCase()),
    read(view, at, length) {
      const fitting = shapes.filter(({ prefix }) => prefix.length === length && view.has(at, prefix));
      for (const shape of fitting) {
        const match = readShape(view, at, shape);
        if (match) return match;
      }
      return null;
    },
  };
}

function readShape(view: View, at: number, { prefix, set, length, exact, score }: TokenShape): Match | null {
  const body = at + prefix.length;
  if (view.run(body, set, length) < length) return null;
  const end = body + length;
  if (exact && view.is(end, set)) return null;
  const text = view.slice(body, end);
  const sure = (score?.(text) ?? 1) * likeness(text);
  return { start: at, end, score: sure, ...(!exact && { tail: { kind: "run", set } }) };
}
