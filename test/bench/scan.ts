/** What a scan costs with every detector on, beside the least any scan could cost. One thread, no hub. */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge, type Verdict, verdictText } from "./bar.ts";
import { type Figure, figuresOfVerdicts, lowerIsBetter } from "./figures.ts";
import { type Job, type Timing, time, timeToSum, timingText } from "./scan-cells.ts";
import { dearestText, searchDearest } from "./scan-search.ts";
import { SCAN_BARS, SEARCH_BARS } from "./scan-targets.ts";
import { KINDS, MIXED, MIXED_UNITS, mixedTexts, textOf } from "./scan-texts.ts";
import { compiled, WORKS, worksOf } from "./scan-work.ts";

const SIZES = [400, 1024, 4096, 16_384, 102_400] as const;
/** Where the parts of a scan and the baselines are compared. */
const COMPARED = 16_384;
/** Enough different texts that none is learnt by heart, few enough to fit the time. */
const UNITS_PER_JOB = 1_000_000;
const MAX_TEXTS = 200;
const MIXED_TEXTS = 3_000;
/** Of a data folder's file, so much is scanned. */
const MAX_DATA = 4_000_000;

type ScanOptions = {
  readonly quick: boolean;
  readonly json: string | undefined;
  readonly data: string | undefined;
};

export const SCAN_BENCH = {
  usage: "bun run bench scan [--quick] [--data DIR with *.jsonl] [--json FILE]",
  run(args: readonly string[]): () => Promise<void> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        data: { type: "string" },
        json: { type: "string" },
      },
    });
    const { quick, data, json } = values;
    return () => benchScan({ quick, data, json });
  },
};

type Source = { readonly kind: string; texts(size: number): readonly string[] };

export async function benchScan({ quick, data, json }: ScanOptions): Promise<void> {
  const { policy, ...built } = compiled();
  console.log(`${cpus()[0]?.model ?? "unknown"}, Bun ${Bun.version}`);
  console.log(
    `${built.detectors} detectors compiled in ${built.compileMs.toFixed(1)} ms: ${built.states} states, ` +
      `${(built.tableBytes / 1024).toFixed(0)} KB\n`,
  );
  const works = worksOf(policy);
  const sources = [...KINDS.map(madeOf), ...(data === undefined ? [] : filesIn(data))];
  const jobs = WORKS.flatMap((work) =>
    sources.flatMap(({ kind, texts }) =>
      (work === "scan" ? SIZES : [COMPARED]).map(
        (size): Job => ({ work, kind, size, texts: texts(size), run: works[work] }),
      ),
    ),
  );
  const mixed: Job = { work: "scan", kind: MIXED, size: MIXED_UNITS, texts: mixedTexts(MIXED_TEXTS), run: works.scan };
  const timings = time([mixed, ...jobs], quick ? 1 : 5, quick ? 0.02 : 0.1);
  const dearest = (["whole", "stream"] as const).map((way) => searchDearest(policy, way, quick ? 1 : 20));
  const verdicts = [...judge(SCAN_BARS, timings), ...judge(SEARCH_BARS, dearest)];
  console.log(`${timingText(timings)}\n\n${dearestText(dearest)}\n\n${verdictText(verdicts)}`);
  if (quick) console.log("\nA quick run: good for seeing a large change, not for quoting a figure.");
  if (json !== undefined)
    await Bun.write(
      json,
      `${JSON.stringify({ built, verdicts, figures: figuresOf(timings, verdicts), timings, dearest }, undefined, 2)}\n`,
    );
}

/** Each kind of text as a ratio to the plain sum over the same texts. */
const figuresOf = (timings: readonly Timing[], verdicts: readonly Verdict[]): Figure[] => [
  ...figuresOfVerdicts(verdicts),
  ...timings
    .filter(({ size, work }) => size === COMPARED && work !== "sum" && work !== "regexp")
    .flatMap((timing) => lowerIsBetter(`${timing.work} of ${timing.kind}, 16 KB ÷ sum`, timeToSum(timings, timing))),
];

function madeOf(kind: (typeof KINDS)[number]): Source {
  return {
    kind,
    texts: (size) => {
      const count = Math.min(MAX_TEXTS, Math.ceil(UNITS_PER_JOB / size));
      return Array.from({ length: count }, (_, number) => textOf(kind, size, number));
    },
  };
}

/** The records of each file one after the other, cut into texts of the size. */
function filesIn(folder: string): Source[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  if (files.length === 0) throw new Error(`no .jsonl file in ${folder}`);
  return files.sort().map((file) => {
    const all = readFileSync(join(folder, file), "utf8").split("\n").map(textIn).join("\n").slice(0, MAX_DATA);
    return {
      kind: file.replace(/\.jsonl$/, ""),
      texts: (size) =>
        Array.from({ length: Math.min(MAX_TEXTS, Math.max(1, Math.floor(all.length / size))) }, (_, number) =>
          all.slice(number * size, (number + 1) * size),
        ),
    };
  });
}

function textIn(line: string): string {
  if (line.trim() === "") return "";
  const record: unknown = JSON.parse(line);
  const text = typeof record === "object" && record !== null && "text" in record ? record.text : undefined;
  if (typeof text !== "string") throw new Error("a line of the data has no text");
  return text;
}
