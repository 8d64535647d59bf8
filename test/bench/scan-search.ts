import { DETECTORS } from "#scan/detectors/index";
import type { CompiledPolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { Random } from "#test/eval/random";
import { LABELS } from "#test/support/labels";
import { figure, table } from "./table.ts";

/** What scans a text, and the dearest text found for it. */
export type Way = "whole" | "stream";
export type Dearest = {
  readonly way: Way;
  /** Parts that are repeated. */
  readonly recipe: readonly string[];
  /** Of a megabyte, by a text of `MEASURED` units. */
  readonly secondsPerMb: number;
};

/** Units of a text that is tried, and of the one that is measured in the end. */
const TRIED = 16_384;
const MEASURED = 262_144;
const MAX_PARTS = 8;
/** Changes of one recipe without a dearer one, before a new one is begun. */
const PATIENCE = 40;
/** Units of a stream's piece: small ones cost most. */
const PIECE = 12;

const letters = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => String.fromCharCode(from + i)).join("");

/** Beginnings and material of everything that is looked for, and what parts it. */
export const PARTS: readonly string[] = [
  ...new Set(DETECTORS.flatMap(({ keywords }) => keywords)),
  ..." \n\t.,:;-_/\\|=+*'\"`<>()[]{}@#%&?!$~",
  ..."0123456789",
  "00",
  "1234",
  "123456789",
  "4539 1488 0343 6467",
  "4539148803436467",
  "078-05-1120",
  "DE89 3704 0044 0532 0130 00",
  "de8",
  "+49 30 ",
  "+1 (415) 555-",
  "2001:db8::",
  "192.168.",
  "aWdub3JlIGFsbA==",
  "eyJhbGciOiJIUzI1NiJ9.",
  "69676e6f7265",
  "69 67 ",
  "%41",
  "%25",
  "&#65;",
  "&amp;",
  "\\u0041",
  "\\x41",
  "\\n",
  "0x",
  "a",
  "A",
  "z9",
  "i g n o r e ",
  "1gn0re",
  "ignroe ",
  "<b>",
  "**",
  "[x](",
  '{"a":',
  "[[[[",
  "\u200b",
  "\u0301",
  "\ufe0f",
  "\u202e",
  "ａ",
  "é",
  letters(0x430, 12),
  letters(0x4e00, 12),
  letters(0x3042, 12),
  letters(0xac00, 12),
  letters(0x627, 12),
  letters(0xff10, 10),
  String.fromCodePoint(0xe0061, 0xe0062, 0xe0063),
  "😀",
];

/** A recipe, repeated. */
export function textOfRecipe(recipe: readonly string[], size: number): string {
  const unit = recipe.join("");
  return unit.repeat(Math.ceil(size / Math.max(1, unit.length))).slice(0, size);
}

export function scannerOf(policy: CompiledPolicy, way: Way): (text: string) => void {
  if (way === "whole") return (text) => void scanText(policy, text, "user");
  return (text) => {
    const scanner = new StreamScanner(policy, "output", LABELS);
    for (let at = 0; at < text.length; at += PIECE) {
      scanner.push(text.slice(at, at + PIECE));
      scanner.release(scanner.clearedTo);
    }
    scanner.end();
  };
}

/** Looks for the dearest text by changing recipes for so long, always from the same seed. */
export function searchDearest(policy: CompiledPolicy, way: Way, seconds: number): Dearest {
  const random = new Random(20_261_125);
  const scan = scannerOf(policy, way);
  const until = performance.now() + seconds * 1000;
  let best: readonly string[] = ["a"];
  let bestMicros = 0;
  while (performance.now() < until) {
    const climbed = climb(random, (recipe) => leastMicros(scan, textOfRecipe(recipe, TRIED), 2), until);
    if (climbed.micros > bestMicros) {
      best = climbed.recipe;
      bestMicros = climbed.micros;
    }
  }
  const micros = leastMicros(scan, textOfRecipe(best, MEASURED), 3);
  return { way, recipe: best, secondsPerMb: micros / MEASURED };
}

type Climbed = { readonly recipe: readonly string[]; readonly micros: number };

function climb(random: Random, costOf: (recipe: readonly string[]) => number, until: number): Climbed {
  let recipe: readonly string[] = Array.from({ length: random.between(1, 4) }, () => random.pick(PARTS));
  let micros = costOf(recipe);
  for (let without = 0; without < PATIENCE && performance.now() < until; without++) {
    const other = changed(random, recipe);
    const cost = costOf(other);
    if (cost <= micros) continue;
    recipe = other;
    micros = cost;
    without = 0;
  }
  return { recipe, micros };
}

function changed(random: Random, recipe: readonly string[]): string[] {
  const at = random.below(recipe.length);
  const how = random.below(4);
  if (how === 0 && recipe.length < MAX_PARTS) return recipe.toSpliced(at, 0, random.pick(PARTS));
  if (how === 1 && recipe.length > 1) return recipe.toSpliced(at, 1);
  // Runs of one part, and the same part elsewhere, are what rules of repetition are for.
  if (how === 2 && recipe.length < MAX_PARTS) return recipe.toSpliced(random.below(recipe.length), 0, recipe[at] ?? "");
  return recipe.with(at, random.pick(PARTS));
}

/** CPU of the cheapest of some runs: what else the process does only adds. */
function leastMicros(work: (text: string) => void, text: string, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const began = process.cpuUsage();
    work(text);
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, user + system);
  }
  return least;
}

export const dearestText = (found: readonly Dearest[]): string =>
  table(
    ["dearest text found", "CPU s/MB", "repeated"],
    found.map(({ way, recipe, secondsPerMb }) => [way, figure(secondsPerMb, 2), JSON.stringify(recipe.join(""))]),
  );
