import { ALNUM, type CharSet } from "../char-set";
import type { Detector } from "../detector";
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
      for (const shape of shapes) {
        const body = at + shape.prefix.length;
        if (shape.prefix.length !== length || !view.has(at, shape.prefix)) continue;
        if (view.run(body, shape.set, shape.length) < shape.length) continue;
        const end = body + shape.length;
        if (shape.exact && view.is(end, shape.set)) continue;
        const text = view.slice(body, end);
        const score = (shape.score?.(text) ?? 1) * likeness(text);
        return shape.exact
          ? { start: at, end, score }
          : { start: at, end, score, tail: { kind: "run", set: shape.set } };
      }
      return null;
    },
  };
}
