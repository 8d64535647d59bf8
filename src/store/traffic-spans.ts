import type { TrafficSpan } from "./call-index-port";

const DAY_MS = 86_400_000;

/** How long counters of a span are kept; the longest as long as the log. Each span is a multiple of the one before. */
export const KEPT_MS: readonly (readonly [span: TrafficSpan, ms: number])[] = [
  [60_000, 2 * DAY_MS],
  [900_000, 8 * DAY_MS],
  [3_600_000, Number.POSITIVE_INFINITY],
  [DAY_MS, Number.POSITIVE_INFINITY],
];
