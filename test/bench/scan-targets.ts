import { atLeast, atMost, type Bar } from "./bar.ts";
import type { Timing } from "./scan-cells.ts";
import type { Dearest, Way } from "./scan-search.ts";
import { MIXED, MIXED_UNITS } from "./scan-texts.ts";

const BENIGN = ["prose", "code", "chat"];

/** The worst of the named texts. */
function worst(
  work: string,
  kinds: readonly string[],
  size: number,
  of: (timing: Timing) => number,
): Bar<readonly Timing[]>["measure"] {
  return (timings) => {
    const fitting = timings.filter((it) => it.work === work && it.size === size && kinds.includes(it.kind));
    return fitting.length === 0 ? undefined : Math.max(...fitting.map(of));
  };
}

const slowestPrefilter = worst("prefilter", BENIGN, 16_384, ({ perKbP50 }) => perKbP50);

export const SCAN_BARS: readonly Bar<readonly Timing[]>[] = [
  atMost(
    "a prompt of 400 bytes, µs, median",
    60,
    1,
    worst("scan", ["prose"], 400, ({ p50 }) => p50),
  ),
  atMost(
    "mixed short texts, µs/KB, all together",
    60,
    1,
    worst("scan", [MIXED], MIXED_UNITS, ({ perKb }) => perKb),
  ),
  atMost("benign text of 16 KB, µs/KB, median of the dearest kind", 40, 1, worst("scan", BENIGN, 16_384, perKbP50)),
  atMost(
    "key-dense text of 16 KB, µs/KB, p99",
    300,
    1,
    worst("scan", ["keys"], 16_384, ({ perKbP99 }) => perKbP99),
  ),
  atMost(
    "hostile text of 100 KB, ms, dearest",
    100,
    1,
    worst("scan", ["hostile"], 102_400, (it) => it.worst / 1000),
  ),
  atLeast("the prefilter alone, MB/s, dearest benign kind", 300, (timings) => {
    const perKb = slowestPrefilter(timings);
    return perKb === undefined ? undefined : 1024 / perKb;
  }),
];

/** What a search for dear texts found. */
const SEARCHED: readonly (readonly [way: Way, name: string])[] = [
  ["whole", "the dearest text found by search, whole, CPU s/MB"],
  ["stream", "the dearest text found by search, streamed, CPU s/MB"],
];

export const SEARCH_BARS: readonly Bar<readonly Dearest[]>[] = SEARCHED.map(([way, name]) =>
  atMost(name, 1, 2, (found) => found.find((one) => one.way === way)?.secondsPerMb),
);

function perKbP50(timing: Timing): number {
  return timing.perKbP50;
}
