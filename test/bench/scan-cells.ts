import { median, quantile, spread } from "./stats.ts";
import { figure, table } from "./table.ts";

/** Texts of one sort and size, and what is done with them. */
export type Job = {
  readonly work: string;
  readonly kind: string;
  readonly size: number;
  readonly texts: readonly string[];
  run(text: string): number;
};

/** What a job cost. A KB is 1,024 units, an MB a million of them; the bench's own texts are ASCII but for the hostile. */
export type Timing = {
  readonly work: string;
  readonly kind: string;
  readonly size: number;
  readonly samples: number;
  /** Microseconds of one text, and of the dearest. A text counts with the lower quartile of its runs: see `timingOf`. */
  readonly p50: number;
  readonly worst: number;
  readonly perKbP50: number;
  readonly perKbP99: number;
  /** Of all texts together: short ones weigh by their length. */
  readonly perKb: number;
  readonly megabytesPerSecond: number;
  /** Whatever the runs gave, added up: nothing may be optimised away. */
  readonly outcome: number;
};

/** Microseconds of each run, by text. */
type Samples = { readonly job: Job; micros: number[][]; outcome: number };

/** Times every job in every round, so that what disturbs the machine disturbs them alike. */
export function time(jobs: readonly Job[], rounds: number, secondsPerJob: number): Timing[] {
  const all: Samples[] = jobs.map((job) => ({ job, micros: job.texts.map(() => []), outcome: 0 }));
  for (const samples of all) take(samples, secondsPerJob);
  for (const samples of all) samples.micros = samples.job.texts.map(() => []);
  for (let round = 0; round < rounds; round += 1) for (const samples of all) take(samples, secondsPerJob);
  return all.map(timingOf);
}

/** All texts once at least, and again until the time is up. */
function take(samples: Samples, seconds: number): void {
  const { texts, run } = samples.job;
  const until = performance.now() + seconds * 1000;
  do {
    for (const [at, text] of texts.entries()) {
      const began = performance.now();
      samples.outcome += run(text);
      samples.micros[at]?.push((performance.now() - began) * 1000);
    }
  } while (performance.now() < until);
}

/**
 * A text costs the lower quartile of its runs, and the quantiles are those of the texts: what is asked is which text
 * is dear, not how often somebody else had the processor, which only ever adds.
 */
function timingOf({ job: { work, kind, size, texts }, micros, outcome }: Samples): Timing {
  const costs = micros.map((runs) => quantile(Float64Array.from(runs).sort(), 0.25));
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const { p50, p99 } = spread(costs.map((cost, at) => cost / ((texts[at]?.length ?? 0) / 1024)));
  return {
    work,
    kind,
    size,
    samples: micros.reduce((sum, runs) => sum + runs.length, 0),
    p50: median(costs),
    worst: Math.max(...costs),
    perKbP50: p50,
    perKbP99: p99,
    perKb: (costs.reduce((sum, cost) => sum + cost, 0) * 1024) / units,
    megabytesPerSecond: 1024 / p50,
    outcome,
  };
}

export function timingText(timings: readonly Timing[]): string {
  return table(
    ["work", "text", "size", "runs", "µs/KB", "p99", "MB/s", "÷ sum"],
    timings.map((timing) => [
      timing.work,
      timing.kind,
      String(timing.size),
      String(timing.samples),
      figure(timing.perKbP50, 2),
      figure(timing.perKbP99, 2),
      figure(timing.megabytesPerSecond),
      figure(timeToSum(timings, timing), 1),
    ]),
  );
}

/** How often the plain sum over the same kind of text would be done meanwhile; NaN where it was not measured. */
export const timeToSum = (timings: readonly Timing[], timing: Timing): number =>
  timing.perKbP50 / (sumBeside(timings, timing) ?? Number.NaN);

/** The plain sum over the same kind of text in the same run: what makes figures of two machines comparable. */
function sumBeside(timings: readonly Timing[], { kind }: Timing): number | undefined {
  return timings.find((timing) => timing.work === "sum" && timing.kind === kind)?.perKbP50;
}
