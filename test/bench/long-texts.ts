/** What long texts cost that are full of what detectors begin with, beside prose in the same run. One thread, no hub. */
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import { atMost, type Bar, judge, type Verdict, verdictText } from "./bar.ts";
import { type Figure, figuresOfVerdicts, lowerIsBetter } from "./figures.ts";
import { LONG_KINDS, type LongKind, longText } from "./long-text-kinds.ts";
import { figure, table } from "./table.ts";

/** Units of a text; all of them are scanned. */
const SIZE = 1_000_000;
const GROWTH_SIZES = [500_000, 2_000_000, 4_000_000] as const;
const MAX_SIZE = 4_000_000;
const ROUNDS = 3;
/** Scanned first, so that no class pays for tables that all need. */
const WARM_UP = 200_000;

/** Scans a text as a user's and gives how much was found. */
export type ScanOf = (text: string) => number;

export type LongTiming = {
  readonly kind: LongKind;
  readonly findings: number;
  /** CPU of all threads, ms a million units: of the first scan in this process, and of the least dear. */
  readonly first: number;
  readonly least: number;
  /** The least of the other checkout, in alternation. */
  readonly other: number | undefined;
  /** What a unit costs in the longest text, in terms of what it costs in the shortest. */
  readonly growth: number | undefined;
};

export const LONG_TEXT_BARS: readonly Bar<readonly LongTiming[]>[] = [
  atMost(
    "CPU of 1 MB, ms, dearest class",
    1000,
    0,
    dearest(({ least }) => least),
  ),
  atMost(
    "CPU of 1 MB when its class is scanned for the first time, ms, dearest class",
    1000,
    0,
    dearest(({ first }) => first),
  ),
  atMost(
    "a unit of 4 MB ÷ a unit of 0.5 MB, dearest class",
    1.5,
    2,
    dearest(({ growth }) => growth),
  ),
];

function dearest(of: (timing: LongTiming) => number | undefined) {
  return (timings: readonly LongTiming[]): number | undefined => {
    const known = timings.map(of).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
}

export const LONG_TEXT_BENCH = {
  usage: "bun run bench long-texts [--quick] [--only REGEXP] [--beside DIR of another checkout] [--json FILE]",
  run(args: readonly string[]): () => Promise<void> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string", default: "" },
        beside: { type: "string" },
        json: { type: "string" },
      },
    });
    const only = new RegExp(values.only);
    return () => benchLongTexts({ ...values, only });
  },
};

type Options = {
  readonly quick: boolean;
  readonly only: RegExp;
  readonly beside?: string | undefined;
  readonly json?: string | undefined;
};

async function benchLongTexts({ quick, only, beside, json }: Options): Promise<void> {
  console.log(`${cpus()[0]?.model ?? "unknown"}, Bun ${Bun.version}\n`);
  const other = beside === undefined ? undefined : await scannerIn(resolve(beside));
  const kinds = LONG_KINDS.filter((kind) => kind === "prose" || only.test(kind));
  const timings = timeLongTexts(kinds, ownScanner(), other, quick ? "quick" : "full");
  const verdicts = judge(LONG_TEXT_BARS, timings);
  console.log(`${longTimingText(timings)}\n\n${verdictText(verdicts)}`);
  if (quick) console.log("\nA quick run: good for seeing a large change, not for quoting a figure.");
  if (json !== undefined)
    await Bun.write(
      json,
      `${JSON.stringify({ verdicts, figures: figuresOf(timings, verdicts), timings }, undefined, 2)}\n`,
    );
}

export function timeLongTexts(
  kinds: readonly LongKind[],
  scan: ScanOf,
  other: ScanOf | undefined,
  run: "quick" | "full",
): LongTiming[] {
  for (const each of other ? [scan, other] : [scan]) each(longText("prose", WARM_UP));
  return kinds.map((kind) => {
    const text = longText(kind, SIZE);
    const costs: number[] = [];
    const others: number[] = [];
    let findings = 0;
    for (let round = 0; round < (run === "quick" ? 1 : ROUNDS); round += 1) {
      costs.push(cpuOf(() => (findings = scan(text))));
      if (other) others.push(cpuOf(() => other(text)));
    }
    return {
      kind,
      findings,
      first: costs[0] ?? Number.NaN,
      least: Math.min(...costs),
      other: others.length === 0 ? undefined : Math.min(...others),
      growth: run === "quick" ? undefined : growthOf(kind, scan),
    };
  });
}

/** The least of several: others' work on the machine only ever adds. */
function growthOf(kind: LongKind, scan: ScanOf): number {
  const [shortest = 0, , longest = 0] = GROWTH_SIZES.map((size) => {
    const text = longText(kind, size);
    return (
      Math.min(
        cpuOf(() => scan(text)),
        cpuOf(() => scan(text)),
      ) / size
    );
  });
  return longest / shortest;
}

/** Milliseconds of CPU, all threads of this process. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function longTimingText(timings: readonly LongTiming[]): string {
  const prose = timings.find(({ kind }) => kind === "prose")?.least;
  const isBeside = timings.some(({ other }) => other !== undefined);
  const head = [
    "text",
    "found",
    "first ms/MB",
    "ms/MB",
    "÷ prose",
    "growth",
    ...(isBeside ? ["beside", "÷ beside"] : []),
  ];
  const rows = timings
    .toSorted((one, two) => two.least - one.least)
    .map(({ kind, findings, first, least, growth, other }) => [
      kind,
      String(findings),
      figure(first),
      figure(least),
      figure(prose === undefined ? undefined : least / prose, 1),
      figure(growth, 2),
      ...(isBeside ? [figure(other), figure(other === undefined ? undefined : least / other, 2)] : []),
    ]);
  return table(head, rows);
}

/** Each class as a ratio to prose. */
function figuresOf(timings: readonly LongTiming[], verdicts: readonly Verdict[]): Figure[] {
  const prose = timings.find(({ kind }) => kind === "prose")?.least ?? Number.NaN;
  const ratios = timings
    .filter(({ kind }) => kind !== "prose")
    .flatMap(({ kind, least }) => lowerIsBetter(`CPU of ${kind} ÷ prose`, least / prose));
  return [...figuresOfVerdicts(verdicts), ...ratios];
}

export function ownScanner(): ScanOf {
  const policy = compilePolicy({ ...DEFAULT_POLICY, max_text: MAX_SIZE }, 1, DETECTORS);
  return (text) => scanText(policy, text, "user").findings.length;
}

/** The scanner of another checkout, e.g. of the commit before a change, in this process. */
async function scannerIn(folder: string): Promise<ScanOf> {
  const load = async (file: string, name: string): Promise<unknown> => {
    const module: object = await import(join(folder, "src/scan", file));
    return Reflect.get(module, name);
  };
  const scan = await load("scan.ts", "scanText");
  const compile = await load("policy.ts", "compilePolicy");
  const [source, detectors] = [
    await load("defaults.ts", "DEFAULT_POLICY"),
    await load("detectors/index.ts", "DETECTORS"),
  ];
  if (typeof scan !== "function" || typeof compile !== "function" || typeof source !== "object") {
    throw new Error(`no scanner in ${folder}`);
  }
  const policy: unknown = compile({ ...source, max_text: MAX_SIZE }, 1, detectors);
  return (text) => {
    const { findings } = scan(policy, text, "user");
    return findings.length;
  };
}
