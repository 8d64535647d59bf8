/** `bun run eval DIR`: what the scanner finds and wrongly flags in a folder of labelled samples. */
import { writeSync } from "node:fs";
import { ORIGINS } from "#scan/detector";
import { judge } from "#test/bench/bar";
import { byLanguage, byOrigin } from "./breakdown";
import { calibration } from "./calibration";
import { allText, type Everything, writeDocument, writeLeftOut } from "./everything";
import { falseFlags, misses } from "./examples";
import { measureLeftOut } from "./left-out";
import { leftOutText } from "./left-out-tables";
import { measure } from "./measure";
import { type Options, readOptions, USAGE } from "./options";
import { type PeerName, runPeer } from "./peers";
import { readSamples, type Sample } from "./record";
import { enforced, recorded, type Seen, scanSamples, scoredFrom, streamSamples } from "./seen";
import { sweepTable } from "./sweep";
import { BARS } from "./targets";
import { samplesFor, type Versus, versus } from "./versus";

/** That of the shipped model. */
const LEFT_OUT_SEED = 1;

const options = told(2, () => readOptions(process.argv.slice(2)));
if (!options) console.error(USAGE);
if (options?.leftOut) await runLeftOut(options, options.leftOut);
const samples =
  options &&
  !options.leftOut &&
  told(1, () => readSamples(options.folder).filter((sample) => isWanted(sample, options.only)));
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
  const progress = scanProgress(samples.length);
  const seen = scanSamples(samples, { origin: options.origin, timed: true, onScanned: progress.count });
  progress.end();
  const asked = askedFor(options, seen);
  if (asked.length > 0) return console.log(asked.join("\n"));
  const measured = await measureAll(options, seen);
  console.log(allText(measured));
  const { json, document, unseen } = options;
  if (json !== undefined) await Bun.write(json, `${JSON.stringify(measured, null, 2)}\n`);
  if (document) await writeDocument(measured, unseen);
}

async function runLeftOut({ json, document }: Options, folders: readonly string[]): Promise<void> {
  const figures = told(1, () => measureLeftOut(folders, LEFT_OUT_SEED));
  if (!figures) return;
  console.log(leftOutText(figures));
  if (json !== undefined) await Bun.write(json, `${JSON.stringify(figures, null, 2)}\n`);
  if (document) await writeLeftOut(figures);
}

/** A table of thresholds, or single wrong answers, in place of all figures. */
function askedFor({ from, misses: missed, alarms, sweep, show }: Options, seen: readonly Seen[]): string[] {
  if (sweep !== undefined) return [sweepTable(seen, sweep)];
  const counts = from === undefined ? recorded : scoredFrom(from);
  return [
    ...(missed === undefined ? [] : misses(seen, counts, missed, show)),
    ...(alarms === undefined ? [] : falseFlags(seen, counts, alarms, show)),
  ];
}

async function measureAll(options: Options, seen: readonly Seen[]): Promise<Everything> {
  const { from, origin } = options;
  const counters = { recorded: from === undefined ? recorded : scoredFrom(from), enforced };
  const measured = measure(seen, counters);
  const samples = seen.map(({ sample }) => sample);
  const everywhere = options.origins
    ? ORIGINS.flatMap((each) => scanSamples(samples, { origin: each, timed: true }))
    : seen;
  const streams = options.streamed ? streamSamples(seen, origin ?? "output") : undefined;
  return {
    samples: seen.length,
    counting: from === undefined ? "that the built-in policy records" : `of a score from ${from} on`,
    ...measured,
    origins: byOrigin(everywhere, counters),
    languages: byLanguage(seen, counters),
    streams: streams && {
      origins: byOrigin(streams.streamed, counters),
      languages: byLanguage(streams.streamed, counters),
      compared: streams.compared,
    },
    calibration: options.calibration ? calibration(seen) : undefined,
    peers: await besidePeers(options.peers, seen),
    targets: judge(BARS, measured),
  };
}

/** Programs that are not installed are told of and left out. */
async function besidePeers(names: readonly PeerName[], seen: readonly Seen[]): Promise<Versus[]> {
  const all: Versus[] = [];
  for (const name of names) {
    const own = samplesFor(name, seen);
    try {
      const peer = await runPeer(
        name,
        own.map(({ sample }) => sample),
      );
      all.push(versus(peer, own));
    } catch (fault) {
      console.error(`${name} was not run: ${fault instanceof Error ? fault.message : fault}`);
      process.exitCode = 1;
    }
  }
  return all;
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
