/** `bun run eval DIR`: what the scanner finds and wrongly flags in a folder of labelled samples. */
import { writeSync } from "node:fs";
import { judge, verdictText } from "#test/bench/bar";
import { falseFlags, misses } from "./examples";
import { measure, reportText } from "./measure";
import { type Options, readOptions, USAGE } from "./options";
import { readSamples, type Sample } from "./record";
import { enforced, recorded, scanSamples, scoredFrom } from "./seen";
import { sweepTable } from "./sweep";
import { BARS } from "./targets";

const options = told(2, () => readOptions(process.argv.slice(2)));
if (!options) console.error(USAGE);
const samples =
  options && told(1, () => readSamples(options.folder).filter((sample) => isWanted(sample, options.only)));
if (options && samples) await run(options, samples);

/** What `work` gives; a fault of it is told in a line, and the process ends with this code. */
function told<Result>(code: number, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault);
    process.exitCode = code;
    return undefined;
  }
}

async function run(options: Options, samples: readonly Sample[]): Promise<void> {
  const { from, json, misses: missed, alarms, sweep, show } = options;
  const progress = scanProgress(samples.length);
  const seen = scanSamples(samples, progress.count);
  progress.end();
  if (sweep !== undefined) return console.log(sweepTable(seen, sweep));
  const counts = from === undefined ? recorded : scoredFrom(from);
  if (missed !== undefined) console.log(misses(seen, counts, missed, show).join("\n"));
  if (alarms !== undefined) console.log(falseFlags(seen, counts, alarms, show).join("\n"));
  if (missed !== undefined || alarms !== undefined) return;

  const counting = from === undefined ? "that the built-in policy records" : `of a score from ${from} on`;
  const measured = measure(seen, { recorded: counts, enforced });
  const verdicts = judge(BARS, measured);
  console.log(`${samples.length} samples; findings ${counting}; enforced: what it redacts or blocks\n`);
  console.log(reportText(measured));
  console.log(`\n${verdictText(verdicts)}`);
  if (json !== undefined) {
    await Bun.write(
      json,
      `${JSON.stringify({ samples: samples.length, counting, ...measured, targets: verdicts }, null, 2)}\n`,
    );
  }
}

/** How often it is drawn anew. Milliseconds. */
const REDRAW_MS = 500;
const CLEAR = "\r\u001b[K";

/** On a terminal, how many samples are scanned, in a line that is taken away at the end. */
function scanProgress(all: number): { readonly count: (done: number) => void; readonly end: () => void } {
  if (!process.stderr.isTTY) return { count: () => {}, end: () => {} };
  let drawn = performance.now();
  const count = (done: number): void => {
    if (performance.now() - drawn < REDRAW_MS) return;
    drawn = performance.now();
    writeSync(process.stderr.fd, `${CLEAR}Scanning: ${done} of ${all} samples`);
  };
  return { count, end: () => void writeSync(process.stderr.fd, CLEAR) };
}

function isWanted({ kind, file }: Sample, only: string | undefined): boolean {
  return only === undefined || kind === only || file.includes(only);
}
