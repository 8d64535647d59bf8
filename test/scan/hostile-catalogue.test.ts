/**
 * Made from the catalogue itself: whatever detector is added is attacked with its own keywords. A decision may be
 * dear, but it must cost the same however long the text is, or 1 MB of anchors would hold a call for minutes.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type CharSet, inSet } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { scanText } from "#scan/scan";
import { View } from "#scan/view";
import { expectLinear } from "#test/support/cost";
import { verifies } from "#test/support/verifies";
import { DEFAULT, PERSONAL, SECRETS, uniform } from "./samples";

/** A view that notes every unit it shows: how many, and how far to both sides. */
class CountingView extends View {
  reads = 0;
  lowest = Number.POSITIVE_INFINITY;
  highest = Number.NEGATIVE_INFINITY;

  override code(i: number): number {
    this.note(i, i + 1);
    return super.code(i);
  }

  override run(i: number, set: CharSet, max: number): number {
    const length = super.run(i, set, max);
    // The unit that ends a run is read too, unless the limit ended it.
    this.note(i, i + Math.min(max, length + 1));
    return length;
  }

  override runBack(i: number, set: CharSet, max: number): number {
    const length = super.runBack(i, set, max);
    this.note(i - Math.min(max, length + 1), i);
    return length;
  }

  override slice(from: number, to: number): string {
    this.note(from, to);
    return super.slice(from, to);
  }

  override before(i: number, length: number): string {
    this.note(i - length, i);
    return super.before(i, length);
  }

  private note(from: number, to: number): void {
    if (to <= from) return;
    this.reads += Math.max(0, Math.min(to, this.text.length) - Math.max(0, from));
    this.lowest = Math.min(this.lowest, from);
    this.highest = Math.max(this.highest, to);
  }
}

/** What runs on without end behind an anchor: one of each class that detectors count. */
const FILLERS = [
  "a",
  "A",
  "1",
  "Z9",
  "x1",
  "aB3",
  "-",
  "_",
  ".",
  "/",
  "+",
  " ",
  ":",
  "=",
  "@",
  '"',
  "\n",
  "1 ",
  "a ",
  "a.",
  "1-",
  "f:",
  "%2",
];
const MEGABYTE = 2 ** 20;

const fill = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);

/** Evenly spread over a detector's keywords, the shortest and the longest among them. */
function sampleOf(words: readonly string[], count: number): string[] {
  const sorted = [...new Set(words)].sort((a, b) => a.length - b.length);
  const step = Math.max(1, (sorted.length - 1) / (count - 1));
  return Array.from({ length: Math.min(count, sorted.length) }, (_, i) => sorted[Math.round(i * step)] ?? "");
}

const anchorsOf = ({ keywords, anchorDigits }: Detector, count: number): string[] => [
  ...sampleOf(keywords, count),
  ...(anchorDigits ? ["4", "1"] : []),
];

/** Parts that make a hostile text of any size when repeated. */
function partsOf(detector: Detector): string[] {
  const { reach } = detector;
  const anchors = anchorsOf(detector, 3);
  return anchors.flatMap((anchor) => [
    anchor,
    `${anchor} `,
    `${anchor}:=" `,
    `${anchor.toUpperCase()} ${anchor.slice(0, -1)} `,
    `${anchor} ${fill("a1 ", 30)}`,
    `${anchor}=${fill("aB3", Math.max(8, reach - 4))} `,
  ]);
}

/** As the matcher finds them, but for boundaries, which only leave some out. */
function anchorPlaces({ keywords, anchorDigits }: Detector, text: string): { at: number; length: number }[] {
  const lower = text.toLowerCase();
  const places: { at: number; length: number }[] = [];
  for (const keyword of new Set(keywords)) {
    for (let at = lower.indexOf(keyword); at >= 0; at = lower.indexOf(keyword, at + 1)) {
      places.push({ at, length: keyword.length });
    }
  }
  if (anchorDigits) for (const { index } of text.matchAll(/(?<!\d)\d/g)) places.push({ at: index, length: 1 });
  return places;
}

const allowed = ({ boundary }: Detector, text: string, at: number): boolean =>
  boundary === undefined || at === 0 || !inSet(boundary, text.charCodeAt(at - 1));

/** The places of some anchors, spread over the text. */
function spreadPlaces(detector: Detector, text: string, count: number): { at: number; length: number }[] {
  const places = anchorPlaces(detector, text).filter(({ at }) => allowed(detector, text, at));
  const step = Math.max(1, Math.floor(places.length / count));
  return places.filter((_, i) => i % step === 0);
}

test.each(DETECTORS.map((detector) => [detector.id, detector] as const))(
  "%s reads no further than its reach and its look-behind",
  (_id, detector) => {
    const anchors = anchorsOf(detector, 40);
    if (anchors.length === 0) return;
    const pieces = [
      ...FILLERS.flatMap((filler) => [filler, fill(filler, 700)]),
      ...Object.values(SECRETS),
      ...Object.values(PERSONAL),
    ];
    const around = fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(around, fc.constantFrom(...anchors), around, (before, anchor, after) => {
        const text = `${before}${anchor}${after}`;
        const places = spreadPlaces(detector, text, 6);
        for (const { at, length } of places) {
          const view = new CountingView(text, false);
          const match = detector.read(view, at, length);
          detector.begin?.(view, at);
          expect(view.highest).toBeLessThanOrEqual(at + Math.max(detector.reach, length));
          expect(view.lowest).toBeGreaterThanOrEqual(at - detector.behind - 1);
          if (match && !view.short) expect(match.end).toBeLessThanOrEqual(at + detector.reach);
        }
      }),
      { numRuns: 40 },
    );
  },
);

test.each(DETECTORS.map((detector) => [detector.id, detector] as const))(
  "an anchor of %s costs as much in 1 MB as in 8 KB",
  (_id, detector) => {
    verifies("scan.linear");
    for (const part of partsOf(detector)) {
      const most = (size: number): number => {
        const text = fill(part, size);
        const from = Math.max(0, size - 4096);
        const tail = spreadPlaces(detector, text.slice(from), 4);
        const view = new CountingView(text, true);
        return Math.max(
          0,
          ...tail.map(({ at, length }) => {
            view.reads = 0;
            detector.read(view, from + at, length);
            return view.reads;
          }),
        );
      };
      const short = most(8192);
      // Both texts end at another place of the part: the ends differ a little, the order does not.
      expect(most(MEGABYTE)).toBeLessThanOrEqual(short * 2 + 2 * (detector.reach + detector.behind));
    }
  },
);

/** The prefilter, the order of matches, tails and the sorting of findings too, which views cannot count. */
test("1 MB of everything hostile in the catalogue costs about four times 250 KB", () => {
  verifies("scan.linear");
  const all = DETECTORS.flatMap(partsOf).join(" ");
  const single = DETECTORS.map((detector) => partsOf(detector).join("")).filter((part) => part !== "");
  const texts = [
    [all, uniform("flag")] as const,
    ...[all, ...sampleOf(single, 6)].map((part) => [part, DEFAULT] as const),
  ];
  // Quadratic work would be sixteen times as much; half of that is left to the clock.
  for (const [part, policy] of texts)
    expectLinear(part, (text) => scanText(policy, text, "user"), { short: 250_000, long: 1_000_000, noiseMs: 60 });
}, 120_000);
